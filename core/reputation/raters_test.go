package reputation_test

import (
	"fmt"
	"testing"

	"github.com/repute-go/repute/core/reputation"
)

func rated(rater string, value float64) reputation.Opinion {
	return reputation.Opinion{Rater: rater, Value: value}
}

// tallied runs receipts on which a rater and a verifier both speak, and returns what
// is then known of raters.
func tallied(t *testing.T, rater string, said, true_ func(i int) float64, n int) reputation.Raters {
	t.Helper()
	tallies := map[string][]float64{}
	for i := range n {
		q := reputation.Query{Space: 1, K: 1, Time: 1.8e18 + int64(i)}
		f := foldOne(t, receiptFor(q, nil, uint64(i+1)), nil, reputation.Raters{}, rated(rater, said(i)), reputation.Opinion{Verified: true, Value: true_(i)})
		for _, d := range f.Tallies {
			if tallies[d.Name] == nil {
				tallies[d.Name] = make([]float64, 4)
			}
			for j, x := range d.Values {
				tallies[d.Name][j] += x
			}
		}
	}
	return reputation.NewRaters(1.8e18, tallies, reputation.Constants{})
}

func alternate(i int) float64 { return float64(i % 2) }
func always(int) float64      { return 1 }

func TestUnknownRaterHasItsPrior(t *testing.T) {
	tpr, fpr := reputation.Raters{}.Rates("user:new", reputation.Constants{})
	near(t, "TPR", tpr, .8, 1e-9)
	near(t, "FPR", fpr, .3, 1e-9)
	f := foldOne(t, receiptFor(reputation.Query{Space: 1, K: 1}, nil, 1), nil, reputation.Raters{}, rated("user:new", 1))
	near(t, "outcome", f.Y, .8/(.8+.3), 1e-6)
	near(t, "weight", f.W, 2*(.8/1.1-.5), 1e-6)
}

// A rater that says yes to everything moves nothing; one that lies is turned round;
// an honest one is believed.
func TestRatersAreCalibrated(t *testing.T) {
	for _, tt := range []struct {
		name     string
		said     func(int) float64
		min, max float64 // of the outcome after a yes
	}{
		{"honest", alternate, .95, 1},
		{"yes to all", always, .49, .56},
		{"liar", func(i int) float64 { return 1 - alternate(i) }, 0, .05},
	} {
		raters := tallied(t, "user:u", tt.said, alternate, 100)
		f := foldOne(t, receiptFor(reputation.Query{Space: 1, K: 1, Time: 1.8e18}, nil, 1), nil, raters, rated("user:u", 1))
		if f.Y < tt.min || f.Y > tt.max {
			t.Errorf("%s: a yes means %v", tt.name, f.Y)
		}
		// A newcomer of the class starts from what the class is like.
		if _, fpr := raters.Rates("user:other", reputation.Constants{}); tt.name == "yes to all" && fpr < .8 {
			t.Errorf("%s: a newcomer of the class has FPR %v", tt.name, fpr)
		}
		if _, fpr := raters.Rates("judge:j", reputation.Constants{}); fpr != .3 {
			t.Errorf("%s: another class has FPR %v", tt.name, fpr)
		}
	}
}

// The verifier decides whatever raters say.
func TestVerifierDecides(t *testing.T) {
	f := foldOne(t, receiptFor(reputation.Query{Space: 1, K: 1}, nil, 1), nil, reputation.Raters{}, rated("user:a", 1), rated("user:b", 1), no)
	if f.Y != 0 || f.W != 1 || f.Records[0].Events[0].Class != 0 {
		t.Errorf("outcome %v at %v, class %d", f.Y, f.W, f.Records[0].Events[0].Class)
	}
	if c := f.Records[0].Checks; len(c) != 1 || c[0].Class != reputation.ClassTag("user") || c[0].Fooled != 2 {
		t.Errorf("checks %+v", c)
	}
}

// A document that fooled a class is not believed by that class's word so easily.
func TestFoolingDocuments(t *testing.T) {
	var rec *reputation.Record
	for i := range 5 {
		rec = foldOne(t, receiptFor(reputation.Query{Space: 1, K: 1}, rec, uint64(i+1)), rec, reputation.Raters{}, rated("user:a", 1), no).Records[0]
	}
	charmed := foldOne(t, receiptFor(reputation.Query{Space: 1, K: 1}, rec, 90), rec, reputation.Raters{}, rated("user:b", 1))
	fresh := foldOne(t, receiptFor(reputation.Query{Space: 1, K: 1}, nil, 91), nil, reputation.Raters{}, rated("user:b", 1))
	pos, neg := charmed.Delta(0)
	freshPos, freshNeg := fresh.Delta(0)
	if pos-neg >= freshPos-freshNeg {
		t.Errorf("a yes says %v:%v of a document that fools, %v:%v of another", pos, neg, freshPos, freshNeg)
	}
}

