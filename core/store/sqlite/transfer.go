package sqlite

import (
	"context"
	"database/sql"
	"io"

	"github.com/repute-go/repute/core/store"
)

// Export implements [store.Store]. It holds one page of rows at a time.
func (s *Store) Export(ctx context.Context, namespace string, w io.Writer) error {
	var ns int64
	err := s.read(ctx, func(c *conn) (err error) {
		ns, err = uncached(c).namespace(namespace)
		return err
	})
	if err != nil {
		return err
	}
	out := store.NewWriter(w)
	if ns != 0 {
		e := &exporter{ctx: ctx, s: s, out: out, namespace: ns}
		if err := e.run(); err != nil {
			return err
		}
	}
	return out.Close()
}

type exporter struct {
	ctx       context.Context
	s         *Store
	out       *store.Writer
	namespace int64
}

// keyed is a row with its key in the listing.
type keyed struct {
	row store.Row
	key []byte
}

func (e *exporter) run() error {
	for _, part := range []struct {
		query string
		scan  func(*sql.Rows) (keyed, error)
	}{
		{pageOfDocuments, func(sr *sql.Rows) (keyed, error) {
			d, err := scanDocumentRow(sr)
			return keyed{d, d.Hash[:]}, err
		}},
		{pageOfReceipts, func(sr *sql.Rows) (keyed, error) {
			rc, err := scanReceipt(sr)
			return keyed{rc, rc.ID[:]}, err
		}},
		{pageOfTallies + byName, func(sr *sql.Rows) (keyed, error) {
			t, err := scanTally(sr)
			return keyed{t, blob(t.Name)}, err
		}},
		{pageOfBlobs + byName, func(sr *sql.Rows) (keyed, error) {
			b, err := scanBlob(sr)
			return keyed{b, blob(b.Name)}, err
		}},
		{"SELECT actor, erased FROM tombstones WHERE namespace = ? AND actor > ? ORDER BY actor LIMIT ?", func(sr *sql.Rows) (keyed, error) {
			var actor sql.RawBytes
			var t store.Tombstone
			err := sr.Scan(&actor, &t.Erased)
			t.Actor = string(actor)
			return keyed{t, blob(t.Actor)}, err
		}},
	} {
		if err := e.pages(part.query, e.namespace, part.scan); err != nil {
			return err
		}
	}
	if err := e.named("SELECT id, name, 0 FROM sources WHERE namespace = ? AND name > ? ORDER BY name LIMIT ?", e.aliases); err != nil {
		return err
	}
	return e.named("SELECT id, name, sequence FROM users WHERE namespace = ? AND name > ? ORDER BY name LIMIT ?", e.user)
}

// pages writes the rows of a listing. A query that asks for a prefix gets the
// key twice.
func (e *exporter) pages(query string, owner int64, scan func(*sql.Rows) (keyed, error)) error {
	for after := []byte{}; ; {
		args := []any{owner, after, batchSize}
		if query == pageOfTallies+byName || query == pageOfBlobs+byName {
			args = []any{owner, after, after, batchSize}
		}
		var rows []keyed
		err := e.s.read(e.ctx, func(c *conn) (err error) {
			rows, err = list(c, query, args, scan)
			return err
		})
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := e.out.Write(r.row); err != nil {
				return err
			}
		}
		if len(rows) < batchSize {
			return nil
		}
		after = rows[len(rows)-1].key
	}
}

// owner is a row of sources or users.
type owner struct {
	id       int64
	name     string
	sequence int64
}

// named calls write for every owner of a listing.
func (e *exporter) named(query string, write func(owner) error) error {
	for after := ""; ; {
		var owners []owner
		err := e.s.read(e.ctx, func(c *conn) (err error) {
			owners, err = list(c, query, []any{e.namespace, blob(after), batchSize}, func(sr *sql.Rows) (o owner, err error) {
				var name sql.RawBytes
				err = sr.Scan(&o.id, &name, &o.sequence)
				o.name = string(name)
				return o, err
			})
			return err
		})
		if err != nil {
			return err
		}
		for _, o := range owners {
			if err := write(o); err != nil {
				return err
			}
		}
		if len(owners) < batchSize {
			return nil
		}
		after = owners[len(owners)-1].name
	}
}

func (e *exporter) aliases(source owner) error {
	return e.pages(pageOfAliases, source.id, func(sr *sql.Rows) (keyed, error) {
		id, row, err := scanAlias(sr)
		return keyed{row.alias(source.name, id), blob(id)}, err
	})
}

func (e *exporter) user(u owner) error {
	if u.sequence != 0 {
		if err := e.out.Write(store.Sequence{User: u.name, Number: u.sequence}); err != nil {
			return err
		}
	}
	const query = `SELECT p.document, p.active, p.updated, p.version, p.body, p.text, t.body FROM personal p LEFT JOIN texts t ON t.id = p.text
		WHERE p.user = ? AND p.document > ? ORDER BY p.document LIMIT ?`
	return e.pages(query, u.id, func(sr *sql.Rows) (keyed, error) {
		var document, body, text sql.RawBytes
		var id sql.NullInt64
		var p store.Personal
		if err := sr.Scan(&document, &p.Active, &p.Updated, &p.Version, &body, &id, &text); err != nil {
			return keyed{}, err
		}
		p.Document, p.Text = string(document), string(text)
		rec, err := decodeLifecycle(body)
		p.Record = rec
		return keyed{store.Entry{User: u.name, Personal: p}, blob(p.Document)}, err
	})
}
