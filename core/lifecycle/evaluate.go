package lifecycle

import "time"

// Evaluate brings a record up to now: it makes the moves that time alone has
// caused since the last event (decay, an earned pin, an expired suggestion), each
// stamped with the moment at which it fell due. How often it is called makes no
// difference: evaluating daily and evaluating once give the same record, but for
// Evaluated. Nothing needs to be written where no moves are returned.
//
// A clock that went back changes nothing but times in the record that now lie
// in the future; they become now. A zero now changes nothing.
func Evaluate(r Record, now time.Time, o Options) (Record, []Move) {
	n := StampOf(now)
	if n == 0 {
		return r, nil
	}
	r.clampFuture(n)
	f := fold{r: r, o: o.WithDefaults()}
	f.settle(n)
	return f.r, f.moves
}

// fold is one record while it changes.
type fold struct {
	r     Record
	o     Options
	moves []Move
}

// move is the one place where a learned state changes. The text goes when the
// document leaves the library; an earned pin keeps its stamp.
func (f *fold) move(to State, cause Cause, at Stamp) {
	from := f.r.Learned
	f.mark(to, cause, at)
	f.r.Learned, f.r.Since = to, at
	f.r.BelowSince = 0
	if from != Claimed || to != Pinned {
		f.r.AboveSince = 0
	}
	if !to.InLibrary() {
		f.r.Claim = Claim{}
	}
	f.r.Evaluated = max(f.r.Evaluated, at)
	f.restamp(at)
}

// mark records a move, or a user's action that changes no state.
func (f *fold) mark(to State, cause Cause, at Stamp) {
	m := Move{From: f.r.Learned, To: to, Cause: cause, At: at}
	f.r.note(m)
	f.moves = append(f.moves, m)
}

// settle makes the moves that fall due until t, earliest first. Between events
// the score only falls (uses and recency fade at one rate, opinions more slowly),
// so each threshold is crossed at most once and the crossing is found exactly.
func (f *fold) settle(t Stamp) {
	score := f.r.scoreAt(t, &f.o)
	for f.r.Evaluated < t {
		f.cross(t, score)
		to, cause, at := f.due(t)
		if cause == unknownCause {
			break
		}
		if cause == Expiry {
			f.r.Intent.Wait = max(f.r.Intent.Wait, uint32(f.o.FetchThreshold))
		}
		f.move(to, cause, at)
	}
	if score < f.o.PinThreshold {
		f.r.AboveSince = 0
	}
	f.r.Evaluated = max(f.r.Evaluated, t)
}

// cross stamps the moment, after the last evaluation and until t, at which the
// score fell under the threshold of the record's state. score is the one at t.
func (f *fold) cross(t Stamp, score float64) {
	limit := f.lower()
	if f.r.Learned == Global || f.r.BelowSince != 0 || score >= limit {
		return
	}
	lo, hi := f.r.Evaluated, t // the first moment under the limit is in [lo, hi]
	for lo < hi {
		mid := lo + (hi-lo)/2
		if f.r.scoreAt(mid, &f.o) < limit {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	f.r.BelowSince = hi
}

// lower is the threshold under which the learned state is in danger.
func (f *fold) lower() float64 {
	if f.r.Learned == Pinned {
		return f.o.PinThreshold
	}
	return f.o.DemoteThreshold
}

// due returns the next move that time causes until t, or no cause. A pin or a
// block of the user suspends all of them.
func (f *fold) due(t Stamp) (to State, cause Cause, at Stamp) {
	if f.r.Intent.Choice != NoChoice {
		return
	}
	if at, ok := f.pinDue(t); ok {
		return Pinned, Held, at
	}
	if f.r.Learned == Suggested {
		at = max(f.r.Suggestion.At.add(f.o.SuggestionTTL), f.r.Evaluated)
		return dueIf(at <= t, Surfaced, Expiry, at)
	}
	if f.r.BelowSince == 0 {
		return
	}
	at = max(f.r.BelowSince.add(f.o.DemoteHold), f.r.Evaluated)
	switch f.r.Learned {
	case Surfaced:
		to = Global
	case Demoted:
		to, at = Global, max(at, f.r.Since.add(f.o.CoolDown))
	case Claimed:
		to = Demoted
	case Pinned:
		to = Claimed
	default:
		return Global, unknownCause, 0
	}
	return dueIf(at <= t, to, Decay, at)
}

func dueIf(ok bool, to State, cause Cause, at Stamp) (State, Cause, Stamp) {
	if !ok {
		cause = unknownCause
	}
	return to, cause, at
}

// pinDue reports when a claimed document has held its score long enough. The
// score at the end of the hold decides: until then it can only have been higher.
func (f *fold) pinDue(t Stamp) (Stamp, bool) {
	if f.r.Learned != Claimed || f.r.AboveSince == 0 {
		return 0, false
	}
	at := max(f.r.AboveSince.add(f.o.PinHold), f.r.Evaluated)
	return at, at <= t && f.r.scoreAt(at, &f.o) >= f.o.PinThreshold
}

// restamp compares the score with the thresholds after it may have jumped.
func (f *fold) restamp(t Stamp) {
	score := f.r.scoreAt(t, &f.o)
	since(&f.r.AboveSince, f.r.Learned.InLibrary() && score >= f.o.PinThreshold, t)
	since(&f.r.BelowSince, f.r.Learned != Global && score < f.lower(), t)
}

func since(s *Stamp, holds bool, t Stamp) {
	switch {
	case !holds:
		*s = 0
	case *s == 0:
		*s = t
	}
}
