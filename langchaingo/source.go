package langchaingo

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"

	"github.com/repute-go/repute/core"
)

// Source makes a vector store or a retriever of langchaingo a core.Source. It is
// safe for concurrent use if what it wraps is. The With methods return changed
// copies and may be chained.
type Source struct {
	info      core.SourceInfo
	find      func(ctx context.Context, q core.Query, n int) ([]schema.Document, error)
	embed     func(ctx context.Context, text string) ([]float32, error)
	empty     func(error) bool
	handler   callbacks.Handler // taken from what is wrapped, so that it does not fire there
	advice    string            // how to make it return more; empty if it returns what it is asked for
	logger    *slog.Logger
	warned    *atomic.Bool // shared by copies
	idKeys    []string
	docKeys   []string
	titleKeys []string
	pathKeys  []string
}

// Keys of metadata that are tried in order where nothing else is said.
var (
	defaultIDKeys    = []string{"id", "_id", "chunk_id"}
	defaultDocKeys   = []string{"doc_id", "document_id"}
	defaultTitleKeys = []string{"doc_title", "title"}
	defaultPathKeys  = []string{"doc_path", "source", "path"}
)

// FromVectorStore makes a source of a vector store. The preset says what its
// scores mean; one that contradicts the type of vs is ErrPreset.
//
// The options are forwarded to every search. A score threshold is not, for it means
// something else in every store and nothing in some: use
// RetrieverOptions.MinRelevance. An embedder among them is wrapped by Embedder.
// core.Query.Filter, if not nil, takes the place of vectorstores.WithFilters.
//
// The source is named after the preset and the name space of the options; give it
// a name of its own with WithName if a namespace of the engine has two of a kind.
func FromVectorStore(vs vectorstores.VectorStore, preset Preset, opts ...vectorstores.Option) (*Source, error) {
	if isNil(vs) {
		return nil, fmt.Errorf("%w: nil", core.ErrInvalidSource)
	}
	if err := preset.check(vs); err != nil {
		return nil, err
	}
	set := collect(opts)
	s := newSource("langchaingo/"+preset.String(), preset.Kind())
	if set.NameSpace != "" {
		s.info.Name += "/" + set.NameSpace
	}
	s.empty = preset.nothingFound
	if presetTraits[preset].ignoresCount {
		s.advice = "this store returns as many documents as its own option WithK says"
	}
	forced := []vectorstores.Option{vectorstores.WithScoreThreshold(0)}
	if set.Embedder != nil {
		e := Embedder(set.Embedder)
		s.embed = e.EmbedQuery
		forced = append(forced, vectorstores.WithEmbedder(e))
	}
	all := slices.Concat(opts, forced)
	s.find = func(ctx context.Context, q core.Query, n int) ([]schema.Document, error) {
		if q.Filter != nil {
			return vs.SimilaritySearch(ctx, q.Text, n, append(all[:len(all):len(all)], vectorstores.WithFilters(q.Filter))...)
		}
		return vs.SimilaritySearch(ctx, q.Text, n, all...)
	}
	return s, nil
}

// FromRetriever makes a source of any retriever; kind says what the Score of its
// documents means, core.NoScore where it sets none. A retriever decides itself how
// many documents it returns: let it return more than the K of the queries (twice
// as many is good), for ranking can only choose among what it found. A source that
// got no more than K says so once in its log (WithLogger).
//
// Of a vectorstores.Retriever the callbacks handler is taken over by NewRetriever,
// so that it hears of every retrieval once, with the documents really returned.
//
// The source is named "langchaingo/retriever"; give it a name of its own with
// WithName if a namespace of the engine has several.
func FromRetriever(r schema.Retriever, kind core.ScoreKind) (*Source, error) {
	if isNil(r) {
		return nil, fmt.Errorf("%w: nil", core.ErrInvalidSource)
	}
	s := newSource("langchaingo/retriever", kind)
	s.advice = "let it return about twice as many as are wanted"
	if p, ok := r.(*vectorstores.Retriever); ok {
		r = *p
	}
	if v, ok := r.(vectorstores.Retriever); ok {
		s.handler, v.CallbacksHandler = v.CallbacksHandler, nil
		r = v
	}
	s.find = func(ctx context.Context, q core.Query, _ int) ([]schema.Document, error) {
		return r.GetRelevantDocuments(ctx, q.Text)
	}
	return s, nil
}

