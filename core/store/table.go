package store

import "hash/maphash"

// table is a hash map that spends little more than the rows themselves: they
// lie densely in a slice, and an index of 4 bytes a slot says where. A built-in
// map of a million small rows needs half as much again. Keys are compared in
// full. The zero value with a seed is empty; it is not safe for concurrent use.
type table[K comparable, V any] struct {
	seed maphash.Seed
	// index is open-addressed with linear probing: 0 is free, else row + 1 with
	// bits of the key's hash above, so that rows of other keys are rarely looked
	// at. Its length is a power of two and at least 4/3 of the rows, whose numbers
	// therefore leave the bits above those of the length.
	index []uint32
	rows  []entry[K, V]
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

func newTable[K comparable, V any](seed maphash.Seed) *table[K, V] {
	return &table[K, V]{seed: seed}
}

// all returns the rows, to be read only. The nil table is empty.
func (t *table[K, V]) all() []entry[K, V] {
	if t == nil {
		return nil
	}
	return t.rows
}

// get returns the value of a key, nil if there is none. The pointer holds until
// the next put or delete. The nil table is empty.
func (t *table[K, V]) get(key K) *V {
	if t == nil {
		return nil
	}
	return t.find(key, maphash.Comparable(t.seed, key))
}

// find is get for a key whose hash is known.
func (t *table[K, V]) find(key K, hash uint64) *V {
	if t == nil || len(t.rows) == 0 {
		return nil
	}
	if _, row, _ := t.slot(key, hash); row != 0 {
		return &t.rows[row-1].value
	}
	return nil
}

// put sets the value of a key.
func (t *table[K, V]) put(key K, value V) {
	if 4*(len(t.rows)+1) > 3*len(t.index) {
		t.grow()
	}
	slot, row, tag := t.slot(key, maphash.Comparable(t.seed, key))
	if row != 0 {
		t.rows[row-1].value = value
		return
	}
	t.rows = append(t.rows, entry[K, V]{key, value})
	t.index[slot] = tag | uint32(len(t.rows))
}

// delete removes a key and reports whether it was there. The last row takes the
// place of the one that goes, so that a loop from the end may delete.
func (t *table[K, V]) delete(key K) bool {
	if t == nil || len(t.rows) == 0 {
		return false
	}
	slot, row, _ := t.slot(key, maphash.Comparable(t.seed, key))
	if row == 0 {
		return false
	}
	last := uint32(len(t.rows))
	if row != last {
		moving := t.rows[last-1].key
		moved, _, tag := t.slot(moving, maphash.Comparable(t.seed, moving))
		t.index[moved] = tag | row
		t.rows[row-1] = t.rows[last-1]
	}
	t.rows[last-1] = entry[K, V]{}
	t.rows = t.rows[:last-1]
	t.close(slot)
	return true
}

// slot returns where a key is in the index and its row + 1, or the free slot where
// it would be and 0; and the bits of its hash that the index keeps.
func (t *table[K, V]) slot(key K, hash uint64) (slot int, row, tag uint32) {
	mask := uint32(len(t.index) - 1)
	tag = uint32(hash) &^ mask
	for i := home(hash, mask); ; i = (i + 1) & mask {
		switch e := t.index[i]; {
		case e == 0:
			return int(i), 0, tag
		case e&^mask == tag && t.rows[e&mask-1].key == key:
			return int(i), e & mask, tag
		}
	}
}

// home is the first slot to look for a key. The low bits of the hash chose the
// shard already.
func home(hash uint64, mask uint32) uint32 { return uint32(hash>>32) & mask }

// close frees a slot and moves up those behind it that were displaced.
func (t *table[K, V]) close(free int) {
	mask := len(t.index) - 1
	t.index[free] = 0
	for i := (free + 1) & mask; t.index[i] != 0; i = (i + 1) & mask {
		key := t.rows[t.index[i]&uint32(mask)-1].key
		home := int(home(maphash.Comparable(t.seed, key), uint32(mask)))
		// The entry may move if its home does not lie between the gap and it.
		if (i-home)&mask >= (i-free)&mask {
			t.index[free], t.index[i] = t.index[i], 0
			free = i
		}
	}
}

func (t *table[K, V]) grow() {
	t.index = make([]uint32, max(8, 2*len(t.index)))
	for i := range t.rows {
		key := t.rows[i].key
		slot, _, tag := t.slot(key, maphash.Comparable(t.seed, key))
		t.index[slot] = tag | uint32(i+1)
	}
}
