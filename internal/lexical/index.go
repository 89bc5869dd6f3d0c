package lexical

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Hit is a document and its score; higher is better.
type Hit struct {
	ID    string
	Score float64
}

// compareHits orders by score, best first, then by ID.
func compareHits(a, b Hit) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// Index is an inverted index that ranks documents by [BM25], held in memory and
// meant for up to some 100,000 passages: 16 bytes a distinct term of a document,
// and the vocabulary once. Document frequencies, the number of documents and their
// mean length follow every Add and Remove, so that the scores are always those of
// an index built afresh from the documents it holds.
//
// An Index is safe for concurrent use; searches run side by side.
type Index struct {
	params BM25

	mu    sync.RWMutex
	docs  []document          // by document number, removed ones included
	byID  map[string]uint32   // document number
	terms map[string]*posting // only terms of live documents
	total int                 // length of all live documents
	pool  sync.Pool           // *accumulator
}

type document struct {
	id     string
	length uint32
	terms  []*posting // distinct; nil once removed
	live   bool
}

// posting lists the documents of a term by ascending number, removed ones too
// until the next compaction.
type posting struct {
	term    string
	df      int // live documents
	entries []entry
}

type entry struct{ doc, tf uint32 }

// NewIndex returns an empty index. The zero BM25 means the default constants.
func NewIndex(params BM25) *Index {
	return &Index{params: params.orDefaults(), byID: map[string]uint32{}, terms: map[string]*posting{}}
}

// Len returns the number of documents.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.byID)
}

// Contains reports whether a document is in the index.
func (x *Index) Contains(id string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	_, ok := x.byID[id]
	return ok
}

// DF returns the number of documents that hold a term.
func (x *Index) DF(term string) int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if p := x.terms[term]; p != nil {
		return p.df
	}
	return 0
}

// Add puts a document into the index, in place of one with the same id. The terms
// are those of [Terms]; they are copied. A document without terms counts as a
// document, but no query finds it.
func (x *Index) Add(id string, terms []string) {
	n, order := counts(terms)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(id)
	number := uint32(len(x.docs))
	doc := document{id: strings.Clone(id), length: uint32(len(terms)), terms: make([]*posting, len(order)), live: true}
	for i, t := range order {
		p := x.terms[t]
		if p == nil {
			p = &posting{term: strings.Clone(t)}
			x.terms[p.term] = p
		}
		p.df++
		p.entries = append(p.entries, entry{number, uint32(n[t])})
		doc.terms[i] = p
	}
	x.docs = append(x.docs, doc)
	x.byID[doc.id] = number
	x.total += len(terms)
}

// Remove takes a document out and reports whether it was there.
func (x *Index) Remove(id string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.remove(id)
}

func (x *Index) remove(id string) bool {
	number, ok := x.byID[id]
	if !ok {
		return false
	}
	doc := &x.docs[number]
	for _, p := range doc.terms {
		if p.df--; p.df == 0 {
			delete(x.terms, p.term)
		}
	}
	x.total -= int(doc.length)
	delete(x.byID, id)
	*doc = document{}
	if dead := len(x.docs) - len(x.byID); dead > len(x.byID)+64 {
		x.compact()
	}
	return true
}

// compact renumbers the live documents and drops the removed ones from all
// postings. It runs once in as many removals as there are documents.
func (x *Index) compact() {
	renumbered := make([]uint32, len(x.docs))
	live := make([]document, 0, len(x.byID))
	for i, d := range x.docs {
		if d.live {
			renumbered[i] = uint32(len(live))
			x.byID[d.id] = uint32(len(live))
			live = append(live, d)
		}
	}
	for _, p := range x.terms {
		kept := make([]entry, 0, p.df)
		for _, e := range p.entries {
			if x.docs[e.doc].live {
				kept = append(kept, entry{renumbered[e.doc], e.tf})
			}
		}
		p.entries = kept
	}
	x.docs = live
}

// Search returns the n best documents for the terms of a query, best first, equal
// scores by ID. Only documents that hold at least one of the terms are returned,
// so there may be fewer than n, or none. A term repeated in the query counts as
// often. n <= 0 returns nothing.
func (x *Index) Search(query []string, n int) []Hit { return x.SearchFunc(query, n, nil) }

// SearchFunc is [Index.Search] among the documents that keep accepts; nil accepts
// all. The statistics stay those of all documents. keep is called with the index
// locked for reading, so it must not change the index.
func (x *Index) SearchFunc(query []string, n int, keep func(id string) bool) []Hit {
	if n <= 0 || len(query) == 0 {
		return nil
	}
	asked, order := counts(query)
	x.mu.RLock()
	defer x.mu.RUnlock()
	acc := x.accumulator()
	mean := float64(x.total) / float64(max(len(x.byID), 1))
	for _, t := range order {
		p := x.terms[t]
		if p == nil {
			continue
		}
		idf := float64(asked[t]) * IDF(len(x.byID), p.df)
		for _, e := range p.entries {
			if d := &x.docs[e.doc]; d.live {
				acc.add(e.doc, idf*x.params.damp(float64(e.tf), float64(d.length), mean))
			}
		}
	}
	best := top{n: n}
	for _, number := range acc.touched {
		hit := Hit{ID: x.docs[number].id, Score: acc.scores[number]}
		acc.scores[number] = 0
		if best.wants(hit) && (keep == nil || keep(hit.ID)) {
			best.push(hit)
		}
	}
	acc.touched = acc.touched[:0]
	x.pool.Put(acc) // not deferred: a panic in keep would put back scores that are not 0
	return best.sorted()
}

// accumulator sums scores by document number; between searches all are 0.
type accumulator struct {
	scores  []float64
	touched []uint32
}

func (x *Index) accumulator() *accumulator {
	acc, _ := x.pool.Get().(*accumulator)
	if acc == nil {
		acc = &accumulator{}
	}
	if missing := len(x.docs) - len(acc.scores); missing > 0 {
		acc.scores = append(acc.scores, make([]float64, missing)...)
	}
	return acc
}

func (a *accumulator) add(doc uint32, score float64) {
	if a.scores[doc] == 0 {
		a.touched = append(a.touched, doc)
	}
	a.scores[doc] += score
}

// top keeps the n best hits: a heap with the worst at the root.
type top struct {
	n    int
	hits []Hit
}

func (t *top) wants(h Hit) bool {
	return len(t.hits) < t.n || compareHits(h, t.hits[0]) < 0
}

func (t *top) push(h Hit) {
	if len(t.hits) < t.n {
		t.hits = append(t.hits, h)
		for i := len(t.hits) - 1; i > 0; {
			parent := (i - 1) / 2
			if compareHits(t.hits[i], t.hits[parent]) <= 0 {
				return
			}
			t.hits[i], t.hits[parent] = t.hits[parent], t.hits[i]
			i = parent
		}
		return
	}
	t.hits[0] = h
	t.sink()
}

// sink moves the root down to its place.
func (t *top) sink() {
	for i := 0; ; {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.hits); child++ {
			if compareHits(t.hits[child], t.hits[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		t.hits[i], t.hits[worst] = t.hits[worst], t.hits[i]
		i = worst
	}
}

func (t *top) sorted() []Hit {
	slices.SortFunc(t.hits, compareHits)
	return t.hits
}
