package worlds

import (
	"slices"
	"strconv"

	"github.com/repute-go/repute/core/reputation"
)

// arm is a way of ranking that learns.
type arm interface {
	// rank returns the candidates of the i-th visit, best first.
	rank(s *scene, i int) []int
	// learn hears what came of showing some of them: y, and what was used.
	learn(s *scene, i int, shown []int, y float64, used []float32)
}

// Arm is a named way of ranking, made anew for every run.
type Arm struct {
	Name string
	make func(seed uint64) arm
}

// sortBy orders by falling value; ties stay as they are.
func sortBy(order []int, value func(i int) float64) {
	slices.SortStableFunc(order, func(i, j int) int {
		switch x, y := value(i), value(j); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
}

// byRelevance is the retriever's own order.
func byRelevance(v *visit) []int {
	order := make([]int, listed)
	for i := range order {
		order[i] = i
	}
	sortBy(order, func(i int) float64 { return v.relevance[i] })
	return order
}

// retriever learns nothing.
type retriever struct{}

func (retriever) rank(s *scene, i int) []int                   { return byRelevance(&s.visits[i]) }
func (retriever) learn(*scene, int, []int, float64, []float32) {}

// Retriever is the arm that leaves the retriever's order alone.
func Retriever() Arm { return Arm{"retriever alone", func(uint64) arm { return retriever{} }} }

// learner is a ranker of the library with its records, as an engine would keep them.
type learner struct {
	ranker    reputation.Ranker
	constants reputation.Constants
	records   map[int]*reputation.Record
	stats     reputation.Statistics
	cands     []reputation.Candidate
	query     reputation.Query
	ranking   reputation.Ranking
	blind     blindness
}

// blindness takes something away from a learner.
type blindness struct {
	signature   bool // every outcome counts for the document as a whole
	attribution bool // it never hears what was used
	check       bool // it believes every attribution
}

// Library is the arm that ranks as the library does, with the given constants.
func Library(name string, c reputation.Constants) Arm { return blinded(name, c, blindness{}) }

func blinded(name string, c reputation.Constants, b blindness) Arm {
	return Arm{name, func(uint64) arm { return newLearner(c, b) }}
}

func newLearner(c reputation.Constants, b blindness) *learner {
	return &learner{ranker: reputation.Posterior{Constants: c}, constants: c, blind: b,
		records: map[int]*reputation.Record{}, cands: make([]reputation.Candidate, listed)}
}

var names = func() (n []string) {
	for i := range 4096 {
		n = append(n, strconv.Itoa(i))
	}
	return n
}()

func (l *learner) rank(s *scene, i int) []int {
	v := &s.visits[i]
	k := &s.kinds[v.kind]
	for base, j := range byRelevance(v) {
		l.cands[j] = reputation.Candidate{ID: names[k.docs[j]], Relevance: v.relevance[j], Base: base, Record: l.records[k.docs[j]]}
	}
	l.query = reputation.Query{Signature: v.signature, Space: 1, Time: s.time(i), K: s.K}
	if l.blind.signature {
		l.query.Space = 0
	}
	l.ranking = l.ranker.Rank(l.query, l.cands, &l.stats)
	return l.ranking.Order
}

func (l *learner) learn(s *scene, i int, shown []int, y float64, used []float32) {
	if l.blind.attribution {
		used = nil
	}
	if l.blind.check {
		l.ranking.IgnoreAttribution = false
	}
	o := reputation.Opinion{Verified: true, Value: y, Used: used}
	l.fold(s, i, l.receipt(shown, uint64(i+1)), shown, o, reputation.Raters{})
}

// receipt is that of the last ranking.
func (l *learner) receipt(shown []int, tag uint64) *reputation.Receipt {
	r := reputation.NewReceipt(l.query, l.ranking, shown)
	r.Tag = tag
	return r
}

// fold folds one opinion into a receipt of the i-th visit and into what is known of the
// documents shown, and returns the new receipt.
func (l *learner) fold(s *scene, i int, r *reputation.Receipt, shown []int, o reputation.Opinion, raters reputation.Raters) *reputation.Receipt {
	k := &s.kinds[s.visits[i].kind]
	records := make([]*reputation.Record, len(shown))
	for at, j := range shown {
		records[at] = l.records[k.docs[j]]
	}
	f, err := reputation.Fold(r, []reputation.Opinion{o}, records, raters, l.constants)
	if err != nil {
		panic(err)
	}
	for at, j := range shown {
		l.records[k.docs[j]] = f.Records[at]
	}
	l.stats.Apply(f.Stats)
	return f.Receipt
}
