package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/store"
)

// Symptoms that users of retrieval software reported in public, each with the
// smallest input that would provoke it here.

func bare(kind core.ScoreKind, scores ...float64) core.Hits {
	h := core.Hits{Source: "s", Kind: kind}
	for i, s := range scores {
		h.Candidates = append(h.Candidates, core.Candidate{ID: string(rune('a' + i)), Score: s})
	}
	return h
}

func checkFinite(t *testing.T, items []core.Item) {
	t.Helper()
	for _, it := range items {
		low, high := it.Posterior.Interval(.9)
		for _, x := range []float64{it.Relevance, it.Final, it.Bonus, it.Posterior.Mean, it.Posterior.Mass, low, high} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%s: not finite: %+v", it.ID, it)
			}
		}
		if it.Relevance < 0 || it.Relevance > 1 {
			t.Errorf("%s: relevance %v", it.ID, it.Relevance)
		}
	}
}

func TestNegativeScoresAreNoNegativeWeights(t *testing.T) {
	for _, kind := range []core.ScoreKind{core.OneMinusSquaredL2, core.Opaque, core.ScoreUndeclared, core.CosineSimilarity} {
		eng := newEngine(t, core.Options{Gate: gate.Off{}})
		q, hits := core.Query{Text: "q"}, bare(kind, -.4, -172.6)
		for range 3 {
			resp, err := eng.Rank(context.Background(), q, hits)
			if err != nil || !slices.Equal(resp.IDs(), []string{"a", "b"}) {
				t.Fatalf("%v: %v, %v", kind, resp.IDs(), err)
			}
			checkFinite(t, resp.Items)
			feed(t, eng, resp.Receipt, core.Verified(true).On("a"), core.VerifiedBy("b", 0).On("b"))
		}
	}
}

// flat is a source all of whose scores lie between .65 and .71.
type flat struct{ *shelf }

func (s flat) Info() core.SourceInfo {
	return core.SourceInfo{Name: "flat", Kind: core.Certainty}
}

func (s flat) Search(ctx context.Context, q core.Query, n int) (core.Hits, error) {
	h, err := s.shelf.Search(ctx, q, n)
	h.QueryVector = nil
	for i := range h.Candidates {
		h.Candidates[i].Vector, h.Candidates[i].Score = nil, .65+.06*h.Candidates[i].Score
	}
	return h, err
}

func TestScoresThatAreAllAlikeStillDecide(t *testing.T) {
	src := struct{ core.Source }{flat{newShelf(prose(300)...)}}
	eng := calibrated(t, core.Options{}, src)
	want(t, eng, src, answerable, core.Evidence)
	want(t, eng, src, foreign, core.NoEvidence)

	resp := rank(t, core.Query{Text: "anything"}, bare(core.Certainty, .71, .70, .70, .69, .65))
	if resp.Verdict != core.Uncalibrated || len(resp.Items) != 5 {
		t.Errorf("five documents: %v with %d items, want all and no verdict", resp.Verdict, len(resp.Items))
	}
}

func TestAnnotatingResultsLeavesSharedMetadataAlone(t *testing.T) {
	shared := letters(4)
	for i := range shared {
		shared[i].Metadata = map[string]any{"id": shared[i].ID, "tags": "x"}
		shared[i].Vector = []float32{1, 2}
	}
	eng := newEngine(t, core.Options{})
	src := fixed(shared...)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				resp, err := eng.Retrieve(context.Background(), src, core.Query{Text: "q"})
				if err != nil {
					t.Error(err)
					return
				}
				for _, it := range resp.Items {
					it.Metadata["seen"], it.Vector[0] = true, 9
				}
			}
		})
		wg.Go(func() { // somebody filters meanwhile
			for range 10 {
				for _, c := range shared {
					if len(c.Metadata) != 2 || c.Vector[0] != 1 {
						t.Errorf("the source's own chunk became %v %v", c.Metadata, c.Vector)
					}
				}
			}
		})
	}
	wg.Wait()
}

