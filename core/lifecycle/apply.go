package lifecycle

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// Event is something that happened to a document and a user.
type Event struct {
	Kind Cause     // one of Fetched to Forbidden
	At   time.Time // when it happened (a receipt's time, a click); zero or in the future: now

	// Query is the user's query number, for Fetched, Served and Missed: several
	// chunks of one query count once. 0 = unknown, counts always; negative is refused.
	Query int64

	// Instead is the thumb that this one takes the place of, Up or Down, where a
	// user changed their mind about one and the same occasion. At must be the
	// earlier thumb's. For Up and Down only.
	Instead Cause

	// Posterior is the shared posterior of the document, where the caller knows it.
	Posterior Posterior

	// Suggestion is the number a user answers, for Accept and Decline. 0 = the
	// newest one, or none.
	Suggestion uint32

	// Claim is the text to keep, for Accept, Pin and ContentChanged. Its Size and At
	// are set by Apply. The slices are copied.
	Claim Claim

	Title, Path string // the newest known; empty = unchanged. Cut to their bounds
}

// Apply folds one event into a record and returns the new record and the moves
// it caused, with those that time had caused before it. On an error the record is
// returned as it was. now is the caller's clock; times beyond it are read as now.
//
// Uses, thumbs and posteriors may arrive in any order: they are weighed by their
// own time and commute, up to rounding, while counters stay under their limits.
// An order (Pin, Unpin, Block, Unblock) older than the last one is ignored. Accept,
// Decline, Remove, Missed and the source's events act in order of arrival. An event older
// than the last one moves states, if at all, as of the last one.
//
// Apply settles the record up to the event's time only; to read a state as of
// now, pass the result to [Evaluate].
func Apply(r Record, e Event, now time.Time, o Options) (Record, []Move, error) {
	n := StampOf(now)
	if err := e.check(n); err != nil {
		return r, nil, err
	}
	at := n
	if !e.At.IsZero() {
		at = min(StampOf(e.At), n)
	}
	f := fold{r: r, o: o.WithDefaults()}
	f.r.clampFuture(n)
	t := max(at, f.r.Evaluated)
	f.settle(t)
	if err := f.fold(&e, at, t); err != nil {
		return r, nil, err
	}
	return f.r, f.moves, nil
}

func (e *Event) check(now Stamp) error {
	switch {
	case now == 0:
		return ErrNoTime
	case !e.Kind.external():
		return fmt.Errorf("%w: kind %v", ErrEvent, e.Kind)
	case e.Query < 0:
		return fmt.Errorf("%w: query number %d", ErrEvent, e.Query)
	case e.Instead != unknownCause && (!e.Kind.thumb() || !e.Instead.thumb()):
		return fmt.Errorf("%w: %v instead of %v", ErrEvent, e.Kind, e.Instead)
	case !e.Posterior.valid():
		return fmt.Errorf("%w: posterior %+v", ErrEvent, e.Posterior)
	}
	return e.Claim.check()
}

func (c *Claim) check() error {
	if len(c.Text) > MaxText || len(c.Chunks) > MaxChunks || len(c.Vector) > MaxVector {
		return fmt.Errorf("claim: %w", ErrTooLarge)
	}
	if int(c.Origin) >= len(originNames) {
		return fmt.Errorf("%w: %v", ErrEvent, c.Origin)
	}
	if !utf8.ValidString(c.Text) {
		return ErrInvalidText
	}
	for _, x := range c.Vector {
		if x != x || math.IsInf(float64(x), 0) {
			return fmt.Errorf("%w: the claim's vector is not finite", ErrEvent)
		}
	}
	for _, id := range c.Chunks {
		if err := checkName(id); err != nil {
			return err
		}
	}
	return errors.Join(checkName(c.Hash), checkName(c.Source), checkName(c.Model))
}

func checkName(s string) error {
	if len(s) > MaxName {
		return fmt.Errorf("claim: %w: a name of %d bytes", ErrTooLarge, len(s))
	}
	if !utf8.ValidString(s) {
		return ErrInvalidText
	}
	return nil
}

