package lifecycle_test

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	lc "github.com/repute-go/repute/core/lifecycle"
)

// The vectors below were measured on langchain-rag-wiki; where that system's
// behaviour is a defect the test says what holds instead.

func TestScoreVectors(t *testing.T) {
	never := math.Inf(1)
	for _, v := range []struct{ uses, days, opinion, want float64 }{
		{3, 0, 0, .545}, {3, 0, 1, .745}, {10, 0, 1, .85}, {20, 0, 0, .8}, {20, 7, 1, .8523}, {20, 8, 1, .8352},
		{3, 31, 0, .1511}, {3, 32, 0, .1459}, {0, never, 0, 0}, {40, never, 1, .5}, {1, 120, 0, .0162},
		{15, 0, 0, .725}, {9, 3650, 0, .135}, {10, 3650, 0, .15},
		// a future time is age 0, however far away, and never raises a score
		{3, -10, 0, .545}, {3, -15000, 0, .545},
	} {
		if got := (lc.Options{}).Score(v.uses, v.days, v.opinion); got != v.want {
			t.Errorf("Score(%v, %v, %v) = %v, want %v", v.uses, v.days, v.opinion, got, v.want)
		}
	}
}

// fetchesUntil counts uses, a minute apart, and returns the numbers of those
// that made a suggestion.
func suggestedAt(w *world, n int, kinds ...lc.Cause) (at []int) {
	for i := 1; i <= n; i++ {
		for _, k := range kinds {
			if slices.ContainsFunc(w.apply(lc.Event{Kind: k}), func(m lc.Move) bool { return m.To == lc.Suggested }) {
				at = append(at, i)
			}
		}
	}
	return at
}

func TestSuggestionFiresOnceAtTheThreshold(t *testing.T) { // vector 1
	w := newWorld(t)
	if at := suggestedAt(w, 5, lc.Fetched); !slices.Equal(at, []int{3}) {
		t.Errorf("suggested at %v, want [3]", at)
	}
	w.is(lc.Suggested)
	if n := math.Round(w.uses()); n != 5 || w.r.Misses != 0 {
		t.Errorf("uses %v, misses %d", n, w.r.Misses)
	}
}

func TestDeclineAtFiveSuggestsAtEleven(t *testing.T) { // vector 2, and the 30 days it lacks
	w := newWorld(t)
	suggestedAt(w, 5, lc.Fetched)
	w.do(lc.Decline).is(lc.Surfaced)
	w.wait(30*day - 5*time.Minute)
	if at := suggestedAt(w, 5, lc.Fetched); at != nil {
		t.Fatalf("suggested at %v, still waiting for one more use", at)
	}
	if at := suggestedAt(w, 3, lc.Fetched); !slices.Equal(at, []int{1}) {
		t.Errorf("suggested at %v more, want the sixth since the decline", at)
	}
}

func TestDeclineBlocksForThirtyDaysHoweverMuchUsed(t *testing.T) {
	w := newWorld(t)
	suggestedAt(w, 3, lc.Fetched)
	w.do(lc.Decline).daily(29)
	if w.is(lc.Surfaced); w.r.Intent.Wait != 0 {
		t.Fatalf("still waiting for %d uses", w.r.Intent.Wait)
	}
	w.daily(2).is(lc.Suggested)
}

func TestDeclineGapsGrow(t *testing.T) { // vector 3, as that system's manual promised it
	for _, v := range []struct {
		threshold int
		want      []int
	}{{2, []int{2, 6, 14, 30}}, {3, []int{3, 9, 21, 45}}} {
		w := newWorld(t)
		w.o.FetchThreshold = v.threshold
		w.o.DeclineBlock = time.Millisecond
		var at []int
		for i := 1; i <= 60; i++ {
			if w.do(lc.Fetched); w.r.State() == lc.Suggested {
				at = append(at, i)
				w.do(lc.Decline)
			}
		}
		if !slices.Equal(at, v.want) {
			t.Errorf("threshold %d: suggested at %v, want %v", v.threshold, at, v.want)
		}
	}
}

func TestMissesBelowTheResetKeepTheCount(t *testing.T) { // vector 4
	w := newWorld(t).do(lc.Fetched, lc.Fetched, lc.Missed, lc.Missed).is(lc.Surfaced)
	if w.r.Misses != 2 || math.Round(w.uses()) != 2 {
		t.Fatalf("misses %d, uses %v", w.r.Misses, w.uses())
	}
	w.do(lc.Fetched).is(lc.Suggested)
	if w.r.Misses != 0 {
		t.Errorf("misses %d after a use", w.r.Misses)
	}
}

func TestMissesResetTheCountNotTheSuggestion(t *testing.T) { // vector 5 mended
	w := newWorld(t).do(lc.Fetched, lc.Fetched, lc.Fetched, lc.Missed, lc.Missed, lc.Missed).is(lc.Suggested)
	if w.uses() != 0 {
		t.Errorf("uses %v after three plausible misses", w.uses())
	}
	w.do(lc.Accept).is(lc.Claimed)
}

func TestMissesDoNotUndoADecline(t *testing.T) { // vector 6 mended
	w := newWorld(t).do(lc.Fetched, lc.Fetched, lc.Fetched, lc.Decline, lc.Missed, lc.Missed, lc.Missed)
	if at := suggestedAt(w, 40, lc.Fetched); at != nil {
		t.Errorf("suggested again at %v within 30 days of a decline", at)
	}
}

