package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/store"
)

// loadPatience is how long a load waits for the main connection and its cache.
// It is held for less unless another process writes.
const loadPatience = 2 * time.Millisecond

// Load implements [store.Store].
func (s *Store) Load(ctx context.Context, req store.LoadRequest) (*store.Loaded, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.end()
	out, err := s.loadCached(ctx, req)
	if !errors.Is(err, errOccupied) {
		return out, failed("load", err)
	}
	err = s.reading(ctx, func(c *conn) error {
		out, err = uncached(c).load(req)
		return err
	})
	return out, err
}

// errOccupied says that the main connection was not to be had in time.
var errOccupied = errors.New("sqlite: the main connection is occupied")

// loadCached loads by the main connection and its cache.
func (s *Store) loadCached(ctx context.Context, req store.LoadRequest) (*store.Loaded, error) {
	if s.path == "" {
		if err := s.acquire(ctx); err != nil {
			return nil, err
		}
	} else if !s.acquireWithin(ctx, loadPatience) {
		return nil, errOccupied
	}
	defer s.release()
	if err := s.refresh(); err != nil {
		return nil, err
	}
	return rows{conn: s.main, cache: s.cache}.load(req)
}

func (r rows) load(req store.LoadRequest) (*store.Loaded, error) {
	out := req.Answer()
	namespace, err := r.namespace(req.Namespace)
	if namespace == 0 || err != nil {
		return out, err
	}
	hashes := req.Hashes
	if len(req.IDs) > 0 {
		if hashes, err = r.loadAliases(namespace, &req, out); err != nil {
			return nil, err
		}
	}
	err = r.documents(namespace, hashes, func(h store.Hash, row documentRow) { out.Documents[h] = row.document(h) })
	if err == nil && req.User != "" {
		err = r.loadPersonal(namespace, &req, out)
	}
	return out, err
}

// loadAliases returns the hashes wanted, those of the aliases included.
func (r rows) loadAliases(namespace int64, req *store.LoadRequest, out *store.Loaded) ([]store.Hash, error) {
	source, err := r.number(sources, namespace, req.Source)
	if source == 0 || err != nil {
		return req.Hashes, err
	}
	hashes := append(make([]store.Hash, 0, len(req.Hashes)+len(req.IDs)), req.Hashes...)
	err = r.aliases(source, req.IDs, func(id string, row aliasRow) {
		out.Aliases[id] = row.alias(req.Source, id)
		hashes = append(hashes, row.hash)
		if !row.previous.IsZero() {
			hashes = append(hashes, row.previous)
		}
	})
	return hashes, err
}

func (r rows) loadPersonal(namespace int64, req *store.LoadRequest, out *store.Loaded) error {
	user, err := r.number(users, namespace, req.User)
	if user == 0 || err != nil {
		return err
	}
	if _, err := r.one("SELECT sequence FROM users WHERE id = ?", []any{user}, &out.Sequence); err != nil {
		return err
	}
	keep := func(sr *sql.Rows) error {
		p, err := scanPersonal(sr)
		out.Personal[p.Document] = p.Personal
		return err
	}
	if err := r.each("SELECT "+personalColumns+" FROM personal WHERE user = ? AND active = 1", []any{user}, keep); err != nil {
		return err
	}
	return r.personal(user, req.Personal, func(p personalRow) { out.Personal[p.Document] = p.Personal })
}

// personalRow is a row of personal, without its text.
type personalRow struct {
	store.Personal
	text int64 // row in texts, 0 for none
}

const personalColumns = "document, active, updated, version, body, text"

var personalByDocument = query{prefix: "SELECT " + personalColumns + " FROM personal WHERE user = ? AND document IN"}

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

var textsByDocument = query{prefix: "SELECT p.document, t.body FROM personal p JOIN texts t ON t.id = p.text WHERE p.user = ? AND p.document IN"}

// userOf returns the number of a user, 0 if there is none.
func (r rows) userOf(namespace, user string) (int64, error) {
	ns, err := r.namespace(namespace)
	if ns == 0 || err != nil {
		return 0, err
	}
	return r.number(users, ns, user)
}
