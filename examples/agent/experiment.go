package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tmc/langchaingo/llms"
	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// The arms that are compared.
const (
	noMemory = iota
	plain
	repute
)

// arms are their names.
var arms = [...]string{noMemory: "no memory", plain: "plain retriever", repute: "Repute"}

// study is the shape of the experiment.
type study struct {
	epochs, seeds int
	programs      int // drawn for each seed
	llm           llms.Model
	verifier      *verifier
	progress      func() // an arm has finished an epoch
}

// rates holds the pass rates in [0,1] by arm, epoch and seed; NaN is one that was
// not measured.
type rates [len(arms)][][]float64

// run lets every arm mend the same programs, reported in the same words and order,
// with the same memories and the same model. Two arms run at a time; the result
// does not depend on that. With an error it returns what was measured until then.
func (s study) run(ctx context.Context) (rates, error) {
	var got rates
	for arm := range arms {
		got[arm] = make([][]float64, s.epochs)
		for epoch := range s.epochs {
			got[arm][epoch] = slices.Repeat([]float64{math.NaN()}, s.seeds)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency)
	for seed := range s.seeds {
		for arm := range arms {
			group.Go(func() error {
				err := s.arm(ctx, arm, seed, func(epoch int, rate float64) { got[arm][epoch][seed] = rate })
				if err != nil {
					return fmt.Errorf("%s, seed %d: %w", arms[arm], seed, err)
				}
				return nil
			})
		}
	}
	return got, group.Wait()
}

// arm runs all epochs of one arm with one seed.
func (s study) arm(ctx context.Context, arm, seed int, report func(epoch int, rate float64)) (err error) {
	rng := rand.New(rand.NewPCG(uint64(seed), 7)) // the same draws for every arm
	programs := drawPrograms(rng, s.programs)
	known := drawPatterns(rng)
	var m *memoryOf
	if arm != noMemory {
		if m, err = newMemory(ctx, known, arm == repute, uint64(seed)); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, m.close()) }()
	}
	for epoch := range s.epochs {
		rng.Shuffle(len(programs), func(i, j int) { programs[i], programs[j] = programs[j], programs[i] })
		passed := 0
		for _, p := range programs {
			ok, err := attempt(ctx, s.llm, s.verifier, m, p, p.reports[rng.IntN(len(p.reports))])
			if err != nil {
				return err
			}
			if ok {
				passed++
			}
		}
		report(epoch, float64(passed)/float64(len(programs)))
		s.progress()
	}
	return nil
}

// drawPrograms draws n of the programs.
func drawPrograms(rng *rand.Rand, n int) []problem {
	programs := problems()
	rng.Shuffle(len(programs), func(i, j int) { programs[i], programs[j] = programs[j], programs[i] })
	return programs[:min(n, len(programs))]
}

// drawPatterns draws the memories of one seed: every right one, and three quarters
// of the wrong ones.
func drawPatterns(rng *rand.Rand) []pattern {
	var out []pattern
	for i, p := range patterns {
		if i%perFamily == 0 || rng.Float64() < .75 {
			out = append(out, p)
		}
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// interval returns the mean of a sample of rates and its 95 % interval (Student's
// t, cut to [0,1]), NaN left out. It has no width where all are equal or there is
// only one; without any all three are NaN.
func interval(xs []float64) (mean, low, high float64) {
	xs = slices.DeleteFunc(slices.Clone(xs), math.IsNaN)
	if len(xs) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	mean, sd := stat.MeanStdDev(xs, nil)
	n := float64(len(xs))
	if n < 2 {
		return mean, mean, mean
	}
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(.975) * sd / math.Sqrt(n)
	return mean, max(mean-half, 0), min(mean+half, 1)
}
