package reputation_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/repute-go/repute/core/reputation"
)

// yes and no are verified outcomes.
var (
	yes = reputation.Opinion{Verified: true, Value: 1}
	no  = reputation.Opinion{Verified: true}
)

// feed folds one opinion after the other into a single document, each on a receipt of
// its own for the given query, and returns the last result.
func feed(t *testing.T, rec *reputation.Record, sign func(i int) reputation.Signature, raters reputation.Raters, opinions ...reputation.Opinion) *reputation.Record {
	t.Helper()
	for i, o := range opinions {
		q := reputation.Query{Space: 1, Signature: sign(i), K: 1, Time: int64(i + 1)}
		f := foldOne(t, receiptFor(q, rec, uint64(i+1)), rec, raters, o)
		rec = f.Records[0]
	}
	return rec
}

func receiptFor(q reputation.Query, rec *reputation.Record, tag uint64) *reputation.Receipt {
	cands := []reputation.Candidate{{ID: "d", Relevance: .5, Record: rec}}
	rc := reputation.NewReceipt(q, reputation.Posterior{}.Rank(q, cands, nil), []int{0})
	rc.Tag = tag
	return rc
}

func foldOne(t *testing.T, rc *reputation.Receipt, rec *reputation.Record, raters reputation.Raters, o ...reputation.Opinion) reputation.Folded {
	t.Helper()
	f, err := reputation.Fold(rc, o, []*reputation.Record{rec}, raters, reputation.Constants{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func same(int) reputation.Signature { return reputation.Signature{} }

// unlike gives signatures that have nothing in common.
func unlike(i int) reputation.Signature {
	rng := rand.New(rand.NewPCG(uint64(i), 5))
	return reputation.Signature{rng.Uint64(), rng.Uint64()}
}

func score(rec *reputation.Record) reputation.Score {
	q := reputation.Query{Space: 1, K: 1, Time: 1e6}
	return reputation.Posterior{}.Rank(q, []reputation.Candidate{{ID: "d", Relevance: .5, Record: rec}}, nil).Scores[0]
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestKernel(t *testing.T) {
	for _, tt := range []struct {
		bits int
		want float64
	}{{0, 1}, {20, 1}, {30, .5419}, {41, 0}, {128, 0}} {
		var s reputation.Signature
		for i := range tt.bits {
			s[i/64] |= 1 << (i % 64)
		}
		near(t, fmt.Sprint(tt.bits, " bits"), reputation.Kernel(s, reputation.Signature{}), tt.want, 1e-3)
	}
}

// One success for the same query, worked out by hand: the prior is 1:1, the weights
// of the hypotheses are exp(-8*omega) and 1 for the last. A second candidate knows of
// it only if documents hardly matter: its mean is then that of the other's outcomes,
// at a strength that is the harmonic sum of 20 and of what is known of the query.
func TestPosteriorByHand(t *testing.T) {
	rec := feed(t, nil, same, reputation.Raters{}, yes)
	q := reputation.Query{Space: 1, K: 1, Time: 1e6}
	two := reputation.Posterior{}.Rank(q, []reputation.Candidate{{ID: "d", Relevance: .5, Record: rec}, {ID: "e", Relevance: .5, Base: 1}}, nil).Scores
	s := two[0]
	for h := range s.Thetas {
		near(t, fmt.Sprint("hypothesis ", h), float64(s.Thetas[h]), 2./3, 1e-6)
		if h < 4 {
			near(t, fmt.Sprint("the other's hypothesis ", h), float64(two[1].Thetas[h]), .5, 1e-6)
		}
	}
	near(t, "documents hardly matter", float64(two[1].Thetas[4]), 2./3, 1e-6)
	w := []float64{1, math.Exp(-.4), math.Exp(-1.2), math.Exp(-4), 1}
	sum, best := 0.0, 0.0
	for h, x := range w {
		sum += x
		best += x * float64(s.Thetas[h])
	}
	near(t, "mean", s.Mean, best/sum, 1e-6)
	near(t, "mass", s.Mass, 3, 1e-6)
	known := 1/(1./2-1./20) + 1
	near(t, "the other's mass", two[1].Mass, (2*(sum-1)+1/(1./20+1/known))/sum, 1e-6)
	near(t, "bonus", s.Bonus, .5*math.Sqrt(s.Mean*(1-s.Mean)/s.Mass), 1e-9)
	near(t, "successes", s.Successes, 1, 0)
}

// An older outcome for the same query fades by 5 % with each newer one.
func TestNewerOutcomesCountMore(t *testing.T) {
	s := score(feed(t, nil, same, reputation.Raters{}, yes, no, no))
	near(t, "local mass", float64(s.LocalMass), 1+.95+.95*.95, 1e-6)
	turned := score(feed(t, nil, same, reputation.Raters{}, no, no, yes))
	other := score(feed(t, nil, same, reputation.Raters{}, yes, no, no))
	if turned.Mean <= other.Mean {
		t.Errorf("a late success counts %v, an early one %v", turned.Mean, other.Mean)
	}
}

// Evidence is local: another query hears of it only through the document as a whole.
func TestEvidenceIsLocal(t *testing.T) {
	rec := feed(t, nil, same, reputation.Raters{}, yes, yes, yes)
	q := reputation.Query{Space: 1, Signature: unlike(1), K: 1}
	far := reputation.Posterior{}.Rank(q, []reputation.Candidate{{ID: "d", Relevance: .5, Record: rec}}, nil).Scores[0]
	near(t, "far local mass", float64(far.LocalMass), 0, 0)
	if local := score(rec); far.Mean <= .5 || far.Mean >= local.Mean {
		t.Errorf("far %v, near %v", far.Mean, local.Mean)
	}
	q.Space = 2 // made by another model
	q.Signature = reputation.Signature{}
	if other := (reputation.Posterior{}).Rank(q, []reputation.Candidate{{ID: "d", Relevance: .5, Record: rec}}, nil).Scores[0]; other.LocalMass != 0 {
		t.Errorf("signatures of two models were compared: local mass %v", other.LocalMass)
	}
}

// Draws depend on session and document, not on the order of the list.
func TestExploreByDraw(t *testing.T) {
	c := reputation.DefaultConstants()
	c.Exploration = reputation.ExploreByDraw
	p := reputation.Posterior{Constants: c}
	rec := feed(t, nil, same, reputation.Raters{}, yes, no)
	cands := []reputation.Candidate{{ID: "a", Relevance: .5, Record: rec}, {ID: "b", Relevance: .5, Base: 1, Record: rec}}
	sum, orders := 0.0, map[int]int{}
	const n = 2000
	for seed := range uint64(n) {
		q := reputation.Query{Space: 1, K: 1, Seed: seed}
		r := p.Rank(q, cands, nil)
		s := p.Rank(q, []reputation.Candidate{cands[1], cands[0]}, nil)
		if r.Scores[0].Value != s.Scores[1].Value || !r.Explored {
			t.Fatalf("seed %d: %v and %v", seed, r.Scores[0], s.Scores[1])
		}
		sum += r.Scores[0].Value
		orders[r.Order[0]]++
	}
	near(t, "mean of the draws", sum/n, score(rec).Mean, .02)
	if orders[0] < n*2/5 || orders[1] < n*2/5 {
		t.Errorf("equal documents lead %v times", orders)
	}
}

// A full ring folds old events into alike ones and keeps what they said.
func TestFullRingFolds(t *testing.T) {
	many := make([]reputation.Opinion, reputation.RingSize+1)
	for i := range many {
		many[i] = yes
	}
	rec := feed(t, nil, same, reputation.Raters{}, many...)
	if len(rec.Events) != reputation.RingSize {
		t.Fatalf("%d events", len(rec.Events))
	}
	near(t, "mass of the event folded into", rec.Events[0].Mass(), 1+.95, 1e-6)
	dropped := feed(t, nil, unlike, reputation.Raters{}, many...)
	if dropped.Events[0].Receipt != 2 || dropped.Events[0].Mass() != 1 {
		t.Errorf("the oldest of unlike events should go: %+v", dropped.Events[0])
	}
}

// A revision finds the event that took the old one in; where nothing alike is left
// it comes too late and changes nothing.
func TestLateRevisions(t *testing.T) {
	many := make([]reputation.Opinion, reputation.RingSize)
	for i := range many {
		many[i] = yes
	}
	for _, tt := range []struct {
		name string
		sign func(int) reputation.Signature
		late bool
	}{{"folded", same, false}, {"dropped", unlike, true}} {
		q := reputation.Query{Space: 1, Signature: tt.sign(1000), K: 1}
		first := foldOne(t, receiptFor(q, nil, 999), nil, reputation.Raters{}, yes)
		rec := feed(t, first.Records[0], tt.sign, reputation.Raters{}, many...)
		before := score(rec)
		f := foldOne(t, first.Receipt, rec, reputation.Raters{}, no)
		if f.TooLate != tt.late {
			t.Errorf("%s: too late = %v", tt.name, f.TooLate)
		}
		after := score(f.Records[0])
		if tt.late && (f.Records[0] != rec || after != before) {
			t.Errorf("%s: changed the record", tt.name)
		}
		if !tt.late && after.Mean >= before.Mean {
			t.Errorf("%s: the mean went from %v to %v", tt.name, before.Mean, after.Mean)
		}
		for _, e := range f.Records[0].Events {
			if e.Pos < 0 || e.Neg < 0 {
				t.Errorf("%s: negative evidence %+v", tt.name, e)
			}
		}
	}
}

func TestCarryKeepsAShare(t *testing.T) {
	rec := feed(t, nil, same, reputation.Raters{}, yes, no)
	c := reputation.Carry(rec, .25)
	near(t, "share", float64(score(c).LocalMass), .25*float64(score(rec).LocalMass), 1e-6)
	if !c.Carried || rec.Carried || reputation.Carry(rec, 0) != nil || reputation.Carry(nil, 1) != nil {
		t.Error("carried wrongly")
	}
}

// counting is a ranker's summary: the number of events and their good outcomes.
type counting struct{}

func (counting) Fold(summary []byte, e reputation.Event) []byte {
	if summary == nil {
		summary = []byte{0, 0}
	}
	return []byte{summary[0] + 1, summary[1] + byte(int8(e.Pos))}
}

func TestSummaries(t *testing.T) {
	rec := feed(t, nil, same, reputation.Raters{}, yes, yes)
	f := foldOne(t, receiptFor(reputation.Query{Space: 1, K: 1, Time: 9}, rec, 50), rec, reputation.Raters{}, yes)
	f.Summarize("counting", counting{})
	if got := f.Records[0].Summary; string(got) != "\x03\x03" {
		t.Fatalf("the ring was replayed as %v", got)
	}
	g := foldOne(t, f.Receipt, f.Records[0], reputation.Raters{}, no)
	g.Summarize("counting", counting{})
	if got := g.Records[0].Summary; string(got) != "\x04\x02" {
		t.Errorf("a revision made %v", got)
	}
}
