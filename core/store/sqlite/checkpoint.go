package sqlite

import (
	"context"
	"os"
)

const (
	// logSize is the size at which the log is copied into the file, in bytes.
	logSize = 8 << 20
	// longLog is the size at which writers are stopped for it.
	longLog = 64 << 20
	// checkEvery is the number of transactions after which the size is looked at.
	checkEvery = 16
)

// maybeCheckpoint starts to copy the log into the file if it has grown.
func (s *Store) maybeCheckpoint() {
	if s.path == "" || s.written.Load()%checkEvery != 0 || s.logLength() < s.logSize {
		return
	}
	if s.copying.CompareAndSwap(false, true) {
		s.checkpoints.Go(func() {
			defer s.copying.Store(false)
			s.checkpoint(context.Background())
		})
	}
}

func (s *Store) logLength() int64 {
	info, err := os.Stat(s.path + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}

// checkpoint copies the log into the file next to running writers. The log then
// starts over with the next transaction, unless somebody reads or has written
// meanwhile; a log that grows on because of that is finished under the lock.
// Errors are of no consequence: the log holds everything, and the next
// checkpoint tries again.
func (s *Store) checkpoint(ctx context.Context) {
	_ = s.reading(ctx, func(c *conn) error { return passive(c) })
	if s.logLength() < s.longLog {
		return
	}
	if s.acquire(ctx) == nil {
		defer s.release()
		_ = passive(s.main)
	}
}

func passive(c *conn) error {
	var busy, log, copied int
	return c.c.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &log, &copied)
}

// truncateLog copies the log into the file and empties it, so that it does not
// hold what was erased. While others read or write it stays, and the next
// checkpoints overwrite it.
func (s *Store) truncateLog(ctx context.Context) {
	if s.path == "" || s.begin(ctx) != nil {
		return
	}
	defer s.end()
	if s.acquire(ctx) != nil {
		return
	}
	defer s.release()
	var busy, log, copied int
	_ = s.main.c.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &copied)
}
