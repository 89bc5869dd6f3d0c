// Package falsealarm measures what a gate promises: how many questions that a
// collection cannot answer pass it, and how many answerable ones it keeps, at
// several collection sizes, on public collections with human judgements.
//
// A collection is cut down to N passages by drawing whole documents; relevant
// documents of random questions are planted up to 30 % of it. Three kinds of
// question are asked: answerable ones (a judged document is inside), far ones
// (questions of the other collections) and near ones (answerable ones with every
// judged document masked out).
package falsealarm

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/repute-go/repute/examples/gates/collection"
	"github.com/repute-go/repute/internal/lexical"
)

// library is a collection made ready: passages with words, questions with terms.
type library struct {
	name     string
	vectors  [][]float32 // by document
	passages [][]passage // by document
	judged   []*inquiry  // questions with a relevant document
	total    int         // passages
}

type passage struct {
	document int
	index    int // within the document
	words    lexical.Set
}

// inquiry is a question.
type inquiry struct {
	terms    []string
	vector   []float32
	relevant map[int]int
}

func newLibrary(c *collection.Collection) *library {
	l := &library{name: c.Name, passages: make([][]passage, len(c.Documents))}
	for _, d := range c.Documents {
		l.vectors = append(l.vectors, d.Vector)
	}
	for _, p := range c.Passages() {
		own := l.passages[p.Document]
		l.passages[p.Document] = append(own, passage{p.Document, len(own), lexical.NewSet(p.Text)})
		l.total++
	}
	for _, q := range c.Judged() {
		l.judged = append(l.judged, &inquiry{lexical.Unique(lexical.Terms(q.Text)), q.Vector, q.Relevant})
	}
	return l
}

// union joins libraries into one.
func union(name string, parts []*library) *library {
	l := &library{name: name}
	for _, p := range parts {
		shift := len(l.vectors)
		l.vectors = append(l.vectors, p.vectors...)
		for _, passages := range p.passages {
			moved := slices.Clone(passages)
			for i := range moved {
				moved[i].document += shift
			}
			l.passages = append(l.passages, moved)
		}
		for _, q := range p.judged {
			relevant := make(map[int]int, len(q.relevant))
			for d, score := range q.relevant {
				relevant[d+shift] = score
			}
			l.judged = append(l.judged, &inquiry{q.terms, q.vector, relevant})
		}
		l.total += p.total
	}
	return l
}

const planted = 0.3 // share of a cut-down collection that may be relevant documents of chosen questions

// draw chooses whole documents for about n passages: relevant documents of random
// questions first, then any.
func (l *library) draw(n int, r *rand.Rand) []int {
	taken := make(map[int]bool)
	var out []int
	size := 0
	take := func(d, limit int) {
		if !taken[d] && len(l.passages[d]) > 0 && size+len(l.passages[d]) <= limit {
			taken[d] = true
			out, size = append(out, d), size+len(l.passages[d])
		}
	}
	for _, i := range r.Perm(len(l.judged)) {
		relevant := make([]int, 0, len(l.judged[i].relevant))
		for d := range l.judged[i].relevant {
			relevant = append(relevant, d)
		}
		slices.Sort(relevant)
		for _, d := range relevant {
			take(d, int(planted*float64(n)))
		}
		if float64(size) >= planted*float64(n)-1 {
			break
		}
	}
	for _, d := range r.Perm(len(l.vectors)) {
		take(d, n)
	}
	slices.Sort(out)
	return out
}

// found is a retrieved passage.
type found struct {
	passage
	cosine float64
}

// search returns the k passages nearest to a question among the given documents,
// without those that skip names. A passage has its document's vector; passages of
// one document come in their order.
func (l *library) search(q *inquiry, documents []int, skip map[int]int, k int) []found {
	type scored struct {
		document int
		cosine   float32
	}
	best := make([]scored, 0, k+1)
	query := blas32.Vector{N: len(q.vector), Inc: 1, Data: q.vector}
	for _, d := range documents {
		if _, masked := skip[d]; masked {
			continue
		}
		s := scored{d, blas32.Dot(query, blas32.Vector{N: len(q.vector), Inc: 1, Data: l.vectors[d]})}
		at, _ := slices.BinarySearchFunc(best, s, func(a, b scored) int {
			return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.document, b.document))
		})
		if at < k {
			best = slices.Insert(best, at, s)
			best = best[:min(len(best), k)]
		}
	}
	var out []found
	for _, s := range best {
		for _, p := range l.passages[s.document] {
			if len(out) == k {
				return out
			}
			out = append(out, found{p, float64(s.cosine)})
		}
	}
	return out
}
