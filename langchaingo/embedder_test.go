package langchaingo_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"

	"github.com/repute-go/repute/core"
	replc "github.com/repute-go/repute/langchaingo"
)

// counting is an embedding client that counts what it embeds.
type counting struct {
	calls int
	none  bool
}

func (c *counting) CreateEmbedding(_ context.Context, texts []string) ([][]float32, error) {
	c.calls += len(texts)
	if c.none {
		return nil, nil
	}
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = []float32{float32(len(t)), 1}
	}
	return out, nil
}

// embedding is a store that embeds the query as real ones do.
type embedding struct {
	shelf
	e embeddings.Embedder
}

func (s *embedding) SimilaritySearch(ctx context.Context, query string, n int, opts ...vectorstores.Option) ([]schema.Document, error) {
	if _, err := s.e.EmbedQuery(ctx, query); err != nil {
		return nil, err
	}
	return s.shelf.SimilaritySearch(ctx, query, n, opts...)
}

func TestEngineSeesTheQueryVectorWithoutASecondCall(t *testing.T) {
	client := &counting{}
	inner, err := embeddings.NewEmbedder(client)
	if err != nil {
		t.Fatal(err)
	}
	e := replc.Embedder(inner)
	src, err := replc.FromVectorStore(&embedding{shelf: shelf{docs: newShelf().docs}, e: e}, replc.OtherCosine)
	if err != nil {
		t.Fatal(err)
	}
	hits, err := src.Search(context.Background(), core.Query{Text: "query"}, 2)
	if err != nil || !slices.Equal(hits.QueryVector, []float32{5, 1}) || client.calls != 1 {
		t.Errorf("vector %v, %d calls, %v", hits.QueryVector, client.calls, err)
	}
	hits, err = src.Search(context.Background(), core.Query{Text: "query", Vector: []float32{7, 7}}, 2)
	if err != nil || !slices.Equal(hits.QueryVector, []float32{7, 7}) || client.calls != 1 {
		t.Errorf("ready vector: %v, %d calls, %v", hits.QueryVector, client.calls, err)
	}
}

func TestEmbedderContainsItsInner(t *testing.T) {
	client := &counting{none: true}
	inner, _ := embeddings.NewEmbedder(client)
	e := replc.Embedder(inner)
	if _, err := e.EmbedQuery(context.Background(), "q"); !errors.Is(err, replc.ErrEmbedder) {
		t.Errorf("no vector: %v", err)
	}
	if _, err := e.EmbedDocuments(context.Background(), []string{"a", "b"}); !errors.Is(err, replc.ErrEmbedder) {
		t.Errorf("too few vectors: %v", err)
	}
	client.none = false
	texts := []string{"two\nlines"}
	if _, err := e.EmbedDocuments(context.Background(), texts); err != nil || texts[0] != "two\nlines" {
		t.Errorf("texts became %q, %v", texts, err)
	}
}
