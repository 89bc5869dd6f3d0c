package core_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/store"
)

// Two lines are enough to start: scores by id in, an order out, and what happened
// by id back in. No texts, no source.
func TestScoresByIDAreEnough(t *testing.T) {
	eng := newEngine(t, core.Options{})
	ask := func() *core.Response {
		resp, err := eng.Rank(context.Background(), core.Query{K: 3}, core.Scores(core.CosineSimilarity, map[string]float64{"a": .9, "b": .8, "c": .1, "d": .05}))
		if err != nil || resp.Unlearned != nil {
			t.Fatal(err, resp)
		}
		return resp
	}
	if resp := ask(); !slices.Equal(resp.IDs(), []string{"a", "b", "c"}) || !resp.HasEvidence() {
		t.Fatalf("%v, %v", resp.IDs(), resp.Verdict)
	}
	for range 6 {
		feed(t, eng, ask().Receipt, core.VerifiedBy("check", 0).On("a"), core.Verified(true).On("b"))
	}
	if resp := ask(); resp.Items[0].ID != "b" {
		t.Errorf("%v, want b first", resp.IDs())
	}
}

// Texts that come and go (one call with them, one without) are two kinds of
// evidence, and neither call fails.
func TestTextsMayBeMissing(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	for _, text := range []string{"", "some text", "", "some text"} {
		resp, err := eng.Rank(context.Background(), core.Query{Text: "q"}, core.Hits{Source: "s", Candidates: []core.Candidate{{ID: "a", Text: text}}})
		if err != nil || resp.Unlearned != nil {
			t.Fatal(err, resp)
		}
		feed(t, eng, resp.Receipt, core.Verified(true))
	}
}

func TestOffIsTheRetrieversOwnResult(t *testing.T) {
	given := []core.Candidate{
		{Text: "second", Score: .2, Vector: []float32{}, Metadata: map[string]any{"id": 7, "x": nil}},
		{ID: "b", Text: "first", Score: .9, Metadata: map[string]any{}},
		{ID: "b", Text: "first", Score: .9},
		{Score: 3},
	}
	asked := 0
	src := core.SourceFunc{Description: core.SourceInfo{Name: "s"}, Func: func(_ context.Context, q core.Query, n int) (core.Hits, error) {
		asked = n
		return core.Hits{Candidates: given, Kind: core.CosineSimilarity, QueryVector: []float32{0, 0}}, nil
	}}
	down := errors.New("down")
	mem := store.NewMemory()
	defer mem.Close()
	eng := newEngine(t, core.Options{Mode: core.Off, Store: &broken{Store: mem, load: down, record: down, update: down}})
	resp := retrieve(t, eng, src, core.Query{Text: "q", K: 4, Depth: 30, MinRelevance: 1})
	if asked != 4 {
		t.Errorf("asked for %d, want K", asked)
	}
	if len(resp.Items) != 4 || !resp.Receipt.IsZero() || resp.Rejected != nil || resp.Proposed != nil {
		t.Fatalf("%+v", resp)
	}
	for i, it := range resp.Items {
		if !reflect.DeepEqual(it.Candidate, given[i]) {
			t.Errorf("%d is %#v, want %#v", i, it.Candidate, given[i])
		}
	}
	ranked, err := eng.Rank(context.Background(), core.Query{K: 2}, core.Hits{Candidates: given, QueryVector: []float32{0}})
	if err != nil || len(ranked.Items) != 2 {
		t.Errorf("%v, %v", ranked, err)
	}
	empty := retrieve(t, eng, fixed(), core.Query{Text: "q"})
	if empty.Items != nil || empty.Verdict != core.Empty {
		t.Errorf("nothing found: %+v", empty)
	}
}

