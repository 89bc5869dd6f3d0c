package core_test

import (
	"fmt"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
)

// A stranger who rates a document sixty times, up and then all down, does no more
// harm than one who rates it down at once, and touches no verified outcome. It makes
// no difference whose answers they rate.
func TestRevisedRatingsAreLimited(t *testing.T) {
	for _, owner := range []string{"", "m"} {
		said := map[bool]string{}
		for _, revised := range []bool{false, true} {
			eng, src := newEngine(t, core.Options{Gate: gate.Off{}}), fixed(letters(3)...)
			for range 5 {
				feed(t, eng, retrieve(t, eng, src, core.Query{Text: "the question", K: 3}).Receipt, core.Verified(true).On("c"))
			}
			var receipts []core.ReceiptID
			for range 60 {
				r := retrieve(t, eng, src, core.Query{Text: "the question", User: owner, K: 3}).Receipt
				rating := core.Down
				if revised {
					rating = core.Up
				}
				feed(t, eng, r, core.Rated("user:m", rating).On("c"))
				receipts = append(receipts, r)
			}
			late := 0
			for _, r := range receipts {
				if revised && feed(t, eng, r, core.Rated("user:m", core.Down).On("c")).TooLate {
					late++
				}
			}
			if revised && late != 56 {
				t.Errorf("owner %q: %d of 60 revisions came too late, want 56", owner, late)
			}
			said[revised] = outcomesOf(t, eng, src, "c")
		}
		if want := "5.5 good and 1.7 bad outcomes"; said[false] != want || said[true] != want {
			t.Errorf("owner %q: after revisions %q, without %q, want %q", owner, said[true], said[false], want)
		}
	}
}

// The reason counts opinions up to what they can weigh.
func TestReasonsSayWhatCounts(t *testing.T) {
	eng, src := newEngine(t, core.Options{Gate: gate.Off{}}), fixed(letters(3)...)
	for i := range 60 {
		r := retrieve(t, eng, src, core.Query{Text: "the question", K: 3}).Receipt
		feed(t, eng, r, core.Judged(fmt.Sprint("judge:", i), 1).On("c"))
	}
	wantOutcomes(t, eng, src, "c", "3.6 good and 1.4 bad")
}
