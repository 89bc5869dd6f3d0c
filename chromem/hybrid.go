package chromem

import (
	"context"
	"maps"
	"slices"

	"github.com/philippgille/chromem-go"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/internal/lexical"
)

// fused searches by words and by vectors and blends what really matched: chunks
// that share a word with the query, chunks whose cosine is positive. The caller
// holds the shelf's lock.
func (c *Collection) fused(ctx context.Context, text string, vector []float32, where Where, n int) ([]core.Candidate, error) {
	s := c.shelf
	depth := max(n, lexical.BlendDepth)
	var near []lexical.Hit
	at := make(map[string]chromem.Result)
	if vector != nil {
		found, err := s.nearest(ctx, vector, where, depth)
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			if r.Similarity > 0 {
				near = append(near, lexical.Hit{ID: r.ID, Score: float64(r.Similarity)})
				at[r.ID] = r
			}
		}
	}
	merged := lexical.Blend([]lexical.List{
		{Hits: s.words.SearchFunc(lexical.Terms(text), depth, s.keep(where)), Weight: 1, Scale: lexical.FromZero},
		{Hits: near, Weight: c.opts.VectorWeight, Scale: lexical.FromLast},
	})
	found := func(id string) (chromem.Result, bool) {
		if r, ok := at[id]; ok {
			return r, true
		}
		d, there := s.document(id) // it may have been removed past the handles a moment ago
		return chromem.Result{ID: d.ID, Metadata: d.Metadata, Embedding: d.Embedding, Content: d.Content}, there
	}
	merged = c.weighed(merged, found)
	out := make([]core.Candidate, 0, min(n, len(merged)))
	for _, f := range merged[:min(n, len(merged))] {
		r, there := found(f.ID)
		if !there {
			continue
		}
		cand := toCandidate(r.ID, r.Content, r.Metadata, r.Embedding)
		cand.Score = f.Score
		if vector != nil {
			cand.Similarity = cosine(vector, r.Embedding)
		}
		out = append(out, cand)
	}
	return out, ctx.Err()
}

// weighed orders by what each chunk counts whatever the question is.
func (c *Collection) weighed(merged []lexical.Fused, found func(id string) (chromem.Result, bool)) []lexical.Fused {
	if c.opts.Weight == nil {
		return merged
	}
	for i, f := range merged {
		r, there := found(f.ID)
		if !there {
			continue
		}
		if w := c.opts.Weight(maps.Clone(r.Metadata)); w > 0 && w < 1 {
			merged[i].Score *= w
		}
	}
	slices.SortFunc(merged, func(a, b lexical.Fused) int {
		return compareHits(lexical.Hit{ID: a.ID, Score: a.Score}, lexical.Hit{ID: b.ID, Score: b.Score})
	})
	return merged
}
