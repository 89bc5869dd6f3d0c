package chromem

import (
	"fmt"
	"math"

	"github.com/repute-go/repute/core"
)

// normalized returns a copy of v with length 1. It refuses vectors without a
// direction.
func normalized(v []float32) ([]float32, error) {
	n, err := norm(v)
	if err != nil {
		return nil, err
	}
	return scaled(v, n), nil
}

// scaled returns v divided by its length.
func scaled(v []float32, length float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / length)
	}
	return out
}

// norm returns the length of a vector, in double precision: components as large
// as float32 allows do not overflow.
func norm(v []float32) (float64, error) {
	var sum float64
	for i, x := range v {
		f := float64(x)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return 0, fmt.Errorf("%w: component %d is %v", ErrVector, i, x)
		}
		sum += f * f
	}
	switch {
	case len(v) == 0:
		return 0, fmt.Errorf("%w: it has no components", ErrVector)
	case sum == 0:
		return 0, fmt.Errorf("%w: it is zero", ErrVector)
	}
	return math.Sqrt(sum), nil
}

// unitTolerance is how far from 1 a length may be before chromem's similarities
// leave [-1,1] by more than rounding; it is chromem's own.
const unitTolerance = 1e-6

// cosine is the dot product of two unit vectors, within [-1,1] and NaN for
// different dimensions.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.NaN()
	}
	var dot float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
	}
	return clampCosine(dot)
}

// clampCosine brings a cosine into [-1,1] and takes one that differs from 1 or -1
// by rounding alone for it: a text is as near to itself as can be.
func clampCosine(x float64) float64 {
	switch {
	case x > 1-unitTolerance:
		return 1
	case x < -1+unitTolerance:
		return -1
	}
	return x
}

// sameDimension refuses a vector that cannot be compared with the collection's;
// have is 0 for an empty collection, which takes any.
func sameDimension(got, have int) error {
	if have != 0 && got != have {
		return fmt.Errorf("%w: %d, the collection has %d", core.ErrDimension, got, have)
	}
	return nil
}
