package reputation

import (
	"slices"
)

const (
	foldAlike  = 0.8  // two events this alike may become one
	localDecay = 0.05 // what a newer outcome for the same query takes off an older one
)

// ring is a record's events while one is put in: there may be one too many.
type ring struct {
	events []Event
	local  []bool // whether the event's signature belongs to the record's space
}

// insert puts a new event in its place and, if the ring is full, makes room. The
// slice of events is a new one. It reports false if the new event is the one that
// had to go.
func (r *Record) insert(e Event, space Space) (kept bool) {
	if space != 0 && space != r.Space && !r.hasLocalAfter(&e) {
		r.Space, r.Local = space, 0
	}
	var events [RingSize + 1]Event
	var local [RingSize + 1]bool
	n := len(r.Events) + 1
	g := ring{events[:n], local[:n]}
	at := g.insert(r, e, space != 0 && space == r.Space)
	gone, folded := n, false // nothing
	if n > RingSize {
		gone, folded = g.makeRoom()
	}
	r.Events = slices.Concat(events[:gone], events[min(gone+1, n):n])
	r.Local = 0
	for i := n - 1; i >= 0; i-- {
		if i != gone {
			r.Local = r.Local<<1 | uint64(boolByte(local[i]))
		}
	}
	return gone != at || folded
}

// hasLocalAfter reports whether an event of the record's space is newer than e.
func (r *Record) hasLocalAfter(e *Event) bool {
	for i := len(r.Events) - 1; i >= 0 && e.older(&r.Events[i]); i-- {
		if r.local(i) {
			return true
		}
	}
	return false
}

// insert copies a record's events with e among them into g, which has one place more,
// and returns where e is.
func (g *ring) insert(r *Record, e Event, local bool) (at int) {
	n := len(r.Events)
	at = n
	for at > 0 && e.older(&r.Events[at-1]) {
		at--
	}
	copy(g.events, r.Events[:at])
	copy(g.events[at+1:], r.Events[at:])
	for i := range n {
		to := i
		if i >= at {
			to++
		}
		g.local[to] = r.local(i)
	}
	g.events[at], g.local[at] = e, local
	return at
}

// makeRoom returns the event to leave out: the oldest that has a newer one for nearly
// the same query, after folding it into the most alike of these; if there is none,
// one that is dropped.
func (g *ring) makeRoom() (i int, folded bool) {
	for i := range g.events {
		if j := g.nearest(i); j > 0 {
			g.fold(i, j)
			return i, true
		}
	}
	return g.expendable(), false
}

// expendable is the index of the oldest event, or of the oldest unverified one where
// raters fill more than half of the ring: they cannot push out a verifier's outcomes.
func (g *ring) expendable() int {
	oldest, n := -1, 0
	for i := len(g.events) - 1; i >= 0; i-- {
		if g.events[i].Class != 0 {
			oldest, n = i, n+1
		}
	}
	if n > RingSize/2 {
		return oldest
	}
	return 0
}

// nearest is the index of the newer event most like event i, or 0 if none is alike
// enough. Verified and unverified evidence are kept apart.
func (g *ring) nearest(i int) int {
	if !g.local[i] {
		return 0
	}
	old, best, least := &g.events[i], 0, foldReach+1
	for j := i + 1; j < len(g.events); j++ {
		if e := &g.events[j]; g.local[j] && e.Class == old.Class {
			if h := e.Signature.Hamming(old.Signature); h < least {
				best, least = j, h
			}
		}
	}
	return best
}

// fold adds event i to the newer event j, faded by all outcomes for nearly the
// same query that came after it; a verified one by verified ones alone, as when it
// is read.
func (g *ring) fold(i, j int) {
	old, into := g.events[i], &g.events[j]
	fade := 1.0
	for m := i + 1; m <= j; m++ {
		if g.local[m] && (old.Class != 0 || g.events[m].Class == 0) {
			fade *= 1 - localDecay*Kernel(g.events[m].Signature, old.Signature)
		}
	}
	old.scale(float32(fade))
	into.absorb(&old)
}

// absorb takes over the amounts, position and actors of an event that is folded in.
func (e *Event) absorb(old *Event) {
	if mass := e.Mass() + old.Mass(); mass > 0 {
		e.Position = uint16((float64(e.Position)*e.Mass() + float64(old.Position)*old.Mass()) / mass)
	}
	if e.Attribution != e.Attribution {
		e.Attribution = old.Attribution
	}
	e.add(old)
	e.Actors = e.Actors.union(old.Actors)
}

// foldReach is the largest Hamming distance at which two events may become one.
var foldReach = reach(foldAlike)

// reach is the largest Hamming distance with a kernel of at least k.
func reach(k float64) int {
	h := len(kernel) - 1
	for h > 0 && kernel[h] < k {
		h--
	}
	return h
}