func isNil(v any) bool {
	r := reflect.ValueOf(v)
	return !r.IsValid() || r.Kind() == reflect.Pointer && r.IsNil()
}

func newSource(name string, kind core.ScoreKind) *Source {
	return &Source{
		info:   core.SourceInfo{Name: name, Kind: kind},
		empty:  func(error) bool { return false },
		logger: slog.Default(), warned: new(atomic.Bool),
		idKeys: defaultIDKeys, docKeys: defaultDocKeys, titleKeys: defaultTitleKeys, pathKeys: defaultPathKeys,
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

// WithLogger returns a copy that warns in another log than slog.Default, or, with
// nil, nowhere.
func (s *Source) WithLogger(l *slog.Logger) *Source {
	c := *s
	if c.logger = l; l == nil {
		c.logger = slog.New(slog.DiscardHandler)
	}
	return &c
}

// WithNothingFound returns a copy for a store or retriever that reports an empty
// result as an error: errors for which is holds are taken for one. The presets for
// weaviate know theirs.
func (s *Source) WithNothingFound(is func(error) bool) *Source {
	c := *s
	known := s.empty
	c.empty = func(err error) bool { return known(err) || is(err) }
	return &c
}

// Info implements core.Source.
func (s *Source) Info() core.SourceInfo { return s.info }

// Search implements core.Source. If the store embeds with an embedder wrapped by
// Embedder, the query vector comes back with the hits. A blank text is
// core.ErrEmptyQuery even if there is a vector, for stores of langchaingo search by
// text only.
func (s *Source) Search(ctx context.Context, q core.Query, n int) (core.Hits, error) {
	if strings.TrimSpace(q.Text) == "" {
		return core.Hits{}, fmt.Errorf("%w: %s searches by text", core.ErrEmptyQuery, s.info.Name)
	}
	ctx, slot := core.WithVectorSlot(ctx)
	if q.Vector != nil {
		ctx = withReadyVector(ctx, q.Text, q.Vector)
	}
	docs, err := s.find(ctx, q, n)
	if err != nil && !s.empty(err) {
		return core.Hits{}, err
	}
	s.warn(len(docs), q.K, n)
	hits := core.Hits{QueryVector: q.Vector, Candidates: make([]core.Candidate, 0, len(docs))}
	if hits.QueryVector == nil {
		hits.QueryVector = slot.Get(q.Text)
	}
	for _, d := range docs {
		if c := s.candidate(d); q.Mode == core.Off || c.ID != "" || c.Title != "" || c.Path != "" || c.Text != "" {
			hits.Candidates = append(hits.Candidates, c)
		}
	}
	return hits, nil
}

// warn says once that there was nothing to choose among.
func (s *Source) warn(got, k, asked int) {
	if s.advice == "" || got == 0 || got > k || k >= asked || s.warned.Swap(true) {
		return
	}
	s.logger.Warn("langchaingo: no more documents than wanted, so ranking can only reorder them; "+s.advice,
		"source", s.info.Name, "got", got, "wanted", k)
}

// Embed implements core.Embedder for a store whose options name an embedder; for
// others it is core.ErrUnsupported.
func (s *Source) Embed(ctx context.Context, text string) ([]float32, error) {
	if s.embed == nil {
		return nil, core.ErrUnsupported
	}
	return s.embed(ctx, text)
}

func (s *Source) candidate(d schema.Document) core.Candidate {
	c := core.Candidate{
		ID: first(d.Metadata, s.idKeys), DocID: first(d.Metadata, s.docKeys),
		Title: first(d.Metadata, s.titleKeys), Path: first(d.Metadata, s.pathKeys),
		Text: d.PageContent, Score: float64(d.Score), Metadata: core.CloneMetadata(d.Metadata),
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

// number reads a small count that may have come back as another type; 0 if it is
// none.
func number(v any) int {
	n, err := strconv.Atoi(core.CanonicalID(v))
	if err != nil || n < 0 {
		return 0
	}
	return n
}
