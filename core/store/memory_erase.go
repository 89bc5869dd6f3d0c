package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/repute-go/repute/core/reputation"
)

// Validate returns [ErrInvalid] for an erasure that no store accepts.
func (e *Erasure) Validate() error {
	named := 0
	for _, set := range []bool{e.User != "", e.Rater != "", !e.Document.IsZero()} {
		if set {
			named++
		}
	}
	switch {
	case named != 1:
		return fmt.Errorf("%w: an erasure names exactly one of user, rater and document", ErrInvalid)
	case e.Document.IsZero() && (e.Rewrite == nil || e.RewriteReceipt == nil):
		return fmt.Errorf("%w: an erasure of an actor needs Rewrite and RewriteReceipt", ErrInvalid)
	case len(e.Personal) > 0 && e.Document.IsZero():
		return fmt.Errorf("%w: an erasure of an actor names no personal rows", ErrInvalid)
	}
	return nil
}

// Apply returns a receipt as the erasure leaves it: keep is false if it goes,
// changed if it stays but differs. The receipt given is not modified.
func (e *Erasure) Apply(rc *Receipt) (out *Receipt, keep, changed bool) {
	if e.User != "" && rc.User == e.User {
		return nil, false, false
	}
	if !e.Document.IsZero() {
		out, changed = rc.without(e.Document)
		return out, true, changed
	}
	if rc.Evidence == nil {
		return rc, true, false
	}
	evidence, n := e.RewriteReceipt(rc.Evidence)
	if n == 0 {
		return rc, true, false
	}
	c := rc.clone()
	c.Evidence = evidence
	return &c, true, true
}

// without returns the receipt with the zero hash in the place of h.
func (rc *Receipt) without(h Hash) (*Receipt, bool) {
	if !slices.ContainsFunc(rc.Shown, func(s Shown) bool { return s.Hash == h || s.Previous == h }) {
		return rc, false
	}
	c := rc.clone()
	for i := range c.Shown {
		s := &c.Shown[i]
		if s.Hash == h {
			s.Hash = Hash{}
		}
		if s.Previous == h {
			s.Previous = Hash{}
		}
	}
	return &c, true
}

// ApplyRecord returns evidence as the erasure of an actor leaves it, nil if
// nothing is left.
func (e *Erasure) ApplyRecord(r *reputation.Record) (out *reputation.Record, changed bool) {
	out, n := e.Rewrite(r)
	if n == 0 {
		return r, false
	}
	if out.Empty() {
		return nil, true
	}
	return out, true
}

// Erase implements [Store]. It holds one shard at a time.
func (m *Memory) Erase(ctx context.Context, namespace string, e Erasure) (int, error) {
	if err := e.Validate(); err != nil {
		return 0, err
	}
	sp, err := m.write(ctx, namespace)
	if err != nil {
		return 0, err
	}
	n := sp.side.erase(&e)
	if e.User != "" {
		n += sp.eraseUser(e.User)
	}
	n += sp.eraseReceipts(&e)
	if e.Document.IsZero() {
		return n + sp.eraseEvents(&e), nil
	}
	return n + sp.eraseDocument(e.Document) + sp.erasePersonal(e.Personal), nil
}

// erase leaves the tombstone and removes tallies.
func (s *side) erase(e *Erasure) (n int) {
	s.Lock()
	defer s.Unlock()
	if s.erased == nil {
		s.erased = make(map[string]int64)
	}
	s.erased[e.Actor()] = max(s.erased[e.Actor()], e.Now)
	for _, name := range e.Tallies {
		if _, ok := s.tallies[name]; ok {
			delete(s.tallies, name)
			n++
		}
	}
	return n
}

func (sp *space) eraseUser(user string) int {
	s := &sp.shards[sp.userShard(user)]
	s.Lock()
	defer s.Unlock()
	u := s.users[user]
	if u == nil {
		return 0
	}
	delete(s.users, user)
	return len(u.rows)
}

func (sp *space) eraseReceipts(e *Erasure) (n int) {
	removed := 0
	if e.User != "" {
		removed = sp.deleteReceipts(func(rc *Receipt) bool { return rc.User == e.User })
	}
	for i := range sp.shards {
		s := &sp.shards[i]
		s.Lock()
		for id, rc := range s.receipts {
			if out, keep, changed := e.Apply(rc); keep && changed {
				s.receipts[id] = out
				n++
			}
		}
		s.Unlock()
	}
	return n + removed
}

func (sp *space) eraseEvents(e *Erasure) (n int) {
	for i := range sp.shards {
		s := &sp.shards[i]
		s.Lock()
		rows := s.documents.all()
		for i := range rows {
			row := &rows[i].value
			if row.evidence == nil {
				continue
			}
			evidence, changed := e.ApplyRecord(row.evidence)
			if changed {
				row.evidence = evidence
				n++
			}
		}
		s.Unlock()
	}
	return n
}

func (sp *space) eraseDocument(h Hash) (n int) {
	s := &sp.shards[hashShard(h)]
	s.Lock()
	if s.documents.delete(h) {
		n++
	}
	s.Unlock()
	for i := range sp.shards {
		s := &sp.shards[i]
		s.Lock()
		for _, rows := range s.sources {
			n += rows.erase(h)
		}
		s.Unlock()
	}
	return n
}

// erase removes the aliases that have a text and the mention of it in others.
func (s *sourceRows) erase(h Hash) (n int) {
	n = s.delete(func(a aliasRow) bool { return a.hash == h })
	for id, previous := range s.previous {
		if previous == h {
			delete(s.previous, id)
			n++
		}
	}
	return n
}

// erasePersonal removes personal rows of every user.
func (sp *space) erasePersonal(documents []string) (n int) {
	for i := range sp.shards {
		s := &sp.shards[i]
		s.Lock()
		for _, u := range s.users {
			for _, d := range documents {
				if u.rows[d] != nil {
					u.apply(PersonalChange{Personal: Personal{Document: d}, Delete: true})
					n++
				}
			}
		}
		s.Unlock()
	}
	return n
}
