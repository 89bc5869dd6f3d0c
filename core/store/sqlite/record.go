package sqlite

import (
	"context"
	"fmt"

	"github.com/repute-go/repute/core/store"
)

// Record implements [store.Store]. It is appended to the log without waiting for
// the disk.
func (s *Store) Record(ctx context.Context, r store.Retrieval) error {
	if err := r.Validate(); err != nil {
		return err
	}
	body, err := encode(r.Receipt)
	if err != nil {
		return err
	}
	return s.write(ctx, appended, func(t *tx) error { return t.record(&r, body) })
}

func (t *tx) record(r *store.Retrieval, body []byte) error {
	namespace, err := t.makeNamespace(r.Namespace)
	if err != nil {
		return err
	}
	user, err := t.recordPersonal(namespace, r)
	if err != nil {
		return err
	}
	fresh, err := t.putReceipt(namespace, user, &r.Receipt, body, "DO NOTHING")
	if err != nil {
		return err
	}
	if !fresh {
		return fmt.Errorf("%w: receipt %s exists", store.ErrInvalid, r.Receipt.ID)
	}
	if err := t.recordDocuments(namespace, r); err != nil {
		return err
	}
	return t.boundReceipts(namespace, r.MaxReceipts)
}

// recordPersonal counts the retrieval for its user, unless they were erased
// meanwhile, and folds the personal rows.
func (t *tx) recordPersonal(namespace int64, r *store.Retrieval) (user int64, err error) {
	if r.Receipt.User == "" {
		return 0, nil
	}
	erased := make(map[string]int64, 1)
	actor := store.UserActor(r.Receipt.User)
	if err := t.erased(namespace, []string{actor}, erased); err != nil {
		return 0, err
	}
	if store.ErasedSince(erased, actor, r.Receipt.Created) {
		return 0, fmt.Errorf("%w: the user of receipt %s", store.ErrErased, r.Receipt.ID)
	}
	if user, err = t.makeNumber(users, namespace, r.Receipt.User); err != nil {
		return 0, err
	}
	old, changes, err := t.fold(user, r)
	if err != nil {
		return 0, err
	}
	if err := t.changeEntries(user, old, changes, 1); err != nil || r.MaxPersonal == 0 {
		return user, err
	}
	return user, t.boundPersonal(user, r.MaxPersonal)
}

// fold runs the retrieval's fold on the rows as they are, and returns them too.
func (t *tx) fold(user int64, r *store.Retrieval) (old entries, changes []store.PersonalChange, err error) {
	if r.Fold == nil {
		return entries{}, nil, nil
	}
	var sequence int64
	if _, err := t.one("SELECT sequence FROM users WHERE id = ?", []any{user}, &sequence); err != nil {
		return nil, nil, err
	}
	documents := make([]string, len(r.Personal))
	for i, p := range r.Personal {
		documents[i] = p.Document
	}
	if old, err = t.entries(user, documents); err != nil {
		return nil, nil, err
	}
	given := make([]store.Personal, len(documents))
	for i, d := range documents {
		given[i] = old[d].Personal
		given[i].Document = d
	}
	if changes, err = r.Fold(sequence+1, given); err != nil {
		return nil, nil, err
	}
	return old, changes, r.CheckChanges(changes)
}

func (t *tx) recordDocuments(namespace int64, r *store.Retrieval) error {
	var named []store.Hash
	for start := 0; start < len(r.Aliases); {
		source, end := r.Aliases[start].Source, start+1
		for end < len(r.Aliases) && r.Aliases[end].Source == source {
			end++
		}
		id, err := t.makeNumber(sources, namespace, source)
		if err != nil {
			return err
		}
		if err := t.putAliases(id, r.Aliases[start:end]); err != nil {
			return err
		}
		for _, a := range r.Aliases[start:end] {
			named = append(named, a.Hash, a.Previous)
		}
		start = end
	}
	for _, s := range r.Receipt.Shown {
		named = append(named, s.Previous)
	}
	if err := t.countUses(namespace, r.Receipt.Texts(), r.Receipt.Created); err != nil {
		return err
	}
	return t.makeDocuments(namespace, named)
}
