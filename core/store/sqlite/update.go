package sqlite

import (
	"context"
	"database/sql"

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
	return t.apply(on, changes, req.MaxPersonal)
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

var erasedByActor = byKeys("SELECT actor, erased FROM tombstones WHERE namespace = ? AND actor IN")

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
func (t *tx) apply(on *target, ch store.Changes, maxPersonal int) (err error) {
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
		if maxPersonal > 0 {
			if err := t.boundPersonal(on.user, maxPersonal); err != nil {
				return err
			}
		}
	}
	return t.addTallies(on.namespace, ch.Tallies)
}
