package gate_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/internal/lexical"
)

func TestExplain(t *testing.T) {
	tests := []struct {
		decision gate.Decision
		want     string
	}{
		{gate.Decision{}, "The search found nothing."},
		{gate.Decision{Verdict: gate.VerdictEvidence, P: .00028}, "Passed: a question that this collection cannot answer would look this good about 1 time in 3571."},
		{gate.Decision{Verdict: gate.VerdictEvidence, P: 1e-9}, "Passed: a question that this collection cannot answer would look this good less than 1 time in a million."},
		{gate.Decision{Verdict: gate.VerdictEvidence, ByReputation: true, P: .9}, "Passed because of what happened before: passages found here have proven right for questions like this one."},
		{gate.Decision{Verdict: gate.VerdictWeak, P: .08, Alpha: .05}, "Nothing was passed on, but it was close: a question that this collection cannot answer looks at least this good about 1 time in 13; the limit is 1 time in 20."},
		{gate.Decision{Verdict: gate.VerdictNoEvidence, P: .97, Alpha: .05}, "Nothing was passed on: a question that this collection cannot answer looks at least this good about 97 times in 100; the limit is 1 time in 20."},
		{gate.Decision{Verdict: gate.VerdictNoEvidence, P: 1, Alpha: .2}, "Nothing was passed on: a question that this collection cannot answer looks at least this good every time; the limit is 20 times in 100."},
		{gate.Decision{Verdict: gate.VerdictUncalibrated, Reason: gate.ReasonSmallCorpus}, "Everything was passed on, unjudged: fewer than 100 passages of the collection are known, too few to tell chance from evidence."},
		{gate.Decision{Verdict: gate.VerdictEvidence, P: .02, PerPassage: true}, "Passed: a passage that has nothing to do with the question would look this good about 1 time in 50."},
		{gate.Decision{Verdict: gate.VerdictNoEvidence, P: .07, Alpha: .02275, PerPassage: true}, "Nothing was passed on: a passage that has nothing to do with the question looks at least this good about 1 time in 14; the limit is 1 time in 44."},
		{gate.Decision{Verdict: gate.VerdictNoEvidence, P: .1, Alpha: .01, Bar: math.MaxFloat64}, "Nothing was passed on: with as few out-of-scope questions as were given nothing can be told at a limit of 1 time in 100."},
		{gate.Decision{Verdict: gate.VerdictUncalibrated, Reason: gate.ReasonOff}, "Everything was passed on, unjudged: the gate is switched off."},
	}
	for _, tt := range tests {
		if got := gate.Explain(tt.decision); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

func TestExplainJudgement(t *testing.T) {
	tests := []struct {
		judgement gate.Judgement
		want      string
	}{
		{gate.Judgement{}, "refused with the question as a whole"},
		{gate.Judgement{Pass: true}, "passed unjudged"},
		{gate.Judgement{Margin: -.5, Evidence: 1.5, Basis: gate.BasisCosine}, "missed by 0.50: it is 1.5 standard deviations closer to the question than unrelated passages are to each other"},
		{gate.Judgement{Margin: -3, Evidence: -1, Basis: gate.BasisCosine}, "missed by 3.00: it is no closer to the question than unrelated passages are to each other"},
		{gate.Judgement{Margin: -2}, "refused: nothing is known to judge it by"},
		{gate.Judgement{Margin: -2, Basis: gate.BasisScore}, "missed by 2.00: its words are not known"},
		{gate.Judgement{Margin: -math.MaxFloat64, Basis: gate.BasisWords}, "refused: no evidence is enough for the limit asked for"},
		{gate.Judgement{Margin: math.MaxFloat64, Coverage: .2, Pass: true, Basis: gate.BasisWords}, "passed with the question: it holds 20 % of what the question's words tell"},
		{gate.Judgement{Margin: -.42, Coverage: .25, Basis: gate.BasisWords}, "missed by 0.42: it holds 25 % of what the question's words tell"},
		{gate.Judgement{Margin: 3, Coverage: 1, Pass: true, Basis: gate.BasisWords}, "passed by 3.00: it holds 100 % of what the question's words tell"},
		{gate.Judgement{Margin: -2, Pass: true, ByReputation: true}, "passed by evidence: it has proven right for questions like this one"},
		{gate.Judgement{Margin: .1, Basis: gate.BasisWords}, "refused with the question as a whole"},
		{gate.Judgement{Margin: -1, Pass: true, Basis: gate.BasisWords}, "passed unjudged; it would have missed by 1.00"},
	}
	for _, tt := range tests {
		if got := tt.judgement.Explain(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// What a gate did not look at it does not speak of, and no number that stands for
// infinity is told.
func TestExplanationsOfDecisions(t *testing.T) {
	m := settled(t)
	m.SetFloor(gate.Floor{Mean: .1, SD: .05, Chunks: 300, Pairs: 1000})
	c, err := gate.NewConformal([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
	if err != nil {
		t.Fatal(err)
	}
	far := question("alpaca wool")
	far.Alpha = .01
	textless := []gate.Candidate{{Score: .3, Similarity: .3}}
	for name, tt := range map[string]struct {
		g     gate.Gate
		q     gate.Query
		cands []gate.Candidate
		m     *gate.Model
		want  string
	}{
		"fixed":            {gate.Fixed{}, question("alpaca wool"), textless, m, "passed by 2.00: it is 4.0 standard deviations closer to the question than unrelated passages are to each other"},
		"fixed, no cosine": {gate.Fixed{}, question("alpaca"), []gate.Candidate{candidate("x", nan), candidate("y", .3)}, m, "refused: nothing is known to judge it by"},
		"conformal":        {gate.Evidence{Conformal: c}, far, []gate.Candidate{candidate("alpaca wool", .3)}, m, "refused: no evidence is enough for the limit asked for"},
		"every passage":    {gate.Evidence{Delta: math.Inf(1)}, question("alpaca wool"), []gate.Candidate{candidate("alpaca wool", .5)}, m, "passed with the question: it holds 100 % of what the question's words tell"},
		"no text":          {gate.Evidence{}, question("alpaca wool"), textless, m, "passed unjudged"},
		"no model":         {gate.Evidence{}, question("alpaca wool"), []gate.Candidate{candidate("alpaca", .5)}, nil, "passed unjudged"},
		"no terms":         {gate.Evidence{}, gate.Query{}, []gate.Candidate{candidate("alpaca", .2)}, m, "passed unjudged"},
		"one text missing": {gate.Evidence{}, question("alpaca wool"), []gate.Candidate{{Score: .2, Similarity: .2}, candidate("alpaca wool", .5)}, m, "missed by 2.95: its words are not known"},
		"off":              {gate.Off{}, question("alpaca wool"), textless, nil, "passed unjudged"},
	} {
		d := tt.g.Decide(tt.q, tt.cands, tt.m)
		if got := d.Judgements[0].Explain(); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		if whole := gate.Explain(d); strings.Contains(whole, "797693") {
			t.Errorf("%s: %s", name, whole)
		}
	}
	for _, m := range []*gate.Model{nil, m} {
		if d := (gate.Evidence{}).Decide(question("alpaca"), textless, m); d.Reason != gate.ReasonNoText {
			t.Errorf("without text: %v", d.Reason)
		}
	}
	if d := (gate.Fixed{PerQuery: true}).Decide(question("alpaca"), textless, m); d.PerPassage {
		t.Error("a rate per question told as one per passage")
	}
}

func ExampleEvidence() {
	model, _ := gate.NewModel(gate.ModelOptions{})
	for i, text := range library(500, 1) {
		_, _ = model.Insert(uint64(i), lexical.NewSet(text), nil)
	}
	ask := func(question, passage string) {
		d := gate.Evidence{}.Decide(
			gate.Query{Terms: lexical.Unique(lexical.Terms(question))},
			[]gate.Candidate{{Words: lexical.NewSet(passage), Score: nan, Similarity: nan}}, model)
		fmt.Printf("%v, p = %.3f\n", d.Verdict, d.P)
	}
	ask("How warm is alpaca wool?", "Alpaca wool is warmer than that of sheep.")
	ask("How warm is alpaca wool?", "Sourdough bread is leavened with wild yeast.")
	// Output:
	// evidence, p = 0.005
	// no evidence, p = 1.000
}
