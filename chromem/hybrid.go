package chromem

import (
	"context"
	"slices"

	"github.com/philippgille/chromem-go"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/internal/lexical"
)

// fused searches by words and by vectors and merges what really matched: chunks
// that share a word with the query, chunks whose cosine is positive. The caller
// holds the shelf's lock.
func (c *Collection) fused(ctx context.Context, text string, vector []float32, where Where, n int) ([]core.Candidate, error) {
	s := c.shelf
	depth := max(2*n, leastDepth)
	near := make(map[string]chromem.Result)
	var vectors []lexical.Hit
	if vector != nil {
		found, err := s.nearest(ctx, vector, where, depth)
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			if r.Similarity > 0 {
				near[r.ID] = r
				vectors = append(vectors, lexical.Hit{ID: r.ID, Score: float64(r.Similarity)})
			}
		}
	}
	words := s.words.SearchFunc(lexical.Terms(text), depth, s.keep(where))
	var out []core.Candidate
	for _, hit := range blend(words, vectors, c.opts.VectorWeight) {
		if len(out) == n {
			break
		}
		r, ok := near[hit.ID]
		if !ok {
			d, there := s.document(hit.ID)
			if !there {
				continue // removed past the handles a moment ago
			}
			r = chromem.Result{ID: d.ID, Metadata: d.Metadata, Embedding: d.Embedding, Content: d.Content}
		}
		cand := toCandidate(r.ID, r.Content, r.Metadata, r.Embedding)
		cand.Score = hit.Score
		if vector != nil {
			cand.Similarity = cosine(vector, cand.Vector)
		}
		out = append(out, cand)
	}
	return out, ctx.Err()
}

// leastDepth is the least number of hits that each list brings to a fusion.
const leastDepth = 50

// blend merges two lists, each best first, by a weighted mean of their scores,
// which are first brought to [0,1] within each list; a list that lacks a chunk
// gives it 0. (Bruch, Gai and Ingber 2023 compare this with reciprocal rank
// fusion.) The result is best first, equal scores by id.
//
// Reciprocal rank fusion was measured too and not taken: a rank does not say how
// far ahead a hit is, so a weak embedding drags good words down. nDCG@10 on
// SciFact, SQuAD 2 and Cranfield: words .685 .836 .501; vectors of a small
// sentence encoder .275 .561 .258; both by rank, weight 1, .547 .759 .415, weight
// .05 still .680 .840 .500; both by blend, weight .25, .695 .850 .512.
func blend(words, vectors []lexical.Hit, weight float64) []lexical.Hit {
	scores := make(map[string]float64, len(words)+len(vectors))
	for _, side := range []struct {
		hits  []lexical.Hit
		share float64
	}{{words, 1 / (1 + weight)}, {vectors, weight / (1 + weight)}} {
		for _, h := range side.hits {
			scores[h.ID] += side.share * between01(h.Score, side.hits[len(side.hits)-1].Score, side.hits[0].Score)
		}
	}
	out := make([]lexical.Hit, 0, len(scores))
	for id, score := range scores {
		out = append(out, lexical.Hit{ID: id, Score: score})
	}
	slices.SortFunc(out, compareHits)
	return out
}

// between01 is the place of x between the worst and the best of a list, 1 where
// they are the same.
func between01(x, worst, best float64) float64 {
	if best <= worst {
		return 1
	}
	return (x - worst) / (best - worst)
}
