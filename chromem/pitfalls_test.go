package chromem_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/philippgille/chromem-go"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
)

func TestMoreResultsThanDocuments(t *testing.T) {
	c := open(t, chromem.NewDB(), repchromem.Options{})
	if got, err := c.Query(t.Context(), "anything", 5, nil, nil); err != nil || len(got) != 0 {
		t.Errorf("empty collection: %v %v", got, err)
	}
	add(t, c, "a: apples", "b: bananas")
	if got, err := c.Query(t.Context(), "apples", 5, nil, nil); err != nil || len(got) != 2 {
		t.Errorf("two documents: %v %v", got, err)
	}
	for _, n := range []int{0, -1} {
		if _, err := c.Query(t.Context(), "apples", n, nil, nil); !errors.Is(err, core.ErrInvalidQuery) {
			t.Errorf("n %d: %v", n, err)
		}
	}
}

func TestBlankQueryIsNotEmbedded(t *testing.T) {
	var calls atomic.Int64
	c, err := repchromem.Open(newEngine(t), chromem.NewDB(), "notes", counting(&calls), repchromem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	add(t, c, "a: apples")
	calls.Store(0)
	for _, q := range []string{"", "   ", "\n"} {
		if _, err := c.Query(t.Context(), q, 1, nil, nil); !errors.Is(err, core.ErrEmptyQuery) {
			t.Errorf("Query %q: %v", q, err)
		}
		if _, err := c.Search(t.Context(), core.Query{Text: q}, 1); !errors.Is(err, core.ErrEmptyQuery) {
			t.Errorf("Search %q: %v", q, err)
		}
		if _, err := c.Embed(t.Context(), q); !errors.Is(err, core.ErrEmptyQuery) {
			t.Errorf("Embed %q: %v", q, err)
		}
	}
	if calls.Load() != 0 {
		t.Errorf("%d embedding calls", calls.Load())
	}
}

func TestFilters(t *testing.T) {
	for _, hybrid := range []bool{false, true} {
		c := open(t, chromem.NewDB(), repchromem.Options{Hybrid: hybrid})
		chunks := []core.Candidate{
			{ID: "a", Text: "red apples", Metadata: map[string]any{"lang": "en", "year": 2024.0}},
			{ID: "b", Text: "green apples", Metadata: map[string]any{"lang": "de", "year": "2024"}},
			{ID: "c", Text: "old apples", Metadata: map[string]any{"year": 1999}},
		}
		if _, err := c.Add(t.Context(), chunks); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			where repchromem.Where
			want  string
		}{
			{repchromem.Where{Metadata: map[string]string{"lang": "en"}}, "a"},
			{repchromem.Where{Metadata: map[string]string{"lang": ""}}, "c"}, // chromem's meaning: also without the key
			{repchromem.Where{Metadata: map[string]string{"year": "2024"}}, "a b"},
			{repchromem.Where{Metadata: map[string]string{"lang": "fr"}}, ""},
			{repchromem.Where{Document: map[string]string{"$contains": "green"}}, "b"},
			{repchromem.Where{Document: map[string]string{"$not_contains": "old", "$contains": "red"}}, "a"},
		} {
			got, err := c.Query(t.Context(), "apples", 3, test.where.Metadata, test.where.Document)
			if err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(got, func(a, b chromem.Result) int { return strings.Compare(a.ID, b.ID) })
			if idsOf(got) != test.want {
				t.Errorf("hybrid %v, %v: %s, want %s", hybrid, test.where, idsOf(got), test.want)
			}
		}
		for _, filter := range []any{map[string]string{"lang": "en"}, repchromem.Where{Document: map[string]string{"$near": "x"}}} {
			if _, err := c.Search(t.Context(), core.Query{Text: "apples", Filter: filter}, 1); !errors.Is(err, repchromem.ErrFilter) {
				t.Errorf("%v: %v", filter, err)
			}
		}
	}
}

