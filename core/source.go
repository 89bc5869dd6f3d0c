package core

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// Candidate is one chunk that a retriever found. The engine copies it and never
// modifies the caller's.
type Candidate struct {
	// ID names the chunk within its source. Empty: see Options.IdentityKeys.
	ID string
	// DocID names the document the chunk belongs to. Empty: the metadata key
	// doc_id, else the chunk is its own document.
	DocID string
	// Title and Path describe the document to people. Path is never opened.
	Title, Path string
	// Text is the chunk's text. It may be empty: evidence then belongs to the
	// id instead of the content, and the gate sees no words.
	Text string
	// Vector is the chunk's embedding, if the source gives it.
	Vector []float32
	// Score is what the source orders by; its meaning is the Kind of the Hits.
	Score float64
	// Similarity is the cosine to the query, in [-1,1]; NaN, exactly 0 and what
	// no cosine can be mean unknown, and then Score is read for it where the Kind
	// allows. A hybrid source keeps both.
	Similarity float64
	// Metadata is the source's own.
	Metadata map[string]any
	// ChunkIndex and TotalChunks place the chunk in its document; 0 and 0 mean
	// unknown.
	ChunkIndex, TotalChunks int
}

// clone copies a candidate with everything it points to.
func (c Candidate) clone() Candidate {
	c.Metadata = CloneMetadata(c.Metadata)
	c.Vector = slices.Clone(c.Vector)
	return c
}

// Hits is the answer of a source, best first.
type Hits struct {
	// Candidates are in the source's order. Where Kind says what a score means,
	// the score decides and the position breaks ties.
	Candidates []Candidate
	// Kind says what the scores mean; the zero value means the source's own
	// default, and where there is none, nothing: only the order counts.
	Kind ScoreKind
	// QueryVector is the embedding of the query, if the source computed or got
	// one. Learning carries over between reworded questions only with it.
	QueryVector []float32
	// Source names the retriever for Engine.Rank; Retrieve takes it from Info.
	Source string
	// Model names the embedding model of QueryVector for Engine.Rank; Retrieve
	// takes it from Info.
	Model string
}

// SourceInfo describes a source.
type SourceInfo struct {
	// Name is required and unique in the namespace: evidence and ids belong to
	// it.
	Name string
	// Model names the embedding model, for example "text-embedding-3-small".
	// Evidence gathered under one model is not compared under another.
	Model string
	// Kind is the meaning of scores where Hits do not say.
	Kind ScoreKind
}

// Source is the one seam to a retriever. It must be safe for concurrent use.
type Source interface {
	// Search returns at most n candidates for q, best first. Nothing found is
	// no error.
	Search(ctx context.Context, q Query, n int) (Hits, error)
	// Info describes the source. It must be cheap and constant.
	Info() SourceInfo
}

// The seams below are optional. A source that has one in principle but not as it
// is set up returns ErrUnsupported from it.

// Sampler is implemented by sources that can draw chunks at random, with their
// vectors. It lets the gate and the query signatures know the collection.
type Sampler interface {
	// Sample returns at most n different chunks, drawn uniformly with the given
	// seed.
	Sample(ctx context.Context, n int, seed uint64) ([]Candidate, error)
}

// Embedder is implemented by sources that can embed a query.
type Embedder interface {
	// Embed returns the vector that Search would compare for this text.
	Embed(ctx context.Context, text string) ([]float32, error)
}

// Adder is implemented by sources that can be written to.
type Adder interface {
	// Add inserts or replaces chunks by ID, all or none, and returns their ids
	// in order; a chunk without ID gets one derived from its content.
	Add(ctx context.Context, chunks []Candidate) ([]string, error)
	// Delete removes chunks by ID. Unknown ids are no error.
	Delete(ctx context.Context, ids ...string) error
}

// Loaded is the present state of a document at its source.
type Loaded struct {
	// Text is the document's text now. A source that only tells who may read what
	// leaves it empty: the chunks shown are kept then.
	Text string
	// Exists is false if the source no longer has it.
	Exists bool
	// Allowed is false if the user may not see it.
	Allowed bool
}

// Loader is implemented by sources that can say what a document is now. A saved
// document is served only after its loader was asked.
type Loader interface {
	// LoadDocument returns the present state of a document for a user.
	LoadDocument(ctx context.Context, user, docID string) (Loaded, error)
}

// SourceFunc makes a function a Source.
type SourceFunc struct {
	// Description is returned by Info.
	Description SourceInfo
	// Func answers Search.
	Func func(ctx context.Context, q Query, n int) (Hits, error)
}

// Search calls the function.
func (s SourceFunc) Search(ctx context.Context, q Query, n int) (Hits, error) {
	if s.Func == nil {
		return Hits{}, fmt.Errorf("%w: SourceFunc without Func", ErrInvalidSource)
	}
	return s.Func(ctx, q, n)
}

// Info returns the description.
func (s SourceFunc) Info() SourceInfo { return s.Description }

// Scores makes Hits of bare scores by id: the two-line start for any retriever.
// Candidates are ordered best first by what kind says of the scores, ties by id.
// The result has no texts, so the gate sees no words and evidence belongs to the
// ids.
func Scores(kind ScoreKind, scores map[string]float64) Hits {
	h := Hits{Kind: kind}
	for _, id := range slices.Sorted(maps.Keys(scores)) {
		h.Candidates = append(h.Candidates, Candidate{ID: id, Score: scores[id]})
	}
	slices.SortStableFunc(h.Candidates, func(a, b Candidate) int {
		return kind.compare(a.Score, b.Score)
	})
	return h
}
