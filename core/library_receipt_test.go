package core_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/lifecycle"
)

// A text that is there only because it is pinned is no part of the answer: outcomes
// teach nothing about it, and standing there earns it nothing. Signals on it reach
// the user's row all the same.
func TestStandingByEarnsNothing(t *testing.T) {
	l := newLibrary(t, core.Options{}, policies)
	ctx, lib := context.Background(), l.Library("u1").In(l.shelf)
	if _, err := lib.Pin(ctx, "oncall"); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		resp := l.ask("u1", "travel costs")
		if len(resp.Items) != 2 || resp.Items[0].ID != "library:oncall" {
			t.Fatalf("items %+v", resp.Items)
		}
		used := map[string]float64{resp.Items[0].ID: 0, resp.Items[1].ID: 1}
		feed(t, l.Engine, resp.Receipt, core.Verified(false), core.Judged("judge:x", 0).Used(used))
		feed(t, l.Engine, resp.Receipt, core.Rated("user:u1", core.Up).On("oncall"), core.Verified(false).On(resp.Items[0].ID))
	}
	e, _, err := lib.Get(ctx, "oncall")
	if err != nil || e.Uses != 1 || e.Record.Opinion.Posterior.Mass != 0 || e.Record.Opinion.Up < 9 {
		t.Errorf("%d uses, opinion %+v, %v", e.Uses, e.Record.Opinion, err)
	}
	resp := l.ask("", "dials the operator")
	if it := item(resp, "oncall"); it.Posterior.Mass > 20 {
		t.Errorf("posterior %+v", it.Posterior)
	}
	if resp = l.ask("u1", "dials the operator"); resp.Items[0].ID != "oncall#0" || resp.Items[0].Uses != 2 {
		t.Errorf("found by the question: %+v", resp.Items[0])
	}
}

// A pin that was earned ends when the document is no longer used, however much the
// user asks about other things.
func TestAnEarnedPinMayBeLost(t *testing.T) {
	l := newLibrary(t, core.Options{}, policies)
	ctx, lib := context.Background(), l.Library("u1")
	l.claimed("u1", "leave")
	pinned := false
	for i := range 70 {
		l.ask("u1", "annual leave")
		if i < 3 {
			if err := lib.Up(ctx, "leave"); err != nil {
				t.Fatal(err)
			}
		}
		pinned = pinned || l.state("u1", "leave") == lifecycle.Pinned
		l.pass(day)
	}
	if !pinned {
		t.Fatal("never earned a pin")
	}
	for range 30 {
		l.ask("u1", "travel costs")
		l.pass(day)
	}
	if got := l.state("u1", "leave"); got != lifecycle.Claimed {
		t.Errorf("after a month without a use: %v", got)
	}
}

// A library text stands for all the chunks it holds: signals on it, on its document
// and on each of them reach their evidence.
func TestALibraryTextStandsForItsChunks(t *testing.T) {
	l := newLibrary(t, core.Options{}, nil)
	chunk := func(i int) core.Candidate {
		id := string(rune('a' + i))
		return core.Candidate{ID: id, DocID: "d", Text: "chunk " + id, Score: .9 - float64(i)/10, ChunkIndex: i, TotalChunks: 3}
	}
	src := vectors("", nil, chunk(0), chunk(1), core.Candidate{ID: "x", Text: "something else", Score: .1})
	offer, _ := retrieve(t, l.Engine, src, core.Query{Text: "q", User: "u1", K: 2}).Offer("d")
	if _, err := l.Library("u1").In(src).Accept(context.Background(), offer); err != nil {
		t.Fatal(err)
	}
	resp := retrieve(t, l.Engine, src, core.Query{Text: "q", User: "u1", K: 3})
	it := resp.Items[0]
	if len(resp.Items) != 2 || it.ID != "d" || !slices.Equal(it.Holds, []string{"a", "b"}) || it.Text != "chunk a\n\nchunk b" {
		t.Fatalf("items %+v", resp.Items)
	}
	if u := feed(t, l.Engine, resp.Receipt, core.Verified(true).On(it.ID)); len(u.Documents) != 2 {
		t.Errorf("a signal on the item taught %+v", u.Documents)
	}
	for _, id := range it.Holds {
		if u := feed(t, l.Engine, resp.Receipt, core.Judged("judge:x", 1).On(id)); u.Duplicate {
			t.Errorf("a signal on %q taught nothing", id)
		}
	}
	for _, it := range retrieve(t, l.Engine, src, core.Query{Text: "q", K: 3}).Items[:2] {
		if it.DocID != "d" || it.Posterior.Mean <= .5 {
			t.Errorf("nothing learned of %s: %+v", it.ID, it.Posterior)
		}
	}
}

// What a source said of a text does not count for one that has taken its place
// meanwhile.
func TestNewsOfAReplacedTextIsDropped(t *testing.T) {
	for name, change := range map[string]func(l *library){
		"changed": func(l *library) { l.shelf.put("leave", "annual leave is thirty days") },
		"gone":    func(l *library) { l.shelf.remove("leave") },
	} {
		l := newLibrary(t, core.Options{}, policies)
		ctx, lib := context.Background(), l.Library("u1").In(l.shelf)
		if _, err := lib.Pin(ctx, "leave"); err != nil {
			t.Fatal(err)
		}
		change(l)
		l.shelf.meanwhile = func() {
			if _, err := lib.Remove(ctx, "leave"); err != nil {
				t.Error(err)
			}
			l.shelf.put("leave", "annual leave is forty days")
			if _, err := lib.Add(ctx, "leave"); err != nil {
				t.Error(err)
			}
		}
		l.ask("u1", "annual leave")
		if e, _, err := lib.Get(ctx, "leave"); err != nil || e.State != lifecycle.Claimed || !strings.Contains(e.Text, "forty") {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
}
