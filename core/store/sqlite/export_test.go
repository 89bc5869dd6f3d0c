package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// LimitPages makes the disk full once the file has so many pages; 0 lifts it.
func (s *Store) LimitPages(n int) error {
	if err := s.acquire(context.Background()); err != nil {
		return err
	}
	defer s.release()
	if n == 0 {
		n = 1 << 30
	}
	return s.set(fmt.Sprintf("PRAGMA max_page_count = %d", n))
}

// Syncs is the number of times the log was forced to the disk.
func (s *Store) Syncs() int {
	s.syncer.mu.Lock()
	defer s.syncer.mu.Unlock()
	return s.syncer.syncs
}

// OnSync runs hook instead of the sync of the log, which it gets. It must be called
// while nobody writes.
func (s *Store) OnSync(hook func(sync func() error) error) {
	sync := s.syncer.force
	s.syncer.force = func() error { return hook(sync) }
}

// Written is the number of transactions.
func (s *Store) Written() uint64 { return s.written.Load() }

// WaitForCheckpoints returns when no checkpoint runs.
func (s *Store) WaitForCheckpoints() { s.checkpoints.Wait() }

// BreakSync makes the disk refuse to confirm anything.
func (s *Store) BreakSync() error { return s.syncer.file.Close() }

// Reading begins a read that lasts until the function returned is called.
func (s *Store) Reading(t testing.TB) (release func()) {
	c := <-s.readers
	for _, q := range []string{"BEGIN", "SELECT count(*) FROM receipts"} {
		if _, err := c.c.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		if _, err := c.c.ExecContext(t.Context(), "COMMIT"); err != nil {
			t.Error(err)
		}
		s.readers <- c
	}
}

// Pages is the size of the file in pages.
func (s *Store) Pages() (n int, err error) {
	err = s.read(context.Background(), func(c *conn) error {
		_, err := c.one("PRAGMA page_count", nil, &n)
		return err
	})
	return n, err
}

// LimitLog makes the log short. It must be called before the first write.
func (s *Store) LimitLog(size int64) { s.logSize, s.longLog = size, 2*size }

// LogLength is the length of the log in bytes.
func (s *Store) LogLength() int64 { return s.logLength() }

// Scans returns those of the statements prepared so far that read a whole table
// or sort.
func (s *Store) Scans() (out []string, err error) {
	if err := s.acquire(context.Background()); err != nil {
		return nil, err
	}
	defer s.release()
	var queries []string
	for q := range s.main.statements {
		queries = append(queries, q)
	}
	for range cap(s.readers) {
		r := <-s.readers
		for q := range r.statements {
			queries = append(queries, q)
		}
		s.readers <- r
	}
	slices.Sort(queries)
	for _, q := range slices.Compact(queries) {
		plan, err := s.plan(q)
		if err != nil {
			return nil, err
		}
		plan = strings.NewReplacer("SCAN CONSTANT ROW", "").Replace(plan)
		if strings.Contains(plan, "SCAN") && !strings.Contains(plan, "VALUES CLAUSE") || strings.Contains(plan, "TEMP B-TREE") {
			out = append(out, q+"\n"+plan)
		}
	}
	return out, nil
}

func (s *Store) plan(query string) (string, error) {
	if strings.HasPrefix(query, "PRAGMA") || strings.HasPrefix(query, "BEGIN") || query == "COMMIT" || query == "ROLLBACK" {
		return "", nil
	}
	args := make([]any, strings.Count(query, "?"))
	rows, err := s.main.c.QueryContext(context.Background(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		return "", fmt.Errorf("%s: %w", query, err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			return "", err
		}
		plan.WriteString(detail + "\n")
	}
	return plan.String(), rows.Err()
}
