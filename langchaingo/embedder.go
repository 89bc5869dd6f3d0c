package langchaingo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tmc/langchaingo/embeddings"

	"github.com/repute-go/repute/core"
)

// ErrEmbedder says that an embedder panicked or returned no usable vector.
var ErrEmbedder = errors.New("langchaingo: embedder failed")

// QueryEmbedder wraps the embedder of a vector store so that the engine sees the
// vector that the store computes for a query: no text is embedded twice. Make one
// with Embedder. It is safe for concurrent use if the inner embedder is.
type QueryEmbedder struct{ inner embeddings.Embedder }

var _ embeddings.Embedder = (*QueryEmbedder)(nil)

// Embedder wraps the embedder to be given to a vector store; one that is wrapped
// already is returned as it is. Without it the engine compares questions by their
// words, which finds fewer that mean the same.
func Embedder(e embeddings.Embedder) *QueryEmbedder {
	if q, ok := e.(*QueryEmbedder); ok && q != nil {
		return q
	}
	return &QueryEmbedder{inner: e}
}

type readyKey struct{}

// ready is a query vector that was known before the search.
type ready struct {
	text   string
	vector []float32
}

func withReadyVector(ctx context.Context, text string, vector []float32) context.Context {
	return context.WithValue(ctx, readyKey{}, ready{text, vector})
}

// EmbedQuery embeds a query, or returns the vector that came with it, and hands
// it to the engine. An inner embedder that panics (those of langchaingo do on an
// empty answer) or returns nothing is ErrEmbedder.
func (e *QueryEmbedder) EmbedQuery(ctx context.Context, text string) (v []float32, err error) {
	if r, ok := ctx.Value(readyKey{}).(ready); ok && r.text == text {
		return slices.Clone(r.vector), nil
	}
	defer contain(&v, &err)
	if v, err = e.inner.EmbedQuery(ctx, text); err != nil {
		return nil, err
	}
	if len(v) == 0 {
		return nil, fmt.Errorf("%w: no vector", ErrEmbedder)
	}
	core.VectorSlotFrom(ctx).Set(text, v)
	return v, nil
}

// EmbedDocuments embeds documents. The inner embedder gets a copy of the slice,
// for some overwrite it. A panic or another number of vectors is ErrEmbedder.
func (e *QueryEmbedder) EmbedDocuments(ctx context.Context, texts []string) (vs [][]float32, err error) {
	defer contain(&vs, &err)
	if vs, err = e.inner.EmbedDocuments(ctx, slices.Clone(texts)); err != nil {
		return nil, err
	}
	if len(vs) != len(texts) {
		return nil, fmt.Errorf("%w: %d vectors for %d texts", ErrEmbedder, len(vs), len(texts))
	}
	return vs, nil
}

// contain turns a panic into an error.
func contain[T any](v *T, err *error) {
	if p := recover(); p != nil {
		var none T
		*v, *err = none, fmt.Errorf("%w: %v", ErrEmbedder, p)
	}
}
