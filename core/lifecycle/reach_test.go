package lifecycle_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	lc "github.com/repute-go/repute/core/lifecycle"
)

// walker drives a record with a fake clock under default options.
type walker struct {
	t   *rapid.T
	r   lc.Record
	now time.Time
}

var good = lc.Posterior{Mean: .8, Mass: 10}

func (w *walker) do(kinds ...lc.Cause) {
	w.t.Helper()
	for _, k := range kinds {
		w.now = w.now.Add(time.Minute)
		e := lc.Event{Kind: k, Posterior: good, Claim: lc.Claim{Text: "the text"}}
		r, _, err := lc.Apply(w.r, e, w.now, lc.Options{})
		if err != nil {
			w.t.Fatalf("%v in %v: %v", k, w.r.State(), err)
		}
		w.r = r
	}
}

func (w *walker) wait(d time.Duration) {
	w.now = w.now.Add(d)
	w.r, _ = lc.Evaluate(w.r, w.now, lc.Options{})
}

// forget is the way back to the beginning, from anywhere.
func (w *walker) forget() {
	w.do(lc.Unblock, lc.Unpin)
	w.wait(2 * 365 * day)
}

// ways says how a user and time lead from Global to each state.
var ways = map[lc.State]func(*walker){
	lc.Global:   func(w *walker) {},
	lc.Surfaced: func(w *walker) { w.do(lc.Fetched) },
	lc.Suggested: func(w *walker) {
		for range 400 { // past declines are worth at most 192 uses
			if w.do(lc.Fetched); w.r.State() == lc.Suggested {
				return
			}
			w.wait(time.Hour)
		}
	},
	lc.Claimed: func(w *walker) { w.do(lc.Fetched, lc.Accept) },
	lc.Pinned: func(w *walker) { // earned, no order of the user
		w.do(lc.Fetched, lc.Accept, lc.Up, lc.Up)
		for range 90 {
			if w.wait(day); w.r.State() == lc.Pinned {
				return
			}
			w.do(lc.Served, lc.Fetched)
		}
	},
	lc.Demoted: func(w *walker) { w.do(lc.Fetched, lc.Accept, lc.Remove) },
}

// From every record that any history leads to, every state can be reached, and
// from there every other one.
func TestEveryStateIsReachableAndLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, now := drawRecord(t, lc.Options{}, nil)
		w := &walker{t: t, r: r, now: now}
		states := []lc.State{lc.Global, lc.Surfaced, lc.Suggested, lc.Claimed, lc.Pinned, lc.Demoted}
		for _, s := range rapid.Permutation(states).Draw(t, "tour") {
			w.forget()
			if w.r.State() != lc.Global {
				t.Fatalf("no way back to GLOBAL: %v, %v", w.r.State(), w.r.Moves)
			}
			ways[s](w)
			if w.r.State() != s {
				t.Fatalf("no way to %v: %v, %v, %+v", s, w.r.State(), w.r.Moves, w.r.Intent)
			}
		}
	})
}

