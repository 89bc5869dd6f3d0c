package store

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
)

// Expire implements [Store]. It holds one shard at a time.
func (m *Memory) Expire(ctx context.Context, namespace string, b Bounds) (int, error) {
	sp, err := m.read(ctx, namespace)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, step := range []func(*Bounds) int{
		sp.expireReceipts, sp.expireAliases, sp.expireDocuments, sp.expireUsers, sp.side.expireTombstones, sp.boundTallies,
	} {
		if err := m.open(ctx); err != nil {
			return total, err
		}
		total += step(&b)
	}
	return total, nil
}

func (sp *space) expireReceipts(b *Bounds) int {
	return sp.deleteReceipts(func(rc *Receipt) bool { return rc.Expires <= b.Now })
}

// deleteReceipts removes the receipts that match, a shard at a time.
func (sp *space) deleteReceipts(match func(*Receipt) bool) int {
	gone := make(map[string]struct{})
	for i := range sp.shards {
		s := &sp.shards[i]
		s.Lock()
		for id, rc := range s.receipts {
			if match(rc) {
				delete(s.receipts, id)
				sp.count.Add(-1)
				gone[string(id[:])] = struct{}{}
			}
		}
		s.Unlock()
	}
	if len(gone) > 0 {
		sp.mu.Lock()
		sp.ages.keep(func(e aged) bool { _, dead := gone[e.key]; return !dead })
		sp.mu.Unlock()
	}
	return len(gone)
}

// delete removes the aliases that match.
func (s *sourceRows) delete(match func(aliasRow) bool) (n int) {
	for i := len(s.rows.all()) - 1; i >= 0; i-- {
		if r := s.rows.rows[i]; match(r.value) {
			s.rows.delete(r.key)
			delete(s.previous, r.key)
			n++
		}
	}
	return n
}

func (sp *space) expireAliases(b *Bounds) int {
	if b.AliasesBefore == 0 {
		return 0
	}
	n := 0
	for i := range sp.shards {
		s := &sp.shards[i]
		s.Lock()
		for _, rows := range s.sources {
			n += rows.delete(func(a aliasRow) bool { return a.seen < b.AliasesBefore })
		}
		s.Unlock()
	}
	return n
}

// forgets reports whether a document that nothing names goes.
func (b *Bounds) forgets(row documentRow) bool {
	if row.evidence != nil {
		return row.lastUsed < b.EvidenceBefore
	}
	return row.lastUsed < b.DocumentsBefore
}

// expireDocuments removes documents that nothing names. One that is named or shown
// meanwhile may lose its row.
func (sp *space) expireDocuments(b *Bounds) int {
	if b.DocumentsBefore == 0 && b.EvidenceBefore == 0 {
		return 0
	}
	free := make(map[Hash]struct{})
	for i := range sp.shards {
		s := &sp.shards[i]
		s.RLock()
		for _, d := range s.documents.all() {
			if b.forgets(d.value) {
				free[d.key] = struct{}{}
			}
		}
		s.RUnlock()
	}
	if len(free) == 0 {
		return 0
	}
	sp.eachAlias(func(a aliasRow, previous Hash) {
		delete(free, a.hash)
		delete(free, previous)
	})
	n := 0
	for h := range free {
		s := &sp.shards[hashShard(h)]
		s.Lock()
		if row := s.documents.get(h); row != nil && b.forgets(*row) {
			s.documents.delete(h)
			n++
		}
		s.Unlock()
	}
	return n
}

func (sp *space) eachAlias(visit func(a aliasRow, previous Hash)) {
	for i := range sp.shards {
		s := &sp.shards[i]
		s.RLock()
		for _, rows := range s.sources {
			for _, r := range rows.rows.all() {
				visit(r.value, rows.previous[r.key])
			}
		}
		s.RUnlock()
	}
}

// idle reports whether nothing of a user was written since and nothing is theirs for
// good.
func (u *userRows) idle(before int64) bool {
	if len(u.active) > 0 {
		return false
	}
	for _, row := range u.rows {
		if row.Updated >= before {
			return false
		}
	}
	return true
}

// expireUsers removes users who left. One who comes back meanwhile counts a
// retrieval more.
func (sp *space) expireUsers(b *Bounds) (n int) {
	if b.UsersBefore == 0 {
		return 0
	}
	left := make(map[string]int64) // their sequences
	for i := range sp.shards {
		s := &sp.shards[i]
		s.RLock()
		for name, u := range s.users {
			if u.idle(b.UsersBefore) {
				left[name] = u.sequence
			}
		}
		s.RUnlock()
	}
	for i := range sp.shards {
		s := &sp.shards[i]
		s.RLock()
		for _, rc := range s.receipts {
			delete(left, rc.User)
		}
		s.RUnlock()
	}
	for name, sequence := range left {
		n += sp.expireUser(name, sequence, b.UsersBefore)
	}
	return n
}

func (sp *space) expireUser(name string, sequence, before int64) (n int) {
	s := &sp.shards[sp.userShard(name)]
	s.Lock()
	defer s.Unlock()
	u := s.users[name]
	if u == nil || u.sequence != sequence || !u.idle(before) {
		return 0
	}
	delete(s.users, name)
	if n = len(u.rows); sequence != 0 {
		n++
	}
	return n
}

func (s *side) expireTombstones(b *Bounds) int {
	s.Lock()
	defer s.Unlock()
	before := len(s.erased)
	maps.DeleteFunc(s.erased, func(_ string, at int64) bool { return b.TombstonesBefore != 0 && at < b.TombstonesBefore })
	return before - len(s.erased)
}

func (sp *space) boundTallies(b *Bounds) int {
	sp.side.Lock()
	defer sp.side.Unlock()
	n := 0
	for prefix, limit := range b.MaxTallies {
		var found []Tally
		for name, values := range sp.side.tallies {
			if strings.HasPrefix(name, prefix) {
				found = append(found, Tally{Name: name, Values: values})
			}
		}
		for _, t := range ExcessTallies(found, limit) {
			delete(sp.side.tallies, t.Name)
			n++
		}
	}
	return n
}

// ExcessTallies returns those tallies that go when only limit may stay: the ones
// with the smallest sum of absolute values, of equal ones the first by name. It
// orders its argument.
func ExcessTallies(tallies []Tally, limit int) []Tally {
	excess := len(tallies) - max(limit, 0)
	if excess <= 0 {
		return nil
	}
	slices.SortFunc(tallies, func(a, b Tally) int {
		return cmp.Or(cmp.Compare(a.size(), b.size()), cmp.Compare(a.Name, b.Name))
	})
	return tallies[:excess]
}

func (t *Tally) size() (sum float64) {
	for _, x := range t.Values {
		sum += math.Abs(x)
	}
	return sum
}
