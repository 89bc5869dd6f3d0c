package reputation

import (
	"errors"
	"fmt"
	"math"
)

// ErrConstants is returned for constants that no ranking can be made with.
var ErrConstants = errors.New("reputation: impossible constants")

// Validate reports what is wrong with the constants, with [ErrConstants]. The zero
// value stands for the defaults and is fine; a value with only some fields set is
// not: start from [DefaultConstants]. [Posterior] and [Fold] do not check by
// themselves.
func (c Constants) Validate() error {
	if c == (Constants{}) {
		return nil
	}
	for name, x := range map[string]float64{
		"RelevanceSlope": c.RelevanceSlope, "TransferPenalty": c.TransferPenalty, "Bonus": c.Bonus, "SharedBonus": c.SharedBonus,
		"Uncited": c.Uncited, "RaterCap": c.RaterCap, "Transfer": min(c.Transfer[0], c.Transfer[1], c.Transfer[2], c.Transfer[3]),
		"HalfLife": float64(c.HalfLife), "RaterHalfLife": float64(c.RaterHalfLife), "RaterEvents": float64(c.RaterEvents),
	} {
		if !(x >= 0 && x <= math.MaxFloat64) {
			return fmt.Errorf("%w: %s is %v", ErrConstants, name, x)
		}
	}
	switch {
	case !(c.PriorStrength > 0 && c.Indifference > c.PriorStrength && c.Indifference <= math.MaxFloat64):
		return fmt.Errorf("%w: need 0 < PriorStrength < Indifference, have %v and %v", ErrConstants, c.PriorStrength, c.Indifference)
	case !(c.RaterStrength > 0 && c.RaterStrength <= math.MaxFloat64):
		return fmt.Errorf("%w: RaterStrength is %v", ErrConstants, c.RaterStrength)
	case !(c.PositionDecay > 0 && c.PositionDecay <= 1):
		return fmt.Errorf("%w: PositionDecay is %v, not in (0,1]", ErrConstants, c.PositionDecay)
	case c.Exploration != ExploreByBonus && c.Exploration != ExploreByDraw:
		return fmt.Errorf("%w: Exploration is %d", ErrConstants, c.Exploration)
	case math.IsNaN(c.Recurrence) || math.IsNaN(c.SharedPrior) || math.IsInf(c.SharedPrior, 0):
		return fmt.Errorf("%w: Recurrence is %v, SharedPrior %v", ErrConstants, c.Recurrence, c.SharedPrior)
	}
	return nil
}
