package gate

import (
	"math/bits"
	"sync/atomic"
)

// counts maps term hashes to the number of passages that hold the term. One
// writer at a time may change it while any number of readers look terms up
// without a lock: slots are only ever filled, a slot's key never changes, and a
// grown table replaces the old one whole. A slot takes 12 bytes, less than half
// of a built-in map's.
type counts struct {
	table atomic.Pointer[slots]
}

type slots struct {
	keys   []uint64 // 0 means free
	values []uint32
	used   int // writer only
}

const leastSlots = 64

func newSlots(n int) *slots {
	return &slots{keys: make([]uint64, n), values: make([]uint32, n)}
}

// reserved stands in for the hash that marks a free slot.
func reserved(hash uint64) uint64 {
	if hash == 0 {
		return 1
	}
	return hash
}

// find returns the slot of a key, or of the free slot where it belongs.
func (s *slots) find(key uint64) (slot int, found bool) {
	mask := len(s.keys) - 1
	for i := int(key>>32) & mask; ; i = (i + 1) & mask { // the upper half: sets are sorted by the whole
		switch atomic.LoadUint64(&s.keys[i]) {
		case key:
			return i, true
		case 0:
			return i, false
		}
	}
}

// get returns the count of a term; safe beside a writer.
func (c *counts) get(hash uint64) uint32 {
	s := c.table.Load()
	if s == nil {
		return 0
	}
	i, found := s.find(reserved(hash))
	if !found {
		return 0
	}
	return atomic.LoadUint32(&s.values[i])
}

// add changes the count of a term by delta, not below zero.
func (c *counts) add(hash uint64, delta int) {
	key := reserved(hash)
	s := c.table.Load()
	if s == nil {
		s = newSlots(leastSlots)
		c.table.Store(s)
	}
	i, found := s.find(key)
	if found {
		atomic.StoreUint32(&s.values[i], uint32(max(0, int(s.values[i])+delta)))
		return
	}
	if delta <= 0 {
		return
	}
	if s.used*3 >= len(s.keys)*2 {
		s = c.rebuild()
		i, _ = s.find(key)
	}
	atomic.StoreUint32(&s.values[i], uint32(delta)) // before the key, so that no reader sees a key without its count
	atomic.StoreUint64(&s.keys[i], key)
	s.used++
}

// rebuild replaces the table by one with room, without the terms that have gone.
func (c *counts) rebuild() *slots {
	old := c.table.Load()
	live := 0
	for _, v := range old.values {
		if v > 0 {
			live++
		}
	}
	s := tableFor(live)
	for i, key := range old.keys {
		if v := old.values[i]; v > 0 {
			at, _ := s.find(key)
			s.keys[at], s.values[at] = key, v
		}
	}
	s.used = live
	c.table.Store(s)
	return s
}

// tableFor returns a table that is at most a third full with n terms.
func tableFor(n int) *slots {
	return newSlots(max(leastSlots, 1<<bits.Len(uint(3*n))))
}

// each calls f for every term with a count; not to be called beside a writer.
func (c *counts) each(f func(hash uint64, count uint32)) {
	s := c.table.Load()
	if s == nil {
		return
	}
	for i, v := range s.values {
		if v > 0 {
			f(s.keys[i], v)
		}
	}
}
