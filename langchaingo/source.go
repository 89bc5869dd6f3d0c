package langchaingo

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"

	"github.com/repute-go/repute/core"
)

// Source makes a vector store or a retriever of langchaingo a core.Source. It is
// safe for concurrent use if what it wraps is. The With methods return changed
// copies and may be chained.
type Source struct {
	info     core.SourceInfo
	find     func(ctx context.Context, q core.Query, n int) ([]schema.Document, error)
	embed    func(ctx context.Context, text string) ([]float32, error)
	empty    func(error) bool
	idKeys   []string
	docKeys  []string
	titleKey []string
	pathKey  []string
}

// Keys of metadata that are tried in order where nothing else is said.
var (
	defaultIDKeys    = []string{"id", "_id", "chunk_id"}
	defaultDocKeys   = []string{"doc_id", "document_id"}
	defaultTitleKeys = []string{"doc_title", "title"}
	defaultPathKeys  = []string{"doc_path", "source", "path"}
)

// FromVectorStore makes a source of a vector store. The preset says what its
// scores mean; one that contradicts the type of vs is ErrPreset. The options are
// forwarded to every search, except a score threshold, which means something else
// in every store: use core.Query.MinRelevance. core.Query.Filter, if not nil, is
// forwarded as vectorstores.WithFilters.
//
// The source is named after the preset and the name space of the options; give it
// a name of its own with WithName if a namespace of the engine has two of a kind.
func FromVectorStore(vs vectorstores.VectorStore, preset Preset, opts ...vectorstores.Option) (*Source, error) {
	if vs == nil {
		return nil, fmt.Errorf("%w: nil", core.ErrInvalidSource)
	}
	if err := preset.check(vs); err != nil {
		return nil, err
	}
	var set vectorstores.Options
	for _, o := range opts {
		o(&set)
	}
	s := newSource(strings.TrimRight("langchaingo/"+preset.String()+"/"+set.NameSpace, "/"), preset.Kind())
	s.empty = preset.nothingFound
	s.find = func(ctx context.Context, q core.Query, n int) ([]schema.Document, error) {
		all := append(opts[:len(opts):len(opts)], vectorstores.WithScoreThreshold(0))
		if q.Filter != nil {
			all = append(all, vectorstores.WithFilters(q.Filter))
		}
		return vs.SimilaritySearch(ctx, q.Text, n, all...)
	}
	if e, ok := set.Embedder.(*QueryEmbedder); ok {
		s.embed = e.EmbedQuery
	}
	return s, nil
}

// FromRetriever makes a source of any retriever; kind says what the Score of its
// documents means, core.NoScore where it sets none. A retriever decides itself how
// many documents it returns: let it return more than the K of the queries, for
// ranking can only choose among what it found.
func FromRetriever(r schema.Retriever, kind core.ScoreKind) (*Source, error) {
	if r == nil {
		return nil, fmt.Errorf("%w: nil", core.ErrInvalidSource)
	}
	s := newSource("langchaingo/retriever", kind)
	s.find = func(ctx context.Context, q core.Query, _ int) ([]schema.Document, error) {
		return r.GetRelevantDocuments(ctx, q.Text)
	}
	return s, nil
}

func newSource(name string, kind core.ScoreKind) *Source {
	return &Source{
		info:   core.SourceInfo{Name: name, Kind: kind},
		empty:  func(error) bool { return false },
		idKeys: defaultIDKeys, docKeys: defaultDocKeys, titleKey: defaultTitleKeys, pathKey: defaultPathKeys,
	}
}

// WithName returns a copy under another name. Evidence belongs to the name.
func (s *Source) WithName(name string) *Source {
	c := *s
	c.info.Name = name
	return &c
}

// WithModel returns a copy that names the embedding model: evidence gathered
// under one model is not compared under another.
func (s *Source) WithModel(model string) *Source {
	c := *s
	c.info.Model = model
	return &c
}

// WithIDKeys returns a copy that takes the id of a chunk from these metadata
// keys, the first present one. Without any the id is a hash of the content.
func (s *Source) WithIDKeys(keys ...string) *Source {
	c := *s
	c.idKeys = append([]string(nil), keys...)
	return &c
}

// Info implements core.Source.
func (s *Source) Info() core.SourceInfo { return s.info }

// Search implements core.Source. If the store embeds with an embedder wrapped by
// Embedder, the query vector comes back with the hits.
func (s *Source) Search(ctx context.Context, q core.Query, n int) (core.Hits, error) {
	ctx, slot := core.WithVectorSlot(ctx)
	if q.Vector != nil {
		ctx = withReadyVector(ctx, q.Text, q.Vector)
	}
	docs, err := s.find(ctx, q, n)
	if err != nil && !s.empty(err) {
		return core.Hits{}, err
	}
	hits := core.Hits{QueryVector: q.Vector, Candidates: make([]core.Candidate, len(docs))}
	if hits.QueryVector == nil {
		hits.QueryVector = slot.Get(q.Text)
	}
	for i, d := range docs {
		hits.Candidates[i] = s.candidate(d)
	}
	return hits, nil
}

// Embed implements core.Embedder for a store whose options name an embedder
// wrapped by Embedder; for others it is core.ErrUnsupported.
func (s *Source) Embed(ctx context.Context, text string) ([]float32, error) {
	if s.embed == nil {
		return nil, core.ErrUnsupported
	}
	return s.embed(ctx, text)
}

func (s *Source) candidate(d schema.Document) core.Candidate {
	c := core.Candidate{
		ID: first(d.Metadata, s.idKeys), DocID: first(d.Metadata, s.docKeys),
		Title: first(d.Metadata, s.titleKey), Path: first(d.Metadata, s.pathKey),
		Text: d.PageContent, Score: float64(d.Score), Metadata: maps.Clone(d.Metadata),
		ChunkIndex: number(d.Metadata["chunk_index"]), TotalChunks: number(d.Metadata["total_chunks"]),
	}
	if c.ID == "" {
		c.ID = weaviateID(d.Metadata)
	}
	return c
}

// weaviateID finds the id that weaviate returns if asked for the additional
// field "id".
func weaviateID(m map[string]any) string {
	extra, _ := m["_additional"].(map[string]any)
	return core.CanonicalID(extra["id"])
}

func first(m map[string]any, keys []string) string {
	for _, k := range keys {
		if id := core.CanonicalID(m[k]); id != "" {
			return id
		}
	}
	return ""
}

// number reads a small count that may have come back as another type.
func number(v any) int {
	var n int
	if _, err := fmt.Sscan(core.CanonicalID(v), &n); err != nil || n < 0 {
		return 0
	}
	return n
}