// The moves that time and evidence make, one by one, each under its own cause.
func TestEveryMoveHasItsCause(t *testing.T) {
	bad := lc.Posterior{Mean: .1, Mass: 12}
	claimed := []lc.Cause{lc.Fetched, lc.Accept}
	for _, v := range []struct {
		name  string
		first []lc.Cause
		then  func(w *world)
		to    lc.State
		cause lc.Cause
	}{
		{"first use", nil, func(w *world) { w.do(lc.Fetched) }, lc.Surfaced, lc.Fetched},
		{"first thumb", nil, func(w *world) { w.do(lc.Up) }, lc.Surfaced, lc.Up},
		{"third use", []lc.Cause{lc.Fetched, lc.Fetched}, func(w *world) { w.do(lc.Served) }, lc.Suggested, lc.Served},
		{"unused", []lc.Cause{lc.Fetched}, func(w *world) { w.wait(40 * day) }, lc.Global, lc.Decay},
		{"unanswered", []lc.Cause{lc.Fetched, lc.Fetched, lc.Fetched}, func(w *world) { w.wait(14 * day) }, lc.Surfaced, lc.Expiry},
		{"declined", []lc.Cause{lc.Fetched, lc.Fetched, lc.Fetched}, func(w *world) { w.do(lc.Decline) }, lc.Surfaced, lc.Decline},
		{"accepted from nothing", nil, func(w *world) { w.do(lc.Accept) }, lc.Claimed, lc.Accept},
		{"claim unused", claimed, func(w *world) { w.wait(30 * day) }, lc.Demoted, lc.Decay},
		{"claim removed", claimed, func(w *world) { w.do(lc.Remove) }, lc.Demoted, lc.Remove},
		{"claim found bad", claimed, func(w *world) { w.apply(lc.Event{Kind: lc.Outcome, Posterior: bad}) }, lc.Demoted, lc.BadPosterior},
		{"suggestion found bad", []lc.Cause{lc.Fetched, lc.Fetched, lc.Fetched},
			func(w *world) { w.apply(lc.Event{Kind: lc.Fetched, Posterior: bad}) }, lc.Surfaced, lc.BadPosterior},
		{"claim disliked", claimed, func(w *world) { w.do(lc.Down, lc.Down) }, lc.Demoted, lc.BadPosterior},
		{"source gone", claimed, func(w *world) { w.do(lc.SourceGone) }, lc.Surfaced, lc.SourceGone},
		{"forbidden", claimed, func(w *world) { w.do(lc.Forbidden) }, lc.Surfaced, lc.Forbidden},
		{"text replaced", claimed, func(w *world) { w.do(lc.ContentChanged) }, lc.Claimed, lc.ContentChanged},
		{"text unknown", claimed, func(w *world) { w.apply(lc.Event{Kind: lc.ContentChanged}) }, lc.Surfaced, lc.ContentChanged},
		{"blocked", claimed, func(w *world) { w.do(lc.Block) }, lc.Demoted, lc.Block},
		{"unblocked", []lc.Cause{lc.Block}, func(w *world) { w.do(lc.Unblock) }, lc.Surfaced, lc.Unblock},
		{"back after the cool-down", []lc.Cause{lc.Fetched, lc.Accept, lc.Remove},
			func(w *world) { w.wait(7 * day); w.do(lc.Fetched) }, lc.Surfaced, lc.CoolDownOver},
		{"demoted and forgotten", []lc.Cause{lc.Fetched, lc.Accept, lc.Remove}, func(w *world) { w.wait(60 * day) }, lc.Global, lc.Decay},
		{"pin without text", nil, func(w *world) { w.do(lc.Pin) }, lc.Pinned, lc.Pin},
	} {
		t.Run(v.name, func(t *testing.T) {
			w := newWorld(t).do(v.first...)
			v.then(w)
			w.is(v.to).lastCause(v.cause)
		})
	}
}

func TestBadPosteriorIsNotSuggested(t *testing.T) {
	for _, v := range []struct {
		name string
		p    lc.Posterior
		want lc.State
	}{
		{"bad", lc.Posterior{Mean: .3, Mass: 8}, lc.Surfaced},
		{"little evidence", lc.Posterior{Mean: .3, Mass: 4}, lc.Suggested},
		{"middling", lc.Posterior{Mean: .4, Mass: 8}, lc.Suggested},
		{"low, as all are here", lc.Posterior{Mean: .1, Mass: 8, Base: .1}, lc.Suggested},
		{"bad even here", lc.Posterior{Mean: .05, Mass: 8, Base: .1}, lc.Surfaced},
	} {
		w := newWorld(t)
		for range 4 {
			w.apply(lc.Event{Kind: lc.Fetched, Posterior: v.p})
		}
		if w.r.State() != v.want {
			t.Errorf("%s: %v, want %v", v.name, w.r.State(), v.want)
		}
	}
	if w := newWorld(t).do(lc.Down, lc.Fetched, lc.Fetched, lc.Fetched); w.r.State() == lc.Suggested {
		t.Error("a document under a thumb down was suggested")
	}
}

// Outcomes of all users can earn a pin without a thumb.
func TestOutcomesEarnAPin(t *testing.T) {
	w := newWorld(t).do(lc.Fetched, lc.Accept)
	for range 60 {
		w.wait(day)
		w.apply(lc.Event{Kind: lc.Served, Posterior: lc.Posterior{Mean: .95, Mass: 20}})
	}
	w.is(lc.Pinned)
}

// The figures that docs/lifecycle.md gives.
func TestFiguresOfTheDocumentation(t *testing.T) {
	claim := func() *world { return newWorld(t).do(lc.Fetched, lc.Fetched, lc.Fetched, lc.Accept) }
	unused := claim()
	unused.wait(28 * day)
	unused.is(lc.Claimed).wait(2 * day)
	unused.is(lc.Demoted).wait(7 * day)
	unused.is(lc.Global)

	fortnightly := claim()
	for range 30 {
		fortnightly.wait(14 * day)
		fortnightly.do(lc.Served)
	}
	fortnightly.is(lc.Claimed)

	days := 0
	for w := claim().do(lc.Up, lc.Up); w.r.State() != lc.Pinned && days < 100; days++ {
		w.daily(1)
	}
	if days < 38 || days > 45 {
		t.Errorf("a pin is earned after %d days", days)
	}
}
