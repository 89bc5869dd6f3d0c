package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/repute-go/repute/core/store"
)

// batchSize is the number of rows that one transaction of a clean-up or an import
// touches.
const batchSize = 256

// Expire implements [store.Store]. It looks for rows on a reading connection and
// removes them in transactions of a few hundred, each looked at again.
func (s *Store) Expire(ctx context.Context, namespace string, b store.Bounds) (total int, err error) {
	var ns int64
	var ids []int64
	err = s.read(ctx, func(c *conn) error {
		if ns, err = uncached(c).namespace(namespace); ns == 0 || err != nil {
			return err
		}
		ids, err = list(c, "SELECT id FROM sources WHERE namespace = ? ORDER BY id", []any{ns}, scanID)
		return err
	})
	if ns == 0 || err != nil {
		return 0, err
	}
	sweeps := []sweep{receiptsExpired(ns, b.Now)}
	if b.AliasesBefore != 0 {
		for _, id := range ids {
			sweeps = append(sweeps, aliasesExpired(id, b.AliasesBefore))
		}
	}
	if b.DocumentsBefore != 0 {
		sweeps = append(sweeps, documentsExpired(ns, b.DocumentsBefore))
	}
	for _, sw := range sweeps {
		n, err := s.sweep(ctx, sw)
		total += n
		if err != nil {
			return total, err
		}
	}
	n, err := s.boundTallies(ctx, ns, b.MaxTallies)
	if total += n; err != nil {
		return total, err
	}
	return total, s.flush(ctx)
}

func scanID(sr *sql.Rows) (id int64, err error) {
	err = sr.Scan(&id)
	return id, err
}

// sweep removes rows that match.
type sweep struct {
	// find reads the keys of up to batchSize matching rows after a key; after is
	// nil for the first.
	find  string
	args  []any
	after []any
	// remove deletes the rows of these keys that still match, and returns how
	// many.
	remove func(t *tx, keys [][]any) (int, error)
}

func (s *Store) sweep(ctx context.Context, sw sweep) (total int, err error) {
	for {
		var keys [][]any
		err := s.read(ctx, func(c *conn) error {
			args := append(append(slices.Clone(sw.args), sw.after...), batchSize)
			keys, err = list(c, sw.find, args, func(sr *sql.Rows) ([]any, error) { return scanKey(sr, len(sw.after)) })
			return err
		})
		if len(keys) == 0 || err != nil {
			return total, err
		}
		n := 0
		err = s.write(ctx, appended, func(t *tx) error {
			n, err = sw.remove(t, keys)
			return err
		})
		if err != nil {
			return total, err
		}
		total += n
		sw.after = keys[len(keys)-1]
		if len(keys) < batchSize {
			return total, nil
		}
	}
}

// scanKey reads a key of so many columns.
func scanKey(sr *sql.Rows, n int) ([]any, error) {
	key := make([]any, n)
	dest := make([]any, n)
	for i := range key {
		dest[i] = &key[i]
	}
	err := sr.Scan(dest...)
	return key, err
}

func receiptsExpired(namespace, now int64) sweep {
	return sweep{
		find: "SELECT created, receipt FROM receipts INDEXED BY receipts_age WHERE namespace = ?1 AND expires <= ?2" +
			" AND (created, receipt) > (?3, ?4) ORDER BY created, receipt LIMIT ?5",
		args: []any{namespace, now}, after: []any{int64(-1 << 63), []byte{}},
		remove: func(t *tx, keys [][]any) (total int, err error) {
			for _, k := range keys {
				n, err := t.exec("DELETE FROM receipts WHERE namespace = ? AND receipt = ? AND expires <= ?", namespace, k[1], now)
				if err != nil {
					return 0, err
				}
				total += n
			}
			t.recount(namespace)
			return total, nil
		},
	}
}

func aliasesExpired(source, before int64) sweep {
	return sweep{
		find: "SELECT id FROM aliases WHERE source = ? AND seen < ? AND id > ? ORDER BY id LIMIT ?",
		args: []any{source, before}, after: []any{[]byte{}},
		remove: func(t *tx, keys [][]any) (total int, err error) {
			for _, k := range keys {
				n, err := t.exec("DELETE FROM aliases WHERE source = ? AND id = ? AND seen < ?", source, k[0], before)
				if err != nil {
					return 0, err
				}
				if total += n; n > 0 {
					t.after(func(c *cache) { c.aliases.remove(aliasKey{source, string(k[0].([]byte))}) })
				}
			}
			return total, nil
		},
	}
}

// unnamed is the condition on a document d that no alias names it.
const unnamed = ` AND NOT EXISTS (SELECT 1 FROM aliases a JOIN sources s ON s.id = a.source WHERE a.hash = d.hash AND s.namespace = d.namespace)
	AND NOT EXISTS (SELECT 1 FROM aliases a JOIN sources s ON s.id = a.source WHERE a.previous = d.hash AND s.namespace = d.namespace)`

func documentsExpired(namespace, before int64) sweep {
	return sweep{
		find: "SELECT hash FROM documents d WHERE namespace = ? AND evidence IS NULL AND last_used < ?" + unnamed +
			" AND hash > ? ORDER BY hash LIMIT ?",
		args: []any{namespace, before}, after: []any{[]byte{}},
		remove: func(t *tx, keys [][]any) (total int, err error) {
			for _, k := range keys {
				n, err := t.exec("DELETE FROM documents AS d WHERE namespace = ? AND hash = ? AND evidence IS NULL AND last_used < ?"+unnamed, namespace, k[0], before)
				if err != nil {
					return 0, err
				}
				if total += n; n > 0 {
					t.after(func(c *cache) { c.documents.remove(documentKey{namespace, store.Hash(k[0].([]byte))}) })
				}
			}
			return total, nil
		},
	}
}

// boundTallies removes the smallest tallies of every prefix above its bound.
func (s *Store) boundTallies(ctx context.Context, namespace int64, bounds map[string]int) (total int, err error) {
	for prefix, limit := range bounds {
		n := 0
		err := s.write(ctx, appended, func(t *tx) error {
			n, err = t.boundTallies(namespace, prefix, limit)
			return err
		})
		if err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}

func (t *tx) boundTallies(namespace int64, prefix string, limit int) (int, error) {
	query, args := prefixed(pageOfTallies, prefix, store.Page{})
	args[len(args)-1] = -1 // no limit
	tallies, err := list(t.conn, query, append([]any{namespace}, args...), scanTally)
	if err != nil {
		return 0, err
	}
	excess := store.ExcessTallies(tallies, limit)
	for _, x := range excess {
		if _, err := t.exec("DELETE FROM tallies WHERE namespace = ? AND name = ?", namespace, blob(x.Name)); err != nil {
			return 0, err
		}
	}
	return len(excess), nil
}
