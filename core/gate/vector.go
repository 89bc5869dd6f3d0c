package gate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas32"
)

// dot returns the inner product of two vectors of one length.
func dot(a, b []float32) float64 {
	return float64(blas32.Dot(blas32.Vector{N: len(a), Inc: 1, Data: a}, blas32.Vector{N: len(a), Inc: 1, Data: b}))
}

// length returns the Euclidean length in double precision, which neither
// overflows nor vanishes for float32 components.
func length(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// unit returns a copy of v with length one, or false for a vector that has no
// direction: empty, zero, or not finite.
func unit(v []float32) ([]float32, bool) {
	l := length(v)
	if !(l > 0) || math.IsInf(l, 0) {
		return nil, false
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / l)
	}
	return out, true
}

// normalised returns copies of length one of vectors that share one length.
func normalised(vectors [][]float32) ([][]float32, error) {
	out := make([][]float32, len(vectors))
	for i, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("%w: vector %d has %d numbers, the first has %d", ErrSample, i, len(v), len(vectors[0]))
		}
		u, ok := unit(v)
		if !ok {
			return nil, fmt.Errorf("%w: vector %d is zero or not finite", ErrSample, i)
		}
		out[i] = u
	}
	return out, nil
}
