package chromem

import (
	"context"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/internal/lexical"
)

// fused searches by words and by vectors and merges the two rankings (weighted
// reciprocal rank fusion, Cormack, Clarke and Büttcher 2009). Each list holds
// only what really matched: chunks that share a word with the query, chunks whose
// cosine is positive. The caller holds the shelf's lock.
func (c *Collection) fused(ctx context.Context, text string, vector []float32, where Where, n int) ([]core.Candidate, error) {
	s := c.shelf
	depth := max(2*n, leastDepth)
	var near []lexical.Hit
	if vector != nil {
		found, err := s.nearest(ctx, vector, where, depth)
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			if r.Similarity > 0 {
				near = append(near, lexical.Hit{ID: r.ID, Score: float64(r.Similarity)})
			}
		}
	}
	matched := s.words.SearchFunc(lexical.Terms(text), depth, s.keep(where))
	merged := lexical.Fuse([]lexical.List{{Hits: matched, Weight: 1}, {Hits: near, Weight: c.opts.VectorWeight}})
	var out []core.Candidate
	for _, f := range merged[:min(n, len(merged))] {
		d, ok := s.document(f.ID)
		if !ok {
			continue // removed past the handles a moment ago
		}
		cand := candidateOf(d)
		cand.Score = f.Score
		if vector != nil {
			cand.Similarity = cosine(vector, d.Embedding)
		}
		out = append(out, cand)
	}
	return out, ctx.Err()
}

// leastDepth is the least number of hits that each list brings to a fusion.
const leastDepth = 50
