package store

import (
	"context"
	"fmt"
	"strings"
)

// Update implements [Store].
func (m *Memory) Update(ctx context.Context, req UpdateRequest, fold Fold) error {
	if err := req.Validate(); err != nil {
		return err
	}
	sp, err := m.write(ctx, req.Namespace)
	if err != nil {
		return err
	}
	rc, err := sp.receipt(req.Receipt)
	if err != nil {
		return err
	}
	scope, err := NewScope(req, rc)
	if err != nil {
		return err
	}
	locks := sp.updateLocks(scope)
	sp.lock(locks)
	defer sp.unlock(locks)
	view, err := sp.view(scope)
	if err != nil {
		return err
	}
	changes, err := fold(view)
	if err != nil {
		return err
	}
	if err := scope.Check(changes); err != nil {
		return err
	}
	sp.apply(scope, changes, req.MaxPersonal)
	return nil
}

// receipt reads a receipt without locking anything for longer; nil for the zero
// id.
func (sp *space) receipt(id ReceiptID) (*Receipt, error) {
	if id.IsZero() {
		return nil, nil
	}
	s := &sp.shards[receiptShard(id)]
	s.RLock()
	rc := s.receipts[id]
	s.RUnlock()
	if rc == nil {
		return nil, fmt.Errorf("%w: %s", ErrUnknownReceipt, id)
	}
	return rc, nil
}

func (sp *space) updateLocks(s *Scope) lockSet {
	var l lockSet
	if !s.Receipt.IsZero() {
		l.add(receiptShard(s.Receipt))
	}
	for _, h := range s.Hashes {
		l.addHash(h)
	}
	if s.User != "" {
		l.add(sp.userShard(s.User))
	}
	return l
}

// view reads what a fold sees, under the locks. What a receipt shows never
// changes except by erasure, so that the scope read before the locks still
// holds if the receipt does.
func (sp *space) view(s *Scope) (View, error) {
	v := View{
		Documents: make(map[Hash]Document, len(s.Hashes)),
		Personal:  make(map[string]Personal, len(s.Personal)),
		Erased:    make(map[string]int64),
	}
	if !s.Receipt.IsZero() {
		rc := sp.shards[receiptShard(s.Receipt)].receipts[s.Receipt]
		if rc == nil {
			return v, fmt.Errorf("%w: %s", ErrUnknownReceipt, s.Receipt)
		}
		c := rc.clone()
		v.Receipt = &c
	}
	for _, h := range s.Hashes {
		if row := sp.document(h); row != nil {
			v.Documents[h] = row.document(h)
		}
	}
	if s.User != "" {
		sp.shards[sp.userShard(s.User)].users[s.User].personal(v.Personal, s.Personal)
	}
	sp.side.RLock()
	defer sp.side.RUnlock()
	for _, a := range s.Actors {
		if at, ok := sp.side.erased[a]; ok {
			v.Erased[a] = at
		}
	}
	return v, nil
}

// apply writes changes that were checked, under the locks.
func (sp *space) apply(s *Scope, ch Changes, maxPersonal int) {
	if ch.Receipt != nil {
		rows := sp.shards[receiptShard(s.Receipt)].receipts
		rc := *rows[s.Receipt]
		rc.Evidence = ch.Receipt
		rows[s.Receipt] = &rc
	}
	for h, evidence := range ch.Documents {
		if h.IsZero() {
			continue
		}
		sp.makeDocument(h)
		sp.document(h).evidence = evidence
	}
	if len(ch.Personal) > 0 {
		u := sp.makeUser(s.User)
		for _, c := range ch.Personal {
			u.apply(c)
		}
		u.bound(maxPersonal)
	}
	sp.side.add(ch.Tallies)
}

// Add implements [Store].
func (m *Memory) Add(ctx context.Context, namespace string, deltas []Tally) error {
	if err := ValidateTallies(deltas); err != nil {
		return err
	}
	sp, err := m.write(ctx, namespace)
	if err != nil {
		return err
	}
	sp.side.add(deltas)
	return nil
}

func (s *side) add(deltas []Tally) {
	if len(deltas) == 0 {
		return
	}
	s.Lock()
	defer s.Unlock()
	if s.tallies == nil {
		s.tallies = make(map[string][]float64)
	}
	for _, d := range deltas {
		name := d.Name
		old, ok := s.tallies[name]
		if !ok {
			name = strings.Clone(name)
		}
		s.tallies[name] = AddValues(old, d.Values)
	}
}

// PutBlob implements [Store].
func (m *Memory) PutBlob(ctx context.Context, namespace string, b Blob) error {
	if err := ValidateRow(b); err != nil {
		return err
	}
	sp, err := m.write(ctx, namespace)
	if err != nil {
		return err
	}
	sp.side.Lock()
	defer sp.side.Unlock()
	sp.side.putBlob(b.clone())
	return nil
}

func (s *side) putBlob(b Blob) {
	if s.blobs == nil {
		s.blobs = make(map[string]Blob)
	}
	s.blobs[b.Name] = b
}

// SwapBlob implements [Store].
func (m *Memory) SwapBlob(ctx context.Context, namespace string, old *Blob, b Blob) (bool, error) {
	if err := ValidateRow(b); err != nil {
		return false, err
	}
	sp, err := m.write(ctx, namespace)
	if err != nil {
		return false, err
	}
	sp.side.Lock()
	defer sp.side.Unlock()
	stored, ok := sp.side.blobs[b.Name]
	if !old.Still(stored, ok) {
		return false, nil
	}
	sp.side.putBlob(b.clone())
	return true, nil
}

// DeleteBlob implements [Store].
func (m *Memory) DeleteBlob(ctx context.Context, namespace, name string) error {
	sp, err := m.read(ctx, namespace)
	if err != nil {
		return err
	}
	sp.side.Lock()
	defer sp.side.Unlock()
	delete(sp.side.blobs, name)
	return nil
}
