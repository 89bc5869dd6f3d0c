package reputation

import "slices"

// wildcard stands in the last slot of an event that more raters took part in
// than there are slots.
const wildcard = 0xffff

// Actors says who took part in an event, as 16-bit tags made by [ActorTag]: slot
// 0 is the user whose receipt it is (0 = nobody named), slots 1 to 3 are raters;
// the user is named there too if they rated, unless a verifier spoke as well. An
// event that took in another keeps that one's user among its raters. If more raters took part than there are slots, the last one is a wildcard that
// matches every tag. So erasing somebody's events never misses one; it may remove
// a stranger's event, with probability 2^-16 a slot.
type Actors [4]uint16

// ActorTag is the 16-bit tag of an actor. Names are "class:id", such as
// "user:u1" or "judge:gemini"; a user as owner of a receipt and the same user as
// a rater have the same name, hence the same tag. The tag of a name is never 0
// and never the wildcard; the empty name has tag 0.
func ActorTag(name string) uint16 {
	if name == "" {
		return 0
	}
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return uint16(h%(wildcard-1)) + 1
}

// Has reports whether the actor with this tag took part, or may have.
// Tag 0 names nobody and matches nothing.
func (a Actors) Has(tag uint16) bool {
	if tag == 0 {
		return false
	}
	return a.names(tag) || a[len(a)-1] == wildcard
}

// names reports whether the tag is in one of the slots itself.
func (a Actors) names(tag uint16) bool { return a[0] == tag || slices.Contains(a[1:], tag) }

// rated reports whether the tag is that of a rater named in the slots 1 to 3.
func (a Actors) rated(tag uint16) bool {
	return tag != 0 && tag != wildcard && slices.Contains(a[1:], tag)
}

// with returns the actors with another one added in slots 1 to 3; once there are
// more than fit, the last slot is the wildcard.
func (a Actors) with(tag uint16) Actors {
	if tag == 0 || slices.Contains(a[1:], tag) {
		return a
	}
	free := slices.Index(a[1:], 0)
	if free < 0 || tag == wildcard {
		a[len(a)-1] = wildcard
		return a
	}
	a[1+free] = tag
	return a
}

// union returns the actors with all others added.
func (a Actors) union(others Actors) Actors {
	for _, tag := range others[1:] {
		a = a.with(tag)
	}
	if !a.names(others[0]) {
		a = a.with(others[0])
	}
	return a
}
