package sqlite

import (
	"bytes"
	"context"
	"database/sql"

	"github.com/repute-go/repute/core/store"
)

// PutBlob implements [store.Store].
func (s *Store) PutBlob(ctx context.Context, namespace string, b store.Blob) error {
	if err := store.ValidateRow(b); err != nil {
		return err
	}
	return s.write(ctx, synced, func(t *tx) error {
		ns, err := t.makeNamespace(namespace)
		if err != nil {
			return err
		}
		return t.putBlob(ns, b)
	})
}

func (t *tx) putBlob(namespace int64, b store.Blob) error {
	_, err := t.exec("INSERT INTO blobs (namespace, name, fingerprint, updated, body) VALUES (?, ?, ?, ?, ?)"+
		" ON CONFLICT (namespace, name) DO UPDATE SET fingerprint = excluded.fingerprint, updated = excluded.updated, body = excluded.body",
		namespace, blob(b.Name), blob(b.Fingerprint), b.Updated, append([]byte{}, b.Data...))
	return err
}

// SwapBlob implements [store.Store].
func (s *Store) SwapBlob(ctx context.Context, namespace string, old *store.Blob, b store.Blob) (swapped bool, err error) {
	if err := store.ValidateRow(b); err != nil {
		return false, err
	}
	err = s.write(ctx, synced, func(t *tx) error {
		swapped = false
		ns, err := t.makeNamespace(namespace)
		if err != nil {
			return err
		}
		stored, ok, err := t.blob(ns, b.Name)
		if err != nil || !old.Still(stored, ok) {
			return err
		}
		swapped = true
		return t.putBlob(ns, b)
	})
	return swapped && err == nil, err
}

// DeleteBlob implements [store.Store].
func (s *Store) DeleteBlob(ctx context.Context, namespace, name string) error {
	return s.write(ctx, synced, func(t *tx) error {
		ns, err := t.namespace(namespace)
		if ns == 0 || err != nil {
			return err
		}
		_, err = t.exec("DELETE FROM blobs WHERE namespace = ? AND name = ?", ns, blob(name))
		return err
	})
}

// Blob implements [store.Store].
func (s *Store) Blob(ctx context.Context, namespace, name string) (b store.Blob, ok bool, err error) {
	err = s.read(ctx, func(c *conn) error {
		ns, err := uncached(c).namespace(namespace)
		if ns == 0 || err != nil {
			return err
		}
		b, ok, err = c.blob(ns, name)
		return err
	})
	return b, ok, err
}

func (c *conn) blob(namespace int64, name string) (b store.Blob, ok bool, err error) {
	err = c.each("SELECT "+blobColumns+" FROM blobs WHERE namespace = ? AND name = ?", []any{namespace, blob(name)}, func(sr *sql.Rows) (err error) {
		ok = true
		b, err = scanBlob(sr)
		return err
	})
	return b, ok, err
}

const blobColumns = "name, fingerprint, updated, body"

func scanBlob(sr *sql.Rows) (b store.Blob, err error) {
	var name, fingerprint, body sql.RawBytes
	err = sr.Scan(&name, &fingerprint, &b.Updated, &body)
	b.Name, b.Fingerprint = string(name), string(fingerprint)
	if len(body) > 0 {
		b.Data = bytes.Clone(body)
	}
	return b, err
}
