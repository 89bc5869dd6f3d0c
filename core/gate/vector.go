package gate

import (
	"fmt"
	"math"
)

// dot returns the inner product of two vectors of one length.
func dot(a, b []float32) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32 // four sums, so that additions need not wait for each other
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return float64(s0) + float64(s1) + float64(s2) + float64(s3)
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
