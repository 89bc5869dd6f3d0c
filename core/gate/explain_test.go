package gate_test

import (
	"fmt"
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
		{gate.Decision{Verdict: gate.VerdictUncalibrated, Reason: gate.ReasonSmallCorpus}, "Everything was passed on, unjudged: the collection holds fewer than 100 passages, too few to tell chance from evidence."},
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
		{gate.Judgement{Margin: -.42, Coverage: .25}, "missed by 0.42: it holds 25 % of what the question's words tell"},
		{gate.Judgement{Margin: 3, Coverage: 1, Pass: true}, "passed by 3.00: it holds 100 % of what the question's words tell"},
		{gate.Judgement{Margin: -2, Pass: true, ByReputation: true}, "passed by evidence: it has proven right for questions like this one"},
		{gate.Judgement{Margin: .1}, "refused with the question as a whole"},
		{gate.Judgement{Margin: -1, Pass: true}, "passed unjudged; it would have missed by 1.00"},
	}
	for _, tt := range tests {
		if got := tt.judgement.Explain(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
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
