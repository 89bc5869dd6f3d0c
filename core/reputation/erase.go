package reputation

import "slices"

// Erase returns the receipt without the opinions of a rater, and how many it
// lost. Events that the rater took part in leave the records by [Record.Erase], so
// what was applied is forgotten with them: a later signal makes the events anew
// from the opinions that are left. What the receipt added to the namespace's
// statistics stays, for these are sums that name nobody. The receipt itself is not
// modified; without such opinions it is returned as it is.
func (r *Receipt) Erase(rater string) (*Receipt, int) {
	if r == nil {
		return nil, 0
	}
	of := func(name string) bool { return name == rater }
	about := make(map[int]bool) // what the erased opinions were about
	n := 0
	for i := range r.Opinions {
		if of(r.Opinions[i].Rater) {
			about[r.Opinions[i].about()] = true
			n++
		}
	}
	if n == 0 {
		return r, 0
	}
	c := r.clone()
	c.Opinions = slices.DeleteFunc(c.Opinions, func(o Opinion) bool { return of(o.Rater) })
	c.Calibrations = slices.DeleteFunc(c.Calibrations, func(k Calibration) bool { return of(k.Rater) })
	c.tallies = slices.DeleteFunc(slices.Clone(r.tallies), func(t TallyDelta) bool { return of(t.Name[min(len(RaterTally), len(t.Name)):]) })
	c.applied = slices.Clone(r.applied)
	for i := range c.applied {
		if !about[-1] && !about[i] {
			continue
		}
		c.applied[i] = applied{checks: c.applied[i].checks}
	}
	return c, n
}
