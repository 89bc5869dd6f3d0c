package sqlite

import (
	"cmp"
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
		sweeps = append(sweeps, documentsExpired(ns, b.DocumentsBefore, "evidence IS NULL"))
	}
	if b.EvidenceBefore != 0 {
		sweeps = append(sweeps, documentsExpired(ns, b.EvidenceBefore, "evidence IS NOT NULL"))
	}
	if b.UsersBefore != 0 {
		sweeps = append(sweeps, usersExpired(ns, b.UsersBefore))
	}
	if b.TombstonesBefore != 0 {
		sweeps = append(sweeps, tombstonesExpired(ns, b.TombstonesBefore))
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
	// limit is the number of keys to a transaction, 0 for batchSize.
	limit int
	// remove deletes the rows of these keys that still match, and returns how
	// many.
	remove func(t *tx, keys [][]any) (int, error)
}

func (s *Store) sweep(ctx context.Context, sw sweep) (total int, err error) {
	limit := cmp.Or(sw.limit, batchSize)
	for {
		var keys [][]any
		err := s.read(ctx, func(c *conn) error {
			args := append(append(slices.Clone(sw.args), sw.after...), limit)
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
		if len(keys) < limit {
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

// documentsExpired removes documents, with or without evidence, that no alias names.
func documentsExpired(namespace, before int64, evidence string) sweep {
	old := "namespace = ? AND " + evidence + " AND last_used < ?" + unnamed
	return sweep{
		find: "SELECT hash FROM documents d WHERE " + old + " AND hash > ? ORDER BY hash LIMIT ?",
		args: []any{namespace, before}, after: []any{[]byte{}},
		remove: func(t *tx, keys [][]any) (total int, err error) {
			for _, k := range keys {
				if _, err := t.exec("DELETE FROM evidence WHERE id IN (SELECT evidence FROM documents d WHERE "+old+" AND hash = ?)", namespace, before, k[0]); err != nil {
					return 0, err
				}
				n, err := t.exec("DELETE FROM documents AS d WHERE "+old+" AND hash = ?", namespace, before, k[0])
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

// left is the condition on a user u that nothing of theirs was written since and
// nothing is theirs for good.
const left = ` AND NOT EXISTS (SELECT 1 FROM personal p WHERE p.user = u.id AND p.active = 1)
	AND NOT EXISTS (SELECT 1 FROM personal p WHERE p.user = u.id AND p.active = 0 AND p.updated >= ?)
	AND NOT EXISTS (SELECT 1 FROM receipts r WHERE r.user = u.id)`

func usersExpired(namespace, before int64) sweep {
	return sweep{
		find: "SELECT name FROM users u WHERE namespace = ?" + left + " AND name > ? ORDER BY name LIMIT ?",
		args: []any{namespace, before}, after: []any{[]byte{}}, limit: 16, // each may have thousands of rows
		remove: func(t *tx, keys [][]any) (total int, err error) {
			for _, k := range keys {
				n, err := t.expireUser(namespace, k[0].([]byte), before)
				if err != nil {
					return 0, err
				}
				total += n
			}
			return total, nil
		},
	}
}

func (t *tx) expireUser(namespace int64, name []byte, before int64) (n int, err error) {
	var user, sequence int64
	found, err := t.one("SELECT id, sequence FROM users u WHERE namespace = ?"+left+" AND name = ?", []any{namespace, before, name}, &user, &sequence)
	if !found || err != nil {
		return 0, err
	}
	if _, err := t.exec("DELETE FROM texts WHERE id IN (SELECT text FROM personal WHERE user = ?)", user); err != nil {
		return 0, err
	}
	if n, err = t.exec("DELETE FROM personal WHERE user = ?", user); err != nil {
		return 0, err
	}
	if sequence != 0 {
		n++
	}
	_, err = t.exec("DELETE FROM users WHERE id = ?", user)
	t.after(func(c *cache) { c.names.remove(nameKey{users, namespace, string(name)}) })
	return n, err
}

func tombstonesExpired(namespace, before int64) sweep {
	return sweep{
		find: "SELECT actor FROM tombstones WHERE namespace = ? AND erased < ? AND actor > ? ORDER BY actor LIMIT ?",
		args: []any{namespace, before}, after: []any{[]byte{}},
		remove: func(t *tx, keys [][]any) (total int, err error) {
			for _, k := range keys {
				n, err := t.exec("DELETE FROM tombstones WHERE namespace = ? AND actor = ? AND erased < ?", namespace, k[0], before)
				if err != nil {
					return 0, err
				}
				total += n
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
