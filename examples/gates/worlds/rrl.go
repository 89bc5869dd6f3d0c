package worlds

import "math/rand/v2"

// rrl is the rule of the RRL system (retrieval-reputation-layer 0.2): relevance, the
// mean of recent and of permanent success counters, and an exploration term, at
// fixed weights. Verified outcomes only, no decay, no clusters.
type rrl struct {
	similarity, recent, permanent, explore float64
	epsilon                                float64
	smoothing                              float64
	docs                                   map[int]*rrlDoc
	rng                                    *rand.Rand
}

type rrlDoc struct{ alpha, beta, a, b float64 }

// RRL is the arm with RRL's rule at the given weights: of relevance, recent success,
// permanent success and exploration; epsilon is how often the last place goes to the
// least known document.
func RRL(name string, similarity, recent, permanent, explore, epsilon float64) Arm {
	return Arm{name, func(seed uint64) arm {
		return &rrl{similarity, recent, permanent, explore, epsilon, .1, map[int]*rrlDoc{}, rand.New(rand.NewPCG(seed, 0x72726c))}
	}}
}

func (r *rrl) doc(id int) *rrlDoc {
	d := r.docs[id]
	if d == nil {
		d = &rrlDoc{1, 1, 1, 1}
		r.docs[id] = d
	}
	return d
}

func (r *rrl) rank(s *scene, i int) []int {
	v := &s.visits[i]
	k := &s.kinds[v.kind]
	var score, known [listed]float64
	for j := range score {
		d := r.doc(k.docs[j])
		alpha := d.alpha
		if d.a+d.b <= 2 {
			alpha = 2 // optimistic prior
		}
		known[j] = d.alpha + d.beta
		score[j] = r.similarity*v.relevance[j] + r.recent*alpha/(alpha+d.beta) + r.permanent*d.a/(d.a+d.b)
		if r.explore > 0 {
			score[j] += r.explore * v.relevance[j] * (beta(r.rng, alpha, d.beta) + rarity(alpha+d.beta))
		}
	}
	order := byRelevance(v)
	sortBy(order, func(j int) float64 { return score[j] })
	if r.rng.Float64() < r.epsilon {
		r.try(order, s.K, known)
	}
	return order
}

// try puts one of the least known of the rest in the last place shown.
func (r *rrl) try(order []int, k int, known [listed]float64) {
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

func (r *rrl) learn(s *scene, i int, shown []int, y float64, _ []float32) {
	v := &s.visits[i]
	k := &s.kinds[v.kind]
	sum := 0.0
	for _, j := range shown {
		sum += v.relevance[j] + r.smoothing
	}
	for _, j := range shown {
		share := (v.relevance[j] + r.smoothing) / sum
		d := r.doc(k.docs[j])
		d.alpha += share * y
		d.beta += share * (1 - y)
		d.a += share * y / 4
		d.b += share * (1 - y) / 4
	}
}
