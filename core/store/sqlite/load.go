package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

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
	err = r.aliases(source, req.IDs, func(i int, row aliasRow) {
		id := req.IDs[i]
		out.Aliases[id] = row.alias(req.Source, id)
		if i >= len(req.Hashes) || row.hash != req.Hashes[i] { // most texts are what they were
			hashes = append(hashes, row.hash)
		}
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
