package langchaingo_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	replc "github.com/repute-go/repute/langchaingo"
)

// listed is a retriever that returns its documents whatever is asked.
type listed []schema.Document

func (l listed) GetRelevantDocuments(context.Context, string) ([]schema.Document, error) {
	return l, nil
}

func retrieverOver(t *testing.T, r schema.Retriever, opts replc.RetrieverOptions) *replc.Retriever {
	t.Helper()
	src, err := replc.FromRetriever(r, core.CosineSimilarity)
	if err != nil {
		t.Fatal(err)
	}
	out, err := replc.NewRetriever(newEngine(t, core.Options{Gate: gate.Off{}}), src, opts)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A handler hears of every retrieval once, wherever it was set.
func TestInnerHandlersDoNotFireTwice(t *testing.T) {
	first, second := &ear{}, &ear{}
	for name, tt := range map[string]struct {
		inner, outer *ear
	}{
		"inside":      {first, nil},
		"outside":     {nil, first},
		"the same":    {first, first},
		"two of them": {first, second},
	} {
		first.events, second.events = nil, nil
		vs := newShelf()
		inner := vectorstores.ToRetriever(vs, 3)
		if tt.inner != nil {
			inner.CallbacksHandler = tt.inner
		}
		opts := replc.RetrieverOptions{K: 2}
		if tt.outer != nil {
			opts.Callbacks = tt.outer
		}
		for _, r := range []schema.Retriever{inner, &inner} {
			first.events, second.events, vs.err = nil, nil, nil
			ours := retrieverOver(t, r, opts)
			if _, err := ours.GetRelevantDocuments(context.Background(), "q"); err != nil {
				t.Fatal(err)
			}
			vs.err = errors.New("boom")
			if _, err := ours.GetRelevantDocuments(context.Background(), "q2"); !errors.Is(err, vs.err) {
				t.Errorf("%s: %v", name, err)
			}
			want := []string{"start q", "end a b", "start q2"}
			if !slices.Equal(first.events, want) || tt.outer == second && !slices.Equal(second.events, want) {
				t.Errorf("%s: %q and %q", name, first.events, second.events)
			}
		}
		if tt.inner != nil && inner.CallbacksHandler == nil {
			t.Errorf("%s: the caller's own retriever lost its handler", name)
		}
	}
}

func TestScarceSourcesWarnOnce(t *testing.T) {
	warnings := func(src *replc.Source, k int) int {
		var log bytes.Buffer
		src = src.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))
		eng := newEngine(t, core.Options{})
		for range 3 {
			if _, err := eng.Retrieve(context.Background(), src.WithModel("m"), core.Query{Text: "q", K: k}); err != nil {
				t.Fatal(err)
			}
		}
		return strings.Count(log.String(), "WARN")
	}
	of := func(r schema.Retriever) *replc.Source { return first(replc.FromRetriever(r, core.NoScore)) }
	store := func(p replc.Preset) *replc.Source { return first(replc.FromVectorStore(newShelf(), p)) }
	for name, tt := range map[string]struct {
		src     *replc.Source
		k, want int
	}{
		"a retriever that returns K":        {of(listed(newShelf().docs)), 3, 1},
		"one that returns fewer":            {of(listed(newShelf().docs)), 5, 1},
		"one that returns more":             {of(listed(newShelf().docs)), 2, 0},
		"one that returns nothing":          {of(listed(nil)), 3, 0},
		"a store that ignores the number":   {store(replc.AlloyDBCosine), 3, 1},
		"another of that kind":              {store(replc.CloudSQLL2), 5, 1},
		"a store that simply holds no more": {store(replc.PGVector), 3, 0},
	} {
		if got := warnings(tt.src, tt.k); got != tt.want {
			t.Errorf("%s: %d warnings, want %d", name, got, tt.want)
		}
	}
}

func first[T any](v T, _ error) T { return v }

