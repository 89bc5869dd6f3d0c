package sqlite

import (
	"database/sql"
	"fmt"
	"strings"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// rows reads rows by key, through the cache if it has one. A reading connection
// has none.
type rows struct {
	*conn
	cache *cache
}

// uncached reads rows of a connection that has no cache.
func uncached(c *conn) rows { return rows{conn: c, cache: &cache{}} }

// maxKeys is the number of keys that one query asks for.
const maxKeys = 64

// query makes "prefix (?, ?, ...) suffix" for one of a few numbers of keys, so
// that there are few statements to prepare. Missing keys are filled up with the
// last.
type query struct{ prefix, suffix string }

// each runs the query on keys in groups; args come before and after them.
func (q query) each(c *conn, args []any, keys []any, row func(*sql.Rows) error) error {
	for len(keys) > 0 {
		n := min(len(keys), maxKeys)
		all := append(append(make([]any, 0, len(args)+maxKeys), args...), keys[:n]...)
		slots := 1
		for slots < n {
			slots *= 2
		}
		for len(all) < len(args)+slots {
			all = append(all, keys[n-1])
		}
		text := q.prefix + " (?" + strings.Repeat(",?", slots-1) + ")" + q.suffix
		if err := c.each(text, all, row); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

var documentsByHash = query{prefix: `SELECT d.hash, d.uses, d.last_used, d.evidence, e.body
	FROM documents d LEFT JOIN evidence e ON e.id = d.evidence WHERE d.namespace = ? AND d.hash IN`}

// documents calls found for every document among hashes that exists.
func (r rows) documents(namespace int64, hashes []store.Hash, found func(store.Hash, documentRow)) error {
	var missing []any
	for _, h := range hashes {
		row, known := r.cache.documents.get(documentKey{namespace, h})
		switch {
		case !known:
			missing = append(missing, h[:])
		case row.exists:
			found(h, row)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	got := make(map[store.Hash]bool, len(missing))
	err := documentsByHash.each(r.conn, []any{namespace}, missing, func(sr *sql.Rows) error {
		h, row, err := scanDocument(sr)
		if err != nil || got[h] {
			return err
		}
		got[h] = true
		r.cache.documents.put(documentKey{namespace, h}, row)
		found(h, row)
		return nil
	})
	if err != nil {
		return err
	}
	for _, h := range missing {
		if h := store.Hash(h.([]byte)); !got[h] {
			r.cache.documents.put(documentKey{namespace, h}, documentRow{})
		}
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

// stored turns the error of a decoder into that of a store: what is in the file
// is newer or damaged.
func stored(what string, err error) error {
	return fmt.Errorf("sqlite: stored %s: %w", what, store.DecodeError(err))
}

// toHash reads a key of 16 bytes; NULL is the zero hash.
func toHash(b []byte) (h store.Hash, err error) {
	if len(b) != 0 && len(b) != len(h) {
		return h, fmt.Errorf("sqlite: stored key of %d bytes: %w", len(b), store.ErrInvalid)
	}
	copy(h[:], b)
	return h, nil
}

// nullable is a hash as a value, NULL for the zero hash.
func nullable(h store.Hash) any {
	if h.IsZero() {
		return nil
	}
	return h[:]
}

var aliasesByID = query{prefix: "SELECT id, hash, previous, seen FROM aliases WHERE source = ? AND id IN"}

// aliases calls found for every alias among ids that exists.
func (r rows) aliases(source int64, ids []string, found func(id string, row aliasRow)) error {
	var missing []any
	for _, id := range ids {
		row, known := r.cache.aliases.get(aliasKey{source, id})
		switch {
		case !known:
			missing = append(missing, blob(id))
		case row.exists:
			found(id, row)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	got := make(map[string]bool, len(missing))
	err := aliasesByID.each(r.conn, []any{source}, missing, func(sr *sql.Rows) error {
		id, row, err := scanAlias(sr)
		if err != nil || got[id] {
			return err
		}
		got[id] = true
		r.cache.aliases.put(aliasKey{source, id}, row)
		found(id, row)
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range missing {
		if id := string(id.([]byte)); !got[id] {
			r.cache.aliases.put(aliasKey{source, id}, aliasRow{})
		}
	}
	return nil
}

func scanAlias(sr *sql.Rows) (id string, row aliasRow, err error) {
	var key, hash, previous sql.RawBytes
	if err := sr.Scan(&key, &hash, &previous, &row.seen); err != nil {
		return "", row, err
	}
	row.exists = true
	if row.hash, err = toHash(hash); err == nil {
		row.previous, err = toHash(previous)
	}
	return string(key), row, err
}

func (row *aliasRow) alias(source, id string) store.Alias {
	return store.Alias{Source: source, ID: id, Hash: row.hash, Previous: row.previous, Seen: row.seen}
}

// table is one of the tables that number names.
type table uint8

const (
	namespaces table = iota
	sources
	users
)

var selectName = [...]string{
	namespaces: "SELECT id FROM namespaces WHERE ? = 0 AND name = ?",
	sources:    "SELECT id FROM sources WHERE namespace = ? AND name = ?",
	users:      "SELECT id FROM users WHERE namespace = ? AND name = ?",
}

// number returns the number of a name, 0 if it has none. parent is the namespace,
// 0 for a namespace itself.
func (r rows) number(t table, parent int64, name string) (id int64, err error) {
	key := nameKey{t, parent, name}
	if id, ok := r.cache.names.get(key); ok {
		return id, nil
	}
	if _, err = r.one(selectName[t], []any{parent, blob(name)}, &id); err != nil {
		return 0, err
	}
	if id != 0 {
		r.cache.names.put(key, id)
	}
	return id, nil
}

func (r rows) namespace(name string) (int64, error) { return r.number(namespaces, 0, name) }
