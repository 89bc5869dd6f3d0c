package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/repute-go/repute/core/store"
)

// Erase implements [store.Store]. The tombstone is written first, then the rows
// are looked through on a reading connection and rewritten in transactions of a
// few hundred. What is removed is overwritten in the file; the log is emptied at
// the end unless somebody is reading it.
func (s *Store) Erase(ctx context.Context, namespace string, e store.Erasure) (int, error) {
	if err := e.Validate(); err != nil {
		return 0, err
	}
	run := &erasing{s: s, e: &e}
	if err := s.write(ctx, synced, func(t *tx) error { return run.bury(t, namespace) }); err != nil {
		return 0, err
	}
	steps := []func(context.Context) error{run.receipts, run.evidence}
	switch {
	case e.User != "":
		steps = []func(context.Context) error{run.user, run.receipts, run.evidence}
	case !e.Document.IsZero():
		// While a receipt names the text, an update makes its row anew, and whoever
		// repeats an erasure that was cut short finds the personal rows by it.
		steps = []func(context.Context) error{run.personal, run.receipts, run.document, run.personal}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return run.n, err
		}
	}
	s.truncateLog(ctx)
	return run.n, s.flush(ctx)
}

// erasing is an erasure under way.
type erasing struct {
	s         *Store
	e         *store.Erasure
	namespace int64
	n         int // rows changed or removed
}

// write runs f in a transaction and counts the rows it says.
func (r *erasing) write(ctx context.Context, f func(*tx) (int, error)) error {
	n := 0
	err := r.s.write(ctx, appended, func(t *tx) (err error) {
		n, err = f(t)
		return err
	})
	if err == nil {
		r.n += n
	}
	return err
}

// bury leaves the tombstone and removes tallies.
func (r *erasing) bury(t *tx, namespace string) (err error) {
	r.n = 0
	if r.namespace, err = t.makeNamespace(namespace); err != nil {
		return err
	}
	_, err = t.exec("INSERT INTO tombstones (namespace, actor, erased) VALUES (?, ?, ?)"+
		" ON CONFLICT (namespace, actor) DO UPDATE SET erased = max(erased, excluded.erased)",
		r.namespace, blob(r.e.Actor()), r.e.Now)
	if err != nil {
		return err
	}
	for _, name := range r.e.Tallies {
		n, err := t.exec("DELETE FROM tallies WHERE namespace = ? AND name = ?", r.namespace, blob(name))
		if err != nil {
			return err
		}
		r.n += n
	}
	return nil
}

