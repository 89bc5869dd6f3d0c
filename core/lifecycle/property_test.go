package lifecycle_test

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	lc "github.com/repute-go/repute/core/lifecycle"
)

var kinds = []lc.Cause{lc.Fetched, lc.Fetched, lc.Fetched, lc.Served, lc.Missed, lc.Outcome, lc.Up, lc.Down, lc.Accept, lc.Accept,
	lc.Decline, lc.Remove, lc.Pin, lc.Unpin, lc.Block, lc.Unblock, lc.ContentChanged, lc.SourceGone, lc.Forbidden}

// drawEvent draws any event a caller could send, valid or refused, at a time
// somewhere around now.
func drawEvent(t *rapid.T, now time.Time) lc.Event {
	e := lc.Event{
		Kind:  rapid.SampledFrom(kinds).Draw(t, "kind"),
		Query: rapid.Int64Range(0, 50).Draw(t, "query"),
		At:    now.Add(-time.Duration(rapid.Int64Range(-int64(day), int64(20*day)).Draw(t, "age"))),
		Title: rapid.SampledFrom([]string{"", "A", "B\n\x1b[31m"}).Draw(t, "title"),
	}
	if rapid.Bool().Draw(t, "judged") {
		e.Posterior = lc.Posterior{Mean: rapid.Float64Range(0, 1).Draw(t, "mean"), Mass: rapid.Float64Range(0, 30).Draw(t, "mass")}
	}
	if rapid.IntRange(0, 3).Draw(t, "content") > 0 {
		e.Claim = lc.Claim{Text: "some text", Hash: "h", Origin: lc.FromLoader, Chunks: []string{"c1"}, Vector: []float32{.6, .8}}
	}
	e.Suggestion = uint32(max(0, rapid.IntRange(-5, 2).Draw(t, "suggestion")))
	return e
}

func drawStep(t *rapid.T) time.Duration {
	return time.Duration(rapid.Int64Range(0, int64(12*day)).Draw(t, "step"))
}

// drawOptions draws the defaults or any other valid options.
func drawOptions(t *rapid.T) lc.Options {
	if rapid.Bool().Draw(t, "defaults") {
		return lc.Options{}
	}
	hours := func(name string) time.Duration {
		return time.Duration(rapid.IntRange(1, 2000).Draw(t, name)) * time.Hour
	}
	o := lc.Options{
		FetchThreshold: rapid.IntRange(1, 5).Draw(t, "threshold"), ResetThreshold: rapid.IntRange(1, 5).Draw(t, "reset"),
		RecencyWeight: rapid.Float64Range(0, 1).Draw(t, "wr"), FrequencyWeight: rapid.Float64Range(0, 1).Draw(t, "wf"),
		ExplicitWeight: rapid.Float64Range(0, 1).Draw(t, "we"), Lambda: rapid.Float64Range(.01, 1).Draw(t, "lambda"),
		FrequencyCap: rapid.Float64Range(5, 30).Draw(t, "cap"), DemoteThreshold: rapid.Float64Range(.01, .4).Draw(t, "demote"),
		PinThreshold: rapid.Float64Range(.5, 1).Draw(t, "pin"), PinHold: hours("pin hold"), DemoteHold: hours("demote hold"),
		CoolDown: hours("cool-down"), SuggestionTTL: hours("ttl"), DeclineBlock: hours("block"),
	}
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	return o
}

// drawRecord takes a random walk from the empty record.
func drawRecord(t *rapid.T, o lc.Options, each func(before, after lc.Record, moves []lc.Move, now time.Time)) (lc.Record, time.Time) {
	var r lc.Record
	now := start
	for range rapid.IntRange(0, 40).Draw(t, "events") {
		now = now.Add(drawStep(t))
		after, moves, err := lc.Apply(r, drawEvent(t, now), now, o)
		if err != nil && (moves != nil || !reflect.DeepEqual(r, after)) {
			t.Fatalf("an error changed the record: %v", err)
		}
		if each != nil {
			each(r, after, moves, now)
		}
		r = after
	}
	return r, now
}

// times lists every stamp of a record but those of its audit trail.
func times(r lc.Record) []lc.Stamp {
	return []lc.Stamp{r.Since, r.Intent.ChosenAt, r.Intent.DeclinedAt, r.Uses.At, r.LastFetched, r.LastServed, r.Opinion.At,
		r.Opinion.PosteriorAt, r.AboveSince, r.BelowSince, r.Evaluated, r.Suggestion.At, r.Claim.At}
}

func TestEveryWalkKeepsTheInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawRecord(t, drawOptions(t), func(before, r lc.Record, moves []lc.Move, now time.Time) {
			at := before.Learned
			for _, m := range moves {
				if m.From != m.To && !m.From.CanBecome(m.To) {
					t.Fatalf("%v is no legal move", m)
				}
				if m.From != at || m.Cause == 0 {
					t.Fatalf("moves do not connect: %v after %v", moves, at)
				}
				at = m.To
			}
			if at != r.Learned {
				t.Fatalf("state %v was not reached by the moves %v from %v", r.Learned, moves, before.Learned)
			}
			if n := min(len(moves), lc.AuditLength); !slices.Equal(moves[len(moves)-n:], r.Moves[len(r.Moves)-n:]) || len(r.Moves) > lc.AuditLength {
				t.Fatalf("audit %v lacks the moves %v", r.Moves, moves)
			}
			for i, s := range times(r) {
				if s > lc.StampOf(now) || s < 0 {
					t.Fatalf("time %d is %v, after now %v", i, s, now)
				}
			}
			if s := r.Score(now, lc.Options{}); !(s >= 0 && s <= 1) {
				t.Fatalf("score %v", s)
			}
			if r.Learned.InLibrary() != (r.Claim.Size > 0) {
				t.Fatalf("%v with a text of %d bytes", r.Learned, r.Claim.Size)
			}
			if r.Blocked() && r.State() != lc.Demoted {
				t.Fatalf("blocked and %v", r.State())
			}
		})
	})
}

// Evidence and time never change what the user said.
func TestLearningNeverTouchesIntent(t *testing.T) {
	learned := []lc.Cause{lc.Missed, lc.Outcome, lc.Up, lc.Down, lc.ContentChanged, lc.SourceGone, lc.Forbidden, lc.Fetched, lc.Served}
	rapid.Check(t, func(t *rapid.T) {
		r, now := drawRecord(t, lc.Options{}, nil)
		if r.Intent.Choice == lc.NoChoice {
			r, _, _ = lc.Apply(r, lc.Event{Kind: rapid.SampledFrom([]lc.Cause{lc.Pin, lc.Block}).Draw(t, "order"),
				Claim: lc.Claim{Text: "x"}}, now, lc.Options{})
		}
		want, state := r.Intent, r.State()
		for range 10 {
			now = now.Add(drawStep(t) * 10)
			e := drawEvent(t, now)
			e.Kind = rapid.SampledFrom(learned).Draw(t, "kind")
			r, _, _ = lc.Apply(r, e, now, lc.Options{})
			r, _ = lc.Evaluate(r, now, lc.Options{})
			r.Intent.Wait = min(r.Intent.Wait, want.Wait) // counted down by uses
			want.Wait = r.Intent.Wait
			if r.Intent != want || r.State() != state {
				t.Fatalf("%v: intent %+v, want %+v; state %v, want %v", e.Kind, r.Intent, want, r.State(), state)
			}
		}
	})
}

// Evaluating often or once makes no difference.
func TestCadenceMakesNoDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		r, now := drawRecord(t, o, nil)
		often, moves := r, []lc.Move(nil)
		for range rapid.IntRange(1, 20).Draw(t, "runs") {
			now = now.Add(drawStep(t))
			var m []lc.Move
			often, m = lc.Evaluate(often, now, o)
			moves = append(moves, m...)
		}
		once, all := lc.Evaluate(r, now, o)
		if !reflect.DeepEqual(often, once) || !slices.Equal(moves, all) {
			t.Fatalf("often %+v\n%v\nonce %+v\n%v", often, moves, once, all)
		}
		again, none := lc.Evaluate(once, now, o)
		if len(none) > 0 || !reflect.DeepEqual(again, once) {
			t.Fatalf("evaluating twice at one time moved %v", none)
		}
	})
}

// Waiting never raises the score, and so never promotes by itself: a pin that
// falls due was earned by uses before.
func TestScoreNeverRisesByWaiting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		r, now := drawRecord(t, o, nil)
		last := r.Score(now, o)
		for range 10 {
			now = now.Add(drawStep(t))
			s := r.Score(now, o)
			if s > last {
				t.Fatalf("score rose from %v to %v", last, s)
			}
			last = s
		}
	})
}

