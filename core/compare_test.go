package core_test

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/store"
)

func TestCompareShowsThreeWaysAndRecordsNothing(t *testing.T) {
	src := newShelf(prose(200)...)
	eng := calibrated(t, core.Options{}, src)
	for _, text := range []string{"harbour ferry timetable number20", "best way to cook basmati rice"} {
		c, err := eng.Compare(context.Background(), src, core.Query{Text: text, K: 3})
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Plain.Items) != 3 || c.Plain.Tokens == 0 {
			t.Errorf("%q: plain passes %d", text, len(c.Plain.Items))
		}
		if c.Sigma.Verdict == core.Uncalibrated {
			t.Errorf("%q: the noise floor was not measured: %+v", text, c.Sigma.Decision)
		}
		resp := retrieve(t, eng, src, core.Query{Text: text, K: 3})
		if resp.Verdict != c.Ours.Verdict || len(resp.Items) != len(c.Ours.Items) {
			t.Errorf("%q: compared %v with %d items, retrieved %v with %d", text, c.Ours.Verdict, len(c.Ours.Items), resp.Verdict, len(resp.Items))
		}
	}
	receipts, err := eng.Store().Receipts(context.Background(), "", "", store.Page{})
	if err != nil {
		t.Fatal(err)
	}
	before := len(receipts)
	if _, err := eng.Compare(context.Background(), src, core.Query{Text: "harbour", K: 3}); err != nil {
		t.Fatal(err)
	}
	if after, _ := eng.Store().Receipts(context.Background(), "", "", store.Page{}); len(after) != before {
		t.Errorf("%d receipts, then %d", before, len(after))
	}
}

// What the user keeps, pinned and blocked is part of the answer.
func TestCompareKnowsTheUsersLibrary(t *testing.T) {
	ctx := context.Background()
	src := newCabinet("docs", map[string]string{
		"a": "The harbour opens at six.", "b": "The harbour closes at nine.", "c": "The harbour master lives here.", "p": "Rules of the pier.",
	})
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	eng := newEngine(t, core.Options{Gate: gate.Off{}, Clock: func() time.Time { return now }})
	q := core.Query{Text: "when does the harbour open", User: "u"}
	retrieve(t, eng, src, q)
	lib := eng.Library("u").In(src)
	if _, err := lib.Block(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := lib.Pin(ctx, "p"); err != nil {
		t.Fatal(err)
	}
	before, err := lib.List(ctx, core.LibraryPage{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := eng.Compare(ctx, src, q)
	if err != nil {
		t.Fatal(err)
	}
	if after, err := lib.List(ctx, core.LibraryPage{}); err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("the library changed, or %v", err)
	}
	resp := retrieve(t, eng, src, q)
	if len(resp.Items) != len(c.Ours.Items) || !resp.Items[0].Pinned || slices.Contains(resp.IDs(), "a#0") {
		t.Fatalf("ours %+v, retrieved %v", c.Ours.Items, resp.IDs())
	}
	for i, it := range c.Ours.Items {
		want := resp.Items[i]
		if it.ID != want.ID || it.Text != want.Text || it.State != want.State || it.Pinned != want.Pinned || it.Rank != i {
			t.Errorf("place %d: ours %+v, retrieved %+v", i, it, want)
		}
	}
	if len(c.Plain.Items) != 4 || slices.ContainsFunc(c.Plain.Items, func(it core.Item) bool { return it.FromLibrary }) {
		t.Errorf("plain: %+v", c.Plain.Items)
	}
}

// Of a source that cannot be listed the gate knows what searches brought. A
// comparison is none of them.
func TestCompareTeachesTheGateNothing(t *testing.T) {
	shelf := newShelf(prose(300)...)
	src := struct{ core.Source }{shelf}
	eng := calibrated(t, core.Options{}, src)
	chunks := func() int {
		c, ok := eng.Calibration("shelf")
		if !ok {
			t.Fatal("not calibrated")
		}
		return c.Chunks
	}
	before := chunks()
	shelf.put("new1", "harbour xylophone zeppelin quokka")
	shelf.put("new2", "harbour xylophone marzipan wombat")
	q := core.Query{Text: "harbour xylophone zeppelin marzipan"}
	if _, err := eng.Compare(context.Background(), src, q); err != nil {
		t.Fatal(err)
	}
	if after := chunks(); after != before {
		t.Errorf("the gate knew %d chunks, then %d", before, after)
	}
	if retrieve(t, eng, src, q); chunks() != before+2 {
		t.Errorf("a search did not teach the gate: %d chunks, then %d", before, chunks())
	}
}
