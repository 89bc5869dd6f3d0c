package sqlite

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// ErrUnconfirmed says that an operation was written and can be seen, but that
// the disk reported an error when it was asked to keep it. The operation can be
// repeated.
var ErrUnconfirmed = errors.New("sqlite: written, but not confirmed by the disk")

// syncer forces the log to the disk. Calls that come while one is under way
// share the next.
//
// The system may report a lost write once and then forget it, so that the next sync
// succeeds although what was lost still is. After a failure nothing is therefore
// confirmed until the log was copied into the file and emptied, which writes and
// syncs everything anew, or until the file is opened again.
type syncer struct {
	file *os.File // the log
	none bool     // there is no log: the database is in memory
	err  error    // why the log could not be opened

	mu      sync.Mutex
	done    *sync.Cond
	running bool
	safe    uint64 // transactions known to be on the disk
	syncs   int
	failed  error        // the failure since which nothing is confirmed
	force   func() error // syncs the file
}

// open opens the log, which SQLite makes before the first commit and keeps as
// long as a connection is open.
//
// A log that cannot be opened belongs to a file that cannot be written. Should a
// write succeed nevertheless, sync says so.
func (s *syncer) open(path string) {
	s.done = sync.NewCond(&s.mu)
	s.file, s.err = os.OpenFile(path, os.O_RDWR, 0)
	s.force = s.file.Sync
}

func (s *syncer) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// sync returns when every transaction counted in written before the call is on
// the disk.
func (s *syncer) sync(written *atomic.Uint64) error {
	switch {
	case s.none:
		return nil
	case s.err != nil:
		return fmt.Errorf("%w: %w", ErrUnconfirmed, s.err)
	}
	mine := written.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.safe < mine {
		if s.running {
			s.done.Wait()
			continue
		}
		if s.failed == nil {
			s.lead(written)
		}
		if s.failed != nil {
			return fmt.Errorf("%w: %w", ErrUnconfirmed, s.failed)
		}
	}
	return nil
}

// lead syncs for everybody who has written by now. It is called with the lock
// held and drops it meanwhile.
func (s *syncer) lead(written *atomic.Uint64) {
	s.running = true
	upTo := written.Load()
	s.mu.Unlock()
	err := s.force()
	s.mu.Lock()
	s.running = false
	s.syncs++
	s.done.Broadcast()
	if s.failed = err; err == nil {
		s.safe = max(s.safe, upTo)
	}
}

// broken reports whether nothing is confirmed.
func (s *syncer) broken() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed != nil
}

// renewed says that so many transactions are in the file itself, and on the disk.
func (s *syncer) renewed(upTo uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = nil
	s.safe = max(s.safe, upTo)
}
