package gate

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// UpperTail returns the probability that a standard normal variable exceeds z.
func UpperTail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// UpperQuantile returns the z that a standard normal variable exceeds with
// probability p: the inverse of UpperTail. It is -Inf at 1 and +Inf at 0.
func UpperQuantile(p float64) float64 { return -distuv.UnitNormal.Quantile(p) }

const (
	leastP  = 1e-300      // keeps deviates finite; about 37 standard deviations
	largest = 1 - 0x1p-53 // the largest probability below one
)

// deviate is UpperQuantile for probabilities in [0,1], always finite.
func deviate(p float64) float64 { return UpperQuantile(min(max(p, leastP), largest)) }

// FamilyWise returns the probability that at least one of n independent tests,
// each with false-alarm rate p, raises a false alarm: 1-(1-p)^n.
func FamilyWise(p float64, n int) float64 {
	if n <= 0 || p <= 0 {
		return 0
	}
	if p >= 1 {
		return 1
	}
	return -math.Expm1(float64(n) * math.Log1p(-p))
}

// PerTest returns the rate each of n independent tests must have so that
// together they raise a false alarm with probability p (Šidák 1967): the
// inverse of FamilyWise.
func PerTest(p float64, n int) float64 {
	if n <= 0 || p <= 0 {
		return 0
	}
	if p >= 1 {
		return 1
	}
	return -math.Expm1(math.Log1p(-p) / float64(n))
}

// finite returns x, or the nearest finite number, or fallback for NaN.
func finite(x, fallback float64) float64 {
	switch {
	case math.IsNaN(x):
		return fallback
	case math.IsInf(x, 1):
		return math.MaxFloat64
	case math.IsInf(x, -1):
		return -math.MaxFloat64
	}
	return x
}
