package reputation_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/repute-go/repute/core/reputation"
	"pgregory.net/rapid"
)

// model is a few documents that many receipts show, so that rings fill up, fold and
// limit, while everybody speaks again and again.
type model struct {
	receipts []*reputation.Receipt
	shown    [][]int // documents by receipt and position
	records  []*reputation.Record
	tallies  map[string][]float64
	late     map[int]bool // receipts with an opinion that came too late
	rng      *rand.Rand
}

const (
	modelDocuments = 3
	maxReceipts    = 1024
)

// questions are two that have nothing in common.
var questions = []reputation.Signature{{}, {math.MaxUint64, math.MaxUint64}}

func newModel(seed uint64) *model {
	return &model{
		records: make([]*reputation.Record, modelDocuments), tallies: map[string][]float64{},
		rng: rand.New(rand.NewPCG(seed, 0)), late: map[int]bool{},
	}
}

// one draws one of the given values.
func one[T any](m *model, of ...T) T { return of[m.rng.IntN(len(of))] }

// ask makes a new receipt and returns its number.
func (m *model) ask() int {
	n := len(m.receipts)
	q := reputation.Query{Space: 1, Signature: one(m, questions...), Time: int64(n + 1), K: 2}
	cands := make([]reputation.Candidate, modelDocuments)
	for i := range cands {
		cands[i] = reputation.Candidate{ID: fmt.Sprint(i), Base: i, Relevance: .5, Record: m.records[i]}
	}
	shown := m.rng.Perm(modelDocuments)[:2]
	rc := reputation.NewReceipt(q, reputation.Posterior{}.Rank(q, cands, nil), shown)
	rc.Tag = m.rng.Uint64()*maxReceipts + uint64(n)
	rc.User = reputation.ActorTag(one(m, "", "user:a", "user:b"))
	m.receipts, m.shown = append(m.receipts, rc), append(m.shown, shown)
	return n
}

// fold folds an opinion into a receipt and returns what came of it.
func (m *model) fold(t *rapid.T, n int, o reputation.Opinion) reputation.Folded {
	records := make([]*reputation.Record, len(m.shown[n]))
	for i, d := range m.shown[n] {
		records[i] = m.records[d]
	}
	raters := reputation.NewRaters(1e6, m.tallies, reputation.Constants{})
	f, err := reputation.Fold(m.receipts[n], []reputation.Opinion{o}, records, raters, reputation.Constants{})
	if err != nil {
		t.Fatal(err)
	}
	m.receipts[n] = recode(t, f.Receipt)
	m.late[n] = m.late[n] || f.TooLate
	for i, d := range m.shown[n] {
		m.records[d] = f.Records[i]
	}
	for _, d := range f.Tallies {
		if m.tallies[d.Name] == nil {
			m.tallies[d.Name] = make([]float64, 4)
		}
		for i, x := range d.Values {
			m.tallies[d.Name][i] += x
		}
	}
	return f
}

// read is what the verified events alone say of each document and question: local
// counts and mean.
func (m *model) read() (all []float64) {
	for _, rec := range m.records {
		only := &reputation.Record{Space: 1}
		if rec != nil {
			only.Events = verified(rec)
			only.Local = 1<<len(only.Events) - 1
		}
		for _, s := range questions {
			q := reputation.Query{Space: 1, Signature: s, K: 1, Time: 1e6}
			score := reputation.Posterior{}.Rank(q, []reputation.Candidate{{ID: "d", Relevance: .5, Record: only}}, nil).Scores[0]
			all = append(all, float64(score.LocalMass), float64(score.Thetas[0]))
		}
	}
	return all
}

// unchanged checks that what the verified events say is what it was.
func (m *model) unchanged(t *rapid.T, before []float64) {
	for i, x := range m.read() {
		if math.Abs(x-before[i]) > 1e-4 {
			t.Fatalf("a rater changed what a verifier said: number %d from %v to %v", i, before[i], x)
		}
	}
}

// sound checks what must hold of every record.
func (m *model) sound(t *rapid.T) {
	for d, rec := range m.records {
		if rec == nil {
			continue
		}
		b, err := rec.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := new(reputation.Record).UnmarshalBinary(b); err != nil {
			t.Fatalf("%v: %+v", err, rec)
		}
		count := map[string]int{}
		for _, e := range rec.Events {
			if !(e.Pos >= 0 && e.Neg >= 0 && e.GlobalPos >= 0 && e.GlobalNeg >= 0) {
				t.Fatalf("negative evidence %+v", e)
			}
			for rater := range m.ratersOf(e, d) {
				if count[rater]++; count[rater] > 4 {
					t.Fatalf("too many events of %s", rater)
				}
			}
		}
	}
}

// ratersOf are the raters whose opinion on document d is in an unverified event.
func (m *model) ratersOf(e reputation.Event, d int) map[string]bool {
	raters := map[string]bool{}
	n := int(e.Receipt % maxReceipts)
	if e.Class == 0 || n >= len(m.receipts) || m.receipts[n].Tag != e.Receipt || m.late[n] {
		return raters
	}
	for _, o := range m.receipts[n].Opinions {
		if on := o.On == nil || m.shown[n][o.On[0]] == d; on && slices.Contains(e.Actors[1:], reputation.ActorTag(o.Rater)) {
			raters[o.Rater] = true
		}
	}
	return raters
}

