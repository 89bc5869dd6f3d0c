package sqlite

import (
	"context"
	"errors"
	"io"

	"github.com/repute-go/repute/core/store"
)

// importBytes is how much an import reads before it writes a batch, roughly.
const importBytes = 1 << 20

// Import implements [store.Store]. It writes in transactions of a few hundred
// rows.
func (s *Store) Import(ctx context.Context, namespace string, r io.Reader) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	s.end() // every batch is an operation of its own
	in, err := store.NewReader(r)
	if err != nil {
		return err
	}
	for {
		batch, end := readBatch(in)
		if len(batch) > 0 {
			err := s.write(ctx, appended, func(t *tx) error { return t.restore(namespace, batch) })
			if err != nil {
				return err
			}
		}
		if errors.Is(end, io.EOF) {
			return s.flush(ctx)
		}
		if end != nil {
			return end
		}
	}
}

// readBatch reads rows until there are enough for a transaction. The error says
// why there are no more: io.EOF at the end.
func readBatch(in *store.Reader) (batch []store.Row, err error) {
	for start := in.Offset(); len(batch) < batchSize && in.Offset()-start < importBytes; {
		row, err := in.Next()
		if err != nil {
			return batch, err
		}
		if err := store.ValidateRow(row); err != nil {
			return batch, err
		}
		batch = append(batch, row)
	}
	return batch, nil
}

// restore writes rows as they are, documents and aliases in groups.
func (t *tx) restore(namespace string, batch []store.Row) error {
	ns, err := t.makeNamespace(namespace)
	if err != nil {
		return err
	}
	var documents []store.Document
	aliases := make(map[string][]store.Alias)
	for _, r := range batch {
		switch r := r.(type) {
		case store.Document:
			documents = append(documents, r)
		case store.Alias:
			aliases[r.Source] = append(aliases[r.Source], r)
		default:
			if err := t.restoreRow(ns, r); err != nil {
				return err
			}
		}
	}
	for source, group := range aliases {
		id, err := t.makeNumber(sources, ns, source)
		if err != nil {
			return err
		}
		if err := t.putAliases(id, group); err != nil {
			return err
		}
	}
	t.recount(ns)
	t.after((*cache).clear)
	return t.restoreDocuments(ns, documents)
}

// restoreDocuments writes documents with their evidence.
func (t *tx) restoreDocuments(namespace int64, documents []store.Document) error {
	hashes := make([]store.Hash, len(documents))
	for i, d := range documents {
		hashes[i] = d.Hash
	}
	bodies := make(map[store.Hash]int64)
	// Past the cache, which does not know what this transaction wrote.
	err := uncached(t.conn).documents(namespace, hashes, func(h store.Hash, row documentRow) { bodies[h] = row.body })
	if err != nil {
		return err
	}
	for _, d := range documents {
		if bodies[d.Hash], err = t.putEvidenceBody(bodies[d.Hash], d.Evidence); err != nil {
			return err
		}
	}
	return groups(documents, "(?, ?, ?, ?, ?)", func(group []store.Document, tuples string) error {
		args := make([]any, 0, 5*len(group))
		for i := range group {
			d := &group[i]
			args = append(args, namespace, d.Hash[:], d.Uses, d.LastUsed, reference(bodies[d.Hash]))
		}
		_, err := t.exec("INSERT INTO documents (namespace, hash, uses, last_used, evidence) VALUES "+tuples+
			" ON CONFLICT (namespace, hash) DO UPDATE SET uses = excluded.uses, last_used = excluded.last_used, evidence = excluded.evidence", args...)
		return err
	})
}

func (t *tx) restoreRow(namespace int64, r store.Row) error {
	switch r := r.(type) {
	case store.Receipt:
		return t.restoreReceipt(namespace, r)
	case store.Entry:
		user, err := t.makeNumber(users, namespace, r.User)
		if err != nil {
			return err
		}
		return t.changePersonal(user, []store.PersonalChange{{Personal: r.Personal}})
	case store.Sequence:
		user, err := t.makeNumber(users, namespace, r.User)
		if err != nil {
			return err
		}
		_, err = t.exec("UPDATE users SET sequence = ? WHERE id = ?", r.Number, user)
		return err
	case store.Tally:
		return t.addTallies(namespace, []store.Tally{r})
	case store.Blob:
		return t.putBlob(namespace, r)
	case store.Tombstone:
		_, err := t.exec("INSERT INTO tombstones (namespace, actor, erased) VALUES (?, ?, ?)"+
			" ON CONFLICT (namespace, actor) DO UPDATE SET erased = max(erased, excluded.erased)", namespace, blob(r.Actor), r.Erased)
		return err
	}
	return nil
}

func (t *tx) restoreReceipt(namespace int64, rc store.Receipt) (err error) {
	var user int64
	if rc.User != "" {
		if user, err = t.makeNumber(users, namespace, rc.User); err != nil {
			return err
		}
	}
	body, err := encode(rc)
	if err != nil {
		return err
	}
	_, err = t.putReceipt(namespace, user, &rc, body,
		"DO UPDATE SET user = excluded.user, created = excluded.created, expires = excluded.expires, body = excluded.body")
	return err
}
