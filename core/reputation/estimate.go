package reputation

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is a posterior in short: its mean and how much evidence it rests on,
// the prior included. It stands for a Beta distribution.
type Estimate struct {
	Mean, Mass float64
}

// Estimate is the posterior behind the score.
func (s *Score) Estimate() Estimate { return Estimate{Mean: s.Mean, Mass: s.Mass} }

// Interval returns the central interval that holds the given share (in (0,1), such
// as .9) of the posterior Beta distribution. It costs some microseconds, which is
// why scores do not carry it. Impossible arguments give [0,1].
func (e Estimate) Interval(share float64) (low, high float64) {
	if !(share > 0 && share < 1 && e.Mass > 0 && e.Mean >= 0 && e.Mean <= 1) {
		return 0, 1
	}
	const least = 1e-3 // below this quantiles lose their digits
	mass := min(e.Mass, 1e6)
	b := distuv.Beta{Alpha: max(mass*e.Mean, least), Beta: max(mass*(1-e.Mean), least)}
	tail := (1 - share) / 2
	low, high = b.Quantile(tail), b.Quantile(1-tail)
	if math.IsNaN(low) || math.IsNaN(high) {
		return 0, 1
	}
	return low, high
}