func TestOptionsOfASearch(t *testing.T) {
	vs := newShelf()
	e := first(embeddings.NewEmbedder(&counting{}))
	src, err := replc.FromVectorStore(vs, replc.PGVector, vectorstores.WithNameSpace("ns"), vectorstores.WithScoreThreshold(.9),
		vectorstores.WithFilters("all"), vectorstores.WithEmbedder(e))
	if err != nil {
		t.Fatal(err)
	}
	if src.Info().Name != "langchaingo/pgvector/ns" || src.WithName("mine").Info().Name != "mine" {
		t.Errorf("name %q", src.Info().Name)
	}
	if _, err := src.Search(context.Background(), core.Query{Text: "q", K: 5, Filter: "some"}, 10); err != nil {
		t.Fatal(err)
	}
	if o := vs.options; o.NameSpace != "ns" || o.ScoreThreshold != 0 || o.Filters != "some" {
		t.Errorf("options %+v", o)
	}
	if _, ok := vs.options.Embedder.(*replc.QueryEmbedder); !ok {
		t.Errorf("embedder %T", vs.options.Embedder)
	}
	if v, err := src.Embed(context.Background(), "four"); err != nil || !slices.Equal(v, []float32{4, 1}) {
		t.Errorf("embedding %v, %v", v, err)
	}
	if _, err := src.Search(context.Background(), core.Query{Text: "q", K: 5}, 10); err != nil || vs.options.Filters != "all" {
		t.Errorf("without a filter of its own: %v, %v", vs.options.Filters, err)
	}
	plain := first(replc.FromVectorStore(newShelf(), replc.PGVector))
	if _, err := plain.Embed(context.Background(), "x"); !errors.Is(err, core.ErrUnsupported) {
		t.Errorf("no embedder: %v", err)
	}
}

func TestSourceOfOddThings(t *testing.T) {
	var none *vectorstores.Retriever
	for name, err := range map[string]error{
		"nil retriever":     second(replc.FromRetriever(nil, core.NoScore)),
		"nil pointer":       second(replc.FromRetriever(none, core.NoScore)),
		"nil store":         second(replc.FromVectorStore((*shelf)(nil), replc.PGVector)),
		"retriever of none": second(replc.NewRetriever(newEngine(t, core.Options{}), nil, replc.RetrieverOptions{})),
	} {
		if !errors.Is(err, core.ErrInvalidSource) {
			t.Errorf("%s: %v", name, err)
		}
	}
	vs := newShelf()
	src := first(replc.FromVectorStore(vs, replc.OtherCosine))
	if _, err := newEngine(t, core.Options{}).Retrieve(context.Background(), src, core.Query{Vector: []float32{1, 2}}); !errors.Is(err, core.ErrEmptyQuery) || len(vs.searches) != 0 {
		t.Errorf("a vector without a text: %v, searched %q", err, vs.searches)
	}
	gone := errors.New("no documents")
	src = first(replc.FromVectorStore(&shelf{err: gone}, replc.OtherCosine)).WithNothingFound(func(err error) bool { return errors.Is(err, gone) })
	if hits, err := src.Search(context.Background(), core.Query{Text: "q"}, 3); err != nil || len(hits.Candidates) != 0 {
		t.Errorf("nothing found: %v, %v", hits, err)
	}
	src = first(replc.FromVectorStore(&shelf{docs: []schema.Document{{PageContent: "x", Metadata: map[string]any{
		"key": "k", "id": "i", "chunk_index": "2", "total_chunks": 7.0, "title": "T", "source": "S",
	}}, {PageContent: "y", Metadata: map[string]any{"chunk_index": "3rd", "total_chunks": -1}}}}, replc.OtherCosine)).WithIDKeys("key")
	hits, err := src.Search(context.Background(), core.Query{Text: "q"}, 3)
	if err != nil {
		t.Fatal(err)
	}
	x, y := hits.Candidates[0], hits.Candidates[1]
	if x.ID != "k" || x.ChunkIndex != 2 || x.TotalChunks != 7 || x.Title != "T" || x.Path != "S" || y.ChunkIndex != 0 || y.TotalChunks != 0 {
		t.Errorf("candidates %+v, %+v", x, y)
	}
}

// A thousand documents from a retriever that knows no bound.
func TestManyDocuments(t *testing.T) {
	docs := make(listed, 1000)
	for i := range docs {
		docs[i] = schema.Document{PageContent: strings.Repeat("x", i+1), Score: float32(i) / 1000}
	}
	docs[999].PageContent = "broken \xff\xfe text"
	got, err := retrieverOver(t, docs, replc.RetrieverOptions{K: 4}).GetRelevantDocuments(context.Background(), "q")
	if err != nil || len(got) != 4 || got[0].PageContent != "broken \xff\xfe text" || got[0].Metadata[replc.KeyBaseRank] != 0 {
		t.Errorf("%d documents, %v", len(got), err)
	}
}

func TestEmbedderPanics(t *testing.T) {
	e := replc.Embedder(nil)
	if _, err := e.EmbedQuery(context.Background(), "q"); !errors.Is(err, replc.ErrEmbedder) {
		t.Errorf("query: %v", err)
	}
	if vs, err := e.EmbedDocuments(context.Background(), []string{"q"}); !errors.Is(err, replc.ErrEmbedder) || vs != nil {
		t.Errorf("documents: %v, %v", vs, err)
	}
	if replc.Embedder(e) != e {
		t.Error("wrapped twice")
	}
}