// Shadow is what runs in production before anybody trusts the engine: the
// retriever's results, come what may.
func TestShadowRefusesNothingAndLearns(t *testing.T) {
	s := newShelf(prose(200)...)
	eng := calibrated(t, core.Options{Mode: core.Shadow}, s)
	resp := retrieve(t, eng, s, core.Query{Text: foreign, K: 3})
	if resp.Verdict != core.NoEvidence || len(resp.Items) != 3 || len(resp.Proposed) != 0 {
		t.Fatalf("%v with %d items, %d proposed", resp.Verdict, len(resp.Items), len(resp.Proposed))
	}
	if !resp.HasEvidence() || !strings.Contains(resp.Context(0), resp.Items[0].Text) {
		t.Error("what mode On would have refused was refused")
	}
	for i, it := range resp.Items {
		if it.Rank != i || it.BaseRank != i {
			t.Errorf("%d: rank %d, base rank %d", i, it.Rank, it.BaseRank)
		}
	}
	q := core.Query{Text: answerable, K: 3}
	first := retrieve(t, eng, s, q)
	for range 5 {
		feed(t, eng, retrieve(t, eng, s, q).Receipt, core.Verified(false).On(first.Items[0].ID))
	}
	shadow := retrieve(t, eng, s, q)
	q.Mode = core.On
	on := retrieve(t, eng, s, q)
	if !slices.Equal(shadow.IDs(), first.IDs()) || slices.Equal(on.IDs(), first.IDs()) || on.Items[0].ID != shadow.Proposed[0].ID {
		t.Errorf("first %v; then shadow %v, on %v", first.IDs(), shadow.IDs(), on.IDs())
	}
}

func TestQuestionsAreKeptOnlyWhereAskedFor(t *testing.T) {
	for _, keep := range []bool{false, true} {
		eng := newEngine(t, core.Options{KeepQueries: keep})
		ctx := core.WithQuestion(core.WithUser(context.Background(), "u1"), "my own confidential words")
		resp, err := eng.Retrieve(ctx, fixed(letters(3)...), core.Query{Text: "the confidential question"})
		if err != nil {
			t.Fatal(err)
		}
		feed(t, eng, resp.Receipt, core.Verified(true))
		var dump bytes.Buffer
		if err := eng.Store().Export(ctx, "", &dump); err != nil {
			t.Fatal(err)
		}
		if kept := strings.Contains(dump.String(), "the confidential question"); kept != keep {
			t.Errorf("KeepQueries %v: kept %v", keep, kept)
		}
		if strings.Contains(dump.String(), "my own") || strings.Contains(dump.String(), "text of a") {
			t.Error("the store holds the user's words or a document's text")
		}
	}
}

func TestDepthBoundsWhatIsRanked(t *testing.T) {
	var thousand core.Hits
	thousand.Source, thousand.Kind = "s", core.CosineSimilarity
	for i := range 1000 {
		thousand.Candidates = append(thousand.Candidates, core.Candidate{ID: fmt.Sprint(i), Text: fmt.Sprint("text ", i), Score: 1 - float64(i)/2000})
	}
	asked := 0
	src := core.SourceFunc{Description: core.SourceInfo{Name: "s", Kind: core.CosineSimilarity}, Func: func(_ context.Context, _ core.Query, n int) (core.Hits, error) {
		asked = n
		return thousand, nil
	}}
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	for _, tt := range []struct{ k, depth, asked, items int }{
		{0, 0, 10, 5}, {8, 0, 16, 8}, {5, 30, 30, 5}, {5, 400, core.MaxDepth, 5}, {300, 0, 300, 300}, {1000, 20, 1000, 1000},
	} {
		resp := retrieve(t, eng, src, core.Query{Text: "q", K: tt.k, Depth: tt.depth})
		if asked != tt.asked || len(resp.Items) != tt.items || resp.Items[0].ID != "0" {
			t.Errorf("K %d, Depth %d: asked for %d, %d items", tt.k, tt.depth, asked, len(resp.Items))
		}
		feed(t, eng, resp.Receipt, core.Verified(true).On("0"))
	}
	// Of what Rank is given, the first MaxDepth take part, or Depth.
	for _, tt := range []struct{ k, depth, last int }{{core.MaxDepth, 0, core.MaxDepth - 1}, {5, 7, 6}, {60, 0, 59}} {
		last := fmt.Sprint(tt.last)
		resp, err := eng.Rank(context.Background(), core.Query{Text: "q", K: tt.k, Depth: tt.depth}, thousand)
		if err != nil || len(resp.Items) != tt.k {
			t.Fatal(err, resp)
		}
		resp, err = eng.Rank(context.Background(), core.Query{Text: "q", K: max(tt.k, tt.depth), Depth: tt.depth}, thousand)
		if err != nil || !slices.Contains(resp.IDs(), last) || slices.Contains(resp.IDs(), fmt.Sprint(tt.last+1)) {
			t.Errorf("K %d, Depth %d: %v, %v", tt.k, tt.depth, resp.IDs(), err)
		}
	}
}