// fold dispatches the event. at is its own time and weighs evidence; t is the
// time at which states move.
func (f *fold) fold(e *Event, at, t Stamp) error {
	f.describe(e, at)
	f.r.Opinion = f.r.Opinion.learn(e.Posterior, at, &f.o)
	switch e.Kind {
	case Fetched, Served:
		f.use(e, at, t)
	case Missed:
		f.miss(e.Query)
	case Up, Down:
		if e.Instead != unknownCause {
			f.r.Opinion = f.r.Opinion.thumb(e.Instead == Up, -1, at, &f.o)
		}
		f.r.Opinion = f.r.Opinion.thumb(e.Kind == Up, 1, at, &f.o)
		f.surface(e.Kind, t)
	case Accept:
		return f.accept(e, at, t)
	case Decline:
		return f.decline(e, at, t)
	case Remove:
		return f.remove(at, t)
	case Pin, Unpin, Block, Unblock:
		return f.choose(e, at, t)
	case ContentChanged, SourceGone, Forbidden:
		f.source(e, t)
	}
	f.restamp(t)
	if e.Posterior.Mass > 0 || e.Kind == Down {
		f.judge(t)
	}
	if e.Kind == Fetched || e.Kind == Served {
		f.suggest(e.Kind, t)
	}
	return nil
}

// describe keeps the newest title and path.
func (f *fold) describe(e *Event, at Stamp) {
	if at < f.r.Uses.At {
		return
	}
	if e.Title != "" {
		f.r.Title = cut(e.Title, MaxTitle)
	}
	if e.Path != "" {
		f.r.Path = cut(e.Path, MaxPath)
	}
}

// cut makes s valid UTF-8 of at most n bytes.
func cut(s string, n int) string {
	return strings.ToValidUTF8(s[:min(len(s), n)], "")
}

// use counts one appearance, from the retriever or from the library alike. A
// blocked document is not shown, so nothing of it counts.
func (f *fold) use(e *Event, at, t Stamp) {
	if f.r.Blocked() || e.Query != 0 && e.Query == f.r.Query {
		return
	}
	if e.Kind == Served {
		f.r.LastServed = max(f.r.LastServed, at)
	} else {
		f.r.LastFetched = max(f.r.LastFetched, at)
	}
	if e.Query == 0 || e.Query > f.r.Query {
		f.r.Query, f.r.Misses = max(e.Query, f.r.Query), 0
	}
	f.count(at)
	if f.r.Intent.Wait > 0 && at >= f.r.Intent.DeclinedAt {
		f.r.Intent.Wait--
	}
	f.surface(e.Kind, t)
}

func (f *fold) count(at Stamp) {
	f.r.Uses = f.r.Uses.add(1, at, f.o.Lambda, f.o.FrequencyCap)
}

// miss counts a query for which the document was plausible and not shown. The
// counter of a pending or declined suggestion is another field and stays.
func (f *fold) miss(query int64) {
	if f.r.Learned == Global || f.r.Blocked() || query != 0 && query <= f.r.Query {
		return
	}
	f.r.Query = max(query, f.r.Query)
	if f.r.Misses++; int(f.r.Misses) >= f.o.ResetThreshold {
		f.r.Misses = 0
		if !f.r.State().InLibrary() {
			f.r.Uses.Value = 0
		}
	}
}

// surface brings a document in on first evidence, and back after a cool-down.
func (f *fold) surface(cause Cause, t Stamp) {
	switch {
	case f.r.Blocked():
	case f.r.Learned == Global && cause != Down:
		f.move(Surfaced, cause, t)
	case f.r.Learned == Demoted && cause != Down && t >= f.r.Since.add(f.o.CoolDown) && !f.spokenAgainst(t, dislikeDemotes):
		f.move(Surfaced, CoolDownOver, t)
	}
}

// spokenAgainst reports whether outcomes or the user's own thumbs are against
// the document.
func (f *fold) spokenAgainst(t Stamp, dislike float64) bool {
	return f.r.Opinion.Posterior.bad(&f.o) || f.r.Opinion.own(t, &f.o) < -dislike
}

// judge takes a document's place away when evidence is against it. A user's pin
// stands above evidence.
func (f *fold) judge(t Stamp) {
	if f.r.Intent.Choice != NoChoice || !f.spokenAgainst(t, dislikeDemotes) {
		return
	}
	switch f.r.Learned {
	case Suggested:
		f.move(Surfaced, BadPosterior, t)
	case Claimed, Pinned:
		f.move(Demoted, BadPosterior, t)
	}
}

// suggest offers a document that is used enough, not declined and not disliked.
func (f *fold) suggest(cause Cause, t Stamp) {
	in := &f.r.Intent
	quiet := in.Choice != NoChoice || in.Wait > 0 ||
		in.Declines > 0 && t < in.DeclinedAt.add(f.o.DeclineBlock)
	if f.r.Learned != Surfaced || quiet || f.spokenAgainst(t, dislikeSuggested) ||
		math.Round(f.r.Uses.at(t, f.o.Lambda)) < float64(f.o.FetchThreshold) {
		return
	}
	f.r.Suggestion.ID++
	f.r.Suggestion.At = t
	f.move(Suggested, cause, t)
}
