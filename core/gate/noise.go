package gate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// ErrSample is returned when a sample cannot support an estimate: too few
// passages, unequal lengths, a vector that is zero or not finite.
var ErrSample = errors.New("gate: unusable sample")

// Floor is the noise floor of sigma-rag: the distribution of cosines between
// random passages of different documents, taken as normal. Safe for concurrent
// use because it is never modified.
type Floor struct {
	Mean, SD float64 // of the cosines; SD with n-1, at least 1e-6
	Chunks   int     // passages in the collection, or in the sample if that is all that is known
	Pairs    int     // pairs measured
	// KS and KSP are the Kolmogorov-Smirnov distance from the normal with these
	// moments and its asymptotic p value. The parameters come from the same
	// sample, so a large KSP proves little; a small one says that the tail
	// probabilities below are not to be trusted.
	KS, KSP float64
	// SameDocument says that there was only one document, so that the pairs are
	// of passages that belong together and the floor is too high.
	SameDocument bool
}

const (
	minFloorChunks = 10     // sigma-rag refuses fewer
	defaultPairs   = 10_000 // sigma-rag's sample
	drawsPerPair   = 20     // draws after which sampling gives way to a systematic choice
)

// MeasureFloor estimates the noise floor from passage vectors and the key of
// the document each belongs to. It measures every pair of passages of different
// documents if there are at most pairs of them (0 means 10,000), else that many
// drawn with replacement from src. With a single document it falls back on
// pairs within it and says so. Fewer than 10 passages are ErrSample.
func MeasureFloor(vectors [][]float32, documents []string, pairs int, src rand.Source) (Floor, error) {
	if pairs <= 0 {
		pairs = defaultPairs
	}
	units, err := normalised(vectors)
	if err != nil {
		return Floor{}, err
	}
	if len(units) < minFloorChunks || len(documents) != len(units) {
		return Floor{}, fmt.Errorf("%w: %d vectors and %d document keys, need as many of both and at least %d", ErrSample, len(units), len(documents), minFloorChunks)
	}
	group := groups(documents)
	same := slices.Max(group) == 0
	if same {
		for i := range group {
			group[i] = i
		}
	}
	f, err := FitFloor(pairCosines(units, group, pairs, src))
	f.Chunks, f.SameDocument = len(units), same
	return f, err
}

// FitFloor fits the normal to a sample of cosines and tests the fit. Fewer than
// two values, or one that is not finite, are ErrSample.
func FitFloor(cosines []float64) (Floor, error) {
	if len(cosines) < 2 {
		return Floor{}, fmt.Errorf("%w: %d pairs", ErrSample, len(cosines))
	}
	for _, c := range cosines {
		if math.IsNaN(c) || math.IsInf(c, 0) {
			return Floor{}, fmt.Errorf("%w: a cosine of %v", ErrSample, c)
		}
	}
	mean, sd := stat.MeanStdDev(cosines, nil)
	if sd < 1e-8 { // identical passages; sigma-rag's rule
		sd = 1e-6
	}
	d, p := kolmogorovSmirnov(cosines, mean, sd)
	return Floor{Mean: mean, SD: sd, Pairs: len(cosines), KS: d, KSP: p}, nil
}

// Threshold returns the cosine that lies sigma standard deviations above the mean.
func (f Floor) Threshold(sigma float64) float64 { return f.Mean + sigma*f.SD }

// Z returns how many standard deviations a cosine lies above the mean.
func (f Floor) Z(cosine float64) float64 { return (cosine - f.Mean) / f.SD }

// P returns the probability that a noise pair has at least this cosine, if the
// floor is normal. It is a rate per passage, not per question.
func (f Floor) P(cosine float64) float64 { return UpperTail(f.Z(cosine)) }

// Relax returns the highest level, lowered from sigma in steps of one half down
// to one half, at which at least n of the cosines reach the threshold, or sigma
// itself if none does. sigma-rag's min_results; it gives up the level asked for.
func (f Floor) Relax(cosines []float64, sigma float64, n int) float64 {
	for level := sigma; level >= 0.5 && level <= 100; level -= 0.5 {
		reached := 0
		for _, c := range cosines {
			if c >= f.Threshold(level) {
				reached++
			}
		}
		if reached >= n {
			return level
		}
	}
	return sigma
}

// groups numbers the documents from 0 in order of appearance.
func groups(documents []string) []int {
	number := make(map[string]int, len(documents))
	out := make([]int, len(documents))
	for i, d := range documents {
		n, ok := number[d]
		if !ok {
			n = len(number)
			number[d] = n
		}
		out[i] = n
	}
	return out
}

// pairCosines measures all pairs across groups, or a sample with replacement.
func pairCosines(units [][]float32, group []int, limit int, src rand.Source) []float64 {
	size := make(map[int]int)
	for _, g := range group {
		size[g]++
	}
	n := len(units)
	across := n * n
	for _, s := range size {
		across -= s * s
	}
	if across/2 <= limit || src == nil {
		return firstPairs(units, group, limit)
	}
	r := rand.New(src)
	out := make([]float64, 0, limit)
	for range drawsPerPair * limit {
		if i, j := r.IntN(n), r.IntN(n); group[i] != group[j] {
			out = append(out, dot(units[i], units[j]))
		}
		if len(out) == limit {
			return out
		}
	}
	return firstPairs(units, group, limit) // one document holds nearly everything
}

// firstPairs measures pairs across groups in a fixed order that spreads over
// all passages: neighbours first, then those two apart, and so on.
func firstPairs(units [][]float32, group []int, limit int) []float64 {
	var out []float64
	for step := 1; step < len(units); step++ {
		for i := 0; i+step < len(units); i++ {
			if group[i] == group[i+step] {
				continue
			}
			if len(out) == limit {
				return out
			}
			out = append(out, dot(units[i], units[i+step]))
		}
	}
	return out
}

// kolmogorovSmirnov returns the one-sample distance from a normal and its
// asymptotic p value.
func kolmogorovSmirnov(sample []float64, mean, sd float64) (d, p float64) {
	sorted := slices.Sorted(slices.Values(sample))
	n := float64(len(sorted))
	for i, x := range sorted {
		cdf := 1 - UpperTail((x-mean)/sd)
		d = max(d, math.Abs(float64(i+1)/n-cdf), math.Abs(float64(i)/n-cdf))
	}
	return d, KolmogorovQ(d * math.Sqrt(n))
}

// KolmogorovQ is the asymptotic upper tail of the Kolmogorov distribution,
// 2*sum (-1)^(k+1) exp(-2 k^2 t^2), in [0,1]. As in sigma-rag it is 1 for t <= 0
// and 0 for t > 3.5.
func KolmogorovQ(t float64) float64 {
	if !(t > 0) {
		return 1
	}
	if t > 3.5 {
		return 0
	}
	sum, sign := 0.0, 1.0
	for k := 1; k <= 100; k++ {
		term := math.Exp(-2 * float64(k*k) * t * t)
		sum += sign * term
		sign = -sign
		if term < 1e-17 {
			break
		}
	}
	return min(max(2*sum, 0), 1)
}
