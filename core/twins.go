package core

import "slices"

// promoteTwins puts a copy of a text into the place of one whose document the user
// blocked: a block takes one document away, not what others say as well.
func (r *retrieval) promoteTwins() {
	if len(r.work.twins) == 0 || len(r.personal.blocked) == 0 {
		return
	}
	for i := range r.candidates {
		if !r.blocked(i) {
			continue
		}
		j := slices.IndexFunc(r.work.twins, func(t candidate) bool { return r.mayReplace(&t, i) })
		if j >= 0 {
			r.promote(r.work.twins[j], i)
		}
	}
}

// mayReplace reports whether a twin can take the place of a candidate without being
// a copy of yet another one.
func (r *retrieval) mayReplace(t *candidate, place int) bool {
	if c := &r.candidates[place]; !t.copies(c) || r.personal.blocked[r.personal.key(t.DocID)] {
		return false
	}
	for i := range r.candidates {
		if i != place && t.copies(&r.candidates[i]) {
			return false
		}
	}
	return true
}

// copies reports whether two candidates share an id or a text.
func (c *candidate) copies(other *candidate) bool { return c.hash == other.hash || c.ID == other.ID }

// promote exchanges a candidate and its twin, which is as relevant.
func (r *retrieval) promote(t candidate, place int) {
	c := &r.candidates[place]
	for i := range r.dropped {
		if d := &r.dropped[i]; d.ID == t.ID && d.DocID == t.DocID {
			*d = c.rejected(place, blockedReason)
		}
	}
	t.relevance = c.relevance
	*c = t
	r.personal.keys[place] = r.personal.key(t.DocID)
}
