package gate_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/internal/lexical"
)

// The reference vectors: six passages, bank moments .21 and .07.
func TestEvidenceReferenceVectors(t *testing.T) {
	m := modelOf(t, physics)
	if err := m.SetScores(bankScores(.21, .07), gate.ScaleCosine); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		query                        string
		passage                      int
		cosine                       float64
		coverage, information, score float64
		evidence, p                  float64
	}{
		{"When was the Higgs boson discovered?", 0, .71, 1, 2.374896, 5, 9.106110, .000288563},
		{"When was the Higgs boson discovered?", 2, .44, 0, 0, 3.285714, .985714, .970249},
		{"LHC detectors", 2, .66, 1, 1.320752, 5, 7.683015, .00119752},
		{"LHC detectors", 0, .52, .400620, .529120, 4.428571, 3.805611, .0578385},
	}
	for _, tt := range tests {
		d := gate.Evidence{}.Decide(question(tt.query), []gate.Candidate{candidate(physics[tt.passage], tt.cosine)}, m)
		j := d.Judgements[0]
		near(t, tt.query+" coverage", j.Coverage, tt.coverage, 1e-6)
		near(t, tt.query+" information", j.Information, tt.information, 1e-6)
		near(t, tt.query+" score", j.Standardised, tt.score, 1e-6)
		near(t, tt.query+" evidence", j.Evidence, tt.evidence, 1e-6)
		near(t, tt.query+" E", d.E, tt.evidence, 1e-6)
		near(t, tt.query+" p", d.P, tt.p, 1e-6*(1+tt.p))
		if d.Verdict != gate.VerdictUncalibrated || d.Reason != gate.ReasonSmallCorpus || !j.Pass {
			t.Errorf("%s: six passages must not decide: %v %v %v", tt.query, d.Verdict, d.Reason, j.Pass)
		}
	}
	d := gate.Evidence{SmallCorpus: gate.Decide}.Decide(question("Who won the cricket world cup?"), []gate.Candidate{candidate(physics[1], .13)}, m)
	near(t, "cricket E", d.E, -.342857, 1e-6)
	near(t, "cricket p", d.P, 1, 0)
	if d.Verdict != gate.VerdictNoEvidence || d.Judgements[0].Pass {
		t.Errorf("cricket: %v", d.Verdict)
	}
}

func TestInverseFrequencyReferenceVectors(t *testing.T) {
	m := modelOf(t, physics)
	for term, want := range map[string]float64{"cricket": 2.63905733, "higg": 1.540445041, "lhc": 1.029619417} {
		near(t, term, m.InverseFrequency(lexical.Hash(term)), want, 1e-8)
	}
}

func TestBarReferenceVectors(t *testing.T) {
	m := modelOf(t, library(200, 1))
	if err := m.SetScores(bankScores(.2, .1), gate.ScaleCosine); err != nil {
		t.Fatal(err)
	}
	c := []gate.Candidate{candidate("word1 word2", .3)}
	for alpha, want := range map[float64]float64{.2: 2.56495, .1: 3.2581, .05: 3.95124, .02275: 4.7387, .01: 5.56068, .00135: 7.56316} {
		near(t, "bar", gate.Evidence{Alpha: alpha}.Decide(question("word1"), c, m).Bar, want, 5e-6)
		q := question("word1")
		q.Alpha = alpha
		near(t, "bar of the query", gate.Evidence{}.Decide(q, c, m).Bar, want, 5e-6)
	}
	q, ten := question("word1"), slices.Repeat(c, 10)
	q.K = 10
	near(t, "bar for ten", gate.Evidence{}.Decide(q, ten, m).Bar, 3.95124+.3*math.Ln2, 5e-6)
	near(t, "bar for ten of which one exists", gate.Evidence{}.Decide(q, c, m).Bar, 3.95124, 5e-6)
	q.K = 1000
	near(t, "bar for a thousand of which ten exist", gate.Evidence{}.Decide(q, ten, m).Bar, 3.95124+.3*math.Ln2, 5e-6)
	q.K = 3
	near(t, "bar for three", gate.Evidence{}.Decide(q, c, m).Bar, 3.95124, 5e-6)
}

