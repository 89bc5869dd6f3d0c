package falsealarm

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/internal/lexical"
)

const (
	depth = 5   // candidates a gate sees, and may pass
	asked = 300 // questions of each kind at most
	// shortDocuments is the number of documents of one passage that make a noise
	// floor of their own.
	shortDocuments = 100
	plain          = "plain top-5"
	oracle         = "best fixed cosine (oracle)"
	evidence       = "evidence"
)

// arm is a gate under test with what it may know.
type arm struct {
	name  string
	gate  gate.Gate
	black bool // knows the collection only from searches
	ranks bool // sees no scores
	by    func(answer) float64
}

func byEvidence(x answer) float64 { return x.e }

func byCosine(x answer) float64 { return x.best }

// arms are compared side by side; what evidence decides on small collections is
// shown as well, so that the reader can see why it normally refuses to.
func arms() []arm {
	return []arm{
		{name: plain, gate: gate.Off{}, by: byCosine},
		{name: "sigma-rag 2 sigma", gate: gate.Fixed{Sigma: 2}, by: byCosine},
		{name: "sigma-rag 3 sigma", gate: gate.Fixed{Sigma: 3}, by: byCosine},
		{name: evidence, gate: gate.Evidence{SmallCorpus: gate.Decide}, by: byEvidence},
		{name: "evidence, recall profile", gate: gate.Evidence{SmallCorpus: gate.Decide, Profile: gate.Recall}, by: byEvidence},
		{name: "evidence, bank guard", gate: gate.Evidence{SmallCorpus: gate.Decide, BankGuard: true}, by: byEvidence},
		{name: "evidence, black box", gate: gate.Evidence{SmallCorpus: gate.Decide}, black: true, by: byEvidence},
		{name: "evidence, black box, ranks", gate: gate.Evidence{SmallCorpus: gate.Decide}, black: true, ranks: true, by: byEvidence},
	}
}

// answer is what one gate made of one question.
type answer struct {
	passed int     // passages let through
	lost   bool    // a relevant passage was among the candidates, and none was let through
	found  bool    // a relevant passage was among the candidates
	best   float64 // highest cosine
	e, p   float64 // the decision's evidence and rate
	right  float64 // highest cosine of a relevant passage; -2 if there is none
}

// answers are those to all questions of a kind.
type answers []answer

// trial is one cut-down collection with everything asked of it.
type trial struct {
	library string
	n       int // passages wanted
	far     map[string]answers
	near    map[string]answers
	in      map[string]answers
}

// run builds the collection, calibrates the gates and asks the questions.
func run(l *library, n int, far []*inquiry, bank [][]float32, seed uint64) (*trial, error) {
	r := rand.New(rand.NewPCG(seed, 7))
	if n == 0 {
		n = l.total
	}
	documents := l.draw(n, r)
	white, err := whiteBox(l, documents, bank, seed)
	if err != nil {
		return nil, err
	}
	black, err := blackBox(l, documents, bank)
	if err != nil {
		return nil, err
	}
	m := models{white: white, black: black}
	t := &trial{library: l.name, n: n, far: map[string]answers{}, near: map[string]answers{}, in: map[string]answers{}}
	inside := make(map[int]bool, len(documents))
	for _, d := range documents {
		inside[d] = true
	}
	for _, q := range pick(far, asked, r) {
		t.ask(t.far, l, q, documents, nil, m)
	}
	for _, q := range pick(l.answerable(inside), asked, r) {
		t.ask(t.in, l, q, documents, nil, m)
		t.ask(t.near, l, q, documents, q.relevant, m)
	}
	return t, nil
}

func (l *library) answerable(inside map[int]bool) []*inquiry {
	var out []*inquiry
	for _, q := range l.judged {
		for d := range q.relevant {
			if inside[d] {
				out = append(out, q)
				break
			}
		}
	}
	return out
}

// pick draws at most n questions.
func pick(all []*inquiry, n int, r *rand.Rand) []*inquiry {
	out := make([]*inquiry, 0, n)
	for _, i := range r.Perm(len(all))[:min(n, len(all))] {
		out = append(out, all[i])
	}
	return out
}

// models are what the gates know of a collection.
type models struct{ white, black *gate.Model }