func TestDocumentsWithoutAnIDCanBeToldApart(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	hits := core.Hits{Source: "s", Kind: core.NoScore, Candidates: []core.Candidate{{Text: "one"}, {Text: "two"}}}
	ask := func() *core.Response {
		resp, err := eng.Rank(context.Background(), core.Query{Text: "which letter"}, hits)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	first := ask()
	id := first.Items[1].ID
	u := feed(t, eng, first.Receipt, core.Verified(true).On(id))
	if len(u.Documents) != 1 || u.Documents[0].ID != id {
		t.Errorf("changed %+v, want %q alone", u.Documents, id)
	}
	for range 3 {
		feed(t, eng, ask().Receipt, core.Verified(true).On(id))
	}
	for _, it := range ask().Items {
		if spoken := strings.Contains(it.Reason, "4.0 good and 0.0 bad"); spoken != (it.ID == id) || spoken != (it.Text == "two") {
			t.Errorf("%s: %s", it.Text, it.Reason)
		}
	}
}

func TestOneIDInManyForms(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	ask := func(id any) core.Item {
		resp, err := eng.Rank(context.Background(), core.Query{Text: "which letter"}, core.Hits{
			Source: "s", Kind: core.NoScore, Candidates: []core.Candidate{{Title: "t", Metadata: map[string]any{"id": id}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(resp.Items) != 1 {
			t.Fatalf("%v: %+v", id, resp)
		}
		if !strings.Contains(resp.Items[0].Reason, "good") {
			feed(t, eng, resp.Receipt, core.Verified(true))
		}
		return resp.Items[0]
	}
	same := func(a, b any) bool { return ask(a).ID == ask(b).ID && strings.Contains(ask(b).Reason, "1.0 good") }
	for _, form := range []any{1, 1.0, "1", float32(1), json.Number("1"), json.Number("1.0")} {
		if !same(int64(1), form) {
			t.Errorf("%T %v is another document than 1", form, form)
		}
	}
	if !same(1_000_000, 1e6) || !same(0.0, math.Copysign(0, -1)) {
		t.Error("a million or zero has two names")
	}
	if ask(int64(1)<<53+1).ID == ask(int64(1)<<53).ID {
		t.Error("two numbers above 2^53 became one document")
	}
}

func TestNaNScoresReachNoState(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	q, hits := core.Query{Text: "q"}, bare(core.CosineSimilarity, math.NaN(), .5, math.Inf(-1))
	for range 3 {
		resp, err := eng.Rank(context.Background(), q, hits)
		if err != nil || resp.Items[0].ID != "b" {
			t.Fatalf("%v, %v", resp.IDs(), err)
		}
		checkFinite(t, resp.Items)
		feed(t, eng, resp.Receipt, core.Verified(true), core.Judged("judge:x", 0).On("a"))
		if _, err := json.Marshal(resp.Provenance()); err != nil {
			t.Error(err)
		}
	}
	docs, err := eng.Store().Documents(context.Background(), "", store.Page{})
	if err != nil || len(docs) != 3 {
		t.Fatal(docs, err)
	}
	for _, d := range docs {
		for _, e := range d.Evidence.Events {
			for _, x := range []float32{e.Pos, e.Neg, e.GlobalPos, e.GlobalNeg} {
				if !(x >= 0) || math.IsInf(float64(x), 0) {
					t.Errorf("learned %+v", e)
				}
			}
		}
	}
}

// A response can be logged and sent whatever the source and the gate made of it.
func TestResponsesCanBeWrittenAsJSON(t *testing.T) {
	s := newShelf(prose(150)...)
	calibrated := calibrated(t, core.Options{}, s)
	fresh := newEngine(t, core.Options{})
	var all []*core.Response
	for _, text := range []string{answerable, foreign} {
		for _, mode := range []core.Mode{core.On, core.Shadow, core.Off} {
			all = append(all, retrieve(t, calibrated, s, core.Query{Text: text, User: "u", Mode: mode}))
		}
	}
	for _, h := range []core.Hits{{}, bare(core.CosineSimilarity, math.NaN(), .5, math.Inf(1)), bare(core.ScoreUndeclared, 3, math.NaN())} {
		resp, err := fresh.Rank(context.Background(), core.Query{Text: "q"}, h)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, resp)
	}
	for _, resp := range all {
		if _, err := json.Marshal(resp); err != nil {
			t.Errorf("%v, %v: %v", resp.Mode, resp.Verdict, err)
		}
	}
	c, err := calibrated.Compare(context.Background(), s, core.Query{Text: foreign})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(c); err != nil {
		t.Error(err)
	}
}

func TestCopiesOfATextShareItsEvidence(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	ask := func(ids ...string) *core.Response {
		h := core.Hits{Source: "s", Kind: core.NoScore}
		for _, id := range ids {
			h.Candidates = append(h.Candidates, core.Candidate{ID: id, Text: "the same text"})
		}
		h.Candidates = append(h.Candidates, core.Candidate{ID: "x", Text: "another"}, core.Candidate{ID: "y", Text: "a third"})
		resp, err := eng.Rank(context.Background(), core.Query{Text: "q", K: 3}, h)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	resp := ask("first", "again")
	if got := resp.IDs(); !slices.Equal(got, []string{"first", "x", "y"}) {
		t.Errorf("copies took places: %v", got)
	}
	feed(t, eng, resp.Receipt, core.Verified(true).On("first"))
	if it := ask("again").Items[0]; it.ID != "again" || !strings.Contains(it.Reason, "1.0 good") {
		t.Errorf("the copy knows nothing: %+v", it)
	}
}

func TestAnswersAreNotRememberedOverChanges(t *testing.T) {
	s := newShelf(prose(120)...)
	eng := calibrated(t, core.Options{}, s)
	q := core.Query{Text: answerable, K: 1}
	first := retrieve(t, eng, s, q).Items[0]
	s.remove(first.ID)
	if second := retrieve(t, eng, s, q); slices.Contains(second.IDs(), first.ID) {
		t.Error("a chunk is shown after it was removed")
	}
	s.put("better", answerable)
	if third := retrieve(t, eng, s, q); !slices.Equal(third.IDs(), []string{"better"}) {
		t.Errorf("a chunk that fits best is not shown: %v", third.IDs())
	}
	s.put("better", "entirely about something else")
	if fourth := retrieve(t, eng, s, q); slices.Contains(fourth.IDs(), "better") {
		t.Error("a chunk is shown for words it no longer has")
	}
}

func TestNothingShownTakesNoSignal(t *testing.T) {
	eng := newEngine(t, core.Options{})
	empty := retrieve(t, eng, fixed(), core.Query{Text: "q"})
	if empty.Verdict != core.Empty || len(empty.Items) != 0 {
		t.Fatalf("%+v", empty)
	}
	if _, err := eng.Feedback(context.Background(), empty.Receipt, core.Verified(true)); !errors.Is(err, core.ErrUnknownReceipt) {
		t.Errorf("signal for nothing: %v", err)
	}
	ctx, trace := core.WithTrace(context.Background())
	if _, err := eng.Retrieve(ctx, fixed(), core.Query{Text: "q"}); err != nil {
		t.Fatal(err)
	}
	if updates, err := trace.Feedback(ctx, core.Verified(true)); len(updates) != 0 || err != nil {
		t.Errorf("%v, %v", updates, err)
	}
	var dump bytes.Buffer
	if err := eng.Store().Export(context.Background(), "", &dump); err != nil {
		t.Fatal(err)
	}
	if docs, _ := eng.Store().Documents(context.Background(), "", store.Page{}); len(docs) != 0 {
		t.Errorf("documents %v", docs)
	}
}

func TestASignalDeliveredTwiceAtOnceCountsOnce(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	src := fixed(letters(3)...)
	r := retrieve(t, eng, src, core.Query{Text: "q"})
	var fresh atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			u, err := eng.Feedback(context.Background(), r.Receipt, core.Rated("user:u1", core.Up), core.Verified(true))
			if err != nil {
				t.Error(err)
			}
			if !u.Duplicate {
				fresh.Add(1)
			}
		})
	}
	wg.Wait()
	if fresh.Load() != 1 {
		t.Errorf("counted %d times", fresh.Load())
	}
	for _, it := range retrieve(t, eng, src, core.Query{Text: "q"}).Items {
		if !strings.Contains(it.Reason, "1.0 good and 0.0 bad") {
			t.Errorf("%s: %s", it.ID, it.Reason)
		}
	}
}

func TestHugeTextsPassThrough(t *testing.T) {
	const size = 5 << 20
	broken := strings.Repeat("\xff", size)
	src := fixed(
		core.Candidate{ID: "a", Text: strings.Repeat("a", size), Score: .9},
		core.Candidate{Text: strings.Repeat("標準", size/6), Score: .8},
		core.Candidate{ID: "c", Text: broken, Title: broken, Score: .7},
	)
	eng := newEngine(t, core.Options{})
	first := retrieve(t, eng, src, core.Query{Text: "標準化"})
	for range 4 {
		feed(t, eng, retrieve(t, eng, src, core.Query{Text: "標準化"}).Receipt, core.Verified(true).On(first.Items[1].ID), core.VerifiedBy("a", 0).On("a"))
	}
	again := retrieve(t, eng, src, core.Query{Text: "標準化"})
	if again.Items[0].ID != first.Items[1].ID {
		t.Errorf("%v, then %v", first.IDs(), again.IDs())
	}
	text := again.Context(1000)
	if !utf8.ValidString(text) || core.EstimateTokens(text) > 1000 || !strings.Contains(text, "標準") {
		t.Errorf("context of %d tokens, valid %v", core.EstimateTokens(text), utf8.ValidString(text))
	}
	if p := again.Provenance().Text(); !utf8.ValidString(p) || len(p) > 10_000 {
		t.Errorf("provenance of %d bytes", len(p))
	}
}

func TestStoresWithoutScoresKeepTheirOrder(t *testing.T) {
	for _, kind := range []core.ScoreKind{core.NoScore, core.CosineSimilarity, core.CosineDistance, core.InnerProduct, core.L2Distance} {
		resp := rank(t, core.Query{Text: "q"}, bare(kind, 0, 0, 0))
		if !slices.Equal(resp.IDs(), []string{"a", "b", "c"}) || resp.Items[0].Relevance != 1 || resp.Items[2].Relevance >= resp.Items[1].Relevance {
			t.Errorf("%v: %v", kind, resp.IDs())
		}
		for _, it := range resp.Items {
			if it.Final <= 0 || it.Score != 0 {
				t.Errorf("%v: %s has final score %v and score %v", kind, it.ID, it.Final, it.Score)
			}
		}
	}
}

func TestASimilarityBeyondOneIsNoCosine(t *testing.T) {
	h := bare(core.Opaque, 3, 2, 1)
	for i, s := range []float64{1.0001, 25, -7} {
		h.Candidates[i].Similarity = s
	}
	for i, it := range rank(t, core.Query{Text: "q"}, h).Items {
		if want := []float64{1, 0, 0}[i]; it.Similarity != want { // 0 is unknown
			t.Errorf("%s: similarity %v, want %v", it.ID, it.Similarity, want)
		}
	}
}
