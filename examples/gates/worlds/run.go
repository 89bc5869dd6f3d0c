package worlds

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// cores is the number of runs at a time.
const cores = 2

// result is how one arm did in one scene.
type result struct {
	lost   float64   // sum of success probabilities short of the oracle's
	late   float64   // share of the last quarter with the right document first
	losses []float64 // lost by tenths of the run
}

// play lets an arm live through a scene.
func play(s *scene, a arm) result {
	const parts = 10
	r := result{losses: make([]float64, parts)}
	late := 0
	for i := range s.visits {
		order := a.rank(s, i)
		shown := order[:s.K]
		p := s.success(i, shown)
		short := s.oracle(i) - p
		r.lost += short
		r.losses[i*parts/len(s.visits)] += short
		if i >= 3*len(s.visits)/4 {
			late++
			if order[0] == s.rightOf(i) {
				r.late++
			}
		}
		y := 0.0
		if s.visits[i].luck < p {
			y = 1
		}
		a.learn(s, i, shown, y, s.used(i, shown))
	}
	r.late /= float64(max(late, 1))
	return r
}

// Measure is the mean of a quantity over seeds with half the width of its 95 %
// confidence interval (Student's t).
type Measure struct {
	Mean float64 `json:"mean"`
	Half float64 `json:"half_width"`
}

// Upper is the upper end of the interval.
func (m Measure) Upper() float64 { return m.Mean + m.Half }

// MeasureOf is the measure of paired observations, such as one a seed.
func MeasureOf(x []float64) Measure {
	mean, sd := stat.MeanStdDev(x, nil)
	if len(x) < 2 {
		return Measure{Mean: mean}
	}
	return Measure{Mean: mean, Half: student(len(x)) * sd / math.Sqrt(float64(len(x)))}
}

// Cell is what one arm reached in one world.
type Cell struct {
	Arm    string    `json:"arm"`
	Regret Measure   `json:"regret"` // relative to the retriever alone, which is 1; an oracle is 0
	Late   Measure   `json:"late"`   // right document first, over the last quarter
	Curve  []float64 `json:"curve"`  // regret by tenths of the run
}

// compare plays a world with every arm for the given seeds. The first arm is the
// one that the others are measured against.
func compare(ctx context.Context, w World, arms []Arm, seeds []uint64) ([]Cell, error) {
	results := make([][]result, len(seeds)) // by seed and arm
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cores)
	for n, seed := range seeds {
		g.Go(func() error {
			s := w.draw(seed)
			for _, a := range arms {
				if err := ctx.Err(); err != nil {
					return err
				}
				results[n] = append(results[n], play(s, a.make(seed)))
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	cells := make([]Cell, len(arms))
	for a := range arms {
		cells[a] = summarise(arms[a].Name, results, a)
	}
	return cells, nil
}

// ratio is sum(x)/sum(base) with half the width of its 95 % interval, by the
// delete-one jackknife over seeds (Efron & Tibshirani 1993) and Student's t.
func ratio(x, base []float64) Measure {
	sx, sb, n := floats.Sum(x), floats.Sum(base), float64(len(x))
	m := Measure{Mean: sx / sb}
	if len(x) < 2 {
		return m
	}
	without := make([]float64, len(x))
	for i := range x {
		without[i] = (sx - x[i]) / (sb - base[i])
	}
	_, variance := stat.PopMeanVariance(without, nil)
	m.Half = student(len(x)) * math.Sqrt((n-1)*variance)
	return m
}

// student is the .975 quantile of Student's t for n observations.
func student(n int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(.975)
}

// summarise puts an arm's results over all seeds together.
func summarise(name string, results [][]result, a int) Cell {
	var lost, base, late []float64
	curve := make([]float64, len(results[0][0].losses))
	for _, byArm := range results {
		lost = append(lost, byArm[a].lost)
		base = append(base, byArm[0].lost)
		late = append(late, byArm[a].late)
		floats.Add(curve, byArm[a].losses)
	}
	floats.Scale(float64(len(curve))/floats.Sum(base), curve)
	return Cell{Arm: name, Regret: ratio(lost, base), Late: MeasureOf(late), Curve: curve}
}
