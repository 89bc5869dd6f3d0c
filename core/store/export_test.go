package store

import "hash/maphash"

// Table is a table, for tests.
type Table struct{ t *table[string, int] }

// NewTable makes an empty table.
func NewTable() Table { return Table{newTable[string, int](maphash.MakeSeed())} }

func (t Table) Put(k string, v int)  { t.t.put(k, v) }
func (t Table) Delete(k string) bool { return t.t.delete(k) }
func (t Table) Len() int             { return len(t.t.all()) }

// GetAs looks up a key by the hash of another, as if both had the same.
func (t Table) GetAs(k, other string) bool {
	return t.t.find(k, maphash.Comparable(t.t.seed, other)) != nil
}

func (t Table) Get(k string) (int, bool) {
	if v := t.t.get(k); v != nil {
		return *v, true
	}
	return 0, false
}
