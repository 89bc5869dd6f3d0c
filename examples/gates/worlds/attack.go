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

// ratings are what the attacker does 1,000 times.
type ratings struct {
	target  int     // the candidate that they rate
	value   float64 // what they say; negative = there is no attack
	own     bool    // on answers of their own
	revised bool    // having said the opposite before
}

// attack measures the regret per visit that one rater adds by rating a candidate of
// the most frequent type 1,000 times, a third into the run.
func attack(ctx context.Context, name string, by ratings, seeds []uint64) (Attack, error) {
	w := World{K: 1, Visits: 3000, Delta: .6}
	extra := make([]float64, len(seeds))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cores)
	for n, seed := range seeds {
		g.Go(func() error {
			s := w.draw(seed)
			attacked, visits := s.siege(by)
			calm, _ := s.siege(ratings{value: -1})
			extra[n] = (attacked - calm) / max(visits, 1)
			return ctx.Err()
		})
	}
	err := g.Wait()
	return Attack{name, attackBar, MeasureOf(extra)}, err
}

// siege plays the scene with an attack and returns what was lost at later visits of
// the first type, and how many there were.
func (s *scene) siege(by ratings) (lost, visits float64) {
	l := newLearner(reputation.Constants{}, blindness{})
	struck := false
	for i := range s.visits {
		order := l.rank(s, i)
		first := s.visits[i].kind == 0
		if first && i > s.Visits/3 && !struck && by.value >= 0 {
			l.besiege(s, i, by)
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
func (l *learner) besiege(s *scene, i int, by ratings) {
	const mallory = "user:mallory"
	raters := reputation.NewRaters(s.time(i), nil, l.constants)
	rate := func(r *reputation.Receipt, value float64) *reputation.Receipt {
		return l.fold(s, i, r, []int{by.target}, reputation.Opinion{Rater: mallory, Value: value}, raters)
	}
	receipts := make([]*reputation.Receipt, attackRatings)
	for n := range receipts {
		l.rank(s, i)
		r := l.receipt([]int{by.target}, uint64(1e9)+uint64(n))
		if by.own {
			r.User = reputation.ActorTag(mallory)
		}
		if by.revised {
			receipts[n] = rate(r, 1-by.value)
		} else {
			rate(r, by.value)
		}
	}
	for _, r := range receipts {
		if by.revised {
			rate(r, by.value)
		}
	}
}

// attacks runs the ways to abuse ratings.
func attacks(ctx context.Context, seeds []uint64) (all []Attack, err error) {
	for _, a := range []struct {
		name string
		by   ratings
	}{
		{"1,000 times no to the right document", ratings{target: 0}},
		{"1,000 times yes to a wrong document", ratings{target: 1, value: 1}},
		{"1,000 times no to the right document on answers of their own", ratings{target: 0, own: true}},
		{"1,000 times yes to the right document, all revised to no", ratings{target: 0, revised: true}},
	} {
		one, err := attack(ctx, a.name, a.by, seeds)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
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
