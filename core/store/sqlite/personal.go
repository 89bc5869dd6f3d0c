package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/store"
)

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

// personalRow is a row of personal, without its text.
type personalRow struct {
	store.Personal
	text int64 // row in texts, 0 for none
}

const personalColumns = "document, active, updated, version, body, text"

var personalByDocument = byKeys("SELECT " + personalColumns + " FROM personal WHERE user = ? AND document IN")

// personal calls found for every personal row among documents that exists.
func (r rows) personal(user int64, documents []string, found func(personalRow)) error {
	keys := make([]any, len(documents))
	for i, d := range documents {
		keys[i] = blob(d)
	}
	return personalByDocument.each(r.conn, []any{user}, keys, func(sr *sql.Rows) error {
		p, err := scanPersonal(sr)
		if err == nil {
			found(p)
		}
		return err
	})
}

func scanPersonal(sr *sql.Rows) (p personalRow, err error) {
	var document, body sql.RawBytes
	var version int64
	var text sql.NullInt64
	if err := sr.Scan(&document, &p.Active, &p.Updated, &version, &body, &text); err != nil {
		return p, err
	}
	p.Document, p.Version, p.text = string(document), uint64(version), text.Int64
	p.Record, err = decodeLifecycle(body)
	return p, err
}

func decodeLifecycle(b []byte) (rec lifecycle.Record, err error) {
	if err = rec.UnmarshalBinary(b); err != nil {
		return rec, stored("personal row", err)
	}
	return rec, nil
}

// Texts implements [store.Store].
func (s *Store) Texts(ctx context.Context, namespace, user string, documents []string) (map[string]string, error) {
	req := store.LoadRequest{User: user, Personal: documents}
	if err := req.Validate(); err != nil {
		return nil, err
	}
	out := make(map[string]string)
	err := s.read(ctx, func(c *conn) error {
		r := uncached(c)
		owner, err := r.userOf(namespace, user)
		if owner == 0 || err != nil {
			return err
		}
		keys := make([]any, len(documents))
		for i, d := range documents {
			keys[i] = blob(d)
		}
		return textsByDocument.each(c, []any{owner}, keys, func(sr *sql.Rows) error {
			var document, text []byte
			err := sr.Scan(&document, &text)
			out[string(document)] = string(text)
			return err
		})
	})
	return out, err
}

var textsByDocument = byKeys("SELECT p.document, t.body FROM personal p JOIN texts t ON t.id = p.text WHERE p.user = ? AND p.document IN")

// userOf returns the number of a user, 0 if there is none.
func (r rows) userOf(namespace, user string) (int64, error) {
	ns, err := r.namespace(namespace)
	if ns == 0 || err != nil {
		return 0, err
	}
	return r.number(users, ns, user)
}
