package lifecycle

import (
	"math"
	"slices"
)

// accept takes the document into the library from any state; once there,
// accepting again changes nothing.
func (f *fold) accept(e *Event, at, t Stamp) error {
	if err := f.answers(e); err != nil {
		return err
	}
	if f.r.Learned.InLibrary() || f.r.Blocked() && at < f.r.Intent.ChosenAt {
		return nil
	}
	if e.Claim.Text == "" {
		return ErrNoContent
	}
	if f.r.Blocked() {
		f.r.Intent.Choice, f.r.Intent.ChosenAt = NoChoice, at
	}
	f.claim(e, at, t, Accept)
	return nil
}

// claim stores the text and moves to Claimed. Taking a document in is a use of
// it, so that a fresh claim does not begin decayed.
func (f *fold) claim(e *Event, at, t Stamp, cause Cause) {
	f.count(at)
	f.r.Intent.DeclinedAt, f.r.Intent.Declines, f.r.Intent.Wait = 0, 0, 0
	f.r.Suggestion.Answered = f.r.Suggestion.ID
	f.keep(e.Claim, at)
	f.move(Claimed, cause, t)
}

func (f *fold) keep(c Claim, at Stamp) {
	c.Chunks, c.Vector = slices.Clone(c.Chunks), slices.Clone(c.Vector)
	c.Size, c.At = len(c.Text), at
	if c.Origin == NoOrigin {
		c.Origin = FromCaller
	}
	f.r.Claim = c
}

// answers checks that the suggestion being answered was made.
func (f *fold) answers(e *Event) error {
	if e.Suggestion > f.r.Suggestion.ID {
		return ErrUnknownSuggestion
	}
	return nil
}

// decline stops suggestions for a time and over a growing number of uses. The
// same suggestion is declined once, however often the answer arrives.
func (f *fold) decline(e *Event, at, t Stamp) error {
	if err := f.answers(e); err != nil {
		return err
	}
	s := &f.r.Suggestion
	if e.Suggestion != 0 && e.Suggestion <= s.Answered {
		return nil
	}
	if f.r.State().InLibrary() {
		return ErrClaimed
	}
	if f.r.Intent.Declines > 0 && s.Answered == s.ID {
		return nil
	}
	s.Answered = s.ID
	f.refuse(at)
	if f.r.Learned == Suggested {
		f.move(Surfaced, Decline, t)
	} else {
		f.mark(f.r.Learned, Decline, t)
	}
	return nil
}

// refuse remembers a decline, or a removal, which is the decline of something
// accepted before.
func (f *fold) refuse(at Stamp) {
	in := &f.r.Intent
	if in.Declines < math.MaxUint16 {
		in.Declines++
	}
	in.DeclinedAt = max(in.DeclinedAt, at)
	in.Wait = f.o.gap(in.Declines)
}

// remove takes the document out of the library, with the pin it may have. Doing
// it again changes nothing.
func (f *fold) remove(at, t Stamp) error {
	if f.r.Learned == Demoted && f.r.Intent.Choice != PinnedByUser {
		return nil
	}
	if !f.r.State().InLibrary() {
		return ErrNotClaimed
	}
	if f.r.Intent.Choice == PinnedByUser {
		f.r.Intent.Choice, f.r.Intent.ChosenAt = NoChoice, max(at, f.r.Intent.ChosenAt)
	}
	f.refuse(at)
	f.move(Demoted, Remove, t)
	return nil
}

// choose folds a standing order. An order older than the last one changes
// nothing, even where that was to take back what had not arrived yet.
func (f *fold) choose(e *Event, at, t Stamp) error {
	if at < f.r.Intent.ChosenAt {
		return nil
	}
	switch e.Kind {
	case Pin:
		return f.pin(e, at, t)
	case Block:
		f.block(at, t)
	case Unpin:
		f.unpin(at, t)
	case Unblock:
		f.unblock(at, t)
	}
	return nil
}

func (f *fold) order(c Choice, at Stamp) {
	f.r.Intent.Choice, f.r.Intent.ChosenAt = c, at
}

// pin needs a text, unless the library has one.
func (f *fold) pin(e *Event, at, t Stamp) error {
	switch {
	case f.r.Intent.Choice == PinnedByUser && f.r.Serves():
		f.r.Intent.ChosenAt = at
		return nil
	case !f.r.Learned.InLibrary() && e.Claim.Text == "":
		return ErrNoContent
	}
	f.order(PinnedByUser, at)
	if f.r.Learned.InLibrary() {
		f.mark(f.r.Learned, Pin, t)
	} else {
		f.claim(e, at, t, Pin)
	}
	return nil
}

// unpin ends a user's pin, and an earned one too. Decay begins to count now.
func (f *fold) unpin(at, t Stamp) {
	if f.r.Blocked() {
		return
	}
	byUser := f.r.Intent.Choice == PinnedByUser
	f.order(NoChoice, at)
	switch {
	case f.r.Learned == Pinned:
		f.move(Claimed, Unpin, t)
	case byUser:
		f.mark(f.r.Learned, Unpin, t)
		f.r.AboveSince, f.r.BelowSince = 0, 0
		f.restamp(t)
	}
}

func (f *fold) block(at, t Stamp) {
	again := f.r.Blocked()
	f.order(BlockedByUser, at)
	switch {
	case again:
	case f.r.Learned == Demoted:
		f.mark(Demoted, Block, t)
	default:
		f.move(Demoted, Block, t)
	}
}

func (f *fold) unblock(at, t Stamp) {
	if f.r.Intent.Choice == PinnedByUser {
		return
	}
	blocked := f.r.Blocked()
	f.order(NoChoice, at)
	if blocked {
		f.move(Surfaced, Unblock, t)
	}
}

// source folds news about the document itself. A changed text replaces the
// claimed one if the caller has it; a text that is gone, forbidden or unknown is
// dropped at once. The user's pin stays and takes effect again with a new text.
func (f *fold) source(e *Event, t Stamp) {
	fresh := e.Kind == ContentChanged && e.Claim.Text != ""
	pinned := f.r.Intent.Choice == PinnedByUser
	switch {
	case fresh && f.r.Learned.InLibrary():
		f.keep(e.Claim, t)
		f.mark(f.r.Learned, e.Kind, t)
	case fresh && pinned:
		f.keep(e.Claim, t)
		f.move(Claimed, e.Kind, t)
	case f.r.Learned.InLibrary(), f.r.Learned == Suggested && e.Kind != ContentChanged:
		f.move(Surfaced, e.Kind, t)
	}
}
