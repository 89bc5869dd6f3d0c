package sqlite

import (
	"fmt"
	"math"

	"github.com/repute-go/repute/core/store"
)

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

// putReceipt writes a receipt and reports whether it did.
func (t *tx) putReceipt(namespace, user int64, rc *store.Receipt, body []byte, conflict string) (bool, error) {
	n, err := t.exec("INSERT INTO receipts (namespace, receipt, user, created, expires, body) VALUES (?, ?, ?, ?, ?, ?)"+
		" ON CONFLICT (namespace, receipt) "+conflict, namespace, rc.ID[:], reference(user), rc.Created, rc.Expires, body)
	return n > 0, err
}

// count is what is known of the number of receipts of a namespace.
type count struct {
	n     int64
	stale bool // others have written since it was counted
	since int  // retrievals recorded since
}

// slack is how many receipts may be too many before the oldest are removed
// together: they lie side by side. It is .25 % of the limit at most.
func slack(limit int) int { return min(limit/400, 32) }

// boundReceipts removes the oldest receipts until at most limit are left. While
// others write to the file too, it counts only now and then and removes nothing
// in between.
func (t *tx) boundReceipts(namespace int64, limit int) error {
	if limit == 0 {
		t.after(func(*cache) { delete(t.s.counts, namespace) })
		return nil
	}
	var now count
	if c := t.s.counts[namespace]; c != nil {
		now = *c
		now.n++
		now.since++
	} else {
		now.stale, now.since = true, math.MaxInt
	}
	if now.stale && now.since >= 4*slack(limit) {
		now = count{}
		if _, err := t.one("SELECT count(*) FROM receipts INDEXED BY receipts_age WHERE namespace = ?", []any{namespace}, &now.n); err != nil {
			return err
		}
	}
	if excess := now.n - int64(limit); excess > int64(slack(limit)) && !now.stale {
		n, err := t.exec("DELETE FROM receipts WHERE id IN (SELECT id FROM receipts INDEXED BY receipts_age"+
			" WHERE namespace = ? ORDER BY created, receipt LIMIT ?)", namespace, excess)
		if err != nil {
			return err
		}
		now.n -= int64(n)
	}
	t.after(func(*cache) { t.s.counts[namespace] = &now })
	return nil
}

// recount forgets the number of receipts once the transaction is committed.
func (t *tx) recount(namespace int64) { t.after(func(*cache) { delete(t.s.counts, namespace) }) }
