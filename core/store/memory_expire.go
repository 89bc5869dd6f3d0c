package store

import (
	"cmp"
	"context"
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
	for _, step := range []func(*Bounds) int{sp.expireReceipts, sp.expireAliases, sp.expireDocuments, sp.boundTallies} {
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

// expireDocuments removes documents without evidence that nothing names. A
// document that is named or shown meanwhile may lose its row, which says no
// more than its absence.
func (sp *space) expireDocuments(b *Bounds) int {
	if b.DocumentsBefore == 0 {
		return 0
	}
	old := func(row documentRow) bool { return row.evidence == nil && row.lastUsed < b.DocumentsBefore }
	free := make(map[Hash]struct{})
	for i := range sp.shards {
		s := &sp.shards[i]
		s.RLock()
		for _, d := range s.documents.all() {
			if old(d.value) {
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
		if row := s.documents.get(h); row != nil && old(*row) {
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