func TestStrangeStringsAndVectors(t *testing.T) {
	eng := newEngine(t, core.Options{})
	ctx := context.Background()
	nan := core.Hits{QueryVector: []float32{float32(math.NaN()), 1}}
	src := core.SourceFunc{Description: core.SourceInfo{Name: "\xff\x00", Kind: core.CosineSimilarity}, Func: func(context.Context, core.Query, int) (core.Hits, error) {
		return core.Hits{QueryVector: nan.QueryVector, Candidates: []core.Candidate{
			{ID: "\xff", DocID: "\x00", Text: "\xfe\xfd", Score: .5, Vector: nan.QueryVector}, {ID: "\xfe", Text: "\xff", Score: .4}, {ID: "a\x00b", Score: .3},
		}}, nil
	}}
	q := core.Query{Text: "\xff\xfe", User: "\xff", Session: "\x00"}
	for range 2 {
		resp := retrieve(t, eng, src, q)
		if len(resp.Items) != 3 {
			t.Fatalf("%+v", resp)
		}
		feed(t, eng, resp.Receipt, core.Verified(true).On("\xff", "a\x00b"))
	}
	if it := retrieve(t, eng, src, q).Items[0]; it.ID != "\xff" || !strings.Contains(it.Reason, "2.0 good") {
		t.Errorf("%+v", it)
	}
	if _, err := eng.Rank(ctx, core.Query{Text: "q"}, nan); !errors.Is(err, core.ErrInvalidHits) {
		t.Errorf("a query vector that is no vector: %v", err)
	}
}

// slow is a store that waits for the context before it answers.
type slow struct {
	store.Store
	load, record func()
}

func (s *slow) Load(ctx context.Context, req store.LoadRequest) (*store.Loaded, error) {
	if s.load != nil {
		s.load()
		<-ctx.Done()
	}
	return s.Store.Load(ctx, req)
}

func (s *slow) Record(ctx context.Context, r store.Retrieval) error {
	if s.record != nil {
		s.record()
		<-ctx.Done()
	}
	return s.Store.Record(ctx, r)
}

func TestCancellationAtEveryStep(t *testing.T) {
	src := fixed(letters(3)...)
	for _, step := range []string{"before", "load", "record"} {
		ctx, cancel := context.WithCancel(context.Background())
		mem := store.NewMemory()
		s := &slow{Store: mem}
		switch step {
		case "before":
			cancel()
		case "load":
			s.load = cancel
		case "record":
			s.record = cancel
		}
		eng := newEngine(t, core.Options{Store: s})
		if resp, err := eng.Retrieve(ctx, src, core.Query{Text: "q"}); !errors.Is(err, context.Canceled) || resp != nil {
			t.Errorf("cancelled %s: %v, %v", step, resp, err)
		}
		if _, err := eng.Rank(ctx, core.Query{Text: "q"}, core.Scores(core.Opaque, map[string]float64{"a": 1})); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled %s: rank %v", step, err)
		}
		if rows, _ := mem.Receipts(context.Background(), "", "", store.Page{}); len(rows) != 0 {
			t.Errorf("cancelled %s: %d receipts", step, len(rows))
		}
		cancel()
	}
}

// What the retriever found is good even where the store takes all the time there
// is.
func TestADeadlineInTheStoreKeepsTheResults(t *testing.T) {
	for _, s := range []*slow{{load: func() {}}, {record: func() {}}} {
		s.Store = store.NewMemory()
		eng := newEngine(t, core.Options{Store: s})
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		resp, err := eng.Retrieve(ctx, fixed(letters(3)...), core.Query{Text: "q"})
		cancel()
		if err != nil || len(resp.Items) != 3 || !errors.Is(resp.Unlearned, context.DeadlineExceeded) || !resp.Receipt.IsZero() {
			t.Errorf("%+v, %v", resp, err)
		}
	}
}
