package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/repute-go/repute/core/store"
)

// list reads the rows of a query by scan.
func list[R any](c *conn, query string, args []any, scan func(*sql.Rows) (R, error)) (out []R, err error) {
	err = c.each(query, args, func(sr *sql.Rows) error {
		r, err := scan(sr)
		out = append(out, r)
		return err
	})
	return out, err
}

// listIn lists rows of a namespace, none if it does not exist. What the query
// wants besides the namespace comes in args.
func listIn[R any](ctx context.Context, s *Store, namespace, query string, args []any, scan func(*sql.Rows) (R, error)) (out []R, err error) {
	err = s.read(ctx, func(c *conn) error {
		ns, err := uncached(c).namespace(namespace)
		if ns == 0 || err != nil {
			return err
		}
		out, err = list(c, query, append([]any{ns}, args...), scan)
		return err
	})
	return out, err
}

const (
	pageOfDocuments = `SELECT d.hash, d.uses, d.last_used, d.evidence, e.body FROM documents d LEFT JOIN evidence e ON e.id = d.evidence
		WHERE d.namespace = ? AND d.hash > ? ORDER BY d.hash LIMIT ?`
	pageOfAliases       = "SELECT id, hash, previous, seen FROM aliases WHERE source = ? AND id > ? ORDER BY id LIMIT ?"
	pageOfReceipts      = "SELECT body FROM receipts WHERE namespace = ? AND receipt > ? ORDER BY receipt LIMIT ?"
	pageOfUsersReceipts = "SELECT body FROM receipts INDEXED BY receipts_user WHERE user = ? AND receipt > ? ORDER BY receipt LIMIT ?"
	pageOfPersonal      = "SELECT " + personalColumns + " FROM personal WHERE user = ? AND document > ? ORDER BY document LIMIT ?"
	pageOfUsers         = "SELECT name FROM users WHERE namespace = ? AND name > ? AND entries > 0 ORDER BY name LIMIT ?"
	pageOfTallies       = "SELECT name, amounts FROM tallies WHERE namespace = ? AND name > ? AND name >= ?"
	pageOfBlobs         = "SELECT " + blobColumns + " FROM blobs WHERE namespace = ? AND name > ? AND name >= ?"
	byName              = " ORDER BY name LIMIT ?"
)

func scanDocumentRow(sr *sql.Rows) (store.Document, error) {
	h, row, err := scanDocument(sr)
	return row.document(h), err
}

func scanReceipt(sr *sql.Rows) (store.Receipt, error) {
	var body sql.RawBytes
	if err := sr.Scan(&body); err != nil {
		return store.Receipt{}, err
	}
	rc, err := decodeReceipt(body)
	if err != nil {
		return store.Receipt{}, err
	}
	return *rc, nil
}

func scanName(sr *sql.Rows) (string, error) {
	var name sql.RawBytes
	err := sr.Scan(&name)
	return string(name), err
}

// Documents implements [store.Store].
func (s *Store) Documents(ctx context.Context, namespace string, p store.Page) ([]store.Document, error) {
	return listIn(ctx, s, namespace, pageOfDocuments, []any{blob(p.After), p.Rows()}, scanDocumentRow)
}

// Aliases implements [store.Store].
func (s *Store) Aliases(ctx context.Context, namespace, source string, p store.Page) (out []store.Alias, err error) {
	err = s.read(ctx, func(c *conn) error {
		r := uncached(c)
		ns, err := r.namespace(namespace)
		if ns == 0 || err != nil {
			return err
		}
		id, err := r.number(sources, ns, source)
		if id == 0 || err != nil {
			return err
		}
		out, err = list(c, pageOfAliases, []any{id, blob(p.After), p.Rows()}, func(sr *sql.Rows) (store.Alias, error) {
			id, row, err := scanAlias(sr)
			return row.alias(source, id), err
		})
		return err
	})
	return out, err
}

// Receipts implements [store.Store].
func (s *Store) Receipts(ctx context.Context, namespace, user string, p store.Page) ([]store.Receipt, error) {
	if user == "" {
		return listIn(ctx, s, namespace, pageOfReceipts, []any{blob(p.After), p.Rows()}, scanReceipt)
	}
	return listOf(ctx, s, namespace, user, pageOfUsersReceipts, p, scanReceipt)
}

// listOf lists rows of a user.
func listOf[R any](ctx context.Context, s *Store, namespace, user, query string, p store.Page, scan func(*sql.Rows) (R, error)) (out []R, err error) {
	err = s.read(ctx, func(c *conn) error {
		id, err := uncached(c).userOf(namespace, user)
		if id == 0 || err != nil {
			return err
		}
		out, err = list(c, query, []any{id, blob(p.After), p.Rows()}, scan)
		return err
	})
	return out, err
}

// Personal implements [store.Store].
func (s *Store) Personal(ctx context.Context, namespace, user string, p store.Page) ([]store.Personal, error) {
	if user == "" {
		return nil, fmt.Errorf("%w: personal rows of no user", store.ErrInvalid)
	}
	return listOf(ctx, s, namespace, user, pageOfPersonal, p, func(sr *sql.Rows) (store.Personal, error) {
		row, err := scanPersonal(sr)
		return row.Personal, err
	})
}

// Users implements [store.Store].
func (s *Store) Users(ctx context.Context, namespace string, p store.Page) ([]string, error) {
	return listIn(ctx, s, namespace, pageOfUsers, []any{blob(p.After), p.Rows()}, scanName)
}

// Tallies implements [store.Store].
func (s *Store) Tallies(ctx context.Context, namespace, prefix string, p store.Page) ([]store.Tally, error) {
	query, args := prefixed(pageOfTallies, prefix, p)
	return listIn(ctx, s, namespace, query, args, scanTally)
}

// Blobs implements [store.Store].
func (s *Store) Blobs(ctx context.Context, namespace, prefix string, p store.Page) ([]store.Blob, error) {
	query, args := prefixed(pageOfBlobs, prefix, p)
	return listIn(ctx, s, namespace, query, args, scanBlob)
}

// prefixed completes a listing of the names that start with prefix.
func prefixed(query, prefix string, p store.Page) (string, []any) {
	args := []any{blob(p.After), blob(prefix)}
	if end := successor(prefix); end != nil {
		return query + " AND name < ?" + byName, append(args, end, p.Rows())
	}
	return query + byName, append(args, p.Rows())
}

// successor is the smallest name above all that start with prefix, nil if there
// is none. A prefix of bytes 0xff has none, and then every name from it on starts
// with it.
func successor(prefix string) []byte {
	end := []byte(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] != 0xff {
			end[i]++
			return end[:i+1]
		}
	}
	return nil
}
