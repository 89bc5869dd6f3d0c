package store

import (
	"context"
	"hash/maphash"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/repute-go/repute/core/reputation"
)

// shardCount is the number of independently locked parts of a namespace: one
// bit each in a lockSet.
const shardCount = 64

// Memory is the in-memory store. Its state is lost with the process unless it
// is exported. The zero value is not usable; call [NewMemory].
//
// A namespace is split into 64 shards with a lock each. An operation that
// writes gathers the shards of all its keys first and locks them in ascending
// order, so that two never wait for each other in a circle. So does a load; other
// reads lock one shard at a time.
type Memory struct {
	seed   maphash.Seed
	closed atomic.Bool
	mu     sync.RWMutex
	spaces map[string]*space
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty in-memory store.
func NewMemory() *Memory {
	return &Memory{seed: maphash.MakeSeed(), spaces: make(map[string]*space)}
}

// Close implements [Store].
func (m *Memory) Close() error {
	m.closed.Store(true)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spaces = nil
	return nil
}

// open returns the error that keeps an operation from starting, if any.
func (m *Memory) open(ctx context.Context) error {
	if m.closed.Load() {
		return ErrClosed
	}
	return ctx.Err()
}

// read returns a namespace to read from. Reading makes none: it is empty and
// shared by nobody if it does not exist.
func (m *Memory) read(ctx context.Context, namespace string) (*space, error) {
	if err := m.open(ctx); err != nil {
		return nil, err
	}
	m.mu.RLock()
	sp := m.spaces[namespace]
	m.mu.RUnlock()
	if sp == nil {
		sp = &space{seed: m.seed}
	}
	return sp, nil
}

// write returns a namespace to write to, and makes it if it does not exist.
func (m *Memory) write(ctx context.Context, namespace string) (*space, error) {
	if err := m.open(ctx); err != nil {
		return nil, err
	}
	m.mu.RLock()
	sp := m.spaces[namespace]
	m.mu.RUnlock()
	if sp != nil {
		return sp, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.spaces == nil {
		return nil, ErrClosed
	}
	if sp = m.spaces[namespace]; sp == nil {
		sp = &space{seed: m.seed}
		m.spaces[namespace] = sp
	}
	return sp, nil
}

// space is one namespace.
type space struct {
	seed   maphash.Seed
	shards [shardCount]shard

	count atomic.Int64 // receipts
	mu    sync.Mutex   // guards ages; taken last, never while waiting for a shard
	ages  ageQueue     // of receipts, by the bytes of their id

	side side
}

// side holds the rows that no update reads under its locks.
type side struct {
	sync.RWMutex
	tallies map[string][]float64
	blobs   map[string]Blob
	erased  map[string]int64
}

// shard is one lock and the rows of all kinds whose keys fall under it.
type shard struct {
	sync.RWMutex
	documents *table[Hash, documentRow]
	sources   map[string]*sourceRows
	receipts  map[ReceiptID]*Receipt
	users     map[string]*userRows
}

// documentRow is a Document without its key: a million of them must be cheap.
type documentRow struct {
	evidence *reputation.Record
	uses     int64
	lastUsed int64
}

func (r documentRow) document(h Hash) Document {
	return Document{Hash: h, Evidence: r.evidence, Uses: r.uses, LastUsed: r.lastUsed}
}

// sourceRows holds the aliases of one source in one shard. Few aliases have a
// previous text, so that is kept apart.
type sourceRows struct {
	rows     *table[string, aliasRow]
	previous map[string]Hash
}

type aliasRow struct {
	hash Hash
	seen int64
}

// row returns the row of an id with its hash, nil if there is none. The nil
// sourceRows has none.
func (s *sourceRows) row(id string, hash uint64) *aliasRow {
	if s == nil {
		return nil
	}
	return s.rows.find(id, hash)
}

func (s *sourceRows) alias(source, id string, r *aliasRow) Alias {
	return Alias{Source: source, ID: id, Hash: r.hash, Previous: s.previous[id], Seen: r.seen}
}

// lockSet is a set of shards.
type lockSet uint64

func (l *lockSet) add(i int) { *l |= 1 << i }

// addHash adds the shard of a text, unless h names none.
func (l *lockSet) addHash(h Hash) {
	if !h.IsZero() {
		l.add(hashShard(h))
	}
}

// lock locks the shards of a set, the lowest first.
func (sp *space) lock(l lockSet) {
	for ; l != 0; l &= l - 1 {
		sp.shards[bits.TrailingZeros64(uint64(l))].Lock()
	}
}

func (sp *space) rlock(l lockSet) {
	for ; l != 0; l &= l - 1 {
		sp.shards[bits.TrailingZeros64(uint64(l))].RLock()
	}
}

func (sp *space) runlock(l lockSet) {
	for ; l != 0; l &= l - 1 {
		sp.shards[bits.TrailingZeros64(uint64(l))].RUnlock()
	}
}

func (sp *space) unlock(l lockSet) {
	for ; l != 0; l &= l - 1 {
		sp.shards[bits.TrailingZeros64(uint64(l))].Unlock()
	}
}

// Documents and receipts are spread by the first bits of their keys, so that a
// listing by key can go from shard to shard.

func hashShard(h Hash) int         { return int(h[0] >> 2) }
func receiptShard(r ReceiptID) int { return int(r[0] >> 2) }

// Aliases and users are spread by the hash that their tables use, which take other
// bits of it.

func (sp *space) stringHash(s string) uint64 { return maphash.Comparable(sp.seed, s) }
func stringShard(hash uint64) int            { return int(hash % shardCount) }

func (sp *space) aliasShard(id string) int  { return stringShard(sp.stringHash(id)) }
func (sp *space) userShard(user string) int { return stringShard(sp.stringHash(user)) }