func TestOneClassIsCapped(t *testing.T) {
	raters := tallied(t, "judge:0", alternate, alternate, 200) // all judges are good
	ups := make([]reputation.Opinion, 60)
	for i := range ups {
		ups[i] = rated(fmt.Sprint("judge:", i), 1)
	}
	rec := feed(t, nil, same, raters, ups...)
	near(t, "capped mass", float64(score(rec).LocalMass), 5, 1e-5)
	// No crowd talks a verifier down: two old failures still count in full.
	failed := feed(t, nil, same, raters, no, no)
	for i, o := range ups {
		q := reputation.Query{Space: 1, K: 1, Time: int64(100 + i)}
		failed = foldOne(t, receiptFor(q, failed, uint64(100+i)), failed, raters, o).Records[0]
	}
	near(t, "with two verified failures", float64(score(failed).LocalMass), 5+1.95, 1e-5)
	if got := score(rec).Successes; got != 0 {
		t.Errorf("opinions count as %v verified successes", got)
	}
}

// However many raters speak, a verifier's outcomes stay in the ring.
func TestRatersDoNotPushOutVerifiedOutcomes(t *testing.T) {
	rec := feed(t, nil, unlike, reputation.Raters{}, yes, no, yes, no, yes, no, yes, no, yes, no)
	for i := range 500 {
		q := reputation.Query{Space: 1, Signature: unlike(1000 + i), K: 1, Time: int64(1000 + i)}
		rec = foldOne(t, receiptFor(q, rec, uint64(1000+i)), rec, reputation.Raters{}, rated(fmt.Sprint("user:", i), 0)).Records[0]
	}
	verified := 0
	for _, e := range rec.Events {
		if e.Class == 0 {
			verified++
		}
	}
	if verified != 10 || len(rec.Events) != reputation.RingSize {
		t.Errorf("%d of 10 verified outcomes left among %d", verified, len(rec.Events))
	}
}

// What is known about a rater is read when the receipt first hears from it.
func TestCalibrationIsKept(t *testing.T) {
	liar := tallied(t, "user:u", func(i int) float64 { return 1 - alternate(i) }, alternate, 100)
	first := foldOne(t, receiptFor(reputation.Query{Space: 1, K: 1}, nil, 1), nil, reputation.Raters{}, rated("user:u", 0))
	f := foldOne(t, first.Receipt, first.Records[0], liar, rated("user:u", 1))
	near(t, "outcome", f.Y, .8/1.1, 1e-6)
}

func TestTalliesForget(t *testing.T) {
	c := reputation.DefaultConstants()
	tallies := map[string][]float64{"rater/user:u": {8, 0, 0, 0}, "class/user": {8, 0, 0, 0}, "rater/bad": {1}, "other": {1, 2, 3, 4}}
	now := int64(1767225600e9) // 2026-01-01, where an observation weighs 1
	near(t, "now", reputation.NewRaters(now, tallies, c).Tables["user:u"].YesTrue, 8, 1e-9)
	near(t, "a half-life later", reputation.NewRaters(now+int64(c.RaterHalfLife), tallies, c).Tables["user:u"].YesTrue, 4, 1e-9)
	if r := reputation.NewRaters(now, tallies, c); len(r.Tables) != 1 || len(r.Classes) != 1 {
		t.Errorf("%+v", r)
	}
}

// Classes hold a bounded number of raters with tallies of their own.
func TestCrowdedClass(t *testing.T) {
	tallies := map[string][]float64{}
	for i := range reputation.MaxRaters {
		tallies[fmt.Sprint("rater/user:", i)] = []float64{1, 1, 1, 1}
	}
	raters := reputation.NewRaters(1.8e18, tallies, reputation.Constants{})
	for rater, want := range map[string]int{"user:new": 1, "user:7": 2, "judge:new": 2} {
		f := foldOne(t, receiptFor(reputation.Query{Space: 1, K: 1}, nil, 1), nil, raters, rated(rater, 1), yes)
		if len(f.Tallies) != want {
			t.Errorf("%s: %d tallies, want %d", rater, len(f.Tallies), want)
		}
	}
}
