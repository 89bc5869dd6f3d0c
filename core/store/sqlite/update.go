package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/repute-go/repute/core/store"
)

// Update implements [store.Store]. It returns when the disk has it.
func (s *Store) Update(ctx context.Context, req store.UpdateRequest, fold store.Fold) error {
	if err := req.Validate(); err != nil {
		return err
	}
	return s.write(ctx, synced, func(t *tx) error { return t.update(&req, fold) })
}

// target is what an update works on, as it was read.
type target struct {
	namespace int64
	receipt   int64 // row in receipts
	user      int64 // 0 if the user has no row yet
	documents map[store.Hash]documentRow
	scope     *store.Scope
	view      store.View
}

func (t *tx) update(req *store.UpdateRequest, fold store.Fold) error {
	on, err := t.target(req)
	if err != nil {
		return err
	}
	changes, err := fold(on.view)
	if err != nil {
		return err
	}
	if err := on.scope.Check(changes); err != nil {
		return err
	}
	return t.apply(on, changes)
}

// target reads the rows of an update.
func (t *tx) target(req *store.UpdateRequest) (on *target, err error) {
	on = &target{documents: make(map[store.Hash]documentRow)}
	on.view = store.View{Documents: make(map[store.Hash]store.Document), Personal: make(map[string]store.Personal), Erased: make(map[string]int64)}
	if on.namespace, err = t.namespace(req.Namespace); err != nil {
		return nil, err
	}
	if !req.Receipt.IsZero() {
		if on.view.Receipt, on.receipt, err = t.receipt(on.namespace, req.Receipt); err != nil {
			return nil, err
		}
	}
	if on.scope, err = store.NewScope(*req, on.view.Receipt); err != nil {
		return nil, err
	}
	err = t.documents(on.namespace, on.scope.Hashes, func(h store.Hash, row documentRow) {
		on.documents[h] = row
		on.view.Documents[h] = row.document(h)
	})
	if err != nil {
		return nil, err
	}
	if err := t.erased(on.namespace, on.scope.Actors, on.view.Erased); err != nil {
		return nil, err
	}
	if on.scope.User == "" {
		return on, nil
	}
	if on.user, err = t.number(users, on.namespace, on.scope.User); on.user == 0 || err != nil {
		return on, err
	}
	return on, t.personal(on.user, on.scope.Personal, func(p personalRow) { on.view.Personal[p.Document] = p.Personal })
}

// receipt reads one receipt and where it is.
func (t *tx) receipt(namespace int64, id store.ReceiptID) (*store.Receipt, int64, error) {
	var row int64
	var body []byte
	ok, err := t.one("SELECT id, body FROM receipts WHERE namespace = ? AND receipt = ?", []any{namespace, id[:]}, &row, &body)
	if err != nil {
		return nil, 0, err
	}
	if !ok {
		return nil, 0, fmt.Errorf("%w: %s", store.ErrUnknownReceipt, id)
	}
	rc, err := decodeReceipt(body)
	return rc, row, err
}

func decodeReceipt(body []byte) (*store.Receipt, error) {
	rc := new(store.Receipt)
	if err := rc.UnmarshalBinary(body); err != nil {
		return nil, stored("receipt", err)
	}
	return rc, nil
}

var erasedByActor = query{prefix: "SELECT actor, erased FROM tombstones WHERE namespace = ? AND actor IN"}

// erased looks actors up among the tombstones.
func (t *tx) erased(namespace int64, actors []string, out map[string]int64) error {
	keys := make([]any, len(actors))
	for i, a := range actors {
		keys[i] = blob(a)
	}
	return erasedByActor.each(t.conn, []any{namespace}, keys, func(sr *sql.Rows) error {
		var actor sql.RawBytes
		var at int64
		err := sr.Scan(&actor, &at)
		out[string(actor)] = at
		return err
	})
}

// apply writes changes that were checked.
func (t *tx) apply(on *target, ch store.Changes) (err error) {
	if on.namespace == 0 {
		if len(ch.Personal)+len(ch.Tallies) == 0 {
			return nil
		}
		if on.namespace, err = t.makeNamespace(on.scope.Namespace); err != nil {
			return err
		}
	}
	if ch.Receipt != nil {
		rc := *on.view.Receipt
		rc.Evidence = ch.Receipt
		body, err := encode(rc)
		if err != nil {
			return err
		}
		if _, err := t.exec("UPDATE receipts SET body = ? WHERE id = ?", body, on.receipt); err != nil {
			return err
		}
	}
	for h, evidence := range ch.Documents {
		if h.IsZero() {
			continue
		}
		if err := t.putEvidence(on.namespace, h, on.documents[h], evidence); err != nil {
			return err
		}
	}
	if len(ch.Personal) > 0 {
		if on.user, err = t.makeNumber(users, on.namespace, on.scope.User); err != nil {
			return err
		}
		if err := t.changePersonal(on.user, ch.Personal); err != nil {
			return err
		}
	}
	return t.addTallies(on.namespace, ch.Tallies)
}

// addTallies adds to tallies.
func (t *tx) addTallies(namespace int64, deltas []store.Tally) error {
	for _, d := range deltas {
		var old []byte
		if _, err := t.one("SELECT amounts FROM tallies WHERE namespace = ? AND name = ?", []any{namespace, blob(d.Name)}, &old); err != nil {
			return err
		}
		values, err := decodeAmounts(old)
		if err != nil {
			return err
		}
		_, err = t.exec("INSERT INTO tallies (namespace, name, amounts) VALUES (?, ?, ?)"+
			" ON CONFLICT (namespace, name) DO UPDATE SET amounts = excluded.amounts",
			namespace, blob(d.Name), encodeAmounts(store.AddValues(values, d.Values)))
		if err != nil {
			return err
		}
	}
	return nil
}

func encodeAmounts(values []float64) []byte {
	b := make([]byte, 0, 8*len(values))
	for _, x := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

func decodeAmounts(b []byte) (values []float64, err error) {
	if len(b)%8 != 0 {
		return nil, stored("tally", fmt.Errorf("%d bytes", len(b)))
	}
	for ; len(b) > 0; b = b[8:] {
		values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return values, nil
}

// Add implements [store.Store].
func (s *Store) Add(ctx context.Context, namespace string, deltas []store.Tally) error {
	if err := store.ValidateTallies(deltas); err != nil {
		return err
	}
	return s.write(ctx, synced, func(t *tx) error {
		ns, err := t.makeNamespace(namespace)
		if err != nil {
			return err
		}
		return t.addTallies(ns, deltas)
	})
}

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
		return c.each("SELECT "+blobColumns+" FROM blobs WHERE namespace = ? AND name = ?", []any{ns, blob(name)}, func(sr *sql.Rows) error {
			ok = true
			b, err = scanBlob(sr)
			return err
		})
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
