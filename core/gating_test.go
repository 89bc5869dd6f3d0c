package core_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/store"
)

// altered changes what a shelf's hits look like from outside.
type altered struct {
	blind
	kind  core.ScoreKind
	score func(rank int, cosine float64) float64
	mute  bool // gives no texts
}

func (a altered) Info() core.SourceInfo { i := a.s.Info(); i.Kind = a.kind; return i }

func (a altered) Search(ctx context.Context, q core.Query, n int) (core.Hits, error) {
	h, err := a.blind.Search(ctx, q, n)
	for i := range h.Candidates {
		c := &h.Candidates[i]
		c.Score = a.score(i, c.Score)
		if a.mute {
			c.Text = ""
		}
	}
	return h, err
}

// Whatever a source makes of its scores, the words decide; without words nothing is
// refused.
func TestGateOverUnusualScores(t *testing.T) {
	const plain, relieved = 4.4998, 4.4998 - .3 // the bar of a sample with and without scores
	same := func(_ int, cosine float64) float64 { return cosine }
	tests := []struct {
		name   string
		src    altered
		scores bool
		bar    float64
		right  core.Verdict
		far    core.Verdict
		reason gate.Reason
	}{
		{"cosines", altered{kind: core.CosineSimilarity, score: same}, true, plain, core.Evidence, core.NoEvidence, gate.ReasonNone},
		{"distances", altered{kind: core.CosineDistance, score: func(_ int, c float64) float64 { return 1 - c }}, true, plain, core.Evidence, core.NoEvidence, gate.ReasonNone},
		{"negative", altered{kind: core.Opaque, score: func(_ int, c float64) float64 { return c - 9 }}, true, plain, core.Evidence, core.NoEvidence, gate.ReasonNone},
		{"equal", altered{kind: core.CosineSimilarity, score: func(int, float64) float64 { return .5 }}, true, plain, core.Evidence, core.NoEvidence, gate.ReasonNone},
		{"fused", altered{kind: core.FusedRank, score: func(i int, _ float64) float64 { return 1 / float64(60+i) }}, false, relieved, core.Evidence, core.NoEvidence, gate.ReasonNone},
		{"ranks only", altered{kind: core.NoScore, score: func(int, float64) float64 { return 0 }}, false, relieved, core.Evidence, core.NoEvidence, gate.ReasonNone},
		{"undeclared", altered{score: same}, false, relieved, core.Evidence, core.NoEvidence, gate.ReasonNone},
		{"no numbers", altered{kind: core.CosineSimilarity, score: func(int, float64) float64 { return math.NaN() }}, false, relieved, core.Evidence, core.NoEvidence, gate.ReasonNone},
		{"infinite", altered{kind: core.Opaque, score: func(int, float64) float64 { return math.Inf(1) }}, false, relieved, core.Evidence, core.NoEvidence, gate.ReasonNone},
		{"without texts", altered{kind: core.CosineSimilarity, score: same, mute: true}, true, 0, core.Uncalibrated, core.Uncalibrated, gate.ReasonNoText},
	}
	for _, tt := range tests {
		s := newShelf(prose(400)...)
		tt.src.s = s
		eng := calibrated(t, core.Options{}, tt.src)
		if c, _ := eng.Calibration("shelf"); !c.Ready || c.Scores != tt.scores {
			t.Errorf("%s: %+v", tt.name, c)
		}
		for question, want := range map[string]core.Verdict{answerable: tt.right, foreign: tt.far} {
			d := retrieve(t, eng, tt.src, core.Query{Text: question}).Decision
			if d.Verdict != want || d.Reason != tt.reason || math.Abs(d.Bar-tt.bar) > 1e-3 {
				t.Errorf("%s, %q: %v for reason %v at bar %.4f, want %v, %v, %.4f", tt.name, question, d.Verdict, d.Reason, d.Bar, want, tt.reason, tt.bar)
			}
		}
	}
}

