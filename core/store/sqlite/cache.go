package sqlite

import (
	"math"

	"github.com/hashicorp/golang-lru/v2/simplelru"

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

// Approximate sizes of entries in memory, in bytes, with their share of the map
// and the list.
const (
	documentSize = 300
	aliasSize    = 320
	nameSize     = 250
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

// bounded is a least-recently-used cache bounded by the size of its entries. The
// nil cache holds nothing.
type bounded[K comparable, V any] struct {
	lru    *simplelru.LRU[K, V]
	sizeOf func(K, V) int
	limit  int
	size   int
}

func newBounded[K comparable, V any](limit int, sizeOf func(K, V) int) *bounded[K, V] {
	b := &bounded[K, V]{sizeOf: sizeOf, limit: limit}
	b.lru, _ = simplelru.NewLRU(math.MaxInt, func(k K, v V) { b.size -= sizeOf(k, v) }) // fails for sizes under 1 only
	return b
}

func (b *bounded[K, V]) get(k K) (v V, ok bool) {
	if b == nil {
		return v, false
	}
	return b.lru.Get(k)
}

func (b *bounded[K, V]) put(k K, v V) {
	if b == nil {
		return
	}
	if old, ok := b.lru.Peek(k); ok {
		b.size -= b.sizeOf(k, old)
	}
	b.lru.Add(k, v)
	b.size += b.sizeOf(k, v)
	for b.size > b.limit && b.lru.Len() > 0 {
		b.lru.RemoveOldest()
	}
}

func (b *bounded[K, V]) remove(k K) { b.lru.Remove(k) }

func (b *bounded[K, V]) clear() {
	b.lru.Purge()
	b.size = 0
}
