package replay

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/examples/gates/collection"
	"github.com/repute-go/repute/internal/lexical"
)

const (
	depth   = 10 // candidates of a list
	dropped = .25
	turn    = .9 // cosine between a question and its rewording
)

// Bases are the retrievers whose order is learned on.
var Bases = []string{"cosine", "BM25", "hybrid"}

// engine searches one collection.
type engine struct {
	*collection.Collection
	index  *lexical.Index
	signer *reputation.Signer
}

func newEngine(c *collection.Collection) (*engine, error) {
	e := &engine{Collection: c, index: lexical.NewIndex(lexical.BM25{})}
	mean := make([]float32, len(c.Documents[0].Vector))
	for i, d := range c.Documents {
		e.index.Add(strconv.Itoa(i), lexical.Terms(d.Title+" "+d.Text))
		for j, x := range d.Vector {
			mean[j] += x / float32(len(c.Documents))
		}
	}
	var err error
	e.signer, err = reputation.NewSigner(c.Name, len(mean), mean)
	return e, err
}

// asked is a question as it is put once, with what each base finds.
type asked struct {
	query   int
	vector  reputation.Signature
	words   reputation.Signature
	wordsOK bool
	lists   map[string]list
}

// list is a result: documents by falling relevance in [0,1].
type list struct {
	docs      []int
	relevance []float64
}

// ask puts a question and searches with every base.
func (e *engine) ask(query int, q collection.Query, reworded bool, rng *rand.Rand) (*asked, error) {
	if reworded {
		q = reword(q, rng)
	}
	a := &asked{query: query, lists: map[string]list{}}
	var err error
	if a.vector, err = e.signer.Sign(q.Vector); err != nil {
		return nil, err
	}
	a.words, a.wordsOK = reputation.SignText(q.Text)
	near := e.nearest(q.Vector, lexical.BlendDepth)
	found := e.index.Search(lexical.Terms(q.Text), lexical.BlendDepth)
	a.lists["cosine"] = cut(near, 1)
	if len(found) > 0 {
		a.lists["BM25"] = cut(found, found[0].Score)
	}
	var both []lexical.Hit
	for _, f := range lexical.Blend([]lexical.List{
		{Hits: found, Weight: 1, Scale: lexical.FromZero}, {Hits: near, Weight: lexical.VectorWeight, Scale: lexical.FromLast},
	}) {
		both = append(both, lexical.Hit{ID: f.ID, Score: f.Score})
	}
	a.lists["hybrid"] = cut(both, 1)
	return a, nil
}

// cut keeps the best hits, their scores divided by most.
func cut(hits []lexical.Hit, most float64) (l list) {
	for _, h := range hits[:min(depth, len(hits))] {
		doc, _ := strconv.Atoi(h.ID)
		l.docs = append(l.docs, doc)
		l.relevance = append(l.relevance, min(max(h.Score/most, 0), 1))
	}
	return l
}

// nearest are the n documents with the highest cosine.
func (e *engine) nearest(v []float32, n int) []lexical.Hit {
	var best top
	for i := range e.Documents {
		best.offer(i, dot(v, e.Documents[i].Vector), n)
	}
	hits := make([]lexical.Hit, len(best))
	for i, b := range best {
		hits[i] = lexical.Hit{ID: strconv.Itoa(b.doc), Score: float64(b.score)}
	}
	return hits
}

// top is a short list by falling score.
type top []struct {
	doc   int
	score float32
}

func (t *top) offer(doc int, score float32, n int) {
	s := *t
	if len(s) == n && score <= s[n-1].score {
		return
	}
	if len(s) < n {
		s = append(s, struct {
			doc   int
			score float32
		}{})
	}
	i := len(s) - 1
	for ; i > 0 && s[i-1].score < score; i-- {
		s[i] = s[i-1]
	}
	s[i].doc, s[i].score = doc, score
	*t = s
}

func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

// reword leaves out a quarter of the words and turns the vector.
func reword(q collection.Query, rng *rand.Rand) collection.Query {
	var kept []string
	words := strings.Fields(q.Text)
	for _, w := range words {
		if rng.Float64() >= dropped {
			kept = append(kept, w)
		}
	}
	if len(kept) > 0 {
		q.Text = strings.Join(kept, " ")
	}
	noise, length := make([]float32, len(q.Vector)), 0.0
	for i := range noise {
		x := rng.NormFloat64()
		noise[i] = float32(x)
		length += x * x
	}
	by := float32(math.Sqrt(1/(turn*turn)-1) / math.Sqrt(length))
	v, square := make([]float32, len(noise)), 0.0
	for i, x := range q.Vector {
		v[i] = x + by*noise[i]
		square += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(square))
	}
	q.Vector = v
	return q
}