func TestAClockThatJumpsDoesNotPromote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, now := drawRecord(t, lc.Options{}, nil)
		for range 5 {
			jump := time.Duration(rapid.Int64Range(-math.MaxInt64/4, math.MaxInt64/4).Draw(t, "jump"))
			r2, moves := lc.Evaluate(r, now.Add(jump), lc.Options{})
			for _, m := range moves {
				if m.To == lc.Suggested || m.To == lc.Claimed && m.From != lc.Pinned {
					t.Fatalf("a jump of %v made the move %v", jump, m)
				}
				if m.To == lc.Pinned && (r.AboveSince.IsZero() || m.At-r.AboveSince < lc.Stamp(7*day/time.Millisecond)) {
					t.Fatalf("a jump of %v pinned without a hold: %+v", jump, r)
				}
			}
			r = r2
			for _, s := range times(r) {
				if s > lc.StampOf(now.Add(jump)) {
					t.Fatalf("time %v survived a clock at %v", s, now.Add(jump))
				}
			}
			now = now.Add(jump)
			if now.Year() < 1980 || now.Year() > 2200 {
				now = start
			}
		}
	})
}

// Uses, thumbs and posteriors commute: numbers do not depend on arrival.
func TestEvidenceCommutes(t *testing.T) {
	evidence := []lc.Cause{lc.Fetched, lc.Served, lc.Up, lc.Down, lc.Outcome}
	rapid.Check(t, func(t *rapid.T) {
		var events []lc.Event
		for range rapid.IntRange(2, 9).Draw(t, "n") { // under every limit
			e := drawEvent(t, start)
			e.Kind = rapid.SampledFrom(evidence).Draw(t, "kind")
			e.Query, e.Suggestion, e.Claim = 0, 0, lc.Claim{}
			events = append(events, e)
		}
		slices.SortStableFunc(events, func(a, b lc.Event) int { return a.At.Compare(b.At) })
		for i := 1; i < len(events); i++ { // distinct times: of two posteriors the newer holds
			if d := events[i].At.Sub(events[i-1].At); d < time.Second {
				events[i].At = events[i-1].At.Add(time.Second)
			}
		}
		fold := func(es []lc.Event) (r lc.Record) {
			for _, e := range es {
				var err error
				if r, _, err = lc.Apply(r, e, start.Add(30*day), lc.Options{}); err != nil {
					t.Fatal(err)
				}
			}
			return r
		}
		a, b := fold(events), fold(rapid.Permutation(events).Draw(t, "arrival"))
		near := func(x, y float64) bool { return math.Abs(x-y) < 1e-9 }
		if !near(a.Uses.Value, b.Uses.Value) || !near(a.Opinion.Up, b.Opinion.Up) || !near(a.Opinion.Down, b.Opinion.Down) ||
			a.Uses.At != b.Uses.At || a.Opinion.At != b.Opinion.At || a.Opinion.Posterior != b.Opinion.Posterior ||
			a.LastFetched != b.LastFetched || a.LastServed != b.LastServed {
			t.Fatalf("in order  %+v\nthe other %+v", a, b)
		}
	})
}

// Of the user's standing orders the latest holds, in whatever order they arrive.
func TestStandingOrdersCommute(t *testing.T) {
	pairs := [][]lc.Cause{{lc.Pin, lc.Unpin}, {lc.Block, lc.Unblock}, {lc.Pin, lc.Block}}
	rapid.Check(t, func(t *rapid.T) {
		orders := rapid.SampledFrom(pairs).Draw(t, "pair")
		events := make([]lc.Event, rapid.IntRange(1, 6).Draw(t, "n"))
		for i := range events {
			events[i] = lc.Event{Kind: rapid.SampledFrom(orders).Draw(t, "order"), At: start.Add(time.Duration(i) * time.Hour),
				Claim: lc.Claim{Text: "x"}}
		}
		fold := func(es []lc.Event) lc.Choice {
			var r lc.Record
			for _, e := range es {
				r, _, _ = lc.Apply(r, e, start.Add(day), lc.Options{})
			}
			return r.Intent.Choice
		}
		if a, b := fold(events), fold(rapid.Permutation(events).Draw(t, "arrival")); a != b {
			t.Fatalf("%v in order, %v otherwise", a, b)
		}
	})
}

// The arguments stay as they were, the slices in them too, and the result shares
// none of the event's.
func TestApplyModifiesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, now := drawRecord(t, lc.Options{}, nil)
		before, err := r.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		e := drawEvent(t, now)
		next, _, err := lc.Apply(r, e, now, lc.Options{})
		lc.Evaluate(r, now.Add(100*day), lc.Options{})
		if after, _ := r.MarshalBinary(); !bytes.Equal(before, after) {
			t.Fatal("the record changed")
		}
		if err == nil && next.Claim.At > r.Claim.At && len(e.Claim.Vector) > 0 {
			e.Claim.Vector[0], e.Claim.Chunks[0] = 99, "changed"
			if next.Claim.Vector[0] == 99 || next.Claim.Chunks[0] == "changed" {
				t.Fatal("the record shares the event's slices")
			}
		}
	})
}
