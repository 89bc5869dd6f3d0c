package worlds

import (
	"math"
	"math/rand/v2"
)

// RRLRule is the rule of the RRL system (retrieval-reputation-layer 0.2): relevance,
// the mean of recent and of permanent success counters, and an exploration term, at
// fixed weights. Verified outcomes only, no decay, no clusters. It is a copy of the
// formulas to measure against. Make one with [NewRRLRule]; not safe for concurrent
// use.
type RRLRule struct {
	weights RRLWeights
	docs    map[int]*rrlDoc
	rng     *rand.Rand
}

// RRLWeights are the weights of relevance, recent and permanent success and
// exploration, and how often the last place goes to the least known document.
type RRLWeights struct {
	Similarity, Recent, Permanent, Explore, Epsilon float64
}

// The weights that RRL was released with, and the best of a dozen that we tried in
// the worlds (they are those of its HTTP service, without the random last place).
var (
	RRLReleased = RRLWeights{.55, .30, .15, 0, .15}
	RRLTuned    = RRLWeights{.70, .20, .10, .10, 0}
)

// rrlSmoothing is added to relevance where credit is shared out.
const rrlSmoothing = .1

type rrlDoc struct{ alpha, beta, a, b float64 }

// NewRRLRule starts without evidence.
func NewRRLRule(w RRLWeights, seed uint64) *RRLRule {
	return &RRLRule{w, map[int]*rrlDoc{}, rand.New(rand.NewPCG(seed, 0x72726c))}
}

func (r *RRLRule) doc(id int) *rrlDoc {
	d := r.docs[id]
	if d == nil {
		d = &rrlDoc{1, 1, 1, 1}
		r.docs[id] = d
	}
	return d
}

// Rank orders documents, given by number and relevance, for a list of which k are
// shown: indices, best first.
func (r *RRLRule) Rank(docs []int, relevance []float64, k int) []int {
	w := r.weights
	order, score, known := make([]int, len(docs)), make([]float64, len(docs)), make([]float64, len(docs))
	for j, id := range docs {
		d := r.doc(id)
		alpha := d.alpha
		if d.a+d.b <= 2 {
			alpha = 2 // optimistic prior
		}
		order[j], known[j] = j, d.alpha+d.beta
		score[j] = w.Similarity*relevance[j] + w.Recent*alpha/(alpha+d.beta) + w.Permanent*d.a/(d.a+d.b)
		if w.Explore > 0 {
			score[j] += w.Explore * relevance[j] * (beta(r.rng, alpha, d.beta) + rarity(alpha+d.beta))
		}
	}
	sortBy(order, func(j int) float64 { return relevance[j] })
	sortBy(order, func(j int) float64 { return score[j] })
	if r.rng.Float64() < w.Epsilon {
		r.try(order, k, known)
	}
	return order
}

// try puts one of the least known of the rest in the last place shown.
func (r *RRLRule) try(order []int, k int, known []float64) {
	if k > len(order) {
		return
	}
	rest := order[k-1:]
	var least []int
	for at, j := range rest {
		switch {
		case len(least) == 0 || known[j] < known[rest[least[0]]]-1e-5:
			least = []int{at}
		case known[j] <= known[rest[least[0]]]+1e-5:
			least = append(least, at)
		}
	}
	at := least[r.rng.IntN(len(least))]
	rest[0], rest[at] = rest[at], rest[0]
}

// Learn shares out the outcome y in [0,1] to the documents shown.
func (r *RRLRule) Learn(docs []int, relevance []float64, y float64) {
	sum := 0.0
	for _, x := range relevance {
		sum += x + rrlSmoothing
	}
	decided := 2 * math.Abs(y-.5)
	for j, id := range docs {
		share := decided * (relevance[j] + rrlSmoothing) / sum
		d := r.doc(id)
		d.alpha += share * y
		d.beta += share * (1 - y)
		d.a += share * y / 4
		d.b += share * (1 - y) / 4
	}
}

// rrl is RRLRule as an arm.
type rrl struct{ *RRLRule }

// RRL is the arm with RRL's rule at the given weights.
func RRL(name string, w RRLWeights) Arm {
	return Arm{name, func(seed uint64) arm { return rrl{NewRRLRule(w, seed)} }}
}

func (r rrl) rank(s *scene, i int) []int {
	v := &s.visits[i]
	return r.Rank(s.kinds[v.kind].docs[:], v.relevance[:], s.K)
}

func (r rrl) learn(s *scene, i int, shown []int, y float64, _ []float32) {
	v := &s.visits[i]
	k := &s.kinds[v.kind]
	docs, relevance := make([]int, len(shown)), make([]float64, len(shown))
	for at, j := range shown {
		docs[at], relevance[at] = k.docs[j], v.relevance[j]
	}
	r.Learn(docs, relevance, y)
}