// A source without texts is not measured anew at every start.
func TestTextlessSourceIsMeasuredOnce(t *testing.T) {
	st, s := store.NewMemory(), newShelf(prose(200)...)
	src := altered{blind: blind{s}, kind: core.CosineSimilarity, score: func(_ int, c float64) float64 { return c }, mute: true}
	for i := range 3 {
		searches := s.searches.Load()
		if err := calibrated(t, core.Options{Store: st}, src).Close(); err != nil {
			t.Fatal(err)
		}
		if n := s.searches.Load() - searches; (n > 0) != (i == 0) {
			t.Errorf("start %d: %d searches", i, n)
		}
	}
}

func TestGateOverOddQuestions(t *testing.T) {
	s := newShelf(prose(400)...)
	eng := calibrated(t, core.Options{}, s)
	for question, want := range map[string]core.Verdict{
		"the of and": core.Uncalibrated,
		"?!":         core.Uncalibrated,
		"zebra":      core.NoEvidence,
		"铜冶炼炉":       core.NoEvidence,
		"เตาหลอมทองแดง": core.NoEvidence,
		"🦓🏆":                                     core.Uncalibrated,
		strings.Repeat("zebra quidditch ", 3000): core.NoEvidence,
	} {
		resp := retrieve(t, eng, s, core.Query{Text: question})
		if resp.Verdict != want || resp.Verdict == core.Uncalibrated && resp.Decision.Reason != gate.ReasonNoTerms {
			t.Errorf("%.20q: %v, %v, want %v", question, resp.Verdict, resp.Decision.Reason, want)
		}
	}
	if r := retrieve(t, eng, newShelf(), core.Query{Text: answerable}); r.Verdict != core.Empty {
		t.Errorf("nothing found: %v", r.Verdict)
	}
	stuffed := strings.Join(prose(300), " ") + strings.Repeat(" filler words", 500)
	s.put("stuffed", stuffed)
	if r := retrieve(t, eng, s, core.Query{Text: "harbour furnace violin glacier"}); r.Verdict == core.Evidence {
		t.Errorf("a chunk that holds every word: %v, %+v", r.Verdict, r.Items[0].Judgement)
	}
}

// With a filter the bank's scores say nothing about what was searched.
func TestFilteredSearchHasNoScoreSide(t *testing.T) {
	s := newShelf(prose(300)...)
	eng := calibrated(t, core.Options{}, s)
	whole := retrieve(t, eng, s, core.Query{Text: answerable})
	part := retrieve(t, eng, s, core.Query{Text: answerable, Filter: map[string]string{"year": "2012"}})
	if whole.Decision.Approximate || whole.Items[0].Judgement.Standardised == 0 {
		t.Errorf("without a filter: %+v", whole.Decision)
	}
	if !part.Decision.Approximate || part.Items[0].Judgement.Standardised != 0 || math.Abs(whole.Decision.Bar-.3-part.Decision.Bar) > 1e-9 {
		t.Errorf("with a filter: %+v", part.Decision)
	}
}

// Fused ranks are not compared with the scores that the source was measured by.
func TestFusedRanksAreNotScores(t *testing.T) {
	s := newShelf(prose(300)...)
	src := altered{blind: blind{s}, kind: core.Opaque, score: func(_ int, c float64) float64 { return 10 * c }}
	eng := calibrated(t, core.Options{}, src)
	hits, err := src.Search(context.Background(), core.Query{Text: foreign}, 10)
	if err != nil {
		t.Fatal(err)
	}
	hits.Source = "shelf"
	for kind, known := range map[core.ScoreKind]bool{core.Opaque: true, core.FusedRank: false} {
		hits.Kind = kind
		resp, err := eng.Rank(context.Background(), core.Query{Text: foreign}, hits)
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Rejected[0].Judgement.Standardised; (got != 0) != known {
			t.Errorf("%v: standardised to %v", kind, got)
		}
	}
}

// The question is judged on as many candidates as are wanted.
func TestGateJudgesWhatIsWanted(t *testing.T) {
	s := newShelf(prose(300)...)
	eng := calibrated(t, core.Options{}, s)
	five := retrieve(t, eng, s, core.Query{Text: foreign}).Decision
	twenty := retrieve(t, eng, s, core.Query{Text: foreign, K: 20}).Decision
	if math.Abs(twenty.Bar-five.Bar-.3*math.Log(4)) > 1e-9 {
		t.Errorf("bars %v and %v", five.Bar, twenty.Bar)
	}
}

