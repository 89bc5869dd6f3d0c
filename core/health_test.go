package core_test

import (
	"errors"
	"math"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// Raters are listed by page with what a verifier made of them, by any engine, and are
// gone when erased.
func TestRatersAreListed(t *testing.T) {
	mem := store.NewMemory()
	defer mem.Close()
	eng := join(t, mem)
	src := fixed(letters(2)...)
	for n := range 20 {
		for _, name := range []string{"user:honest", "user:liar", "judge:yes"} {
			resp := retrieve(t, eng, src, core.Query{Text: "q", K: 1})
			truth := n%2 == 0
			said := name == "judge:yes" || truth == (name == "user:honest")
			thumb := core.Down
			if said {
				thumb = core.Up
			}
			feed(t, eng, resp.Receipt, core.Rated(name, thumb), core.Verified(truth))
		}
		feed(t, eng, retrieve(t, eng, src, core.Query{Text: "q", K: 1}).Receipt, core.Rated("user:unchecked", core.Up))
	}
	other := join(t, mem)
	var all []core.Rater
	for page := (store.Page{Limit: 2}); ; {
		raters, err := other.Raters(t.Context(), page)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, raters...)
		if len(raters) < page.Limit {
			break
		}
		page.After = raters[len(raters)-1].Name
	}
	if len(all) != 3 || all[0].Name != "judge:yes" || all[1].Name != "user:honest" || all[2].Name != "user:liar" {
		t.Fatalf("%+v", all)
	}
	if y := all[0]; y.Class != "judge" || math.Abs(y.TruePositive-y.FalsePositive) > .1 || math.Abs(y.Checks-20) > .5 {
		t.Errorf("says yes to all: %+v", y)
	}
	if h := all[1]; h.Class != "user" || h.TruePositive < .9 || h.FalsePositive > .1 {
		t.Errorf("honest: %+v", h)
	}
	if l := all[2]; l.TruePositive > .1 || l.FalsePositive < .9 {
		t.Errorf("liar: %+v", l)
	}
	if _, err := eng.EraseRater(t.Context(), "user:liar"); err != nil {
		t.Fatal(err)
	}
	if left, err := other.Raters(t.Context(), store.Page{}); err != nil || len(left) != 2 {
		t.Errorf("after erasing one: %+v, %v", left, err)
	}
}

// Health is that of all engines, and says when the store is away.
func TestHealth(t *testing.T) {
	mem := store.NewMemory()
	defer mem.Close()
	a := join(t, mem)
	report(t, a, 30, true)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	b := newEngine(t, core.Options{Store: mem, Gate: gate.Off{}})
	report(t, b, 10, true)
	h, err := b.Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, w := range h.Weights {
		sum += w
	}
	if h.Outcomes != 40 || h.ColdRate < .9 || math.Abs(sum-1) > 1e-9 || len(h.Weights) != reputation.Hypotheses {
		t.Errorf("%+v", h)
	}
	if _, err := a.Health(t.Context()); !errors.Is(err, core.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if _, err := a.Raters(t.Context(), store.Page{}); !errors.Is(err, core.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