func TestDeviateReferenceVectors(t *testing.T) {
	for e, want := range map[float64][2]float64{
		2: {.351872, .3803}, 3: {.129446, 1.129}, 3.95: {.050062, 1.6443}, 5: {.017519, 2.1079}, 8: {.000872, 3.1306},
	} {
		p := 2.6 * math.Exp(-e)
		near(t, "p", p, want[0], 1e-6)
		near(t, "z", gate.UpperQuantile(p), want[1], 1e-4)
	}
}

func TestConformalReferenceVectors(t *testing.T) {
	c, err := gate.NewConformal([]float64{2.5, .5, 1.1, 4.1, 1.3, 2, 2.2, 2.9, 3.3, 3.6})
	if err != nil {
		t.Fatal(err)
	}
	for alpha, want := range map[float64]float64{.5: 2.5, .3: 3.3, .1: 4.1} {
		near(t, "quantile", c.Bar(alpha), want, 1e-12)
		if p := c.P(c.Bar(alpha)); p > alpha {
			t.Errorf("alpha %v: p at the bar is %v", alpha, p)
		}
		if p := c.P(want); p <= alpha {
			t.Errorf("alpha %v: a tie passes with p %v", alpha, p)
		}
	}
	if !math.IsInf(c.Bar(.05), 1) {
		t.Error("ten values cannot support .05")
	}
	if err := (gate.Evidence{Conformal: c}).Validate(); !errors.Is(err, gate.ErrOptions) {
		t.Errorf("ten values for .05: %v", err)
	}
	if err := (gate.Evidence{Conformal: c, Alpha: .1}).Validate(); err != nil {
		t.Error(err)
	}
}

