package worlds

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/repute-go/repute/core/reputation"
)

const (
	families   = 5
	dimensions = 64
	listed     = 10 // candidates a query gets
	attention  = .6 // paid to a place in the list, relative to the one before
)

// World is a made-up place to learn in: types of queries that recur, documents that
// suit some of them, a retriever that knows a little, and outcomes that depend on
// what was shown.
type World struct {
	Name      string
	K         int
	Visits    int
	Types     int     // 0 = 60
	Documents int     // 0 = 200
	Uniform   bool    // types are drawn uniformly, else with probability rank^-Zipf
	Zipf      float64 // 0 = .8
	OneShot   bool    // every query is of a type of its own
	// Changes is how often, at equal intervals, every second type gets another
	// right document.
	Changes int
	// Span is the time from the first visit to the last; 0 = a visit a second.
	Span time.Duration

	// Delta is how much the right document among those shown adds to the
	// probability of success. The rest comes from the type, in [Low, High]; both 0
	// means .05 + .9*(1-Delta)*U.
	Delta     float64
	Low, High float64
	// Global worlds have good and bad documents instead: success is fit times
	// quality.
	Global bool
	// Cited is the probability that the right document is cited, Strays that
	// another shown one is, Blind that any is where the right one is not shown. All
	// 0: there is no attribution.
	Cited, Strays, Blind float64
	// Outlier puts a candidate of relevance 0 in every list.
	Outlier bool
}

func (w World) withDefaults() World {
	if w.Types == 0 {
		w.Types = 60
	}
	if w.OneShot {
		w.Types = w.Visits
	}
	if w.Documents == 0 {
		w.Documents = 200
	}
	if w.Zipf == 0 {
		w.Zipf = .8
	}
	return w
}

// kind is a type of query.
type kind struct {
	vector    []float32
	docs      [listed]int     // candidates
	relevance [listed]float64 // before the noise of a visit
	base      float64         // probability of success without it
	fit       [listed]float64 // in global worlds
}

// visit is one query with all its luck, so that every arm meets the same.
type visit struct {
	kind      int
	signature reputation.Signature
	relevance [listed]float64
	luck      float64         // success if below its probability
	cite      [listed]float64 // cited if below its probability
}

// scene is a world drawn from a seed.
type scene struct {
	World
	kinds   []kind
	quality []float64 // by document, in global worlds
	visits  []visit
	right   [][]int // index of the right candidate by era and type
}

// draw makes a world from a seed.
func (w World) draw(seed uint64) *scene {
	w = w.withDefaults()
	s := &scene{World: w}
	rng := rand.New(rand.NewPCG(seed, 0x776f726c64))
	family := make([][]float32, families)
	for i := range family {
		family[i] = noise(rng, 1)
	}
	s.quality = make([]float64, w.Documents)
	for i := range s.quality {
		s.quality[i] = 1
		if rng.Float64() < .4 {
			s.quality[i] = .15
		}
	}
	for t := range w.Types {
		s.kinds = append(s.kinds, s.drawKind(rng, t, family[t%families]))
	}
	s.drawRights(rng)
	s.drawVisits(rng)
	return s
}

func (s *scene) drawKind(rng *rand.Rand, t int, family []float32) kind {
	k := kind{vector: noise(rng, 1)}
	for i, x := range family {
		k.vector[i] += .75 * x
	}
	members := s.Documents / families
	for i, j := range rng.Perm(members)[:min(listed, members)] {
		k.docs[i] = t%families + j*families
	}
	for i := range k.relevance {
		k.relevance[i] = .6 + .05*rng.NormFloat64()
		k.fit[i] = .25
		if i == 0 || s.Global && i < 3 {
			k.relevance[i] += .055
			k.fit[i] = .9
		}
	}
	k.base = .05 + .9*(1-s.Delta)*rng.Float64()
	if s.High > 0 {
		k.base = s.Low + (s.High-s.Low)*rng.Float64()
	}
	return k
}

