package langchaingo

import (
	"context"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"

	"github.com/repute-go/repute/core"
)

// VectorStore makes any source that can be written to (core.Adder) a
// vectorstores.VectorStore of langchaingo. Searches go to the source itself, not
// through an engine: give it to code that wants a vector store, and a Retriever to
// the chain. Score is the relevance in [0,1], higher is better, whatever the
// source's own scores mean. It is safe for concurrent use if the source is.
type VectorStore struct {
	src core.Source
	add core.Adder
}

var _ vectorstores.VectorStore = (*VectorStore)(nil)

// NewVectorStore wraps a source. A source without core.Adder is
// core.ErrUnsupported.
func NewVectorStore(src core.Source) (*VectorStore, error) {
	add, ok := src.(core.Adder)
	if !ok {
		return nil, fmt.Errorf("%w: cannot be written to", core.ErrUnsupported)
	}
	return &VectorStore{src: src, add: add}, nil
}

// AddDocuments adds documents and returns their ids in order. The id of a document
// is its metadata key "id", else one that the source makes of its content. The
// option WithDeduplicater is honoured: a document it knows is left out and its id
// is empty. Other options have no meaning here. The documents are not modified.
func (v *VectorStore) AddDocuments(ctx context.Context, docs []schema.Document, opts ...vectorstores.Option) ([]string, error) {
	o := collect(opts)
	ids := make([]string, len(docs))
	var chunks []core.Candidate
	var at []int
	for i, d := range docs {
		if o.Deduplicater != nil && o.Deduplicater(ctx, d) {
			continue
		}
		chunks = append(chunks, chunk(d))
		at = append(at, i)
	}
	if len(chunks) == 0 {
		return ids, ctx.Err()
	}
	added, err := v.add.Add(ctx, chunks)
	if err != nil {
		return nil, err
	}
	for i, id := range added {
		ids[at[i]] = id
	}
	return ids, nil
}

// SimilaritySearch returns the documents that the source finds, best first. The
// option WithScoreThreshold is a least relevance in [0,1], WithFilters goes to the
// source. Nothing found is an empty slice.
func (v *VectorStore) SimilaritySearch(ctx context.Context, query string, n int, opts ...vectorstores.Option) ([]schema.Document, error) {
	o := collect(opts)
	if n <= 0 {
		return []schema.Document{}, nil
	}
	if strings.TrimSpace(query) == "" {
		return nil, core.ErrEmptyQuery
	}
	hits, err := v.src.Search(ctx, core.Query{Text: query, K: n, Depth: n, Filter: o.Filters}, n)
	if err == nil {
		err = ctx.Err() // a cancelled search may look like an empty one
	}
	if err != nil {
		return nil, err
	}
	return documents(hits, v.src.Info().Kind, n, float64(o.ScoreThreshold)), nil
}

// documents makes documents of hits, best first, without those that a least
// relevance excludes.
func documents(hits core.Hits, kind core.ScoreKind, n int, least float64) []schema.Document {
	if hits.Kind != core.ScoreUndeclared {
		kind = hits.Kind
	}
	scores := make([]float64, len(hits.Candidates))
	for i, c := range hits.Candidates {
		scores[i] = c.Score
	}
	docs := []schema.Document{}
	strengths := kind.Strengths(scores)
	for i, relevance := range kind.Relevances(scores) {
		if strengths[i] < least || len(docs) == n {
			continue
		}
		m := core.CloneMetadata(hits.Candidates[i].Metadata)
		if m == nil {
			m = make(map[string]any, 1)
		}
		m["id"] = hits.Candidates[i].ID
		docs = append(docs, schema.Document{PageContent: hits.Candidates[i].Text, Metadata: m, Score: float32(relevance)})
	}
	return docs
}

func collect(opts []vectorstores.Option) (o vectorstores.Options) {
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// chunk makes a chunk of a document.
func chunk(d schema.Document) core.Candidate {
	return core.Candidate{
		ID: core.CanonicalID(d.Metadata["id"]), DocID: first(d.Metadata, defaultDocKeys),
		Title: first(d.Metadata, defaultTitleKeys), Path: first(d.Metadata, defaultPathKeys),
		Text: d.PageContent, Metadata: core.CloneMetadata(d.Metadata),
		ChunkIndex: number(d.Metadata["chunk_index"]), TotalChunks: number(d.Metadata["total_chunks"]),
	}
}
