package sqlite

import (
	"database/sql"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

var documentsByHash = byKeys(`SELECT d.hash, d.uses, d.last_used, d.evidence, e.body
	FROM documents d LEFT JOIN evidence e ON e.id = d.evidence WHERE d.namespace = ? AND d.hash IN`)

// documents calls found for every document among hashes that exists.
func (r rows) documents(namespace int64, hashes []store.Hash, found func(store.Hash, documentRow)) error {
	var missing []any
	absent := make(map[store.Hash]bool) // the missing, until they are found
	for _, h := range hashes {
		row, known := r.cache.documents.get(documentKey{namespace, h})
		if row.exists {
			found(h, row)
		}
		if !known && !absent[h] {
			absent[h] = true
			missing = append(missing, h[:])
		}
	}
	if len(missing) == 0 {
		return nil
	}
	err := documentsByHash.each(r.conn, []any{namespace}, missing, func(sr *sql.Rows) error {
		h, row, err := scanDocument(sr)
		if err != nil || !absent[h] {
			return err // asked for twice, see byKeys
		}
		delete(absent, h)
		r.cache.documents.put(documentKey{namespace, h}, row)
		found(h, row)
		return nil
	})
	if err != nil {
		return err
	}
	for h := range absent {
		r.cache.documents.put(documentKey{namespace, h}, documentRow{})
	}
	return nil
}

func scanDocument(sr *sql.Rows) (h store.Hash, row documentRow, err error) {
	var hash, body sql.RawBytes
	var id sql.NullInt64
	if err := sr.Scan(&hash, &row.uses, &row.lastUsed, &id, &body); err != nil {
		return h, row, err
	}
	if h, err = toHash(hash); err != nil {
		return h, row, err
	}
	row.exists, row.body = true, id.Int64
	if id.Valid {
		row.evidence, err = decodeEvidence(body)
	}
	return h, row, err
}

func (row *documentRow) document(h store.Hash) store.Document {
	return store.Document{Hash: h, Evidence: row.evidence, Uses: row.uses, LastUsed: row.lastUsed}
}

func decodeEvidence(b []byte) (*reputation.Record, error) {
	rec := new(reputation.Record)
	if err := rec.UnmarshalBinary(b); err != nil {
		return nil, stored("evidence", err)
	}
	return rec, nil
}

// makeDocuments makes the rows of texts that have none.
func (t *tx) makeDocuments(namespace int64, hashes []store.Hash) error {
	var missing []store.Hash
	for _, h := range hashes {
		row, known := t.cache.documents.get(documentKey{namespace, h})
		if !h.IsZero() && !(known && row.exists) {
			missing = append(missing, h)
		}
	}
	return groups(missing, "(?, ?, 0, 0)", func(group []store.Hash, tuples string) error {
		args := make([]any, 0, 2*len(group))
		for i := range group {
			args = append(args, namespace, group[i][:])
		}
		_, err := t.exec("INSERT INTO documents (namespace, hash, uses, last_used) VALUES "+tuples+" ON CONFLICT DO NOTHING", args...)
		t.after(func(c *cache) {
			for _, h := range group {
				c.changeKnown(documentKey{namespace, h}, func(row *documentRow) { row.exists = true })
			}
		})
		return err
	})
}

// countUses counts one use for each of distinct texts.
func (t *tx) countUses(namespace int64, hashes []store.Hash, at int64) error {
	return groups(hashes, "(?, ?, 1, ?)", func(group []store.Hash, tuples string) error {
		args := make([]any, 0, 3*len(group))
		for i := range group {
			args = append(args, namespace, group[i][:], max(at, 0))
		}
		_, err := t.exec("INSERT INTO documents (namespace, hash, uses, last_used) VALUES "+tuples+
			" ON CONFLICT (namespace, hash) DO UPDATE SET uses = uses + 1, last_used = max(last_used, excluded.last_used)", args...)
		t.after(func(c *cache) {
			for _, h := range group {
				c.changeKnown(documentKey{namespace, h}, func(row *documentRow) {
					row.exists = true
					row.uses++
					row.lastUsed = max(row.lastUsed, at)
				})
			}
		})
		return err
	})
}

// changeKnown changes a row that is cached, also as one that does not exist. Of
// a row that is not cached nothing is known.
func (c *cache) changeKnown(k documentKey, change func(*documentRow)) {
	if row, known := c.documents.get(k); known {
		change(&row)
		c.documents.put(k, row)
	}
}

// putEvidence replaces the evidence of a text whose row was read as old.
func (t *tx) putEvidence(namespace int64, h store.Hash, old documentRow, evidence *reputation.Record) error {
	row := old
	row.exists, row.evidence = true, evidence
	var err error
	if row.body, err = t.putEvidenceBody(old.body, evidence); err != nil {
		return err
	}
	if row.body != old.body || !old.exists {
		_, err = t.exec("INSERT INTO documents (namespace, hash, uses, last_used, evidence) VALUES (?, ?, 0, 0, ?)"+
			" ON CONFLICT (namespace, hash) DO UPDATE SET evidence = excluded.evidence", namespace, h[:], reference(row.body))
	}
	t.after(func(c *cache) { c.documents.put(documentKey{namespace, h}, row) })
	return err
}

// putEvidenceBody writes evidence in the place of that at id, 0 for none, and
// returns where it is.
func (t *tx) putEvidenceBody(id int64, evidence *reputation.Record) (int64, error) {
	if evidence != nil {
		return t.putBody("evidence", id, evidence)
	}
	if id == 0 {
		return 0, nil
	}
	_, err := t.exec("DELETE FROM evidence WHERE id = ?", id)
	return 0, err
}