// One success does not carry a passage past the gate, and two do not if failures
// outweigh them.
func TestWhatIsProven(t *testing.T) {
	for name, tt := range map[string]struct {
		outcomes []bool
		proven   bool
	}{
		"nothing":       {nil, false},
		"one success":   {[]bool{true}, false},
		"two successes": {[]bool{true, true}, true},
		"mostly failed": {[]bool{true, false, false, false, false, false, false, true, false}, false},
	} {
		s, st := newShelf(prose(200)...), store.NewMemory()
		// alike, so that a passage is expected to help until outcomes say otherwise
		src := altered{blind: blind{s}, kind: core.CosineSimilarity, score: func(i int, _ float64) float64 { return .95 - float64(i)/100 }}
		open := newEngine(t, core.Options{Gate: gate.Off{}, Store: st})
		for _, good := range tt.outcomes {
			hits, err := src.Search(context.Background(), core.Query{Text: foreign}, 1)
			if err != nil {
				t.Fatal(err)
			}
			hits.Source, hits.Model, hits.Kind = "shelf", src.Info().Model, core.CosineSimilarity
			resp, err := open.Rank(context.Background(), core.Query{Text: foreign, K: 1}, hits)
			if err != nil {
				t.Fatal(err)
			}
			feed(t, open, resp.Receipt, core.Verified(good))
		}
		eng := calibrated(t, core.Options{Store: st}, src)
		d := retrieve(t, eng, src, core.Query{Text: foreign}).Decision
		if d.ByReputation != tt.proven {
			t.Errorf("%s: %v by reputation %v", name, d.Verdict, d.ByReputation)
		}
	}
}

// When the best chunks of the bank's questions go, the next best are found.
func TestDeletingTheBanksBest(t *testing.T) {
	s := newShelf(prose(200)...)
	for i, q := range gate.BankQuestions() {
		for j := range 5 { // more than are remembered
			s.put(fmt.Sprintf("bank-%d-%d", i, j), q.Text)
		}
	}
	eng := calibrated(t, core.Options{}, s)
	before := standardised(t, eng, s, foreign)
	for i := range gate.BankQuestions() {
		for j := range 5 {
			s.remove(fmt.Sprintf("bank-%d-%d", i, j))
		}
	}
	fresh := calibrated(t, core.Options{}, s)
	right := standardised(t, fresh, s, foreign)
	if math.Abs(before-right) < .1 {
		t.Fatalf("the deleted chunks made no difference: %v and %v", before, right)
	}
	eventually(t, "as if measured anew", func() bool {
		return math.Abs(standardised(t, eng, s, foreign)-right) < 1e-6
	})
}

// Sigma-rag's rule in a comparison is that rule: no rate of the question's, no
// reputation, and its own reasons.
func TestCompareWithSigmaAlone(t *testing.T) {
	s, ctx := newShelf(prose(200)...), context.Background()
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	q := core.Query{Text: foreign, K: 1}
	before, err := eng.Compare(ctx, s, q)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		feed(t, eng, retrieve(t, eng, s, q).Receipt, core.Verified(true))
	}
	q.Alpha = .05
	after, err := eng.Compare(ctx, s, q)
	if err != nil {
		t.Fatal(err)
	}
	if after.Sigma.Decision.Bar != 2 || after.Sigma.Decision.ByReputation || after.Sigma.Verdict != before.Sigma.Verdict {
		t.Errorf("before %+v, after %+v", before.Sigma.Decision, after.Sigma.Decision)
	}
	found, err := eng.Compare(ctx, s, core.Query{Text: "copper smelting furnace"})
	if err != nil || len(found.Sigma.Items) == 0 {
		t.Fatal(found.Sigma, err)
	}
	if reason := found.Sigma.Items[0].Reason; !strings.Contains(reason, "standard deviations") {
		t.Error(reason)
	}
}
