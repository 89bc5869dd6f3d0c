package lifecycle_test

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	lc "github.com/repute-go/repute/core/lifecycle"
)

func TestInvalidEventsAreRefused(t *testing.T) {
	text := lc.Claim{Text: "x"}
	for _, v := range []struct {
		name string
		e    lc.Event
		want error
	}{
		{"no kind", lc.Event{}, lc.ErrEvent},
		{"a cause of time", lc.Event{Kind: lc.Decay}, lc.ErrEvent},
		{"unknown kind", lc.Event{Kind: 99}, lc.ErrEvent},
		{"NaN posterior", lc.Event{Kind: lc.Fetched, Posterior: lc.Posterior{Mean: math.NaN(), Mass: 3}}, lc.ErrEvent},
		{"infinite mass", lc.Event{Kind: lc.Fetched, Posterior: lc.Posterior{Mean: .5, Mass: math.Inf(1)}}, lc.ErrEvent},
		{"posterior over 1", lc.Event{Kind: lc.Fetched, Posterior: lc.Posterior{Mean: 1.1, Mass: 3}}, lc.ErrEvent},
		{"base of 1", lc.Event{Kind: lc.Fetched, Posterior: lc.Posterior{Mean: .5, Mass: 3, Base: 1}}, lc.ErrEvent},
		{"negative query", lc.Event{Kind: lc.Fetched, Query: -1}, lc.ErrEvent},
		{"empty text", lc.Event{Kind: lc.Accept}, lc.ErrNoContent},
		{"broken text", lc.Event{Kind: lc.Accept, Claim: lc.Claim{Text: "a\xff"}}, lc.ErrInvalidText},
		{"huge text", lc.Event{Kind: lc.Accept, Claim: lc.Claim{Text: strings.Repeat("a", lc.MaxText+1)}}, lc.ErrTooLarge},
		{"huge hash", lc.Event{Kind: lc.Accept, Claim: lc.Claim{Text: "a", Hash: strings.Repeat("a", lc.MaxName+1)}}, lc.ErrTooLarge},
		{"huge chunk id", lc.Event{Kind: lc.Pin, Claim: lc.Claim{Text: "a", Chunks: []string{strings.Repeat("a", lc.MaxName+1)}}}, lc.ErrTooLarge},
		{"NaN vector", lc.Event{Kind: lc.Accept, Claim: lc.Claim{Text: "a", Vector: []float32{float32(math.NaN())}}}, lc.ErrEvent},
		{"unknown origin", lc.Event{Kind: lc.Accept, Claim: lc.Claim{Text: "a", Origin: 9}}, lc.ErrEvent},
		{"unknown suggestion", lc.Event{Kind: lc.Accept, Suggestion: 5, Claim: text}, lc.ErrUnknownSuggestion},
		{"unknown suggestion declined", lc.Event{Kind: lc.Decline, Suggestion: 5}, lc.ErrUnknownSuggestion},
		{"nothing to remove", lc.Event{Kind: lc.Remove}, lc.ErrNotClaimed},
	} {
		w := newWorld(t).do(lc.Fetched)
		before := w.r
		if _, err := w.try(v.e); !errors.Is(err, v.want) {
			t.Errorf("%s: %v, want %v", v.name, err, v.want)
		}
		if !reflect.DeepEqual(before, w.r) {
			t.Errorf("%s changed the record", v.name)
		}
	}
	if _, _, err := lc.Apply(lc.Record{}, lc.Event{Kind: lc.Fetched}, time.Time{}, lc.Options{}); !errors.Is(err, lc.ErrNoTime) {
		t.Errorf("zero now: %v", err)
	}
}

func TestAnswersAreIdempotentAndValidLate(t *testing.T) {
	w := newWorld(t).do(lc.Fetched, lc.Fetched, lc.Fetched)
	first := w.r.Suggestion.ID
	answer := func(k lc.Cause, id uint32) {
		t.Helper()
		w.apply(lc.Event{Kind: k, Suggestion: id, Claim: lc.Claim{Text: "x"}})
	}
	answer(lc.Decline, first)
	answer(lc.Decline, first)
	answer(lc.Decline, 0)
	if w.r.Intent.Declines != 1 {
		t.Fatalf("one suggestion was declined %d times", w.r.Intent.Declines)
	}
	w.wait(200 * day)
	answer(lc.Accept, first) // a change of mind, long after
	answer(lc.Accept, first)
	w.is(lc.Claimed)
	answer(lc.Decline, first) // the refusal arrives once more
	w.is(lc.Claimed)
	if w.r.Intent.Declines != 0 {
		t.Errorf("%d declines after an accept", w.r.Intent.Declines)
	}
}

func TestExpiredSuggestionCanBeAccepted(t *testing.T) {
	w := newWorld(t).do(lc.Fetched, lc.Fetched, lc.Fetched)
	if s, ok := w.r.Pending("doc", w.now, w.o); !ok || s.ID != 1 || s.Uses != 3 || s.Doc != "doc" {
		t.Fatalf("pending %+v, %v", s, ok)
	}
	w.wait(15 * day)
	if _, ok := w.r.Pending("doc", w.now, w.o); ok {
		t.Error("an expired suggestion is still pending")
	}
	w.is(lc.Surfaced).apply(lc.Event{Kind: lc.Accept, Suggestion: 1, Claim: lc.Claim{Text: "x"}})
	w.is(lc.Claimed)
}