// say draws what somebody says of a receipt. Two raters speak of it at most, since an
// event does not tell more of them from each other.
func (m *model) say(n int) reputation.Opinion {
	o := reputation.Opinion{Value: one(m, 0, 1, .7), Rater: "verifier:tests", Verified: true}
	var raters []string
	for _, o := range m.receipts[n].Opinions {
		if !o.Verified && !slices.Contains(raters, o.Rater) {
			raters = append(raters, o.Rater)
		}
	}
	if m.rng.IntN(4) > 0 {
		o.Verified = false
		o.Rater = one(m, "judge:0", "judge:1", "user:a", "user:b", "user:c", fmt.Sprint("user:", m.rng.IntN(100)))
		if len(raters) == 2 {
			o.Rater = one(m, raters...)
		}
	}
	if m.rng.IntN(2) == 0 {
		o.On = []int{m.rng.IntN(len(m.shown[n]))}
	}
	return o
}

// Many receipts of few documents: no rater ever touches what a verifier said, none has
// more events than the limit, and what is said twice changes nothing.
func TestRatersInFullRings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(rapid.Uint64().Draw(t, "seed"))
		for range rapid.IntRange(1, 300).Draw(t, "signals") {
			n := m.rng.IntN(len(m.receipts) + 1)
			if m.rng.IntN(3) > 0 || n == len(m.receipts) {
				n = m.ask()
			}
			o := m.say(n)
			var before []float64
			if !o.Verified {
				before = m.read()
			}
			f := m.fold(t, n, o)
			if !o.Verified {
				m.unchanged(t, before)
			}
			m.sound(t)
			if again := m.fold(t, n, o); !again.Duplicate && !f.TooLate {
				t.Fatalf("%+v twice", o)
			}
		}
	})
}

// As long as nothing has to go, the order in which receipts are spoken of does not
// matter, nor what was said before it was revised.
func TestOrderDoesNotMatterAcrossReceipts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type signal struct {
			n int
			o reputation.Opinion
		}
		plain := newModel(rapid.Uint64().Draw(t, "seed"))
		var signals []signal
		for i := range rapid.IntRange(1, 20).Draw(t, "receipts") {
			n := plain.ask()
			for j := range rapid.IntRange(1, 3).Draw(t, "signals") {
				o := plain.say(n)
				if o.Verified {
					o.Value = 1 // a failure would tell later raters what they are like
				} else {
					o.Rater += fmt.Sprint("/", i, "/", j)
				}
				signals = append(signals, signal{n, o})
			}
		}
		other := newModel(0)
		other.receipts, other.shown = slices.Clone(plain.receipts), plain.shown
		plain.tallies, other.tallies = nil, nil
		last := map[string]signal{} // what counts in the end
		for _, s := range signals {
			last[fmt.Sprint(s.n, s.o.Rater, s.o.On)] = s
			plain.tallies = map[string][]float64{}
			plain.fold(t, s.n, s.o)
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "shuffle"), 0))
		rng.Shuffle(len(signals), func(i, j int) { signals[i], signals[j] = signals[j], signals[i] })
		for _, s := range signals {
			o := s.o
			if !o.Verified {
				o.Value = 1 - o.Value
			}
			other.tallies = map[string][]float64{}
			other.fold(t, s.n, o)
		}
		for _, s := range signals {
			s = last[fmt.Sprint(s.n, s.o.Rater, s.o.On)]
			other.tallies = map[string][]float64{}
			other.fold(t, s.n, s.o)
		}
		for d := range plain.records {
			sameEvents(t, plain.records[d], other.records[d])
		}
	})
}

func sameEvents(t *rapid.T, a, b *reputation.Record) {
	if a.Empty() != b.Empty() || !a.Empty() && len(a.Events) != len(b.Events) {
		t.Fatalf("%+v\n%+v", a, b)
	}
	if a.Empty() {
		return
	}
	for i := range a.Events {
		x, y := a.Events[i], b.Events[i]
		for _, d := range []float32{x.Pos - y.Pos, x.Neg - y.Neg, x.GlobalPos - y.GlobalPos, x.GlobalNeg - y.GlobalNeg} {
			if math.Abs(float64(d)) > 1e-5 {
				t.Fatalf("%+v\n%+v", x, y)
			}
		}
		x.Pos, x.Neg, x.GlobalPos, x.GlobalNeg = y.Pos, y.Neg, y.GlobalPos, y.GlobalNeg
		if fmt.Sprint(x) != fmt.Sprint(y) {
			t.Fatalf("%+v\n%+v", x, y)
		}
	}
}

// One receipt's signals commute though every verdict teaches about raters at once.
func TestSignalsCommuteWhileRatersBecomeKnown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opinions := drawOpinions(t, 3)
		tell := func(order []reputation.Opinion) *model {
			m := newModel(0)
			rc := start(3).receipt
			m.receipts, m.shown = []*reputation.Receipt{rc}, [][]int{{0, 1, 2}}
			m.tallies = map[string][]float64{"class/judge": {9, 1, 2, 8}, "rater/judge:j0": {1, 2, 3, 4}}
			m.records[1] = &reputation.Record{Checks: []reputation.Check{{Class: reputation.ClassTag("user"), Fooled: 2, Caught: 1}}}
			for _, o := range order {
				m.fold(t, 0, o)
			}
			return m
		}
		shuffled := slices.Clone(opinions)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "shuffle"), 0))
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		a, b := tell(opinions), tell(shuffled)
		for d := range a.records {
			sameEvents(t, a.records[d], b.records[d])
		}
	})
}
