package reputation_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/repute-go/repute/core/reputation"
)

// shown is a receipt of documents of which ranking knew what is given.
func shown(docs ...reputation.Shown) *reputation.Receipt {
	return &reputation.Receipt{Tag: 1, Time: 1, Space: 1, Shown: docs}
}

// fold folds opinions into a receipt of documents without evidence.
func fold(t *testing.T, rc *reputation.Receipt, o ...reputation.Opinion) reputation.Folded {
	t.Helper()
	f, err := reputation.Fold(rc, o, make([]*reputation.Record, len(rc.Shown)), reputation.Raters{}, reputation.Constants{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// wantEvent checks the amounts of a document's only event.
func wantEvent(t *testing.T, what string, r *reputation.Record, pos, neg, globalPos, globalNeg float64) {
	t.Helper()
	e := r.Events[0]
	near(t, what+": good", float64(e.Pos), pos, 1e-6)
	near(t, what+": bad", float64(e.Neg), neg, 1e-6)
	near(t, what+": good whatever the question", float64(e.GlobalPos), globalPos, 1e-6)
	near(t, what+": bad whatever the question", float64(e.GlobalNeg), globalNeg, 1e-6)
}

// With attribution c an outcome y is c*y good and c*(1-y) + .3*(1-c) bad, whatever
// the question too.
func TestAttributionByHand(t *testing.T) {
	rc := shown(reputation.Shown{Mean: .9}, reputation.Shown{Mean: .1}, reputation.Shown{Mean: .5})
	f := fold(t, rc, reputation.Opinion{Verified: true, Value: .8, Used: []float32{1, .25, 0}})
	wantEvent(t, "used", f.Records[0], .8, .2, .8, .2)
	wantEvent(t, "a quarter used", f.Records[1], .2, .275, .2, .275)
	wantEvent(t, "not used", f.Records[2], 0, .3, 0, .3)
}

// Without attribution every document takes the outcome whole for questions like this
// one, and its part of the means, or of their complements, for all others. Attention
// falls by .6 from place to place.
func TestCreditByHand(t *testing.T) {
	docs := []reputation.Shown{{Mean: .6}, {Mean: .3}, {Mean: .1}}
	good, bad := fold(t, shown(docs...), yes), fold(t, shown(docs...), no)
	mixed := fold(t, shown(docs...), reputation.Opinion{Verified: true, Value: .25})
	for i, want := range []struct{ good, bad, place float64 }{{.6, .2, 1 / 1.96}, {.3, .35, .6 / 1.96}, {.1, .45, .36 / 1.96}} {
		what := fmt.Sprint("document ", i)
		wantEvent(t, what+" after a success", good.Records[i], 1, 0, want.good, 0)
		wantEvent(t, what+" after a failure", bad.Records[i], 0, 1, 0, want.bad)
		wantEvent(t, what+" after something between", mixed.Records[i], .25, .75, .25*want.good, .75*want.bad)
		near(t, what+": attention", float64(good.Records[i].Events[0].Position)/65535, want.place, 1e-5)
	}
}

// A yes of an unknown rater is ln(.8/.3) in favour: probably good with 8/11, at a
// weight of twice the distance from a half.
func TestOpinionByHand(t *testing.T) {
	f := fold(t, shown(reputation.Shown{}), rated("user:u", 1))
	wantEvent(t, "a yes", f.Records[0], 5./11*8/11, 5./11*3/11, 5./11*8/11, 5./11*3/11)
}

// A rater's own table counts from the first check, its class for one check, and the
// class's prior for ten.
func TestRatesByHand(t *testing.T) {
	r := reputation.Raters{
		Tables:  map[string]reputation.Table{"user:u": {YesTrue: 3, NoTrue: 1, YesFalse: 1, NoFalse: 1}},
		Classes: map[string]reputation.Table{"judge": {YesTrue: 10, NoTrue: 0, YesFalse: 0, NoFalse: 10}},
	}
	for name, want := range map[string][2]float64{
		"user:u": {(3 + .8) / 5, (1 + .3) / 3}, "user:new": {.8, .3}, "judge:new": {18. / 20, 3. / 20},
	} {
		tpr, fpr := r.Rates(name, reputation.Constants{})
		near(t, name+": yes to good ones", tpr, want[0], 1e-9)
		near(t, name+": yes to bad ones", fpr, want[1], 1e-9)
	}
}

// wantWeights checks the weights of the hypotheses, given up to a factor.
func wantWeights(t *testing.T, what string, got [reputation.Hypotheses]float64, want ...float64) {
	t.Helper()
	sum := 0.0
	for _, w := range want {
		sum += w
	}
	for h, w := range want {
		near(t, fmt.Sprint(what, ": hypothesis ", h), got[h], w/sum, 1e-6)
	}
}

// The weight of a hypothesis is how probable it called what happened, to the power of
// one over the documents shown, times exp(-8*omega). A revision takes it back.
func TestHypothesesByHand(t *testing.T) {
	a := [reputation.Hypotheses]float32{.5, .6, .7, .8, .2}
	b := [reputation.Hypotheses]float32{.9, .4, .3, .2, .1}
	penalty := []float64{1, math.Exp(-.4), math.Exp(-1.2), math.Exp(-4), 1}
	good, bad := make([]float64, len(a)), make([]float64, len(a))
	for h := range a {
		x, y := float64(a[h]), float64(b[h])
		good[h], bad[h] = math.Sqrt(x*y)*penalty[h], math.Sqrt((1-x)*(1-y))*penalty[h]
	}
	var s reputation.Statistics
	f := fold(t, shown(reputation.Shown{Thetas: a}, reputation.Shown{Thetas: b}), yes)
	s.Apply(f.Stats)
	wantWeights(t, "a success", s.Health(reputation.Constants{}).Weights, good...)
	g, err := reputation.Fold(f.Receipt, []reputation.Opinion{no}, f.Records, reputation.Raters{}, reputation.Constants{})
	if err != nil {
		t.Fatal(err)
	}
	s.Apply(g.Stats)
	wantWeights(t, "revised to a failure", s.Health(reputation.Constants{}).Weights, bad...)
}

// Where several documents share an outcome and nothing says which of them made it, e^2
// to one is held against "documents hardly matter".
func TestSharedPriorByHand(t *testing.T) {
	cands := []reputation.Candidate{{ID: "a", Relevance: .5}, {ID: "b", Relevance: .4, Base: 1}, {ID: "c", Relevance: .3, Base: 2}}
	for k, prior := range map[int]float64{1: 1, 3: math.Exp(2)} {
		r := reputation.Posterior{}.Rank(reputation.Query{K: k}, cands, nil)
		wantWeights(t, fmt.Sprint(k, " shown"), r.Weights, prior, prior*math.Exp(-.4), prior*math.Exp(-1.2), prior*math.Exp(-4), 1)
	}
}

// Answers are read as made from the best of the shown, or from the first, by how
// probable either called what happened: .8 and .5*.625 + .3*.375 here.
func TestReadingsByHand(t *testing.T) {
	docs := []reputation.Shown{{MeanBest: .8, MeanFirst: .5}, {MeanBest: .4, MeanFirst: .3}}
	const best, first = .8, .425
	for value, want := range map[float64]float64{1: first / (first + best), 0: (1 - first) / (1 - first + 1 - best)} {
		var s reputation.Statistics
		s.Apply(fold(t, shown(docs...), reputation.Opinion{Verified: true, Value: value}).Stats)
		near(t, fmt.Sprint("first, after ", value), s.Health(reputation.Constants{}).FirstShare, want, 1e-6)
	}
}

// Attribution settles how an answer is read, as long as most outcomes come with it.
func TestAttributionSettlesTheReading(t *testing.T) {
	docs := []reputation.Shown{{MeanBest: .8, MeanFirst: .5}, {MeanBest: .4, MeanFirst: .3}}
	cited := reputation.Opinion{Verified: true, Value: 1, Used: []float32{1, 0}}
	for _, tt := range []struct {
		name     string
		opinions []reputation.Opinion
		uses     bool
	}{{"none", nil, false}, {"all", []reputation.Opinion{cited}, true}, {"half", []reputation.Opinion{cited, yes}, false}, {"most", []reputation.Opinion{cited, yes, cited}, true}} {
		var s reputation.Statistics
		for _, o := range tt.opinions {
			s.Apply(fold(t, shown(docs...), o).Stats)
		}
		if uses := s.Health(reputation.Constants{}).FirstShare == 0; uses != tt.uses {
			t.Errorf("%s: uses attribution %v", tt.name, uses)
		}
	}
}

// A document once cited at 1 of 1, where .2 is common, is expected to be cited with
// (1 + 2*.2)/3. If citations do not repeat, attribution is ignored from the 52nd check
// on: 50 are left of those, fading by .999.
func TestAttributionCheckByHand(t *testing.T) {
	for _, tt := range []struct {
		used   float32
		ignore bool
	}{{1, false}, {0, true}} {
		var s reputation.Statistics
		rc := shown(reputation.Shown{CitedSum: 1, CitedMass: 1})
		rc.CitedRate = .2
		for n := 1; n <= 52; n++ {
			s.Apply(fold(t, rc, reputation.Opinion{Verified: true, Value: 1, Used: []float32{tt.used}}).Stats)
			want := tt.ignore && n >= 52
			if got := s.Health(reputation.Constants{}).AttributionIgnored; got != want {
				t.Fatalf("cited at %v: after %d checks ignored is %v", tt.used, n, got)
			}
		}
	}
}

// far has no bit in common with the zero signature.
var far = reputation.Signature{math.MaxUint64, math.MaxUint64}

// Outcomes for other questions fade by .95 each and count by omega.
func TestGlobalEvidenceByHand(t *testing.T) {
	rec := &reputation.Record{Space: 1, Local: 3, Events: []reputation.Event{
		{Signature: far, Receipt: 1, Time: 1, GlobalPos: 1}, {Signature: far, Receipt: 2, Time: 2, GlobalNeg: 1},
	}}
	s := score(rec)
	for h, omega := range []float64{0, .05, .15, .5} {
		near(t, fmt.Sprint("omega ", omega), float64(s.Thetas[h]), (1+omega*.95)/(2+omega*1.95), 1e-6)
	}
}

// Two documents share an outcome, of which one has an event that half of the attention
// went to. Its mean is half of one reading, 2/3, and half of the other, 1.5/2.5; the
// other document's, if documents hardly matter, that of half an outcome: 1.5/2.5. No
// bonus is paid.
func TestSharedOutcomesByHand(t *testing.T) {
	rec := &reputation.Record{Space: 1, Local: 1, Events: []reputation.Event{{Receipt: 1, Time: 1, Pos: 1, Position: 65535 / 2}}}
	cands := []reputation.Candidate{{ID: "a", Relevance: .5, Record: rec}, {ID: "b", Relevance: .5, Base: 1}}
	r := reputation.Posterior{}.Rank(reputation.Query{Space: 1, K: 2, Time: 2}, cands, nil)
	near(t, "best", float64(r.Scores[0].MeanBest), 2./3, 1e-5)
	near(t, "first", float64(r.Scores[0].MeanFirst), .6, 1e-5)
	near(t, "mean", r.Scores[0].Mean, (2./3+.6)/2, 1e-5)
	near(t, "the other if documents hardly matter", float64(r.Scores[1].Thetas[4]), .6, 1e-6)
	if r.Explored || r.Scores[0].Bonus != 0 || r.Scores[1].Bonus != 0 {
		t.Errorf("explored: %+v", r.Scores)
	}
}
