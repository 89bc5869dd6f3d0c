package sqlite

import (
	"database/sql"
	"slices"
	"strings"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

var insertName = [...]string{
	namespaces: "INSERT INTO namespaces (name) SELECT ?2 WHERE ?1 = 0",
	sources:    "INSERT INTO sources (namespace, name) VALUES (?, ?)",
	users:      "INSERT INTO users (namespace, name, sequence, entries) VALUES (?, ?, 0, 0)",
}

// makeNumber returns the number of a name, and gives it one if it has none.
func (t *tx) makeNumber(tab table, parent int64, name string) (int64, error) {
	id, err := t.number(tab, parent, name)
	if id != 0 || err != nil {
		return id, err
	}
	if id, err = t.insert(insertName[tab], parent, blob(name)); err != nil {
		return 0, err
	}
	t.after(func(c *cache) { c.names.put(nameKey{tab, parent, name}, id) })
	return id, nil
}

func (t *tx) makeNamespace(name string) (int64, error) { return t.makeNumber(namespaces, 0, name) }

// exec runs a statement that writes.
func (t *tx) exec(query string, args ...any) (int, error) {
	t.wrote = true
	return t.rows.exec(query, args...)
}

// insert runs a statement that writes and returns the row id it made.
func (t *tx) insert(query string, args ...any) (int64, error) {
	t.wrote = true
	return t.rows.insert(query, args...)
}

// groupSize is the number of rows that one statement writes.
const groupSize = 32

// groups calls write for rows in groups, with a list of so many "(?, ?)".
func groups[R any](rows []R, tuple string, write func(group []R, tuples string) error) error {
	for len(rows) > 0 {
		n := min(len(rows), groupSize)
		if err := write(rows[:n], tuple+strings.Repeat(", "+tuple, n-1)); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// putAliases writes aliases as they are. Of two with one key the later counts.
func (t *tx) putAliases(source int64, aliases []store.Alias) error {
	return groups(aliases, "(?, ?, ?, ?, ?)", func(group []store.Alias, tuples string) error {
		args := make([]any, 0, 5*len(group))
		for _, a := range group {
			args = append(args, source, blob(a.ID), a.Hash[:], nullable(a.Previous), a.Seen)
		}
		_, err := t.exec("INSERT INTO aliases (source, id, hash, previous, seen) VALUES "+tuples+
			" ON CONFLICT (source, id) DO UPDATE SET hash = excluded.hash, previous = excluded.previous, seen = excluded.seen", args...)
		t.after(func(c *cache) {
			for _, a := range group {
				c.aliases.put(aliasKey{source, strings.Clone(a.ID)}, aliasRow{true, a.Hash, a.Previous, a.Seen})
			}
		})
		return err
	})
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

// appender encodes a record.
type appender interface {
	AppendBinary([]byte) ([]byte, error)
}

// encode encodes a record that came from a caller.
func encode(r appender) ([]byte, error) {
	b, err := r.AppendBinary(nil)
	if err != nil {
		return nil, store.DecodeError(err)
	}
	return b, nil
}

// putBody writes the part of a row that lies apart, at id or, if that is 0, at a
// new id, which it returns.
func (t *tx) putBody(table string, id int64, r appender) (int64, error) {
	body, err := encode(r)
	if err != nil {
		return 0, err
	}
	if id != 0 {
		_, err = t.exec("UPDATE "+table+" SET body = ? WHERE id = ?", body, id)
		return id, err
	}
	return t.insert("INSERT INTO "+table+" (body) VALUES (?)", body)
}

// reference is a row id as a value, NULL for 0.
func reference(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// text is the body of a row of texts.
type text string

// AppendBinary implements appender.
func (x text) AppendBinary(b []byte) ([]byte, error) { return append(b, x...), nil }

// entries are personal rows of a user by document, as they were read.
type entries map[string]personalRow

// entries reads the personal rows of documents.
func (t *tx) entries(user int64, documents []string) (entries, error) {
	out := make(entries, len(documents))
	err := t.personal(user, documents, func(p personalRow) { out[p.Document] = p })
	return out, err
}

// changePersonal makes changes of a user's rows.
func (t *tx) changePersonal(user int64, changes []store.PersonalChange) error {
	documents := make([]string, len(changes))
	for i, c := range changes {
		documents[i] = c.Document
	}
	old, err := t.entries(user, documents)
	if err != nil {
		return err
	}
	return t.changeEntries(user, old, changes, 0)
}

// changeEntries makes changes of a user's rows that were read as old, and counts
// retrievals. It modifies old.
func (t *tx) changeEntries(user int64, old entries, changes []store.PersonalChange, retrievals int) error {
	before, touched := len(old), make([]string, 0, len(changes))
	for _, c := range changes {
		row, err := t.changed(user, old[c.Document], c)
		if err != nil {
			return err
		}
		if delete(old, c.Document); !c.Delete {
			old[c.Document] = row
		}
		touched = append(touched, c.Document)
	}
	slices.Sort(touched)
	var rows []personalRow
	for _, d := range slices.Compact(touched) {
		if row, ok := old[d]; ok {
			rows = append(rows, row)
		}
	}
	if err := t.putEntries(user, rows); err != nil {
		return err
	}
	added := len(old) - before
	if added == 0 && retrievals == 0 {
		return nil
	}
	_, err := t.exec("UPDATE users SET sequence = sequence + ?, entries = entries + ? WHERE id = ?", retrievals, added, user)
	return err
}

// changed returns a row as a change leaves it. Its text is written, and a row that
// goes is deleted. The version of a row that does not exist is 0.
func (t *tx) changed(user int64, old personalRow, c store.PersonalChange) (row personalRow, err error) {
	if c.Delete {
		if old.Version > 0 {
			err = t.deletePersonal(user, old)
		}
		return row, err
	}
	row = personalRow{Personal: c.Personal, text: old.text}
	row.Version = old.Version + 1
	if !c.KeepText {
		row.text, err = t.putText(old.text, c.Text)
	}
	return row, err
}

// putEntries writes rows whose texts are written.
func (t *tx) putEntries(user int64, rows []personalRow) error {
	return groups(rows, "(?, ?, ?, ?, ?, ?, ?)", func(group []personalRow, tuples string) error {
		args := make([]any, 0, 7*len(group))
		for i := range group {
			p := &group[i]
			body, err := encode(p.Record)
			if err != nil {
				return err
			}
			args = append(args, user, blob(p.Document), p.Active, p.Updated, int64(p.Version), body, reference(p.text))
		}
		_, err := t.exec("INSERT INTO personal (user, document, active, updated, version, body, text) VALUES "+tuples+
			" ON CONFLICT (user, document) DO UPDATE SET active = excluded.active, updated = excluded.updated,"+
			" version = excluded.version, body = excluded.body, text = excluded.text", args...)
		return err
	})
}

// putText replaces a text by another or none and returns where it is.
func (t *tx) putText(id int64, x string) (int64, error) {
	if x != "" {
		return t.putBody("texts", id, text(x))
	}
	if id != 0 {
		_, err := t.exec("DELETE FROM texts WHERE id = ?", id)
		return 0, err
	}
	return 0, nil
}

func (t *tx) deletePersonal(user int64, p personalRow) error {
	if _, err := t.putText(p.text, ""); err != nil {
		return err
	}
	_, err := t.exec("DELETE FROM personal WHERE user = ? AND document = ?", user, blob(p.Document))
	return err
}

// boundPersonal removes the inactive rows updated longest ago until at most
// limit rows are left.
func (t *tx) boundPersonal(user int64, limit int) error {
	var entries int
	if _, err := t.one("SELECT entries FROM users WHERE id = ?", []any{user}, &entries); err != nil {
		return err
	}
	if limit == 0 || entries <= limit {
		return nil
	}
	var oldest []personalRow
	err := t.each("SELECT "+personalColumns+" FROM personal INDEXED BY personal_age WHERE user = ? AND active = 0 ORDER BY updated, document LIMIT ?",
		[]any{user, entries - limit}, func(sr *sql.Rows) error {
			p, err := scanPersonal(sr)
			oldest = append(oldest, p)
			return err
		})
	if err != nil {
		return err
	}
	for _, p := range oldest {
		if err := t.deletePersonal(user, p); err != nil {
			return err
		}
	}
	_, err = t.exec("UPDATE users SET entries = entries - ? WHERE id = ?", len(oldest), user)
	return err
}
