package sqlite

import (
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// cache holds decoded rows, and that rows do not exist, as of the newest
// transaction that the main connection has seen. It is used under the lock.
type cache struct {
	version   int64 // data_version at which it is valid
	documents *bounded[documentKey, documentRow]
	aliases   *bounded[aliasKey, aliasRow]
	// names holds the numbers of namespaces, sources and users.
	names *bounded[nameKey, int64]
}

type documentKey struct {
	namespace int64
	hash      store.Hash
}

// documentRow is a row of documents. The zero value is a row that does not
// exist.
type documentRow struct {
	exists   bool
	uses     int64
	lastUsed int64
	body     int64 // row in evidence, 0 for none
	evidence *reputation.Record
}

type aliasKey struct {
	source int64
	id     string
}

// aliasRow is a row of aliases. The zero value is a row that does not exist.
type aliasRow struct {
	exists         bool
	hash, previous store.Hash
	seen           int64
}

// nameKey is a name in one of the tables namespaces, sources and users; parent
// is the namespace.
type nameKey struct {
	table  table
	parent int64
	name   string
}

// Approximate sizes of entries in memory, in bytes, with their share of the map.
const (
	documentSize = 250
	aliasSize    = 250
	nameSize     = 150
)

func newCache(limit int) *cache {
	return &cache{
		documents: newBounded(limit/2, func(_ documentKey, r documentRow) int {
			size := documentSize
			if r.evidence != nil {
				size += len(r.evidence.Events)*reputation.EventSize + len(r.evidence.Summary)
			}
			return size
		}),
		aliases: newBounded(limit/4, func(k aliasKey, _ aliasRow) int { return aliasSize + len(k.id) }),
		names:   newBounded(limit/4, func(k nameKey, _ int64) int { return nameSize + len(k.name) }),
	}
}

func (c *cache) clear() {
	c.documents.clear()
	c.aliases.clear()
	c.names.clear()
}

// bounded is a cache bounded by the size of its entries. It has two generations:
// what is used goes to the young one, and when that has half of the room, it
// becomes the old one and what is left there is forgotten. That keeps what was
// used last, like a list in the order of use, but a hit touches one map and moves
// nothing. The nil cache holds nothing.
type bounded[K comparable, V any] struct {
	young, old map[K]V
	size       int // of the young entries
	limit      int // of both generations
	sizeOf     func(K, V) int
}

func newBounded[K comparable, V any](limit int, sizeOf func(K, V) int) *bounded[K, V] {
	return &bounded[K, V]{young: make(map[K]V), old: make(map[K]V), limit: limit, sizeOf: sizeOf}
}

func (b *bounded[K, V]) get(k K) (v V, ok bool) {
	if b == nil {
		return v, false
	}
	if v, ok = b.young[k]; ok {
		return v, true
	}
	if v, ok = b.old[k]; ok {
		b.put(k, v)
	}
	return v, ok
}

func (b *bounded[K, V]) put(k K, v V) {
	if b == nil {
		return
	}
	if before, ok := b.young[k]; ok {
		b.size -= b.sizeOf(k, before)
	}
	b.young[k] = v
	if b.size += b.sizeOf(k, v); b.size > b.limit/2 {
		clear(b.old)
		b.young, b.old, b.size = b.old, b.young, 0
	}
}

func (b *bounded[K, V]) remove(k K) {
	if v, ok := b.young[k]; ok {
		b.size -= b.sizeOf(k, v)
		delete(b.young, k)
	}
	delete(b.old, k)
}

// clear forgets everything. It makes new maps, since to clear one costs as much
// as it has ever held.
func (b *bounded[K, V]) clear() {
	if len(b.young)+len(b.old) > 0 {
		b.young, b.old, b.size = make(map[K]V), make(map[K]V), 0
	}
}
