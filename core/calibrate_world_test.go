package core_test

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/internal/lexical"
)

// shelf is a small vector store with every seam the gate can use: it searches by
// cosine over hashed words, lists, samples, embeds and announces its writes.
type shelf struct {
	name string
	salt string // of the embedder

	mu        sync.Mutex
	chunks    map[string]core.Candidate
	observers map[int]core.WriteObserver
	next      int

	searches, embeds, listed, atOnce, most atomic.Int64
	fail                                   atomic.Bool
	hold                                   chan struct{} // not nil: searches wait for it
}

func newShelf(texts ...string) *shelf {
	s := &shelf{name: "shelf", chunks: map[string]core.Candidate{}, observers: map[int]core.WriteObserver{}}
	for i, text := range texts {
		s.put(fmt.Sprintf("chunk-%04d", i), text)
	}
	return s
}

func (s *shelf) vector(text string) []float32 {
	v := make([]float32, 32)
	v[0] = .1
	for _, term := range lexical.Terms(text) {
		h := fnv.New64a()
		h.Write([]byte(s.salt + term))
		v[h.Sum64()%32]++
	}
	n := math.Sqrt(cosineOf(v, v))
	for i := range v {
		v[i] /= float32(n)
	}
	return v
}

func cosineOf(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func (s *shelf) put(id, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := core.Candidate{ID: id, DocID: "doc of " + id, Text: text, Vector: s.vector(text)}
	for _, o := range s.observers {
		if old, ok := s.chunks[id]; ok {
			o.Deleted([]core.Candidate{old})
		}
		o.Inserted([]core.Candidate{c})
	}
	s.chunks[id] = c
}

// smuggle writes a chunk without telling anybody.
func (s *shelf) smuggle(id, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chunks[id] = core.Candidate{ID: id, Text: text, Vector: s.vector(text)}
}

// miss says that something was written, and not what.
func (s *shelf) miss() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.observers {
		o.Missed()
	}
}

func (s *shelf) remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.chunks[id]
	delete(s.chunks, id)
	for _, o := range s.observers {
		if ok {
			o.Deleted([]core.Candidate{old})
		}
	}
}

func (s *shelf) Info() core.SourceInfo {
	return core.SourceInfo{Name: s.name, Model: "hash" + s.salt, Kind: core.CosineSimilarity}
}

func (s *shelf) Search(ctx context.Context, q core.Query, n int) (core.Hits, error) {
	s.searches.Add(1)
	s.most.Store(max(s.most.Load(), s.atOnce.Add(1)))
	defer s.atOnce.Add(-1)
	if s.hold != nil {
		select {
		case <-s.hold:
		case <-ctx.Done():
			return core.Hits{}, ctx.Err()
		}
	}
	if s.fail.Load() {
		return core.Hits{}, errShelf
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.vector(q.Text)
	var found []core.Candidate
	for _, c := range s.chunks {
		c.Score = cosineOf(v, c.Vector)
		found = append(found, c)
	}
	slices.SortFunc(found, func(a, b core.Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return core.Hits{Candidates: found[:min(n, len(found))], QueryVector: v}, nil
}

var errShelf = fmt.Errorf("shelf: fallen over")

func (s *shelf) Embed(_ context.Context, text string) ([]float32, error) {
	s.embeds.Add(1)
	if s.fail.Load() {
		return nil, errShelf
	}
	return s.vector(text), nil
}

func (s *shelf) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.chunks)
}

func (s *shelf) Chunks(context.Context) iter.Seq2[core.Candidate, error] {
	return func(yield func(core.Candidate, error) bool) {
		s.mu.Lock()
		ids := slices.Sorted(maps.Keys(s.chunks))
		s.mu.Unlock()
		for _, id := range ids {
			s.mu.Lock()
			c, ok := s.chunks[id]
			s.mu.Unlock()
			s.listed.Add(1)
			if ok && !yield(c, nil) {
				return
			}
		}
	}
}

func (s *shelf) Sample(_ context.Context, n int, seed uint64) ([]core.Candidate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := slices.Sorted(maps.Keys(s.chunks))
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	var out []core.Candidate
	for _, id := range ids[:min(n, len(ids))] {
		out = append(out, s.chunks[id])
	}
	return out, nil
}

func (s *shelf) Observe(o core.WriteObserver) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.next
	s.next++
	s.observers[id] = o
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.observers, id)
	}
}

func (s *shelf) listeners() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.observers)
}

// blind shows of a shelf only that it can be searched.
type blind struct{ s *shelf }

func (b blind) Info() core.SourceInfo { return b.s.Info() }
func (b blind) Search(ctx context.Context, q core.Query, n int) (core.Hits, error) {
	h, err := b.s.Search(ctx, q, n)
	h.QueryVector = nil
	for i := range h.Candidates {
		h.Candidates[i].Vector = nil
	}
	return h, err
}

// silent shows of a shelf all but its announcements.
type silent struct {
	core.Source
	core.Embedder
	core.Lister
}

// prose returns n texts on various subjects, with words of their own.
func prose(n int) []string {
	subjects := []string{"harbour ferry timetable", "copper smelting furnace", "violin varnish recipe", "glacier ice core", "tax form deadline",
		"bicycle gear repair", "orchid soil mixture", "railway signal box", "bread oven brick", "chess opening theory"}
	out := make([]string, n)
	for i := range out {
		s := subjects[i%len(subjects)]
		out[i] = fmt.Sprintf("About %s number%d: detail%d and remark%d concern %s.", s, i, i*7%n, i*13%n, strings.Fields(s)[0])
	}
	return out
}
