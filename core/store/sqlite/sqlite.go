// Package sqlite keeps the state of engines in one SQLite file, by the pure-Go
// driver modernc.org/sqlite.
//
// # Durability
//
// The file is in WAL mode. Every operation is one transaction: it is there whole
// or not at all, also after the process was killed. What differs is when the disk
// has it:
//
//   - Update, Add, PutBlob, SwapBlob, DeleteBlob, Expire, Erase and Import return when the
//     log is synced. Concurrent calls share a sync; each causes one at most.
//   - Record, the write of a retrieval, is appended to the log without a sync. A
//     killed process loses nothing; a power failure may lose the receipts of the
//     last moments. Whatever an Update has returned for is safe together with
//     everything written before it.
//
// The log is copied into the file in the background, so that neither a retrieval
// nor feedback waits for it.
//
// # Several processes
//
// Any number of stores, in one process or several on one machine, may use one
// file. Writers wait for each other, at most Options.BusyTimeout, then an
// operation fails with [store.ErrConflict] and can be tried again. Do not put
// the file on a network share, and do not open and close it with other code in
// the same process: POSIX drops the locks of a file when any of its descriptors
// is closed.
//
// # Bounds
//
// Decoded rows are cached within Options.CacheBytes; the cache is dropped when
// another store has written to the file. What the file holds is bounded by the
// engine's limits, see package store. Deleted rows leave room that is used
// again; the file does not shrink by itself.
//
// A file is made readable for its owner only. What is removed or replaced is
// overwritten in the file; Erase sees to it that the log does not hold it either.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/repute-go/repute/core/store"
)

// Options configures a [Store]. The zero value works.
type Options struct {
	// CacheBytes bounds the cache of decoded rows, roughly. 0 means 64 MiB.
	CacheBytes int
	// BusyTimeout is how long an operation waits for other processes' writes. 0
	// means 10 seconds.
	BusyTimeout time.Duration
	// ReadOnly opens an existing file without writing to it. Every write fails
	// with store.ErrReadOnly.
	ReadOnly bool
}

func (o Options) validate() error {
	if o.CacheBytes < 0 || o.BusyTimeout < 0 {
		return fmt.Errorf("%w: sqlite: negative option", store.ErrInvalid)
	}
	return nil
}

func (o Options) withDefaults() Options {
	if o.CacheBytes == 0 {
		o.CacheBytes = 64 << 20
	}
	if o.BusyTimeout == 0 {
		o.BusyTimeout = 10 * time.Second
	}
	return o
}

// Store is a store in an SQLite file. It is safe for concurrent use. Make one
// with [Open].
//
// All writes and most loads go through one connection under a lock that is held
// for some hundred microseconds, so that its page cache and the cache of decoded
// rows stay valid. Listings, and loads that would wait too long, go through a
// small pool of reading connections.
type Store struct {
	opts Options
	path string // empty for a database in memory
	// immutable says that nobody can write the file while it is read.
	immutable bool
	db        *sql.DB

	lock    chan struct{} // holds main, cache and counts
	main    *conn
	cache   *cache
	counts  map[int64]*count
	readers chan *conn // empty for a database in memory

	written atomic.Uint64 // transactions committed
	syncer  syncer

	checkpoints      sync.WaitGroup
	copying          atomic.Bool
	mustEmpty        atomic.Bool   // the log holds what was erased, or what a sync lost
	copiedLength     atomic.Int64  // of the log when it was last copied
	copiedWritten    atomic.Uint64 // transactions before that
	logSize, longLog int64         // as the constants; smaller in tests

	closing sync.RWMutex // held for reading by every operation
	closed  bool
}

var _ store.Store = (*Store)(nil)

// Close waits for running operations, copies the log into the file and closes
// it.
func (s *Store) Close() error {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.checkpoints.Wait()
	return failed("close", s.disconnect())
}

// disconnect closes the connections. The last one of all processes copies the
// log into the file and removes it.
func (s *Store) disconnect() error {
	errs := []error{s.syncer.close()}
	close(s.readers)
	for r := range s.readers {
		errs = append(errs, r.close())
	}
	if s.main != nil {
		errs = append(errs, s.main.close())
	}
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	return errors.Join(errs...)
}

// begin starts an operation; end ends it.
func (s *Store) begin(ctx context.Context) error {
	s.closing.RLock()
	if s.closed {
		s.closing.RUnlock()
		return store.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		s.closing.RUnlock()
		return err
	}
	return nil
}

func (s *Store) end() { s.closing.RUnlock() }
