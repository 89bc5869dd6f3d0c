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

// insert puts a new event in its place and, if the ring is full, makes room.
func (r *Record) insert(e Event, space Space) {
	if space != 0 && space != r.Space && !r.hasLocalAfter(&e) {
		r.Space, r.Local = space, 0
	}
	var room [RingSize + 1]bool
	g := ring{events: r.Events, local: room[:len(r.Events)]}
	for i := range g.local {
		g.local[i] = r.local(i)
	}
	g.insert(e, space != 0 && space == r.Space)
	if len(g.events) > RingSize {
		g.makeRoom()
	}
	r.Events, r.Local = g.events, 0
	for i, local := range g.local {
		if local {
			r.Local |= 1 << uint(i)
		}
	}
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

func (g *ring) insert(e Event, local bool) {
	i := len(g.events)
	for i > 0 && e.older(&g.events[i-1]) {
		i--
	}
	g.events = slices.Insert(g.events, i, e)
	g.local = slices.Insert(g.local, i, local)
}

// makeRoom removes one event: the oldest that has a newer one for nearly the same
// query is folded into the most alike of these; if there is none, one is dropped.
func (g *ring) makeRoom() {
	gone := g.expendable()
	for i := range g.events {
		if j := g.nearest(i); j > 0 {
			g.fold(i, j)
			gone = i
			break
		}
	}
	g.events = slices.Delete(g.events, gone, gone+1)
	g.local = slices.Delete(g.local, gone, gone+1)
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
// same query that came after it.
func (g *ring) fold(i, j int) {
	old, into := g.events[i], &g.events[j]
	fade := 1.0
	for m := i + 1; m <= j; m++ {
		if g.local[m] {
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
