package worlds

import (
	"context"

	"github.com/repute-go/repute/core/reputation"
	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"
)

const (
	attackRatings = 1000
	attackBar     = .05
)

// Attack is what one rater can do who rates one document a thousand times: the
// probability of success lost at each later visit of the query it hurts.
type Attack struct {
	Name  string  `json:"name"`
	Bar   float64 `json:"bar"`
	Extra Measure `json:"extra_regret"`
}

// attack measures the regret per visit that one rater adds by rating a candidate of
// the most frequent type 1,000 times, a third into the run.
func attack(ctx context.Context, name string, target int, value float64, seeds []uint64) (Attack, error) {
	w := World{K: 1, Visits: 3000, Delta: .6}
	extra := make([]float64, len(seeds))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cores)
	for n, seed := range seeds {
		g.Go(func() error {
			s := w.draw(seed)
			attacked, visits := s.siege(target, value)
			calm, _ := s.siege(target, -1)
			extra[n] = (attacked - calm) / max(visits, 1)
			return ctx.Err()
		})
	}
	err := g.Wait()
	return Attack{name, attackBar, MeasureOf(extra)}, err
}

// siege plays the scene with 1,000 ratings (none if value is negative) and returns
// what was lost at later visits of the first type, and how many there were.
func (s *scene) siege(target int, value float64) (lost, visits float64) {
	l := newLearner(reputation.Constants{}, blindness{})
	struck := false
	for i := range s.visits {
		order := l.rank(s, i)
		first := s.visits[i].kind == 0
		if first && i > s.Visits/3 && !struck && value >= 0 {
			l.besiege(s, i, target, value)
			struck = true
			order = l.rank(s, i)
		}
		p := s.success(i, order[:s.K])
		if first && i > s.Visits/3 {
			lost += s.oracle(i) - p
			visits++
		}
		l.learn(s, i, order[:s.K], number(s.visits[i].luck < p), nil)
	}
	return lost, visits
}

// besiege lets one rater rate the target after each of 1,000 retrievals.
func (l *learner) besiege(s *scene, i, target int, value float64) {
	tallies := map[string][]float64{}
	for n := range attackRatings {
		l.rank(s, i)
		o := reputation.Opinion{Rater: "user:mallory", Value: value}
		l.hear(s, i, []int{target}, uint64(1e9)+uint64(n), o, reputation.NewRaters(s.time(i), tallies, l.constants))
	}
}

// attacks runs both ways to abuse ratings.
func attacks(ctx context.Context, seeds []uint64) ([]Attack, error) {
	down, err := attack(ctx, "1,000 times no to the right document", 0, 0, seeds)
	if err != nil {
		return nil, err
	}
	up, err := attack(ctx, "1,000 times yes to a wrong document", 1, 1, seeds)
	return []Attack{down, up}, err
}

// sum adds increments to tallies by name.
func sum(tallies map[string][]float64, deltas []reputation.TallyDelta) {
	for _, t := range deltas {
		if tallies[t.Name] == nil {
			tallies[t.Name] = make([]float64, len(t.Values))
		}
		floats.Add(tallies[t.Name], t.Values)
	}
}
