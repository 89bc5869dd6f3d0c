package chromem

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/repute-go/repute/core"
)

// IDs returns at most n ids in order, beginning behind after; "" begins at the
// front. n <= 0 returns all.
func (c *Collection) IDs(after string, n int) ([]string, error) {
	all, err := c.ordered()
	if err != nil {
		return nil, err
	}
	from, found := slices.BinarySearch(all, after)
	if found {
		from++
	}
	all = all[from:]
	if n > 0 && n < len(all) {
		all = all[:n]
	}
	return slices.Clone(all), nil
}

// ordered returns all ids in order; the slice is shared and never changes.
func (c *Collection) ordered() ([]string, error) {
	if err := c.reading(); err != nil {
		return nil, err
	}
	ids := c.shelf.sorted
	c.shelf.mu.RUnlock()
	if ids != nil {
		return ids, nil
	}
	if err := c.writing(); err != nil {
		return nil, err
	}
	defer c.shelf.mu.Unlock()
	return c.shelf.order(), nil
}

// Get returns copies of the chunks with these ids, in order; unknown ids are
// left out.
func (c *Collection) Get(ctx context.Context, ids ...string) ([]core.Candidate, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.shelf.mu.RLock()
	defer c.shelf.mu.RUnlock()
	out := make([]core.Candidate, 0, len(ids))
	for _, id := range ids {
		if d, ok := c.shelf.document(id); ok {
			out = append(out, candidateOf(d))
		}
	}
	return out, nil
}

// Chunks yields every chunk with text and vector, ordered by ID.
func (c *Collection) Chunks(ctx context.Context) iter.Seq2[core.Candidate, error] {
	return func(yield func(core.Candidate, error) bool) {
		ids, err := c.ordered()
		if err != nil {
			yield(core.Candidate{}, err)
			return
		}
		for page := range slices.Chunk(ids, pageSize) {
			found, err := c.Get(ctx, page...)
			if err != nil {
				yield(core.Candidate{}, err)
				return
			}
			for _, chunk := range found {
				if !yield(chunk, nil) {
					return
				}
			}
		}
	}
}

// pageSize is the number of chunks copied under one lock while listing.
const pageSize = 100

// Sample returns at most n different chunks, drawn uniformly with the seed: the
// same ones for the same collection, seed and n.
func (c *Collection) Sample(ctx context.Context, n int, seed uint64) ([]core.Candidate, error) {
	ids, err := c.ordered()
	if err != nil {
		return nil, err
	}
	ids = slices.Clone(ids)
	n = min(max(n, 0), len(ids))
	r := rand.New(rand.NewPCG(seed, uint64(len(ids))))
	for i := range n {
		j := i + r.IntN(len(ids)-i)
		ids[i], ids[j] = ids[j], ids[i]
	}
	return c.Get(ctx, ids[:n]...)
}

// Observe calls o for every write until cancel is called.
func (c *Collection) Observe(o core.WriteObserver) (cancel func()) {
	s := c.shelf
	handle := &observer{o}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observers[handle] = struct{}{}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.observers, handle)
	}
}