// drawRights draws which document is right, before and after each change.
func (s *scene) drawRights(rng *rand.Rand) {
	s.right = [][]int{make([]int, s.Types)}
	for era := 1; era <= s.Changes; era++ {
		now := slices.Clone(s.right[era-1])
		for t := 1; t < s.Types; t += 2 {
			now[t] = (now[t] + 1 + rng.IntN(listed-1)) % listed
		}
		s.right = append(s.right, now)
	}
}

func (s *scene) drawVisits(rng *rand.Rand) {
	signer, err := reputation.NewSigner("worlds", dimensions, nil)
	if err != nil {
		panic(err)
	}
	pick := s.picker(rng)
	s.visits = make([]visit, s.Visits)
	for i := range s.visits {
		v := &s.visits[i]
		v.kind = pick(i)
		k := &s.kinds[v.kind]
		vector := noise(rng, .6)
		for j, x := range k.vector {
			vector[j] += x
		}
		if v.signature, err = signer.Sign(vector); err != nil {
			panic(err)
		}
		for j := range v.relevance {
			v.relevance[j] = min(max(k.relevance[j]+.005*rng.NormFloat64(), 0), 1)
			v.cite[j] = rng.Float64()
		}
		if s.Outlier {
			v.relevance[listed-1] = 0
		}
		v.luck = rng.Float64()
	}
}

// picker returns the type of the i-th visit.
func (s *scene) picker(rng *rand.Rand) func(i int) int {
	if s.OneShot {
		return func(i int) int { return i }
	}
	if s.Uniform {
		return func(int) int { return rng.IntN(s.Types) }
	}
	sums, sum := make([]float64, s.Types), 0.0
	for i := range sums {
		sum += math.Pow(float64(i+1), -s.Zipf)
		sums[i] = sum
	}
	return func(int) int {
		x := rng.Float64() * sum
		for i, y := range sums {
			if x < y {
				return i
			}
		}
		return s.Types - 1
	}
}

// noise is a vector with entries N(0, 1/64), times by.
func noise(rng *rand.Rand, by float64) []float32 {
	v := make([]float32, dimensions)
	for i := range v {
		v[i] = float32(by * rng.NormFloat64() / math.Sqrt(dimensions))
	}
	return v
}

// rightOf is the index of the right candidate at the i-th visit.
func (s *scene) rightOf(i int) int {
	return s.right[i*len(s.right)/len(s.visits)][s.visits[i].kind]
}

// time of the i-th visit, Unix nanoseconds.
func (s *scene) time(i int) int64 {
	step := time.Second
	if s.Span > 0 {
		step = s.Span / time.Duration(s.Visits)
	}
	return int64(i+1) * int64(step)
}

// success is the probability that the i-th visit succeeds if these candidates are
// shown, the first first.
func (s *scene) success(i int, shown []int) float64 {
	k := &s.kinds[s.visits[i].kind]
	if !s.Global {
		for _, j := range shown {
			if j == s.rightOf(i) {
				return k.base + s.Delta
			}
		}
		return k.base
	}
	sum, weight, w := 0.0, 0.0, 1.0
	for _, j := range shown {
		sum += w * k.fit[j] * s.quality[k.docs[j]]
		weight += w
		w *= attention
	}
	return sum / weight
}

// oracle is the best there is at the i-th visit.
func (s *scene) oracle(i int) float64 {
	if !s.Global {
		return s.success(i, []int{s.rightOf(i)})
	}
	k := &s.kinds[s.visits[i].kind]
	order := make([]int, listed)
	for j := range order {
		order[j] = j
	}
	sortBy(order, func(j int) float64 { return k.fit[j] * s.quality[k.docs[j]] })
	return s.success(i, order[:s.K])
}

// used says which of the shown candidates the answer cites, nil without attribution.
func (s *scene) used(i int, shown []int) []float32 {
	if s.Cited == 0 && s.Strays == 0 && s.Blind == 0 {
		return nil
	}
	v, right := &s.visits[i], s.rightOf(i)
	seen := false
	for _, j := range shown {
		seen = seen || j == right
	}
	used := make([]float32, len(shown))
	for at, j := range shown {
		p := s.Blind
		switch {
		case seen && j == right:
			p = s.Cited
		case seen:
			p = s.Strays
		}
		if v.cite[j] < p {
			used[at] = 1
		}
	}
	return used
}
