package sqlite

import (
	"context"
	"math/rand/v2"
	"time"
)

// durability says whether an operation waits for the disk.
type durability bool

const (
	appended durability = false // in the log: survives the process
	synced   durability = true  // on the disk: survives a power failure
)

// write runs f in a transaction. While another process writes, it waits and
// tries again. An error of f rolls back and is returned.
func (s *Store) write(ctx context.Context, d durability, f func(*tx) error) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.end()
	err := s.persist(ctx, func() error {
		if err := s.acquire(ctx); err != nil {
			return err
		}
		defer s.release()
		return s.transact(f)
	})
	if err != nil {
		return failed("write", err)
	}
	s.maybeCheckpoint()
	if d == synced {
		return s.sync()
	}
	return nil
}

// sync returns when the disk has what was written so far.
func (s *Store) sync() error {
	err := s.syncer.sync(&s.written)
	if err != nil && s.syncer.broken() {
		s.mustEmpty.Store(true)
		s.maybeCheckpoint()
	}
	return err
}

// flush is sync as the end of an operation of several transactions.
func (s *Store) flush(ctx context.Context) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.end()
	return s.sync()
}

// persist repeats f while another process holds the lock it needs.
func (s *Store) persist(ctx context.Context, f func() error) error {
	deadline := time.Now().Add(s.opts.BusyTimeout)
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		err := f()
		if c := code(err); c != codeBusy && c != codeLocked {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait/2 + rand.N(wait)):
		}
	}
}

// acquire takes the lock of the main connection.
func (s *Store) acquire(ctx context.Context) error {
	select {
	case s.lock <- struct{}{}:
		return nil
	default:
	}
	select {
	case s.lock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// acquireWithin takes the lock if that takes no longer than d.
func (s *Store) acquireWithin(ctx context.Context, d time.Duration) bool {
	select {
	case s.lock <- struct{}{}:
		return true
	default:
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case s.lock <- struct{}{}:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

func (s *Store) release() { <-s.lock }

// transact runs f in one transaction, under the lock.
func (s *Store) transact(f func(*tx) error) (err error) {
	if _, err := s.main.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	t := &tx{s: s, rows: rows{conn: s.main, cache: s.cache}}
	done := false
	defer func() {
		if done {
			return
		}
		s.rollback() // an error, or f panicked
		if t.wrote {
			s.forget()
		}
	}()
	if err := s.refresh(); err != nil {
		return err
	}
	if err := f(t); err != nil {
		return err
	}
	if _, err := s.main.exec("COMMIT"); err != nil {
		return err
	}
	done = true
	s.written.Add(1)
	for _, change := range t.committed {
		change(s.cache)
	}
	return nil
}

// rollback ends a transaction that failed. SQLite may have ended it already.
func (s *Store) rollback() { _, _ = s.main.exec("ROLLBACK") }

// refresh drops what is cached if another connection has written to the file.
// What this connection writes does not change data_version.
func (s *Store) refresh() error {
	var version int64
	if _, err := s.main.one("PRAGMA data_version", nil, &version); err != nil {
		return err
	}
	if version != s.cache.version {
		s.forget()
		s.cache.version = version
	}
	return nil
}

// forget drops what is cached.
func (s *Store) forget() {
	s.cache.clear()
	for _, c := range s.counts {
		c.stale = true
	}
}

// read runs f on a reading connection, outside the lock; f must not use the
// cache. A database in memory has one connection only.
func (s *Store) read(ctx context.Context, f func(*conn) error) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.end()
	return s.reading(ctx, f)
}

func (s *Store) reading(ctx context.Context, f func(*conn) error) error {
	if s.path == "" {
		if err := s.acquire(ctx); err != nil {
			return err
		}
		defer s.release()
		return failed("read", f(s.main))
	}
	select {
	case c := <-s.readers:
		defer func() { s.readers <- c }()
		return failed("read", f(c))
	case <-ctx.Done():
		return ctx.Err()
	}
}
