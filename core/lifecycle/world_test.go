package lifecycle_test

import (
	"testing"
	"time"

	"github.com/repute-go/repute/core/lifecycle"
)

const day = 24 * time.Hour

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is one record of one user and a clock that only tests move.
type world struct {
	t     *testing.T
	r     lifecycle.Record
	o     lifecycle.Options
	now   time.Time
	query int64
	moves []lifecycle.Move
}

func newWorld(t *testing.T) *world { return &world{t: t, now: start} }

// do applies events of the kinds given, a minute apart, and fails on errors.
func (w *world) do(kinds ...lifecycle.Cause) *world {
	w.t.Helper()
	for _, k := range kinds {
		w.apply(lifecycle.Event{Kind: k, Claim: lifecycle.Claim{Text: "the text"}})
	}
	return w
}

func (w *world) apply(e lifecycle.Event) []lifecycle.Move {
	w.t.Helper()
	moves, err := w.try(e)
	if err != nil {
		w.t.Fatalf("%v: %v", e.Kind, err)
	}
	return moves
}

// try applies an event, each appearance in a query of its own.
func (w *world) try(e lifecycle.Event) ([]lifecycle.Move, error) {
	w.now = w.now.Add(time.Minute)
	if e.Query == 0 {
		w.query++
		e.Query = w.query
	}
	r, moves, err := lifecycle.Apply(w.r, e, w.now, w.o)
	w.r = r
	w.moves = append(w.moves, moves...)
	return moves, err
}

// wait lets time pass and evaluates.
func (w *world) wait(d time.Duration) []lifecycle.Move {
	w.now = w.now.Add(d)
	r, moves := lifecycle.Evaluate(w.r, w.now, w.o)
	w.r = r
	w.moves = append(w.moves, moves...)
	return moves
}

// daily uses the document once a day.
func (w *world) daily(days int) *world {
	w.t.Helper()
	for range days {
		w.wait(day - time.Minute)
		w.do(lifecycle.Fetched)
	}
	return w
}

func (w *world) is(s lifecycle.State) *world {
	w.t.Helper()
	if got := w.r.State(); got != s {
		w.t.Fatalf("state is %v, want %v; moves %v", got, s, w.r.Moves)
	}
	return w
}

func (w *world) lastCause(c lifecycle.Cause) *world {
	w.t.Helper()
	if len(w.r.Moves) == 0 || w.r.Moves[len(w.r.Moves)-1].Cause != c {
		w.t.Fatalf("last cause is not %v: %v", c, w.r.Moves)
	}
	return w
}

func (w *world) uses() float64 { return w.r.Uses.Value }
