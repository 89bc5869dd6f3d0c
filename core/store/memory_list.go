package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Bounds of a page, in rows.
const (
	defaultPage = 1_000
	maxPage     = 10_000
)

// Rows returns the number of rows a page asks for, its default and limit
// applied.
func (p Page) Rows() int {
	if p.Limit <= 0 {
		return defaultPage
	}
	return min(p.Limit, maxPage)
}

// page picks the first rows after a key from rows that come in any order. It
// holds at most twice the rows wanted.
type page[R any] struct {
	limit   int
	compare func(a, b R) int
	rows    []R
}

func (p *page[R]) add(r R) {
	p.rows = append(p.rows, r)
	if len(p.rows) >= 2*p.limit {
		p.cut()
	}
}

func (p *page[R]) cut() {
	slices.SortFunc(p.rows, p.compare)
	if len(p.rows) > p.limit {
		clear(p.rows[p.limit:])
		p.rows = p.rows[:p.limit]
	}
}

func (p *page[R]) done() []R {
	p.cut()
	return p.rows
}

// Documents implements [Store].
func (m *Memory) Documents(ctx context.Context, namespace string, pg Page) ([]Document, error) {
	sp, err := m.read(ctx, namespace)
	if err != nil {
		return nil, err
	}
	out := page[Document]{limit: pg.Rows(), compare: func(a, b Document) int { return CompareHashes(a.Hash, b.Hash) }}
	for i := firstShard(pg.After); i < shardCount && len(out.rows) < out.limit; i++ {
		s := &sp.shards[i]
		s.RLock()
		for _, d := range s.documents.all() {
			if string(d.key[:]) > pg.After {
				out.add(d.value.document(d.key))
			}
		}
		s.RUnlock()
	}
	return out.done(), nil
}

// Receipts implements [Store].
func (m *Memory) Receipts(ctx context.Context, namespace, user string, pg Page) ([]Receipt, error) {
	sp, err := m.read(ctx, namespace)
	if err != nil {
		return nil, err
	}
	out := page[*Receipt]{limit: pg.Rows(), compare: func(a, b *Receipt) int { return bytes.Compare(a.ID[:], b.ID[:]) }}
	for i := firstShard(pg.After); i < shardCount && len(out.rows) < out.limit; i++ {
		s := &sp.shards[i]
		s.RLock()
		for id, rc := range s.receipts {
			if string(id[:]) > pg.After && (user == "" || rc.User == user) {
				out.add(rc)
			}
		}
		s.RUnlock()
	}
	rows := out.done()
	receipts := make([]Receipt, len(rows))
	for i, rc := range rows {
		receipts[i] = rc.clone()
	}
	return receipts, nil
}

// firstShard is where a listing of keys spread by their first bits goes on.
func firstShard(after string) int {
	if after == "" {
		return 0
	}
	return int(after[0] >> 2)
}

// Aliases implements [Store].
func (m *Memory) Aliases(ctx context.Context, namespace, source string, pg Page) ([]Alias, error) {
	sp, err := m.read(ctx, namespace)
	if err != nil {
		return nil, err
	}
	out := page[Alias]{limit: pg.Rows(), compare: func(a, b Alias) int { return cmp.Compare(a.ID, b.ID) }}
	for i := range sp.shards {
		s := &sp.shards[i]
		s.RLock()
		if rows := s.sources[source]; rows != nil {
			for _, r := range rows.rows.all() {
				if r.key > pg.After {
					out.add(rows.alias(source, r.key, &r.value))
				}
			}
		}
		s.RUnlock()
	}
	return out.done(), nil
}

// Personal implements [Store].
func (m *Memory) Personal(ctx context.Context, namespace, user string, pg Page) ([]Personal, error) {
	if user == "" {
		return nil, fmt.Errorf("%w: personal rows of no user", ErrInvalid)
	}
	sp, err := m.read(ctx, namespace)
	if err != nil {
		return nil, err
	}
	out := page[*Personal]{limit: pg.Rows(), compare: func(a, b *Personal) int { return cmp.Compare(a.Document, b.Document) }}
	s := &sp.shards[sp.userShard(user)]
	s.RLock()
	if u := s.users[user]; u != nil {
		for d, row := range u.rows {
			if d > pg.After {
				out.add(row)
			}
		}
	}
	s.RUnlock()
	rows := out.done()
	personal := make([]Personal, len(rows))
	for i, row := range rows {
		personal[i] = row.withoutText()
	}
	return personal, nil
}

// Users implements [Store].
func (m *Memory) Users(ctx context.Context, namespace string, pg Page) ([]string, error) {
	sp, err := m.read(ctx, namespace)
	if err != nil {
		return nil, err
	}
	out := page[string]{limit: pg.Rows(), compare: cmp.Compare[string]}
	for i := range sp.shards {
		s := &sp.shards[i]
		s.RLock()
		for name, u := range s.users {
			if len(u.rows) > 0 && name > pg.After {
				out.add(name)
			}
		}
		s.RUnlock()
	}
	return out.done(), nil
}

// Tallies implements [Store].
func (m *Memory) Tallies(ctx context.Context, namespace, prefix string, pg Page) ([]Tally, error) {
	sp, err := m.read(ctx, namespace)
	if err != nil {
		return nil, err
	}
	sp.side.RLock()
	defer sp.side.RUnlock()
	names := pageNames(sp.side.tallies, prefix, pg)
	out := make([]Tally, len(names))
	for i, name := range names {
		out[i] = Tally{Name: name, Values: slices.Clone(sp.side.tallies[name])}
	}
	return out, nil
}

// Blobs implements [Store].
func (m *Memory) Blobs(ctx context.Context, namespace, prefix string, pg Page) ([]Blob, error) {
	sp, err := m.read(ctx, namespace)
	if err != nil {
		return nil, err
	}
	sp.side.RLock()
	defer sp.side.RUnlock()
	names := pageNames(sp.side.blobs, prefix, pg)
	out := make([]Blob, len(names))
	for i, name := range names {
		out[i] = sp.side.blobs[name].clone()
	}
	return out, nil
}

func pageNames[V any](rows map[string]V, prefix string, pg Page) []string {
	out := page[string]{limit: pg.Rows(), compare: cmp.Compare[string]}
	for name := range rows {
		if strings.HasPrefix(name, prefix) && name > pg.After {
			out.add(name)
		}
	}
	return out.done()
}