func TestBadChunksChangeNothing(t *testing.T) {
	c := open(t, chromem.NewDB(), repchromem.Options{})
	good := core.Candidate{ID: "good", Text: "fine"}
	for name, bad := range map[string]core.Candidate{
		"neither text nor vector": {ID: "x"},
		"invalid text":            {ID: "x", Text: "\xff"},
		"invalid id":              {ID: "\xff", Text: "x"},
	} {
		if _, err := c.Add(t.Context(), []core.Candidate{good, bad}); !errors.Is(err, repchromem.ErrText) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.Add(t.Context(), []core.Candidate{good, {ID: "x", Text: " !"}}); err != nil {
		t.Errorf("a text of signs: %v", err)
	}
	if ids, err := c.Add(t.Context(), nil); err != nil || len(ids) != 0 {
		t.Errorf("nothing: %v %v", ids, err)
	}
}

func TestTheSameTextIsOneChunk(t *testing.T) {
	c := open(t, chromem.NewDB(), repchromem.Options{})
	for range 2 {
		ids, err := c.Add(t.Context(), []core.Candidate{{Text: "the very same"}, {Text: "the very same"}})
		if err != nil || len(ids) != 2 || ids[0] != ids[1] || ids[0] == "" {
			t.Fatalf("%v %v", ids, err)
		}
	}
	if got, _ := c.Query(t.Context(), "same", 3, nil, nil); len(got) != 1 {
		t.Errorf("%d results", len(got))
	}
}

func TestAnIDAddedAgainIsReplaced(t *testing.T) {
	for _, hybrid := range []bool{false, true} {
		c := open(t, chromem.NewDB(), repchromem.Options{Hybrid: hybrid})
		add(t, c, "a: old words here", "b: something else")
		add(t, c, "a: brand new text", "a: and newer text")
		got, err := c.Query(t.Context(), "old words here brand new text", 3, nil, nil)
		if err != nil || c.Count() != 2 {
			t.Fatalf("%v %d", err, c.Count())
		}
		for _, r := range got {
			if r.ID == "a" && r.Content != "and newer text" {
				t.Errorf("hybrid %v: %q", hybrid, r.Content)
			}
		}
		if err := c.Update(t.Context(), core.Candidate{ID: "nobody", Text: "x"}); !errors.Is(err, repchromem.ErrUnknownChunk) {
			t.Error(err)
		}
		if err := c.Update(t.Context(), core.Candidate{ID: "b", Text: "something else", Title: "T"}); err != nil {
			t.Error(err)
		}
		if b, _ := c.Get(t.Context(), "b", "nobody"); len(b) != 1 || b[0].Title != "T" || b[0].Text != "something else" {
			t.Errorf("%+v", b)
		}
	}
}

func TestNothingIsSharedWithTheCollection(t *testing.T) {
	for _, hybrid := range []bool{false, true} {
		c := open(t, chromem.NewDB(), repchromem.Options{Hybrid: hybrid})
		meta := map[string]any{"k": "v"}
		vector := make([]float32, 64)
		vector[0] = 1
		if _, err := c.Add(t.Context(), []core.Candidate{{ID: "a", Text: "apples", Metadata: meta, Vector: vector}}); err != nil {
			t.Fatal(err)
		}
		meta["k"], vector[0] = "changed", 9
		spoil := func(m map[string]string, v []float32) { m["k"], v[0] = "spoilt", 99 }
		for range 2 {
			got, err := c.Query(t.Context(), "apples", 1, nil, nil)
			if err != nil || len(got) != 1 || got[0].Metadata["k"] != "v" || got[0].Embedding[0] != 1 {
				t.Fatalf("%+v %v", got, err)
			}
			spoil(got[0].Metadata, got[0].Embedding)
			hits, _ := c.Search(t.Context(), core.Query{Text: "apples"}, 1)
			chunks, _ := c.Get(t.Context(), "a")
			sample, _ := c.Sample(t.Context(), 1, 1)
			for _, x := range []core.Candidate{hits.Candidates[0], chunks[0], sample[0]} {
				if x.Metadata["k"] != "v" || x.Vector[0] != 1 {
					t.Fatalf("%+v", x)
				}
				x.Metadata["k"], x.Vector[0] = "spoilt", 99
			}
		}
	}
}

func TestACancelledContextIsAnError(t *testing.T) {
	c := open(t, chromem.NewDB(), repchromem.Options{})
	add(t, c, "a: apples")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, queried := c.Query(ctx, "apples", 1, nil, nil)
	_, searched := c.Search(ctx, core.Query{Vector: []float32{1}}, 1)
	_, added := c.Add(ctx, []core.Candidate{{ID: "b", Text: "bananas"}})
	_, deleted := c.DeleteWhere(ctx, repchromem.Where{Document: map[string]string{"$contains": "a"}})
	_, ingested := c.IngestDocuments(ctx, []repchromem.Document{{ID: "d", Text: "dates"}}, repchromem.IngestOptions{})
	for what, err := range map[string]error{"query": queried, "search": searched, "add": added, "delete where": deleted, "delete": c.Delete(ctx, "a"), "ingest": ingested} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if c.Count() != 1 {
		t.Errorf("%d chunks", c.Count())
	}
	late, stop := context.WithCancel(t.Context()) // cancelled while the embedding function is at work, which ignores it
	c2, _ := repchromem.Open(newEngine(t), chromem.NewDB(), "late", func(ctx context.Context, text string) ([]float32, error) {
		stop()
		return bag(ctx, text)
	}, repchromem.Options{})
	if _, err := c2.Add(late, []core.Candidate{{ID: "a", Text: "apples"}}); !errors.Is(err, context.Canceled) || c2.Count() != 0 {
		t.Errorf("%v, %d chunks", err, c2.Count())
	}
}

func TestVectorsNeedNotHaveLengthOne(t *testing.T) {
	embed := func(context.Context, string) ([]float32, error) { return []float32{3, 4}, nil }
	c, err := repchromem.Open(newEngine(t), chromem.NewDB(), "notes", embed, repchromem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	huge := []float32{math.MaxFloat32, math.MaxFloat32}
	chunks := []core.Candidate{{ID: "a", Text: "by function"}, {ID: "b", Vector: []float32{10, 0}}, {ID: "c", Vector: huge}, {ID: "d", Vector: []float32{-6, -8}}}
	if _, err := c.Add(t.Context(), chunks); err != nil {
		t.Fatal(err)
	}
	got, err := c.Query(t.Context(), "x", 4, nil, nil)
	if err != nil || idsOf(got) != "a c b d" || got[0].Similarity != 1 || got[3].Similarity != -1 {
		t.Fatalf("%v %v", got, err)
	}
	for _, r := range got {
		if r.Similarity < -1 || r.Similarity > 1 {
			t.Errorf("%s: similarity %v", r.ID, r.Similarity)
		}
	}
	resp, err := c.Retrieve(t.Context(), core.Query{Text: "x", MinRelevance: 1})
	if err != nil || len(resp.Items) != 1 || resp.Items[0].ID != "a" {
		t.Errorf("a relevance of exactly 1: %v %v", resp.IDs(), err)
	}
}

func TestAQueryWithoutAVector(t *testing.T) {
	zero := func(_ context.Context, text string) ([]float32, error) {
		if text == "!!!" {
			return make([]float32, 64), nil
		}
		return bag(context.Background(), text)
	}
	for _, hybrid := range []bool{false, true} {
		c, err := repchromem.Open(newEngine(t), chromem.NewDB(), "notes", zero, repchromem.Options{Hybrid: hybrid})
		if err != nil {
			t.Fatal(err)
		}
		add(t, c, "a: apples")
		got, err := c.Query(t.Context(), "!!!", 1, nil, nil)
		if hybrid && (err != nil || len(got) != 0) || !hybrid && !errors.Is(err, repchromem.ErrVector) {
			t.Errorf("hybrid %v: %v %v", hybrid, got, err)
		}
		if _, err := c.Add(t.Context(), []core.Candidate{{ID: "b", Text: "!!!"}}); !errors.Is(err, repchromem.ErrVector) || c.Count() != 1 {
			t.Errorf("add: %v", err)
		}
	}
}

func TestTiesAreOrderedByID(t *testing.T) {
	for _, hybrid := range []bool{false, true} {
		c := open(t, chromem.NewDB(), repchromem.Options{Hybrid: hybrid})
		var chunks []core.Candidate
		for i := range 40 {
			chunks = append(chunks, core.Candidate{ID: string(rune('A'+i%26)) + string(rune('a'+i/26)), Text: "one text"})
		}
		if _, err := c.Add(t.Context(), chunks); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			hits, err := c.Search(t.Context(), core.Query{Text: "one text"}, 5)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, x := range hits.Candidates {
				ids = append(ids, x.ID)
			}
			if strings.Join(ids, " ") != "Aa Ab Ba Bb Ca" {
				t.Fatalf("hybrid %v: %v", hybrid, ids)
			}
		}
	}
}

func TestDeleteDeletesNoMoreThanAsked(t *testing.T) {
	c := open(t, chromem.NewDB(), repchromem.Options{Hybrid: true})
	add(t, c, "a: apples", "b: bananas", "c: cherries")
	if err := c.Delete(t.Context()); err != nil || c.Count() != 3 {
		t.Errorf("no ids: %v, %d left", err, c.Count())
	}
	if err := c.Delete(t.Context(), "a", "a", "unknown", ""); err != nil || c.Count() != 2 {
		t.Errorf("one id: %v, %d left", err, c.Count())
	}
	if _, err := c.DeleteWhere(t.Context(), repchromem.Where{Metadata: map[string]string{}}); !errors.Is(err, repchromem.ErrFilter) || c.Count() != 2 {
		t.Errorf("empty filter: %v, %d left", err, c.Count())
	}
	if n, err := c.DeleteWhere(t.Context(), repchromem.Where{Document: map[string]string{"$contains": "cherr"}}); err != nil || n != 1 || c.Count() != 1 {
		t.Errorf("filter: %d %v, %d left", n, err, c.Count())
	}
	if got, err := c.Query(t.Context(), "apples cherries", 3, nil, nil); err != nil || strings.Contains(idsOf(got), "a") || strings.Contains(idsOf(got), "c") {
		t.Errorf("still found: %v %v", idsOf(got), err)
	}
}

func TestOpenRefuses(t *testing.T) {
	eng, db := newEngine(t), chromem.NewDB()
	for name, f := range map[string]func() (*repchromem.Collection, error){
		"no engine": func() (*repchromem.Collection, error) {
			return repchromem.Open(nil, db, "n", bag, repchromem.Options{})
		},
		"no database": func() (*repchromem.Collection, error) {
			return repchromem.Open(eng, nil, "n", bag, repchromem.Options{})
		},
		"no name": func() (*repchromem.Collection, error) { return repchromem.Open(eng, db, "", bag, repchromem.Options{}) },
		"negative limit": func() (*repchromem.Collection, error) {
			return repchromem.Open(eng, db, "n", bag, repchromem.Options{Concurrency: -1})
		},
		"NaN weight": func() (*repchromem.Collection, error) {
			return repchromem.Open(eng, db, "n", bag, repchromem.Options{VectorWeight: math.NaN()})
		},
	} {
		if c, err := f(); !errors.Is(err, core.ErrInvalidOptions) || c != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if c, err := repchromem.Open(eng, db, "n", nil, repchromem.Options{}); !errors.Is(err, repchromem.ErrNoEmbedding) || c != nil {
		t.Errorf("no embedding function: %v", err)
	}
	if len(db.ListCollections()) != 0 {
		t.Error("a refused Open made a collection")
	}
}

func TestErrorsOfTheEmbeddingFunctionPassThrough(t *testing.T) {
	broken := errors.New("no route to host")
	fail := false
	c, err := repchromem.Open(newEngine(t), chromem.NewDB(), "notes", func(ctx context.Context, text string) ([]float32, error) {
		if fail || strings.Contains(text, "spoil") {
			return nil, broken
		}
		return bag(ctx, text)
	}, repchromem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Add(t.Context(), []core.Candidate{{ID: "a", Text: "fine"}, {ID: "b", Text: "spoil"}, {ID: "c", Text: "fine too"}}); !errors.Is(err, broken) || c.Count() != 0 {
		t.Errorf("%v, %d chunks", err, c.Count())
	}
	add(t, c, "a: fine")
	fail = true
	if _, err := c.Query(t.Context(), "fine", 1, nil, nil); !errors.Is(err, broken) {
		t.Error(err)
	}
}
