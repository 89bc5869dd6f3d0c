package core

import (
	"context"
	"math"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/internal/lexical"
)

// maxWordsRead bounds the library texts that one retrieval reads only to know
// their words; the engine remembers the words.
const maxWordsRead = 32

// likeness compares texts with the question by their vectors. Vectors of different
// models are never compared.
type likeness struct {
	query []float32
	model string
	norm  float64
}

func (r *retrieval) likeness() likeness {
	_, square := products(r.hits.QueryVector, r.hits.QueryVector)
	return likeness{r.hits.QueryVector, storable(r.hits.Model), math.Sqrt(square)}
}

// to is the cosine of a claimed text to the question, NaN where it is unknown.
func (l likeness) to(c *lifecycle.Claim) float64 {
	if len(c.Vector) == 0 || len(c.Vector) != len(l.query) || c.Model != l.model {
		return math.NaN()
	}
	product, square := products(c.Vector, l.query)
	return product / (math.Sqrt(square) * l.norm) // a zero vector: NaN
}

// products returns a*b and a*a. Two sums each, so that they need not wait for each
// other.
func products(a, b []float32) (ab, aa float64) {
	var ab2, aa2 float64
	b = b[:len(a)]
	for len(a) >= 2 {
		x, y := float64(a[0]), float64(a[1])
		ab += x * float64(b[0])
		ab2 += y * float64(b[1])
		aa += x * x
		aa2 += y * y
		a, b = a[2:], b[2:]
	}
	for i, x := range a {
		ab += float64(x) * float64(b[i])
		aa += float64(x) * float64(x)
	}
	return ab + ab2, aa + aa2
}

// byWords gives the retrieved passages and the texts a score of the words they
// share with the question, over the set of all of them.
func (t *tiers) byWords(ctx context.Context, r *retrieval, texts []*libraryText) {
	cache := r.engine.words
	sets := make([]lexical.Set, 0, len(t.Retrieved)+len(texts))
	for _, j := range t.shown {
		c := &r.candidates[j]
		sets = append(sets, cache.words(c.hash, c.Text))
	}
	sets = append(sets, r.wordsOf(ctx, texts)...)
	scores := lexical.BM25{}.SetScores(lexical.Unique(lexical.Terms(r.query.Text)), sets)
	for i := range t.Retrieved {
		t.Retrieved[i].Lexical = scores[i]
	}
	for i, text := range texts {
		text.passage.Lexical = scores[len(t.Retrieved)+i]
	}
}

// wordsOf returns the words of library texts, read at most maxWordsRead at a time.
// The words of texts beyond that are empty until a later question reads them.
func (r *retrieval) wordsOf(ctx context.Context, texts []*libraryText) []lexical.Set {
	sets := make([]lexical.Set, len(texts))
	var missing []string
	at := make(map[string]int)
	for i, t := range texts {
		if set, ok := r.engine.words.sets.Get(r.wordsKey(t)); ok {
			sets[i] = set
		} else if len(missing) < maxWordsRead {
			missing = append(missing, t.key)
			at[t.key] = i
		}
	}
	if len(missing) == 0 {
		return sets
	}
	read, err := r.engine.store.Texts(ctx, r.engine.opts.Namespace, r.personal.user, missing)
	if err != nil {
		r.engine.opts.Logger.Warn("library texts not read", "error", err)
		return sets
	}
	for key, text := range read {
		i := at[key]
		sets[i] = r.engine.words.words(r.wordsKey(texts[i]), text)
	}
	return sets
}

// wordsKey names a claimed text of this user among the engine's word sets.
func (r *retrieval) wordsKey(t *libraryText) store.Hash {
	return digest("claim", r.personal.user, t.key, t.record.Claim.Hash, t.record.Claim.At.String())
}
