package chromem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/philippgille/chromem-go"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/internal/lexical"
)

// Query answers like the wrapped collection's Query, with what the engine knows:
// at most n results, best first, none if the gate found no evidence. The receipt
// is that of the last response in the context's trace (core.WithTrace). Results
// share no memory with the collection. n must be positive and may exceed the
// number of documents.
//
// Errors: core.ErrEmptyQuery, core.ErrInvalidQuery, and those of Search.
func (c *Collection) Query(ctx context.Context, queryText string, n int, where, whereDocument map[string]string) ([]chromem.Result, error) {
	if n <= 0 {
		return nil, fmt.Errorf("%w: n is %d", core.ErrInvalidQuery, n)
	}
	w := Where{Metadata: where, Document: whereDocument}
	resp, err := c.Retrieve(ctx, core.Query{Text: queryText, K: n, Filter: w.filter()})
	if err != nil {
		return nil, err
	}
	results := make([]chromem.Result, len(resp.Items))
	for i, it := range resp.Items {
		results[i] = toResult(it.Candidate)
	}
	return results, nil
}

func toResult(c core.Candidate) chromem.Result {
	r := chromem.Result{ID: c.ID, Content: c.Text, Embedding: slices.Clone(c.Vector), Metadata: make(map[string]string, len(c.Metadata))}
	for k, v := range c.Metadata {
		r.Metadata[k] = core.CanonicalID(v)
	}
	if !math.IsNaN(c.Similarity) {
		r.Similarity = float32(c.Similarity)
	}
	return r
}

// Search returns at most n chunks, best first, ties by id. It asks no more of
// chromem than there is, embeds q.Text unless q.Vector is given, and narrows by
// q.Filter, a Where. An empty collection gives no candidates and embeds nothing. A
// question without a word that can be embedded (ErrNoTerms) is nearest to nothing.
//
// Errors: core.ErrEmptyQuery, ErrFilter, ErrVector and core.ErrDimension for
// the query's vector, the context's, and those of the embedding function.
func (c *Collection) Search(ctx context.Context, q core.Query, n int) (core.Hits, error) {
	hits := core.Hits{Kind: c.Info().Kind, Source: c.opts.Source, Model: c.opts.Model}
	where, err := whereOf(q.Filter)
	if err != nil {
		return hits, err
	}
	if err := ctx.Err(); err != nil {
		return hits, err
	}
	if strings.TrimSpace(q.Text) == "" && len(q.Vector) == 0 {
		return hits, core.ErrEmptyQuery
	}
	if n <= 0 || c.Count() == 0 {
		return hits, nil
	}
	if hits.QueryVector, err = c.queryVector(ctx, q); err != nil {
		return hits, err
	}
	if err := c.reading(); err != nil {
		return hits, err
	}
	defer c.shelf.mu.RUnlock()
	if err := sameDimension(len(hits.QueryVector), c.shelf.dimension); hits.QueryVector != nil && err != nil {
		return hits, fmt.Errorf("query vector: %w", err)
	}
	if c.opts.Hybrid {
		hits.Candidates, err = c.fused(ctx, q.Text, hits.QueryVector, where, n)
	} else {
		hits.Candidates, err = c.near(ctx, hits.QueryVector, where, n)
	}
	return hits, err
}

// near searches by vector alone.
func (c *Collection) near(ctx context.Context, vector []float32, where Where, n int) ([]core.Candidate, error) {
	if vector == nil {
		return nil, nil
	}
	found, err := c.shelf.nearest(ctx, vector, where, n)
	if err != nil {
		return nil, err
	}
	out := make([]core.Candidate, len(found))
	for i, r := range found {
		out[i] = toCandidate(r.ID, r.Content, r.Metadata, r.Embedding)
		out[i].Similarity = clampCosine(float64(r.Similarity))
		out[i].Score = out[i].Similarity
	}
	return out, nil
}

// queryVector returns the query's unit vector, nil for a text without a word that
// can be embedded. A hybrid search goes on with the words of any text that has no
// vector.
func (c *Collection) queryVector(ctx context.Context, q core.Query) ([]float32, error) {
	if len(q.Vector) == 0 {
		v, err := c.embedUnit(ctx, q.Text)
		if errors.Is(err, ErrNoTerms) || c.opts.Hybrid && errors.Is(err, ErrVector) {
			return nil, nil
		}
		return v, err
	}
	v, err := normalized(q.Vector)
	if err != nil {
		return nil, fmt.Errorf("query vector: %w", err)
	}
	return v, nil
}

// Embed returns the unit vector that Search would compare for a text.
func (c *Collection) Embed(ctx context.Context, text string) ([]float32, error) {
	if strings.TrimSpace(text) == "" {
		return nil, core.ErrEmptyQuery
	}
	return c.embedUnit(ctx, text)
}

// embedUnit embeds a text. An embedding function that overlooks a cancelled
// context does not get away with it.
func (c *Collection) embedUnit(ctx context.Context, text string) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	raw, err := c.embed(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("chromem: embed: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v, err := normalized(raw)
	if err != nil {
		return nil, fmt.Errorf("embedding of %.40q: %w", text, err)
	}
	return v, nil
}

// compareHits orders best first, equal scores by id.
func compareHits(a, b lexical.Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
}

// nearest returns the n nearest documents, equal similarities by id. The results
// share memory with the collection. chromem keeps an arbitrary choice of the
// documents that tie for the last place, so more are asked for until none of
// them is left out.
func (s *shelf) nearest(ctx context.Context, vector []float32, where Where, n int) ([]chromem.Result, error) {
	n = min(n, s.collection.Count()) // which may be as large as an int can be
	for ask := n + 1; ; ask *= 2 {
		all := min(ask, s.collection.Count())
		if all == 0 {
			return nil, nil
		}
		found, err := s.collection.QueryEmbedding(ctx, vector, all, where.Metadata, where.Document)
		if err != nil {
			return nil, fmt.Errorf("chromem: query %.80q: %w", s.name, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err // chromem returns what it has got, without an error
		}
		complete := len(found) < all || all < ask
		if !complete && len(found) > n && found[len(found)-1].Similarity == found[n-1].Similarity {
			continue
		}
		slices.SortFunc(found, func(a, b chromem.Result) int {
			return compareHits(lexical.Hit{ID: a.ID, Score: float64(a.Similarity)}, lexical.Hit{ID: b.ID, Score: float64(b.Similarity)})
		})
		return found[:min(n, len(found))], nil
	}
}
