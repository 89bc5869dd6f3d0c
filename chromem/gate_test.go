package chromem_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/philippgille/chromem-go"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/store"
)

const (
	answerable = "copper furnace number20 smelts detail140"
	foreign    = "zebra quidditch tournament"
)

// notes are texts with words of their own on two subjects.
func notes(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("id%d: copper furnace number%d smelts detail%d", i, i, i*7)
		if i%2 == 1 {
			out[i] = fmt.Sprintf("id%d: violin varnish number%d dries remark%d", i, i, i*11)
		}
	}
	return out
}

// judgedBy opens the collection of notes for an engine on a store, with a clock.
func judgedBy(t *testing.T, db *chromem.DB, st store.Store, clock func() time.Time) *repchromem.Collection {
	t.Helper()
	eng, err := core.New(core.Options{Store: st, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { eng.Close() })
	c, err := repchromem.Open(eng, db, "notes", bag, repchromem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ask(t *testing.T, c *repchromem.Collection, question string) *core.Response {
	t.Helper()
	r, err := c.Retrieve(t.Context(), core.Query{Text: question})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func verdicts(t *testing.T, when string, c *repchromem.Collection, want map[string]core.Verdict) {
	t.Helper()
	for question, v := range want {
		if r := ask(t, c, question); r.Verdict != v {
			t.Errorf("%s, %q: %v at E %.2f, want %v", when, question, r.Verdict, r.Decision.E, v)
		}
	}
}

// measured waits until the gate has counted every chunk.
func measured(t *testing.T, when string, c *repchromem.Collection) {
	t.Helper()
	var st core.Calibration
	for range 500 {
		if st, _ = c.Engine().Calibration("notes"); st.Ready && st.Scores && !st.Running && st.Chunks == c.Count() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s: %+v of %d chunks", when, st, c.Count())
}

// alike checks that the gate judges as one that has just measured the collection.
func alike(t *testing.T, when string, db *chromem.DB, c *repchromem.Collection) {
	t.Helper()
	fresh := judgedBy(t, db, store.NewMemory(), time.Now)
	if err := fresh.Engine().Calibrate(t.Context(), fresh); err != nil {
		t.Fatal(err)
	}
	var got, want float64
	for range 200 { // the next best chunks of the bank are looked for in the background
		got, want = ask(t, c, answerable).Decision.E, ask(t, fresh, answerable).Decision.E
		if math.Abs(got-want) < 1e-6 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s: E %.6f, measured anew %.6f", when, got, want)
}

var usual = map[string]core.Verdict{answerable: core.Evidence, foreign: core.NoEvidence}

// The gate of a collection that was filled past any handle, through its life.
func TestGateOfACollection(t *testing.T) {
	db, st, ctx := chromem.NewDB(), store.NewMemory(), t.Context()
	now := time.Unix(1e9, 0)
	inner := plain(t, db)
	for i := range 200 {
		text := fmt.Sprintf("copper furnace number%d smelts detail%d", i, i*7)
		if err := inner.AddDocument(ctx, chromem.Document{ID: fmt.Sprint("id", i), Content: text}); err != nil {
			t.Fatal(err)
		}
	}
	c := judgedBy(t, db, st, func() time.Time { return now })
	ask(t, c, foreign) // starts it
	measured(t, "opened", c)
	verdicts(t, "opened", c, usual)

	add(t, c, "zebra: the zebra won the quidditch tournament")
	verdicts(t, "inserted", c, map[string]core.Verdict{foreign: core.Evidence})
	alike(t, "inserted", db, c)
	if err := c.Update(ctx, core.Candidate{ID: "zebra", Text: "violins are varnished twice"}); err != nil {
		t.Fatal(err)
	}
	verdicts(t, "updated", c, map[string]core.Verdict{foreign: core.NoEvidence, "violins varnished": core.Evidence})
	alike(t, "updated", db, c)
	for i := 100; i < 180; i++ {
		if err := c.Delete(ctx, fmt.Sprint("id", i)); err != nil {
			t.Fatal(err)
		}
	}
	measured(t, "deleted", c)
	verdicts(t, "deleted", c, usual)
	alike(t, "deleted", db, c)

	now = now.Add(2 * time.Minute)
	if err := inner.AddDocument(ctx, chromem.Document{ID: "past", Content: "a zebra at a quidditch tournament"}); err != nil {
		t.Fatal(err)
	}
	ask(t, c, foreign)
	measured(t, "written past the handle", c)
	verdicts(t, "written past the handle", c, map[string]core.Verdict{answerable: core.Evidence, foreign: core.Evidence})
	alike(t, "written past the handle", db, c)
	if err := c.Engine().Close(); err != nil {
		t.Fatal(err)
	}

	again := judgedBy(t, db, st, time.Now)
	verdicts(t, "restarted", again, map[string]core.Verdict{answerable: core.Evidence, foreign: core.Evidence, "parliament of sausages": core.NoEvidence})
}

// A collection that was asked while it was empty gets a gate with scores.
func TestGateOfACollectionOnceEmpty(t *testing.T) {
	db := chromem.NewDB()
	c := judgedBy(t, db, store.NewMemory(), time.Now)
	if r := ask(t, c, foreign); r.Verdict != core.Empty {
		t.Error(r.Verdict)
	}
	add(t, c, notes(200)...)
	measured(t, "filled", c)
	verdicts(t, "filled", c, usual)
	alike(t, "filled", db, c)
}

// Repair with another embedder changes every vector under an open engine.
func TestGateAfterRepair(t *testing.T) {
	db, st, embed := chromem.NewDB(), store.NewMemory(), bag
	eng, err := core.New(core.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { eng.Close() })
	c, err := repchromem.Open(eng, db, "notes", func(ctx context.Context, text string) ([]float32, error) { return embed(ctx, text) }, repchromem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	add(t, c, notes(200)...)
	if err := eng.Calibrate(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	first := ask(t, c, foreign).Rejected[0].Judgement.Standardised
	embed = func(ctx context.Context, text string) ([]float32, error) {
		v, err := bag(ctx, text)
		for i := range v { // all cosines near 1
			v[i] += 40
		}
		return v, err
	}
	if _, err := repchromem.Repair(t.Context(), db, "notes", embed, repchromem.RepairOptions{All: true}); err != nil {
		t.Fatal(err)
	}
	if err := eng.Calibrate(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	verdicts(t, "repaired", c, usual)
	if s := ask(t, c, foreign).Rejected[0].Judgement.Standardised; s > 2 {
		t.Errorf("a foreign question scores %.2f, before %.2f", s, first)
	}
}
