package core_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/store"
	"pgregory.net/rapid"
)

// drawHits draws a list of candidates with distinct scores and texts, some
// without a number.
func drawHits(rt *rapid.T) core.Hits {
	n := rapid.IntRange(0, 12).Draw(rt, "n")
	scores := rapid.SliceOfNDistinct(rapid.IntRange(-1000, 1000), n, n, rapid.ID).Draw(rt, "scores")
	kind := rapid.SampledFrom([]core.ScoreKind{core.CosineSimilarity, core.CosineDistance, core.Opaque, core.FusedRank}).Draw(rt, "kind")
	h := core.Hits{Source: "s", Kind: kind, QueryVector: drawVector(rt)}
	for i, s := range scores {
		id := string(rune('a' + i))
		h.Candidates = append(h.Candidates, core.Candidate{
			ID: id, DocID: "d" + id, Text: "the text of " + id, Score: float64(s) / 1000,
			Metadata: map[string]any{"id": id, "n": i}, Vector: []float32{1, float32(i)},
		})
	}
	return h
}

func drawVector(rt *rapid.T) []float32 {
	v := make([]float32, 8)
	for i := range v {
		v[i] = float32(rapid.IntRange(-100, 100).Draw(rt, "v"))
	}
	v[0] = 101 // never zero
	return v
}

// drawSignals draws signals about the documents of a response.
func drawSignals(rt *rapid.T, ids []string) []core.Signal {
	raters := []string{"user:u1", "user:u2", "judge:x", "behaviour:y"}
	return rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) core.Signal {
		x := float64(rapid.IntRange(0, 10).Draw(rt, "x")) / 10
		s := core.VerifiedBy("test", x)
		if rapid.Bool().Draw(rt, "opinion") {
			s = core.Judged(rapid.SampledFrom(raters).Draw(rt, "rater"), x)
		}
		switch rapid.IntRange(0, 3).Draw(rt, "about") {
		case 1:
			s = s.On(rapid.SampledFrom(ids).Draw(rt, "on"))
		case 2:
			s = s.Used(map[string]float64{rapid.SampledFrom(ids).Draw(rt, "used"): x})
		case 3:
			s = s.UsedPartly(map[string]float64{rapid.SampledFrom(ids).Draw(rt, "used partly"): x})
		}
		return s
	}), 1, 6).Draw(rt, "signals")
}

func mustRank(rt *rapid.T, eng *core.Engine, q core.Query, h core.Hits) *core.Response {
	resp, err := eng.Rank(context.Background(), q, h)
	if err != nil || resp.Unlearned != nil {
		rt.Fatalf("rank: %v, %v", err, resp)
	}
	return resp
}

func TestNoEvidenceKeepsTheRetrieversOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := drawHits(rt)
		want := core.Scores(h.Kind, map[string]float64{})
		want.Candidates = append(want.Candidates, h.Candidates...)
		slices.SortStableFunc(want.Candidates, func(a, b core.Candidate) int {
			if (h.Kind == core.CosineDistance) == (a.Score < b.Score) {
				return -1
			}
			return 1
		})
		eng := newEngine(t, core.Options{Gate: gate.Off{}})
		got := mustRank(rt, eng, core.Query{Text: "a question", K: 20}, h).IDs()
		for i, c := range want.Candidates {
			if got[i] != c.ID {
				rt.Fatalf("got %v, want %v first at %d", got, c.ID, i)
			}
		}
	})
}

func TestPermutingCandidatesChangesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		eng := newEngine(t, core.Options{Gate: gate.Off{}})
		h := drawHits(rt)
		q := core.Query{Text: "a question", K: 20}
		first := mustRank(rt, eng, q, h)
		if len(first.Items) > 0 {
			if _, err := eng.Feedback(context.Background(), first.Receipt, drawSignals(rt, first.IDs())...); err != nil {
				rt.Fatal(err)
			}
		}
		want := mustRank(rt, eng, q, h)
		h.Candidates = rapid.Permutation(h.Candidates).Draw(rt, "order")
		if got := mustRank(rt, eng, q, h); !slices.Equal(got.IDs(), want.IDs()) {
			rt.Fatalf("permuted: %v, want %v", got.IDs(), want.IDs())
		}
	})
}

func TestInputsAreNotModified(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		eng := newEngine(t, core.Options{})
		h := drawHits(rt)
		before, _ := json.Marshal(h)
		resp := mustRank(rt, eng, core.Query{Text: "a question", K: 20}, h)
		for i := range resp.Items { // what is returned is the caller's to change
			resp.Items[i].Metadata["id"] = "changed"
			resp.Items[i].Vector[0] = 99
		}
		if after, _ := json.Marshal(h); string(after) != string(before) {
			rt.Fatalf("hits changed:\n%s\n%s", before, after)
		}
	})
}

func TestRetrievalsChangeNothingLearned(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		eng := newEngine(t, core.Options{Gate: gate.Off{}})
		h := drawHits(rt)
		q := core.Query{Text: "a question", K: 5}
		r := mustRank(rt, eng, q, h)
		if len(r.Items) == 0 {
			return
		}
		if _, err := eng.Feedback(context.Background(), r.Receipt, drawSignals(rt, r.IDs())...); err != nil {
			rt.Fatal(err)
		}
		before := learned(rt, eng.Store())
		for range rapid.IntRange(1, 5).Draw(rt, "reads") {
			mustRank(rt, eng, q, drawHits(rt))
		}
		if after := learned(rt, eng.Store()); !reflect.DeepEqual(pick(after, before), before) {
			rt.Fatal("a retrieval changed what was learned")
		}
	})
}

