package gate

import (
	"fmt"
	"math"
	"slices"
)

// ConformalQuantile returns the value of rank ceil((n+1)(1-alpha)) among n values
// sorted in ascending order, or +Inf when that rank exceeds n: then there are too
// few values to speak about this alpha. A new exchangeable value exceeds it with
// probability at most alpha (Vovk, Gammerman, Shafer 2005).
func ConformalQuantile(sorted []float64, alpha float64) float64 {
	rank := math.Ceil(float64(len(sorted)+1)*(1-alpha) - 1e-9) // 20*(1-.95) must not become 2
	if rank > float64(len(sorted)) {
		return math.Inf(1)
	}
	if len(sorted) == 0 {
		return math.Inf(1)
	}
	return sorted[max(int(rank), 1)-1]
}

// Conformal holds the evidence (Decision.E) that a user's own out-of-scope
// questions reached over their collection. With it the false-alarm rate is exact
// for questions like those, whatever the collection and the embedder, instead of
// an average over public collections. It needs at least 1/alpha - 1 questions,
// and the values must come from the same gate with the same K. Immutable and safe
// for concurrent use.
type Conformal struct{ sorted []float64 }

// NewConformal keeps a sorted copy of the values. A value that is not finite, or
// none at all, is ErrSample.
func NewConformal(values []float64) (*Conformal, error) {
	if len(values) == 0 {
		return nil, fmt.Errorf("%w: no out-of-scope values", ErrSample)
	}
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%w: out-of-scope value %d is %v", ErrSample, i, v)
		}
	}
	return &Conformal{sorted: slices.Sorted(slices.Values(values))}, nil
}

// Len returns the number of values.
func (c *Conformal) Len() int { return len(c.sorted) }

// Bar returns the smallest evidence that passes at this false-alarm rate: just
// above the quantile, so that ties stay below. +Inf if there are too few values.
func (c *Conformal) Bar(alpha float64) float64 {
	q := ConformalQuantile(c.sorted, alpha)
	if math.IsInf(q, 1) {
		return q
	}
	return math.Nextafter(q, math.Inf(1))
}

// P returns (1 + the number of values of at least e) / (n + 1).
func (c *Conformal) P(e float64) float64 {
	below, _ := slices.BinarySearch(c.sorted, e)
	return float64(1+len(c.sorted)-below) / float64(len(c.sorted)+1)
}