// whiteBox calibrates from the collection itself, with every fourth question of
// the bank.
func whiteBox(l *library, documents []int, bank [][]float32, seed uint64) (*gate.Model, error) {
	var quarter [][]float32
	for i := 0; i < len(bank); i += len(bank) / gate.BankSize {
		quarter = append(quarter, bank[i])
	}
	m, err := gate.NewModel(gate.ModelOptions{Bank: quarter})
	if err != nil {
		return nil, err
	}
	for _, d := range documents {
		for i, p := range l.passages[d] {
			if _, err := m.Insert(key(d, i), p.words, l.vectors[d]); err != nil {
				return nil, err
			}
		}
	}
	vectors, keys := l.noise(documents)
	if f, err := gate.MeasureFloor(vectors, keys, 10_000, rand.NewPCG(seed, 8)); err == nil {
		m.SetFloor(f) // below ten passages there is none
	}
	return m, m.SetBankEvidence(l.bankEvidence(documents, bank, m))
}

// noise returns the vectors that sigma-rag's floor is measured on, and the document
// of each. A vector belongs to a whole document, and documents resemble each other
// the more the longer they are, which would put the floor too high for passages. So
// where enough documents of a collection are but one passage, only those count.
func (l *library) noise(documents []int) (vectors [][]float32, keys []string) {
	for d, passages := range l.passages {
		if len(passages) == 1 {
			vectors, keys = append(vectors, l.vectors[d]), append(keys, strconv.Itoa(d))
		}
	}
	if len(vectors) >= shortDocuments {
		return vectors, keys
	}
	vectors, keys = nil, nil
	for _, d := range documents {
		for range l.passages[d] {
			vectors, keys = append(vectors, l.vectors[d]), append(keys, strconv.Itoa(d))
		}
	}
	return vectors, keys
}

// bankEvidence asks the bank's own questions.
func (l *library) bankEvidence(documents []int, bank [][]float32, m *gate.Model) []float64 {
	out := make([]float64, len(bank))
	for i, question := range gate.Bank() {
		q := &inquiry{terms: lexical.Unique(lexical.Terms(question.Text)), vector: bank[i]}
		cands := candidates(l.search(q, documents, nil, depth))
		out[i] = gate.Evidence{}.Decide(gate.Query{Terms: q.terms, K: depth, ScoreKnown: true}, cands, m).E
	}
	return out
}

func candidates(hits []found) []gate.Candidate {
	out := make([]gate.Candidate, len(hits))
	for i, h := range hits {
		out[i] = gate.Candidate{Words: h.words, Score: h.cosine, Similarity: h.cosine}
	}
	return out
}

// blackBox calibrates from what the bank's questions bring up, ten passages each.
func blackBox(l *library, documents []int, bank [][]float32) (*gate.Model, error) {
	m, err := gate.NewModel(gate.ModelOptions{Sampled: true})
	if err != nil {
		return nil, err
	}
	var best []float64
	for _, v := range bank {
		hits := l.search(&inquiry{vector: v}, documents, nil, 10)
		for _, h := range hits {
			if _, err := m.Insert(key(h.document, h.index), h.words, nil); err != nil {
				return nil, err
			}
		}
		if len(hits) > 0 {
			best = append(best, hits[0].cosine)
		}
	}
	return m, m.SetScores(best, gate.ScaleCosine)
}

func key(document, index int) uint64 { return uint64(document)<<16 | uint64(index) }

func (t *trial) ask(to map[string]answers, l *library, q *inquiry, documents []int, masked map[int]int, m models) {
	hits := l.search(q, documents, masked, depth)
	cands := candidates(hits)
	base := answer{best: -2, right: -2}
	for _, h := range hits {
		base.best = max(base.best, h.cosine)
		if q.relevant[h.document] > 0 && masked == nil {
			base.found, base.right = true, max(base.right, h.cosine)
		}
	}
	for _, a := range arms() {
		d := a.decide(q, cands, m)
		out := base
		out.e, out.p, out.lost = d.E, d.P, base.found
		for i, j := range d.Judgements {
			if j.Pass {
				out.passed++
				out.lost = out.lost && q.relevant[hits[i].document] == 0
			}
		}
		to[a.name] = append(to[a.name], out)
	}
}

func (a arm) decide(q *inquiry, cands []gate.Candidate, m models) gate.Decision {
	known := m.white
	if a.black {
		known = m.black
	}
	if a.ranks {
		cands = slices.Clone(cands)
		for i := range cands {
			cands[i].Score, cands[i].Similarity = math.NaN(), math.NaN()
		}
	}
	return a.gate.Decide(gate.Query{Terms: q.terms, K: depth, ScoreKnown: !a.ranks}, cands, known)
}