// settled is a collection of 300 passages, one of which answers "alpaca wool".
func settled(t *testing.T) *gate.Model {
	m := modelOf(t, append(library(299, 3), "alpaca wool is warmer than sheep wool"))
	if err := m.SetScores(bankScores(.2, .05), gate.ScaleCosine); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestConformalDecides(t *testing.T) {
	c, _ := gate.NewConformal([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9})
	g := gate.Evidence{Conformal: c, Alpha: .2}
	m := settled(t)
	d := g.Decide(question("alpaca wool"), []gate.Candidate{candidate("alpaca wool is warm", .5)}, m)
	near(t, "bar", d.Bar, 8, 1e-12)
	near(t, "p", d.P, .2, 1e-12)
	if d.Verdict != gate.VerdictEvidence {
		t.Errorf("E %v: %v", d.E, d.Verdict)
	}
	q := question("alpaca wool")
	q.Alpha = .01 // more than nine values can support
	d = g.Decide(q, []gate.Candidate{candidate("alpaca wool is warm", .5)}, m)
	if d.Verdict != gate.VerdictNoEvidence || math.IsInf(d.Bar, 0) {
		t.Errorf("unsupported rate: %v, bar %v", d.Verdict, d.Bar)
	}
}

func TestEvidenceDecides(t *testing.T) {
	m := settled(t)
	answer, half, foreign := candidate("alpaca wool is warm", .5), candidate("wool of the word77", .3), candidate("word8 word9", .2)
	d := gate.Evidence{}.Decide(question("alpaca wool"), []gate.Candidate{foreign, answer, half}, m)
	if d.Verdict != gate.VerdictEvidence || d.P > .05 || d.E < d.Bar || d.Z < 1.6 {
		t.Fatalf("%+v", d)
	}
	if got := []bool{d.Judgements[0].Pass, d.Judgements[1].Pass, d.Judgements[2].Pass}; got[0] || !got[1] || !got[2] {
		t.Errorf("passed: %v", got)
	}
	d = gate.Evidence{}.Decide(question("zebra crossing lights"), []gate.Candidate{foreign, answer}, m)
	if d.Verdict != gate.VerdictNoEvidence || d.P <= .05 || d.Judgements[0].Pass || d.Judgements[1].Pass {
		t.Errorf("foreign: %+v", d)
	}
}

func TestDelta(t *testing.T) {
	m := settled(t)
	strong, foreign := candidate("alpaca wool", .5), candidate("word8", .1)
	for name, tt := range map[string]struct {
		gate gate.Evidence
		pass bool
	}{
		"default": {gate.Evidence{}, false},
		"strict":  {gate.Evidence{Strict: true}, false},
		"all":     {gate.Evidence{Delta: math.Inf(1)}, true},
	} {
		d := tt.gate.Decide(question("alpaca wool"), []gate.Candidate{strong, foreign}, m)
		if d.Judgements[1].Pass != tt.pass || !d.Judgements[0].Pass {
			t.Errorf("%s: %+v", name, d.Judgements)
		}
	}
}

// A question that misses by less than one unit of evidence is weak, and passes nothing.
func TestWeak(t *testing.T) {
	m := settled(t)
	q := question("alpaca wool")
	c := []gate.Candidate{candidate("alpaca wool", .5)}
	e := gate.Evidence{}.Decide(q, c, m).E
	q.Alpha = 2.6 * math.Exp(-(e + .5))
	if d := (gate.Evidence{}).Decide(q, c, m); d.Verdict != gate.VerdictWeak || d.Judgements[0].Pass {
		t.Errorf("%v, pass %v", d.Verdict, d.Judgements[0].Pass)
	}
	q.Alpha = 2.6 * math.Exp(-(e + 1.5))
	if d := (gate.Evidence{}).Decide(q, c, m); d.Verdict != gate.VerdictNoEvidence {
		t.Errorf("%v", d.Verdict)
	}
}

// The question is judged on the first max(K,5), but every candidate may pass.
func TestJudgedOnTheFirst(t *testing.T) {
	m := settled(t)
	var c []gate.Candidate
	for range 5 {
		c = append(c, candidate("word8", .2))
	}
	c = append(c, candidate("alpaca wool", .5))
	if d := (gate.Evidence{}).Decide(question("alpaca wool"), c, m); d.Verdict != gate.VerdictNoEvidence {
		t.Errorf("sixth of five judged: %v", d.Verdict)
	}
	q := question("alpaca wool")
	q.K = 6
	if d := (gate.Evidence{}).Decide(q, c, m); d.Verdict != gate.VerdictEvidence || !d.Judgements[5].Pass {
		t.Errorf("sixth of six judged: %v", d.Verdict)
	}
	c[0], c[5] = candidate("alpaca wool", .5), candidate("wool alpaca", .5)
	if d := (gate.Evidence{}).Decide(question("alpaca wool"), c, m); !d.Judgements[5].Pass {
		t.Error("a candidate beyond the judged ones must be able to pass")
	}
}

func TestProven(t *testing.T) {
	m := settled(t)
	proven := candidate("word8", .1)
	proven.Proven = true
	foreign := candidate("word9", .1)
	d := gate.Evidence{}.Decide(question("zebra crossing lights"), []gate.Candidate{foreign, proven}, m)
	alone := gate.Evidence{}.Decide(question("zebra crossing lights"), []gate.Candidate{foreign}, m)
	if d.Verdict != gate.VerdictEvidence || !d.ByReputation || !d.Judgements[1].Pass || !d.Judgements[1].ByReputation {
		t.Errorf("proven: %+v", d)
	}
	if d.Judgements[0].Pass || d.P != alone.P {
		t.Errorf("a proven candidate must not change the rate (%v, alone %v) or lift others", d.P, alone.P)
	}
	strong := candidate("zebra crossing lights", .9)
	strong.Proven = true
	d = gate.Evidence{}.Decide(question("zebra crossing lights"), []gate.Candidate{strong, foreign}, m)
	if d.P != alone.P {
		t.Errorf("a proven candidate's text counted: p %v", d.P)
	}
}

func TestFilterDropsTheScore(t *testing.T) {
	m := settled(t)
	q := question("alpaca wool")
	q.Filtered = true
	d := gate.Evidence{}.Decide(q, []gate.Candidate{candidate("alpaca", .9)}, m)
	near(t, "bar", d.Bar, 3.951244-.3, 1e-6)
	if d.Judgements[0].Standardised != 0 || !d.Approximate {
		t.Errorf("%+v", d)
	}
}

func TestScaleOfScores(t *testing.T) {
	m := modelOf(t, library(300, 3))
	if err := m.SetScores(bankScores(10, 2), gate.ScaleRetriever); err != nil {
		t.Fatal(err)
	}
	c := gate.Candidate{Words: lexical.NewSet("word1"), Score: 14, Similarity: .3}
	q := question("word1")
	near(t, "own score", gate.Evidence{}.Decide(q, []gate.Candidate{c}, m).Judgements[0].Standardised, 2, 1e-9)
	q.ScoreKnown = false
	d := gate.Evidence{}.Decide(q, []gate.Candidate{c}, m)
	near(t, "fused rank", d.Judgements[0].Standardised, 0, 0)
	near(t, "bar", d.Bar, 3.951244-.3, 1e-6)
}

func TestSampledModel(t *testing.T) {
	m, _ := gate.NewModel(gate.ModelOptions{Sampled: true})
	for i, text := range library(gate.SampleLimit+10, 5) {
		ok, err := m.Insert(uint64(i), lexical.NewSet(text), nil)
		if err != nil || ok != (i < gate.SampleLimit) {
			t.Fatal(i, ok, err)
		}
	}
	if m.Chunks() != gate.SampleLimit {
		t.Errorf("%d passages", m.Chunks())
	}
	if err := m.SetScores(bankScores(.2, .1), gate.ScaleCosine); err != nil {
		t.Fatal(err)
	}
	near(t, "bar", gate.Evidence{}.Decide(question("word1"), []gate.Candidate{candidate("word1", .1)}, m).Bar, 4.49981, 1e-5)
}

func TestProfiles(t *testing.T) {
	m := settled(t)
	bar := func(g gate.Evidence) float64 {
		return g.Decide(question("wool"), []gate.Candidate{candidate("wool", .3)}, m).Bar
	}
	near(t, "recall without the bank's evidence", bar(gate.Evidence{Profile: gate.Recall}), 3.951244-math.Ln2, 1e-6)
	near(t, "guard without the bank's evidence", bar(gate.Evidence{BankGuard: true}), 3.951244, 1e-6)
	values := make([]float64, len(gate.Bank()))
	for i := range values {
		values[i] = 2 + float64(i%16)/10 // within a topic
		if i < 32 {
			values[i] = 9 // two topics that the collection is about
		}
	}
	if err := m.SetBankEvidence(values); err != nil {
		t.Fatal(err)
	}
	near(t, "guard", bar(gate.Evidence{BankGuard: true}), 3.951244, 1e-6)
	near(t, "guard at a lax rate", bar(gate.Evidence{BankGuard: true, Alpha: .3}), 3.1, 1e-6)
	near(t, "recall", bar(gate.Evidence{Profile: gate.Recall}), (3.951244+3.5)/2, 1e-6)
	if err := m.SetBankEvidence(values[:3]); !errors.Is(err, gate.ErrSample) {
		t.Error(err)
	}
}

func TestStuffedPassage(t *testing.T) {
	texts := library(300, 7)
	m := modelOf(t, texts)
	everything := ""
	for _, text := range texts[:200] {
		everything += text
	}
	q := question("word3 word19 word7 word350")
	words := lexical.NewSet(everything + " word350 word3 word19 word7")
	d := gate.Evidence{}.Decide(q, []gate.Candidate{{Words: words, Score: nan, Similarity: nan}}, m)
	honest := gate.Evidence{}.Decide(q, []gate.Candidate{candidate("word350 word3 word19 word7", nan)}, m)
	divisor := 1 + math.Log(float64(words.Tokens())/m.MeanLength())
	near(t, "coverage", d.Judgements[0].Coverage, 1/divisor, 1e-9)
	near(t, "honest coverage", honest.Judgements[0].Coverage, 1, 1e-9)
}

func TestEvidenceValidate(t *testing.T) {
	for name, g := range map[string]gate.Evidence{
		"alpha one":       {Alpha: 1},
		"alpha negative":  {Alpha: -.1},
		"alpha NaN":       {Alpha: nan},
		"weight negative": {Weights: gate.Weights{Coverage: -1}},
		"weight infinite": {Weights: gate.Weights{Score: math.Inf(1)}},
		"delta negative":  {Delta: -1},
		"delta NaN":       {Delta: nan},
		"profile":         {Profile: 9},
		"small corpus":    {SmallCorpus: 9},
	} {
		if err := g.Validate(); !errors.Is(err, gate.ErrOptions) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (gate.Evidence{}).Validate(); err != nil {
		t.Error(err)
	}
}
