package reputation

import "slices"

// apply brings the record at a position up to date with its event. It reports false
// if that comes too late; then nothing is changed.
func (f *Folded) apply(i int, e Event, c *Constants) bool {
	was := &f.Receipt.applied[i]
	same := e.minus(&was.event)
	if was.done && same.none() && sameFloat(e.Attribution, was.event.Attribution) &&
		e.Class == was.event.Class && e.Actors == was.event.Actors {
		return true
	}
	if !was.done && e.none() && e.Attribution != e.Attribution {
		return true // says nothing
	}
	rec := f.Records[i].shallow()
	delta, ok := rec.bring(&e, was, f.Receipt.Space, c.RaterEvents)
	if !ok {
		return was.done && same.none() // who took part has no place to be written down any more
	}
	now := e.bare()
	if e.Class == was.event.Class && was.done && !delta.equals(&same) {
		now.setAmounts(&was.event) // only a part was still there to be corrected
		now.add(&delta)
	}
	*was = applied{done: true, event: now, checks: was.checks}
	f.Records[i], f.deltas[i] = rec, delta
	return true
}

// bring makes the record say what e says instead of what has been applied for its
// receipt, and returns what that added. It reports false if it is too late for that;
// the record is then of no use. At most n unverified events by one rater stay.
func (r *Record) bring(e *Event, was *applied, space Space, n int) (delta Event, ok bool) {
	if was.done || e.Class != 0 {
		r.Events = slices.Clone(r.Events) // insert makes a slice of its own
	}
	delta = e.minus(&was.event)
	if was.done && e.Class == was.event.Class {
		return r.revise(e, &was.event, &delta, space, n)
	}
	if was.done { // raters first, then a verifier, or a louder class of raters
		taken := r.takeBack(e, &was.event, space, n)
		delta = e.minus(&taken)
	}
	return delta, r.limit(e, n) && r.insert(*e, space)
}

// revise rewrites the receipt's event or, if that has been folded into another one,
// corrects this one.
func (r *Record) revise(e, was, delta *Event, space Space, n int) (moved Event, ok bool) {
	i := r.find(e.Receipt)
	if i < 0 {
		i = r.holder(e, was, space, n)
		if i < 0 {
			return moved, false
		}
		moved = r.Events[i].correct(delta)
		r.Events[i].Actors = r.Events[i].Actors.union(e.Actors)
		return moved, !moved.none() || delta.none()
	}
	if !r.limit(e, n) { // somebody may have joined
		return moved, false
	}
	to := &r.Events[r.find(e.Receipt)]
	old := *to
	*to = *e
	to.setAmounts(&old) // it may have taken in others: keep what they brought
	moved = to.correct(delta)
	to.Actors = e.Actors.union(old.Actors)
	return moved, true
}

// takeBack removes what a receipt added while its outcome was of another class, and
// returns how much of that was still there. What its event took in from others stays,
// as evidence of their class and of no receipt.
func (r *Record) takeBack(e, was *Event, space Space, n int) (taken Event) {
	minus := Event{}.minus(was)
	i := r.find(e.Receipt)
	if i < 0 {
		if i = r.holder(e, was, space, n); i >= 0 {
			taken = r.Events[i].correct(&minus)
		}
		return Event{}.minus(&taken)
	}
	rest, local := r.Events[i], r.local(i)
	taken = rest.correct(&minus)
	r.remove(i)
	if rest.Mass() > leastMass {
		rest.Receipt = ^rest.Receipt
		space = r.Space
		if !local {
			space = 0
		}
		r.insert(rest, space)
	}
	return Event{}.minus(&taken)
}

// leastMass is less than any outcome counts: what is left of equal numbers.
const leastMass = 1e-5

// holder is the index of the event that an older one has been folded into: the newer
// one of its class that is most alike; -1 if there is none. was is what the older one
// said. An opinion is held by an event that names its raters; it is gone if one of
// them has given so many since that the limit would have removed it.
func (r *Record) holder(e, was *Event, space Space, n int) int {
	if space == 0 || space != r.Space || was.Class != 0 && !r.admits(e, was.Actors, n) {
		return -1
	}
	best, least := -1, foldReach+1
	for i := range r.Events {
		to := &r.Events[i]
		if !r.local(i) || to.Class != was.Class || to.older(e) || was.Class != 0 && !to.Actors.cover(was.Actors) {
			continue
		}
		if h := to.Signature.Hamming(e.Signature); h < least {
			best, least = i, h
		}
	}
	return best
}

// admits reports whether an unverified event by these raters at the time of e has a
// place: whether none of them has n newer ones.
func (r *Record) admits(e *Event, by Actors, n int) bool {
	for _, tag := range by[1:] {
		newer := 0
		for i := range r.Events {
			if o := &r.Events[i]; o.Class != 0 && e.older(o) && o.Actors.rated(tag) {
				newer++
			}
		}
		if n > 0 && newer >= n {
			return false
		}
	}
	return true
}

// limit makes room for an unverified event: it removes the oldest others of its raters
// until each has fewer than n. It reports false if e itself would be the one to go.
func (r *Record) limit(e *Event, n int) bool {
	if e.Class == 0 || n <= 0 {
		return true
	}
	if !r.admits(e, e.Actors, n) {
		return false
	}
	for _, tag := range e.Actors[1:] {
		left := n
		for i := len(r.Events) - 1; i >= 0; i-- {
			if o := &r.Events[i]; o.Class == 0 || o.Receipt == e.Receipt || !o.Actors.rated(tag) {
				continue
			}
			if left--; left <= 0 {
				r.remove(i)
			}
		}
	}
	return true
}

// correct adds a difference to an event that may hold the amounts of several. It takes
// back no more than is there, and adds that much less, so that nobody can make more of
// an event than was put in by correcting what is gone. It returns what it added.
func (e *Event) correct(d *Event) Event {
	moved := *d
	moved.Pos, moved.Neg = exchange(e.Pos, e.Neg, d.Pos, d.Neg)
	moved.GlobalPos, moved.GlobalNeg = exchange(e.GlobalPos, e.GlobalNeg, d.GlobalPos, d.GlobalNeg)
	e.add(&moved)
	return moved
}

// exchange is the part of a difference that can be added to the amounts pos and neg.
func exchange(pos, neg, dpos, dneg float32) (float32, float32) {
	short := max(0, -dpos-pos) + max(0, -dneg-neg)
	add := func(x, d float32) float32 {
		if d > 0 {
			return max(0, d-short)
		}
		return max(d, -x)
	}
	return add(pos, dpos), add(neg, dneg)
}

// cover reports whether all raters of others are named among the raters of a.
func (a Actors) cover(others Actors) bool {
	return !slices.ContainsFunc(others[1:], func(tag uint16) bool {
		return tag != 0 && tag != wildcard && !a.rated(tag)
	})
}
