package sqlite

import (
	"context"
	"os"
)

const (
	// logSize is the length of the log, in bytes, from which on it is copied into
	// the file whenever it has grown.
	logSize = 8 << 20
	// longLog is the length at which writers are stopped for it.
	longLog = 64 << 20
	// copyEvery is the number of transactions after which the log is copied
	// anyway: started over, it is no longer than before until it has been filled
	// again.
	copyEvery = 1024
	// checkEvery is the number of transactions after which this is looked at.
	checkEvery = 16
)

// maybeCheckpoint starts to copy the log into the file if it is time.
func (s *Store) maybeCheckpoint() {
	written := s.written.Load()
	if s.path == "" || !s.due(written) {
		return
	}
	if s.copying.CompareAndSwap(false, true) {
		s.checkpoints.Go(func() {
			defer s.copying.Store(false)
			s.checkpoint(context.Background())
			s.copiedLength.Store(s.logLength())
			s.copiedWritten.Store(written)
		})
	}
}

// due reports whether it is time to copy the log. While nothing is confirmed, it is
// after every transaction.
func (s *Store) due(written uint64) bool {
	switch {
	case s.syncer.broken():
		return true
	case written%checkEvery != 0:
		return false
	case s.mustEmpty.Load():
		return true
	}
	grown := s.logLength() > max(s.logSize, s.copiedLength.Load())
	return grown || written-s.copiedWritten.Load() >= copyEvery
}

// logLength is the length of the file that holds the log. It does not shrink when
// the log starts over.
func (s *Store) logLength() int64 {
	info, err := os.Stat(s.path + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}

// checkpoint copies the log into the file next to running writers. The log then
// starts over with the next transaction, unless somebody reads or has written
// meanwhile; a log that gets long because of that is finished under the lock.
// Errors are of no consequence: the log holds everything, and the next
// checkpoint tries again.
func (s *Store) checkpoint(ctx context.Context) {
	if s.mustEmpty.Load() {
		s.emptyLog(ctx)
		return
	}
	var pages, size int64
	_ = s.reading(ctx, func(c *conn) (err error) {
		if _, err = c.one("PRAGMA page_size", nil, &size); err == nil {
			pages, err = passive(c)
		}
		return err
	})
	if pages*size < s.longLog || s.acquire(ctx) != nil {
		return
	}
	defer s.release()
	_, _ = passive(s.main)
}

// passive copies what it can without waiting and returns the length of the log in
// pages.
func passive(c *conn) (pages int64, err error) {
	var busy, copied int64
	err = c.c.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &pages, &copied)
	return pages, err
}

// truncateLog empties the log, so that it does not hold what was erased. While others
// read or write it stays, and the next checkpoints try again.
func (s *Store) truncateLog(ctx context.Context) {
	if s.path == "" || s.begin(ctx) != nil {
		return
	}
	defer s.end()
	s.mustEmpty.Store(true)
	s.emptyLog(ctx)
}

// emptyLog copies the log into the file and empties it, unless others read or write.
func (s *Store) emptyLog(ctx context.Context) {
	if s.acquire(ctx) != nil {
		return
	}
	defer s.release()
	upTo := s.written.Load()
	var busy, log, copied int
	err := s.main.c.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &copied)
	if err != nil || busy != 0 {
		return
	}
	s.mustEmpty.Store(false)
	s.copiedLength.Store(0)
	s.syncer.renewed(upTo)
}