func TestExpiredSuggestionIsNotRepeatedAtOnce(t *testing.T) {
	w := newWorld(t).do(lc.Fetched, lc.Fetched, lc.Fetched, lc.Fetched, lc.Fetched, lc.Fetched)
	w.wait(14 * day)
	w.do(lc.Fetched, lc.Fetched).is(lc.Surfaced)
	w.do(lc.Fetched).is(lc.Suggested)
	if w.r.Suggestion.ID != 2 {
		t.Errorf("suggestion %d, want 2", w.r.Suggestion.ID)
	}
}

func TestBlockedIsNeverSuggestedNorCounted(t *testing.T) {
	w := newWorld(t).do(lc.Fetched, lc.Accept, lc.Block)
	uses := w.uses()
	for range 20 {
		w.do(lc.Fetched)
	}
	if w.is(lc.Demoted); w.uses() != uses || !w.r.Blocked() || w.r.Serves() {
		t.Errorf("blocked: uses %v, want %v", w.uses(), uses)
	}
	w.wait(400 * day)
	if !w.r.Blocked() || w.r.Forgettable(w.now, w.o) || !w.r.Kept() {
		t.Error("time lifted a block")
	}
	w.do(lc.Accept).is(lc.Claimed) // the later wish holds
}

func TestPinOutlivesItsSource(t *testing.T) {
	w := newWorld(t).do(lc.Pin, lc.SourceGone).is(lc.Pinned)
	if w.r.Serves() || w.r.Claim.Text != "" {
		t.Error("the text of a source that is gone is served")
	}
	w.do(lc.ContentChanged).is(lc.Pinned)
	if !w.r.Serves() {
		t.Error("the pin did not take effect again")
	}
}

func TestTextCanBeKeptApart(t *testing.T) {
	w := newWorld(t).do(lc.Accept)
	var text string
	if w.r, text = w.r.Detach(); text != "the text" || w.r.Claim.Text != "" || !w.r.Serves() {
		t.Fatalf("detached %q, serves %v", text, w.r.Serves())
	}
	if w.do(lc.Served); w.r.Claim.Text != "" || w.r.Claim.Size != len(text) {
		t.Error("a use changed the claim")
	}
	if w.do(lc.ContentChanged); w.r.Claim.Text != "the text" {
		t.Error("the new text is missing")
	}
	if w.do(lc.Remove); w.r.Claim.Size != 0 {
		t.Error("the removed text still has a size")
	}
}

func TestTitlesAreCutAndValid(t *testing.T) {
	w := newWorld(t)
	w.apply(lc.Event{Kind: lc.Fetched, Title: strings.Repeat("é", lc.MaxTitle), Path: "a\xffb"})
	if len(w.r.Title) != lc.MaxTitle || w.r.Path != "ab" {
		t.Errorf("title of %d bytes, path %q", len(w.r.Title), w.r.Path)
	}
	w.apply(lc.Event{Kind: lc.Fetched, Title: "x" + strings.Repeat("€", lc.MaxTitle)})
	if n := len(w.r.Title); n != lc.MaxTitle-1 {
		t.Errorf("title of %d bytes", n)
	}
	w.apply(lc.Event{Kind: lc.Fetched, Title: "old", At: start.Add(-day)})
	if w.r.Title == "old" {
		t.Error("a late event brought back an old title")
	}
}

func TestDeclineGapIsBounded(t *testing.T) {
	w := newWorld(t)
	w.o.DeclineBlock = time.Millisecond
	for range 12 {
		for range 193 {
			if w.do(lc.Fetched); w.r.State() == lc.Suggested {
				break
			}
		}
		w.is(lc.Suggested).do(lc.Decline)
	}
	if w.r.Intent.Wait != 192 || w.r.Intent.Declines != 12 {
		t.Errorf("waits for %d uses after %d declines", w.r.Intent.Wait, w.r.Intent.Declines)
	}
}

func TestOptionsValidate(t *testing.T) {
	if err := (lc.Options{}).Validate(); err != nil {
		t.Errorf("the zero value: %v", err)
	}
	for name, o := range map[string]lc.Options{
		"negative weight": {RecencyWeight: -1, FrequencyWeight: 2}, "NaN weight": {RecencyWeight: math.NaN()},
		"infinite weight": {RecencyWeight: math.Inf(1)}, "lambda": {Lambda: -.1}, "NaN lambda": {Lambda: math.NaN()},
		"cap under threshold": {FrequencyCap: 2}, "crossing thresholds": {PinThreshold: .1}, "over one": {PinThreshold: 1.1},
		"negative hold": {PinHold: -time.Hour}, "endless hold": {DemoteHold: math.MaxInt64}, "fetch": {FetchThreshold: -1},
		"reset": {ResetThreshold: 1000}, "bad mean": {BadMean: 1}, "bad mass": {BadMass: math.Inf(1)}, "rows": {MaxRecords: -1},
	} {
		if err := o.Validate(); !errors.Is(err, lc.ErrOptions) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestScoreIsFinite(t *testing.T) {
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, 1, 1e308, -1e308, 5e-324}
	for _, u := range odd {
		for _, d := range odd {
			for _, e := range odd {
				if s := (lc.Options{}).Score(u, d, e); !(s >= 0 && s <= 1) {
					t.Fatalf("Score(%v, %v, %v) = %v", u, d, e, s)
				}
			}
		}
	}
}