// user removes a user's rows in batches, and the user at the end.
func (r *erasing) user(ctx context.Context) error {
	for more := true; more; {
		err := r.write(ctx, func(t *tx) (n int, err error) {
			n, more, err = t.eraseUser(r.namespace, r.e.User)
			return n, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eraseUser removes up to a batch of the rows of a user and reports whether there
// may be more.
func (t *tx) eraseUser(namespace int64, name string) (n int, more bool, err error) {
	user, err := t.number(users, namespace, name)
	if user == 0 || err != nil {
		return 0, false, err
	}
	rows, err := list(t.conn, pageOfPersonal, []any{user, []byte{}, batchSize}, scanPersonal)
	if err != nil {
		return 0, false, err
	}
	for _, p := range rows {
		if err := t.deletePersonal(user, p); err != nil {
			return 0, false, err
		}
	}
	if _, err := t.exec("UPDATE users SET entries = entries - ? WHERE id = ?", len(rows), user); err != nil {
		return 0, false, err
	}
	receipts, err := t.exec("DELETE FROM receipts WHERE id IN (SELECT id FROM receipts INDEXED BY receipts_user WHERE user = ? LIMIT ?)", user, batchSize)
	if err != nil {
		return 0, false, err
	}
	t.recount(namespace)
	if n = len(rows) + receipts; n > 0 {
		return n, true, nil
	}
	if _, err = t.exec("DELETE FROM users WHERE id = ?", user); err != nil {
		return 0, false, err
	}
	t.after(func(c *cache) { c.names.remove(nameKey{users, namespace, name}) })
	return 0, false, nil
}

// receipts rewrites the receipts that the erasure changes.
func (r *erasing) receipts(ctx context.Context) error {
	return r.rewrite(ctx, pageOfReceipts, func(sr *sql.Rows) (hit, error) {
		rc, err := scanReceipt(sr)
		if err != nil {
			return hit{}, err
		}
		_, keep, changed := r.e.Apply(&rc)
		return hit{key: rc.ID[:], changed: keep && changed}, nil
	}, func(t *tx, key []byte) (int, error) {
		rc, row, err := t.receipt(r.namespace, store.ReceiptID(key))
		if row == 0 || err != nil {
			return 0, ignoreUnknown(err)
		}
		out, keep, changed := r.e.Apply(rc)
		if !keep || !changed {
			return 0, nil
		}
		body, err := encode(*out)
		if err != nil {
			return 0, err
		}
		return t.exec("UPDATE receipts SET body = ? WHERE id = ?", body, row)
	})
}

// evidence rewrites the evidence that the erasure changes.
func (r *erasing) evidence(ctx context.Context) error {
	return r.rewrite(ctx, pageOfDocuments, func(sr *sql.Rows) (hit, error) {
		h, row, err := scanDocument(sr)
		if err != nil || row.evidence == nil {
			return hit{key: h[:]}, err
		}
		_, changed := r.e.ApplyRecord(row.evidence)
		return hit{key: h[:], changed: changed}, nil
	}, func(t *tx, key []byte) (n int, err error) {
		h := store.Hash(key)
		var old documentRow
		err = t.documents(r.namespace, []store.Hash{h}, func(_ store.Hash, row documentRow) { old = row })
		if old.evidence == nil || err != nil {
			return 0, err
		}
		evidence, changed := r.e.ApplyRecord(old.evidence)
		if !changed {
			return 0, nil
		}
		return 1, t.putEvidence(r.namespace, h, old, evidence)
	})
}

// hit is a row that was looked at, and whether the erasure changes it.
type hit struct {
	key     []byte
	changed bool
}

// rewrite pages through rows and changes those that look like it, each in its
// newest form.
func (r *erasing) rewrite(ctx context.Context, query string, look func(*sql.Rows) (hit, error), change func(*tx, []byte) (int, error)) error {
	for after := []byte{}; ; {
		var seen []hit
		err := r.s.read(ctx, func(c *conn) (err error) {
			seen, err = list(c, query, []any{r.namespace, after, batchSize}, look)
			return err
		})
		if len(seen) == 0 || err != nil {
			return err
		}
		if err := r.changeHits(ctx, seen, change); err != nil {
			return err
		}
		if after = seen[len(seen)-1].key; len(seen) < batchSize {
			return nil
		}
	}
}

func (r *erasing) changeHits(ctx context.Context, seen []hit, change func(*tx, []byte) (int, error)) error {
	var keys [][]byte
	for _, h := range seen {
		if h.changed {
			keys = append(keys, h.key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return r.write(ctx, func(t *tx) (total int, err error) {
		for _, key := range keys {
			n, err := change(t, key)
			if err != nil {
				return 0, err
			}
			total += n
		}
		return total, nil
	})
}

// document removes the row of a text, its aliases and the mention of it in
// others.
func (r *erasing) document(ctx context.Context) error {
	h := r.e.Document
	return r.write(ctx, func(t *tx) (n int, err error) {
		var old documentRow
		if err := t.documents(r.namespace, []store.Hash{h}, func(_ store.Hash, row documentRow) { old = row }); err != nil {
			return 0, err
		}
		if _, err := t.putEvidenceBody(old.body, nil); err != nil {
			return 0, err
		}
		const ours = " AND source IN (SELECT id FROM sources WHERE namespace = ?)"
		for _, query := range []string{
			"DELETE FROM documents WHERE hash = ? AND namespace = ?",
			"DELETE FROM aliases WHERE hash = ?" + ours,
			"UPDATE aliases SET previous = NULL WHERE previous = ?" + ours,
		} {
			m, err := t.exec(query, h[:], r.namespace)
			if err != nil {
				return 0, err
			}
			n += m
		}
		t.after((*cache).clear)
		return n, nil
	})
}

// personal removes personal rows of every user of the namespace.
func (r *erasing) personal(ctx context.Context) error {
	if len(r.e.Personal) == 0 {
		return nil
	}
	for after := ""; ; {
		var names []string
		err := r.s.read(ctx, func(c *conn) (err error) {
			names, err = list(c, pageOfUsers, []any{r.namespace, blob(after), batchSize}, scanName)
			return err
		})
		if len(names) == 0 || err != nil {
			return err
		}
		if err := r.write(ctx, func(t *tx) (int, error) { return t.erasePersonal(r.namespace, names, r.e.Personal) }); err != nil {
			return err
		}
		after = names[len(names)-1]
	}
}

func (t *tx) erasePersonal(namespace int64, names, documents []string) (total int, err error) {
	changes := make([]store.PersonalChange, len(documents))
	for i, d := range documents {
		changes[i] = store.PersonalChange{Personal: store.Personal{Document: d}, Delete: true}
	}
	for _, name := range names {
		user, err := t.number(users, namespace, name)
		if err != nil {
			return 0, err
		}
		n := 0
		if err := t.rows.personal(user, documents, func(personalRow) { n++ }); err != nil {
			return 0, err
		}
		if n == 0 {
			continue
		}
		if err := t.changePersonal(user, changes); err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// ignoreUnknown drops the error of a receipt that is gone.
func ignoreUnknown(err error) error {
	if errors.Is(err, store.ErrUnknownReceipt) {
		return nil
	}
	return err
}
