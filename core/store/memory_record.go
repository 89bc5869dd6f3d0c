package store

import (
	"context"
	"fmt"
	"strings"
)

// Record implements [Store].
func (m *Memory) Record(ctx context.Context, r Retrieval) error {
	if err := r.Validate(); err != nil {
		return err
	}
	sp, err := m.write(ctx, r.Namespace)
	if err != nil {
		return err
	}
	if err := sp.record(&r); err != nil {
		return err
	}
	sp.boundReceipts(r.MaxReceipts)
	return nil
}

func (sp *space) record(r *Retrieval) error {
	locks := sp.recordLocks(r)
	sp.lock(locks)
	defer sp.unlock(locks)
	if sp.side.gone(&r.Receipt) {
		return fmt.Errorf("%w: the user of receipt %s", ErrErased, r.Receipt.ID)
	}
	receipts := &sp.shards[receiptShard(r.Receipt.ID)]
	if receipts.receipts[r.Receipt.ID] != nil {
		return fmt.Errorf("%w: receipt %s exists", ErrInvalid, r.Receipt.ID)
	}
	changes, err := sp.foldRetrieval(r)
	if err != nil {
		return err
	}
	// Nothing fails from here on.
	if user := r.Receipt.User; user != "" {
		u := sp.makeUser(user)
		u.sequence++
		for _, c := range changes {
			u.apply(c)
		}
		u.bound(r.MaxPersonal)
	}
	for _, a := range r.Aliases {
		sp.putAlias(a)
		sp.makeDocument(a.Hash)
		sp.makeDocument(a.Previous)
	}
	sp.countUses(&r.Receipt)
	rc := r.Receipt.clone()
	receipts.putReceipt(&rc)
	sp.count.Add(1)
	sp.mu.Lock()
	sp.ages.push(string(rc.ID[:]), rc.Created)
	sp.mu.Unlock()
	return nil
}

// gone reports whether the user of a receipt was erased after it was made. Whoever
// asks holds the locks of what is to be written: an erasure that leaves its
// tombstone later has yet to look there.
func (s *side) gone(rc *Receipt) bool {
	s.RLock()
	defer s.RUnlock()
	return rc.User != "" && ErasedSince(s.erased, UserActor(rc.User), rc.Created)
}

func (sp *space) recordLocks(r *Retrieval) lockSet {
	var l lockSet
	l.add(receiptShard(r.Receipt.ID))
	for _, s := range r.Receipt.Shown {
		l.addHash(s.Hash)
		l.addHash(s.Previous)
	}
	for _, a := range r.Aliases {
		l.add(sp.aliasShard(a.ID))
		l.addHash(a.Hash)
		l.addHash(a.Previous)
	}
	if r.Receipt.User != "" {
		l.add(sp.userShard(r.Receipt.User))
	}
	return l
}

// foldRetrieval runs the fold on the rows as they are.
func (sp *space) foldRetrieval(r *Retrieval) ([]PersonalChange, error) {
	if r.Fold == nil {
		return nil, nil
	}
	u := sp.shards[sp.userShard(r.Receipt.User)].users[r.Receipt.User]
	sequence := int64(1)
	if u != nil {
		sequence += u.sequence
	}
	rows := make([]Personal, len(r.Personal))
	for i, p := range r.Personal {
		row, ok := u.get(p.Document)
		if !ok {
			row = Personal{Document: p.Document}
		}
		rows[i] = row
	}
	changes, err := r.Fold(sequence, rows)
	if err != nil {
		return nil, err
	}
	return changes, r.CheckChanges(changes)
}

func (sp *space) makeUser(user string) *userRows {
	s := &sp.shards[sp.userShard(user)]
	u := s.users[user]
	if u == nil {
		if s.users == nil {
			s.users = make(map[string]*userRows)
		}
		u = &userRows{}
		s.users[strings.Clone(user)] = u
	}
	return u
}

// putAlias stores an alias. Keys are cloned when they are new, because they may
// be cut from a text that would stay in memory with them.
func (sp *space) putAlias(a Alias) {
	s := &sp.shards[sp.aliasShard(a.ID)]
	rows := s.sources[a.Source]
	if rows == nil {
		if s.sources == nil {
			s.sources = make(map[string]*sourceRows)
		}
		rows = &sourceRows{rows: newTable[string, aliasRow](sp.seed)}
		s.sources[strings.Clone(a.Source)] = rows
	}
	id := a.ID
	if rows.rows.get(id) == nil {
		id = strings.Clone(id)
	}
	rows.rows.put(id, aliasRow{hash: a.Hash, seen: a.Seen})
	if a.Previous.IsZero() {
		delete(rows.previous, id)
		return
	}
	if rows.previous == nil {
		rows.previous = make(map[string]Hash)
	}
	rows.previous[id] = a.Previous
}

// makeDocument makes the row of a text that has none.
func (sp *space) makeDocument(h Hash) {
	if h.IsZero() {
		return
	}
	if sp.document(h) == nil {
		sp.putDocument(h, documentRow{})
	}
}

// document returns the row of a text under its lock, nil if there is none.
func (sp *space) document(h Hash) *documentRow { return sp.shards[hashShard(h)].documents.get(h) }

func (sp *space) putDocument(h Hash, row documentRow) {
	s := &sp.shards[hashShard(h)]
	if s.documents == nil {
		s.documents = newTable[Hash, documentRow](sp.seed)
	}
	s.documents.put(h, row)
}

// countUses counts one use for every text shown.
func (sp *space) countUses(rc *Receipt) {
	for _, h := range rc.Texts() {
		sp.makeDocument(h)
		row := sp.document(h)
		row.uses++
		row.lastUsed = max(row.lastUsed, rc.Created)
	}
	for _, s := range rc.Shown {
		sp.makeDocument(s.Previous)
	}
}

func (s *shard) putReceipt(rc *Receipt) {
	if s.receipts == nil {
		s.receipts = make(map[ReceiptID]*Receipt)
	}
	s.receipts[rc.ID] = rc
}

// boundReceipts removes the oldest receipts until at most limit are left.
func (sp *space) boundReceipts(limit int) {
	for limit > 0 && sp.count.Load() > int64(limit) {
		sp.mu.Lock()
		e, ok := sp.ages.pop()
		sp.mu.Unlock()
		if !ok {
			return
		}
		sp.deleteReceipt(ReceiptID([]byte(e.key)), func(rc *Receipt) bool { return rc.Created == e.time })
	}
}

// deleteReceipt removes a receipt that is there and matches.
func (sp *space) deleteReceipt(id ReceiptID, match func(*Receipt) bool) bool {
	s := &sp.shards[receiptShard(id)]
	s.Lock()
	defer s.Unlock()
	rc := s.receipts[id]
	if rc == nil || !match(rc) {
		return false
	}
	delete(s.receipts, id)
	sp.count.Add(-1)
	return true
}