// learned returns the encoded evidence of every document that has any.
func learned(rt *rapid.T, s store.Store) map[store.Hash]string {
	docs, err := s.Documents(context.Background(), "", store.Page{})
	if err != nil {
		rt.Fatal(err)
	}
	out := make(map[store.Hash]string)
	for _, d := range docs {
		if d.Evidence == nil {
			continue
		}
		b, err := d.Evidence.AppendBinary(nil)
		if err != nil {
			rt.Fatal(err)
		}
		out[d.Hash] = string(b)
	}
	return out
}

func pick(m, keys map[store.Hash]string) map[store.Hash]string {
	out := make(map[store.Hash]string)
	for k, v := range m {
		if _, ok := keys[k]; ok || v != "" {
			out[k] = v
		}
	}
	return out
}

// driftAllowed is how far the order in which signals arrive may move a score
// through the namespace's slow running means; the documents' evidence itself is
// the same.
const driftAllowed = 2e-3

// Two engines see the same retrievals; one hears the signals in order, the other
// shuffled, one by one and partly twice. They must end up the same.
func TestSignalsOfAReceiptCommute(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := drawHits(rt)
		if len(h.Candidates) == 0 {
			return
		}
		c := newClock(time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC))
		make1 := func() (*core.Engine, *core.Response) {
			eng := newEngine(t, core.Options{Gate: gate.Off{}, Rand: rand.NewPCG(1, 2), Clock: c.time})
			return eng, mustRank(rt, eng, core.Query{Text: "a question", K: 5}, h)
		}
		a, ra := make1()
		b, rb := make1()
		signals := distinctSignals(drawSignals(rt, ra.IDs()))
		if _, err := a.Feedback(context.Background(), ra.Receipt, signals...); err != nil {
			rt.Fatal(err)
		}
		for _, s := range rapid.Permutation(append(slices.Clone(signals), signals[0])).Draw(rt, "late") {
			if _, err := b.Feedback(context.Background(), rb.Receipt, s); err != nil {
				rt.Fatal(err)
			}
		}
		q := core.Query{Text: "a question", K: 5}
		x, y := mustRank(rt, a, q, h), mustRank(rt, b, q, h)
		for i := range x.Items {
			if x.Items[i].ID != y.Items[i].ID || math.Abs(x.Items[i].Final-y.Items[i].Final) > driftAllowed {
				rt.Fatalf("in order %v %v, shuffled %v %v", x.Items[i].ID, x.Items[i].Final, y.Items[i].ID, y.Items[i].Final)
			}
		}
	})
}

// Outcomes are ordered by when the documents were shown, not by when somebody spoke.
func TestReceiptsCommute(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := drawHits(rt)
		if len(h.Candidates) == 0 {
			return
		}
		n := rapid.IntRange(2, 6).Draw(rt, "receipts")
		order := rapid.Permutation(seq(n)).Draw(rt, "order")
		oks := rapid.SliceOfN(rapid.Bool(), n, n).Draw(rt, "outcomes")
		run := func(order []int) map[store.Hash]string {
			c := newClock(time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC))
			eng := newEngine(t, core.Options{Gate: gate.Off{}, Rand: rand.NewPCG(1, 2), Clock: c.time})
			receipts := make([]*core.Response, n)
			for i := range receipts {
				receipts[i] = mustRank(rt, eng, core.Query{Text: "a question", K: 5}, h)
				c.set(c.time().Add(time.Hour))
			}
			for _, i := range order {
				if _, err := eng.Feedback(context.Background(), receipts[i].Receipt, core.Verified(oks[i])); err != nil {
					rt.Fatal(err)
				}
			}
			return learned(rt, eng.Store())
		}
		if a, b := run(seq(n)), run(order); !reflect.DeepEqual(a, b) {
			rt.Fatalf("in order and as %v", order)
		}
	})
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// distinctSignals keeps the last signal of a rater about one thing: of two that
// contradict each other the newest counts, so their order matters.
func distinctSignals(signals []core.Signal) []core.Signal {
	seen := map[string]bool{}
	var out []core.Signal
	for i := len(signals) - 1; i >= 0; i-- {
		if key := signals[i].Rater(); !seen[key] {
			seen[key] = true
			out = append(out, signals[i])
		}
	}
	return out
}

func TestClocksMayJump(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := newClock(time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC))
		eng := newEngine(t, core.Options{Gate: gate.Off{}, Clock: c.time, ReceiptTTL: 200 * 365 * 24 * time.Hour})
		h := drawHits(rt)
		for range 4 {
			r := mustRank(rt, eng, core.Query{Text: "a question", K: 5}, h)
			if len(r.Items) == 0 {
				return
			}
			c.set(c.time().AddDate(rapid.IntRange(-80, 80).Draw(rt, "years"), 0, rapid.IntRange(-9, 9).Draw(rt, "days")))
			if _, err := eng.Feedback(context.Background(), r.Receipt, drawSignals(rt, r.IDs())...); err != nil {
				rt.Fatal(err)
			}
			for _, it := range mustRank(rt, eng, core.Query{Text: "a question", K: 5}, h).Items {
				low, high := it.Posterior.Interval(.9)
				for _, x := range []float64{it.Final, it.Bonus, it.Relevance, it.Posterior.Mean, it.Posterior.Mass, low, high} {
					if math.IsNaN(x) || math.IsInf(x, 0) {
						rt.Fatalf("not finite: %+v", it)
					}
				}
				if low > it.Posterior.Mean+1e-6 || high < it.Posterior.Mean-1e-6 {
					rt.Fatalf("mean %v outside [%v, %v]", it.Posterior.Mean, low, high)
				}
			}
		}
	})
}