func TestEveryFourthQueryIsVisible(t *testing.T) { // vector 7 mended
	w := newWorld(t)
	for q := int64(4); q <= 12; q += 4 { // three queries about other things between
		w.apply(lc.Event{Kind: lc.Fetched, Query: q})
		w.wait(time.Hour)
	}
	w.is(lc.Suggested)
	if got := w.r.Unseen(15); got != 3 {
		t.Errorf("unseen for %d queries, want 3", got)
	}
	if w.r.Unseen(0) != 0 || w.r.Unseen(12) != 0 || (lc.Record{}).Unseen(9) != 0 {
		t.Error("unseen although the query is unknown or the present one")
	}
}

func TestChunksOfOneQueryCountOnce(t *testing.T) { // vector 8
	w := newWorld(t)
	for range 3 {
		w.apply(lc.Event{Kind: lc.Fetched, Query: 7})
	}
	if w.uses() != 1 {
		t.Errorf("uses %v, want 1", w.uses())
	}
}

func TestAcceptNeedsContent(t *testing.T) { // vector 10 mended
	w := newWorld(t).do(lc.Fetched)
	for _, k := range []lc.Cause{lc.Accept, lc.Pin} {
		before := w.r
		if _, err := w.try(lc.Event{Kind: k}); !errors.Is(err, lc.ErrNoContent) {
			t.Errorf("%v without content: %v", k, err)
		}
		if w.r.State() != before.State() || w.r.Claim.Size != 0 {
			t.Errorf("%v changed the record", k)
		}
	}
}

func TestClaimDecaysWithoutUseOnly(t *testing.T) { // vector 14 mended
	w := newWorld(t).do(lc.Fetched, lc.Fetched, lc.Fetched, lc.Accept)
	for range 90 {
		w.wait(day)
		w.do(lc.Served) // library use counts
	}
	w.is(lc.Claimed)
	w.wait(90 * day)
	w.is(lc.Global)
	if len(w.r.Claim.Text) != 0 {
		t.Error("the text outlived the claim")
	}
	if !w.r.Forgettable(w.now, w.o) {
		t.Error("nothing to remember, and yet not forgettable")
	}
}

func TestEarnedPinIsReachableAndStable(t *testing.T) { // vector 15 mended
	w := newWorld(t).do(lc.Fetched, lc.Fetched, lc.Fetched, lc.Accept, lc.Up, lc.Up)
	w.daily(60).is(lc.Pinned).lastCause(lc.Held)
	w.wait(4 * day)
	w.is(lc.Pinned) // a long weekend does not cost the pin
	w.wait(8 * day)
	w.is(lc.Claimed).lastCause(lc.Decay)
}

func TestUserPinIsExemptFromDecay(t *testing.T) { // vectors 16 and 18 mended
	w := newWorld(t).do(lc.Fetched, lc.Pin, lc.Pin).is(lc.Pinned)
	w.wait(10 * 365 * day)
	w.is(lc.Pinned)
	if !w.r.Serves() {
		t.Error("a pinned document lost its text")
	}
	w.do(lc.Unpin).is(lc.Claimed)
	w.wait(2 * day)
	w.is(lc.Claimed)
	w.wait(2 * day)
	w.is(lc.Demoted)
}

func TestThumbsAreSymmetric(t *testing.T) { // vector 17 mended: down counts from neutral
	up, down := newWorld(t).do(lc.Fetched), newWorld(t).do(lc.Fetched)
	neutral := up.r.Score(up.now, up.o)
	up.do(lc.Up)
	down.do(lc.Down)
	gain, loss := up.r.Score(up.now, up.o)-neutral, neutral-down.r.Score(down.now, down.o)
	if gain <= .05 || math.Abs(gain-loss) > 1e-3 {
		t.Errorf("a thumb up gains %v, a thumb down loses %v", gain, loss)
	}
	up.do(lc.Down)
	if d := up.r.Score(up.now, up.o) - neutral; math.Abs(d) > 1e-3 {
		t.Errorf("up and down leave %v", d)
	}
}

func TestFutureTimesAreClamped(t *testing.T) { // vector 19 mended
	w := newWorld(t)
	w.apply(lc.Event{Kind: lc.Fetched, At: start.Add(15000 * day)})
	if last := w.r.LastUsed().Time(); last.After(w.now) {
		t.Errorf("last used %v, in the future", last)
	}
	w.wait(15000 * day)
	w.is(lc.Global)
}

func TestRemoveIsNoDeadEnd(t *testing.T) { // vectors 20 and 26 mended
	w := newWorld(t).do(lc.Fetched)
	if _, err := w.try(lc.Event{Kind: lc.Remove}); !errors.Is(err, lc.ErrNotClaimed) {
		t.Errorf("removing what is not in the library: %v", err)
	}
	w.do(lc.Accept, lc.Remove, lc.Remove).is(lc.Demoted)
	w.daily(6).is(lc.Demoted)
	w.daily(2).is(lc.Surfaced)
	w.daily(30).is(lc.Suggested)
	w.do(lc.Accept).is(lc.Claimed)
}

func TestHoldIsBrokenByTheOppositeBand(t *testing.T) { // vector 21 mended
	w := newWorld(t).do(lc.Fetched, lc.Accept, lc.Up, lc.Up, lc.Up)
	for range 25 {
		w.do(lc.Served)
	}
	if w.r.AboveSince.IsZero() {
		t.Fatal("the score is not above the pin threshold")
	}
	w.now = w.now.Add(40 * day) // far down, and nobody evaluates
	w.do(lc.Served)
	for range 25 {
		w.do(lc.Served)
	}
	w.is(lc.Claimed)
	w.wait(time.Minute)
	w.is(lc.Claimed)
}

func TestDeclineOfAClaimIsRefused(t *testing.T) { // vector 25 mended
	w := newWorld(t).do(lc.Fetched, lc.Accept)
	if _, err := w.try(lc.Event{Kind: lc.Decline}); !errors.Is(err, lc.ErrClaimed) {
		t.Errorf("decline of a claimed document: %v", err)
	}
	w.is(lc.Claimed)
}
