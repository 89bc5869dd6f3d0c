package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tmc/langchaingo/llms"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// arms are what is compared.
var arms = []string{"no memory", "plain retriever", "Repute"}

// study is the shape of the experiment.
type study struct {
	epochs, seeds int
	programs      int // drawn for each seed
	llm           llms.Model
	verifier      *verifier
	progress      func(arm string, seed, epoch int, rate float64)
}

// outcomes holds the pass rate by arm, epoch and seed, each in [0,1].
type outcomes map[string][][]float64

// run lets every arm mend the same programs in the same order.
func (s study) run(ctx context.Context) (outcomes, error) {
	out := outcomes{}
	for _, arm := range arms {
		out[arm] = make([][]float64, s.epochs)
	}
	for seed := range s.seeds {
		for _, arm := range arms {
			rates, err := s.arm(ctx, arm, seed)
			if err != nil {
				return nil, fmt.Errorf("%s, seed %d: %w", arm, seed, err)
			}
			for epoch, rate := range rates {
				out[arm][epoch] = append(out[arm][epoch], rate)
			}
		}
	}
	return out, nil
}

// arm runs all epochs of one arm with one seed.
func (s study) arm(ctx context.Context, arm string, seed int) (rates []float64, err error) {
	rng := rand.New(rand.NewPCG(uint64(seed), 7)) // the same draws for every arm
	programs := problems()
	rng.Shuffle(len(programs), func(i, j int) { programs[i], programs[j] = programs[j], programs[i] })
	programs = programs[:min(s.programs, len(programs))]
	var m *memoryOf
	if arm != arms[0] {
		if m, err = newMemory(ctx, drawPatterns(rng), arm == arms[2], uint64(seed)); err != nil {
			return nil, err
		}
		defer func() {
			if cerr := m.close(); err == nil {
				err = cerr
			}
		}()
	}
	for epoch := range s.epochs {
		order := rand.New(rand.NewPCG(uint64(seed), uint64(100+epoch)))
		order.Shuffle(len(programs), func(i, j int) { programs[i], programs[j] = programs[j], programs[i] })
		rate, err := s.epoch(ctx, m, programs)
		if err != nil {
			return nil, err
		}
		rates = append(rates, rate)
		s.progress(arm, seed, epoch, rate)
	}
	return rates, nil
}

func (s study) epoch(ctx context.Context, m *memoryOf, programs []problem) (float64, error) {
	passed := 0
	for _, p := range programs {
		ok, err := attempt(ctx, s.llm, s.verifier, m, p)
		if err != nil {
			return 0, err
		}
		if ok {
			passed++
		}
	}
	return float64(passed) / float64(len(programs)), nil
}

// drawPatterns draws the memories of one seed: every right one, and of each pair
// of wrong ones sometimes only one.
func drawPatterns(rng *rand.Rand) []pattern {
	var out []pattern
	for i, p := range patterns {
		if i%3 == 0 || rng.Float64() < .75 {
			out = append(out, p)
		}
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// interval returns the mean of a sample and the half-width of its 95 % interval
// (Student's t).
func interval(xs []float64) (mean, half float64) {
	mean, sd := stat.MeanStdDev(xs, nil)
	n := float64(len(xs))
	if n < 2 {
		return mean, 0
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(.975)
	return mean, t * sd / math.Sqrt(n)
}
