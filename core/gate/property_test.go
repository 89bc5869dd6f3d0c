package gate_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/internal/lexical"
)

func anyScore() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.Float64(), rapid.Float64Range(-1, 1),
		rapid.SampledFrom([]float64{nan, math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 0}))
}

func anyCandidate() *rapid.Generator[gate.Candidate] {
	return rapid.Custom(func(t *rapid.T) gate.Candidate {
		words := rapid.SliceOfN(rapid.IntRange(0, 40), 0, 12).Draw(t, "words")
		text := ""
		for _, w := range words {
			text += fmt.Sprintf("word%d ", w)
		}
		return gate.Candidate{
			Words: lexical.NewSet(text), Score: anyScore().Draw(t, "score"), Similarity: anyScore().Draw(t, "similarity"),
			Proven: rapid.IntRange(0, 9).Draw(t, "proven") == 0,
		}
	})
}

func anyQuery() *rapid.Generator[gate.Query] {
	return rapid.Custom(func(t *rapid.T) gate.Query {
		var terms []string
		for _, w := range rapid.SliceOfNDistinct(rapid.IntRange(0, 50), 0, 6, rapid.ID).Draw(t, "terms") {
			terms = append(terms, fmt.Sprintf("word%d", w))
		}
		return gate.Query{
			Terms: terms, K: rapid.IntRange(-2, 20).Draw(t, "k"), Alpha: rapid.SampledFrom([]float64{0, .01, .05, .5, -1, 2, nan}).Draw(t, "alpha"),
			Filtered: rapid.Bool().Draw(t, "filtered"), ScoreKnown: rapid.Bool().Draw(t, "known"),
		}
	})
}

func anyGate() *rapid.Generator[gate.Gate] {
	c, _ := gate.NewConformal([]float64{.1, .5, .5, 1, 2, 3, 3.5, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
	return rapid.SampledFrom([]gate.Gate{
		gate.Evidence{}, gate.Evidence{SmallCorpus: gate.Decide}, gate.Evidence{Profile: gate.Recall, BankGuard: true},
		gate.Evidence{Conformal: c}, gate.Evidence{Delta: math.Inf(1)}, gate.Evidence{Weights: gate.Weights{Score: math.MaxFloat64}},
		gate.Fixed{}, gate.Fixed{Sigma: 3, PerQuery: true}, gate.Off{},
	})
}

func propertyModels(t testing.TB) []*gate.Model {
	large := modelOf(t, library(150, 41))
	if err := large.SetScores(bankScores(.3, .1), gate.ScaleCosine); err != nil {
		t.Fatal(err)
	}
	large.SetFloor(gate.Floor{Mean: .2, SD: .1, Chunks: 150})
	own := modelOf(t, library(150, 42))
	if err := own.SetScores(bankScores(8, 3), gate.ScaleRetriever); err != nil {
		t.Fatal(err)
	}
	empty, _ := gate.NewModel(gate.ModelOptions{})
	return []*gate.Model{nil, empty, modelOf(t, physics), large, own}
}

func allFinite(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Float64:
		return !math.IsNaN(v.Float()) && !math.IsInf(v.Float(), 0)
	case reflect.Struct:
		for i := range v.NumField() {
			if !allFinite(v.Field(i)) {
				return false
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if !allFinite(v.Index(i)) {
				return false
			}
		}
	}
	return true
}

// For any input: finite numbers, p in [0,1], one judgement per candidate, and
// verdict and passes that agree.
func TestDecisionsAreSound(t *testing.T) {
	models := propertyModels(t)
	rapid.Check(t, func(t *rapid.T) {
		g, q := anyGate().Draw(t, "gate"), anyQuery().Draw(t, "query")
		c := rapid.SliceOfN(anyCandidate(), 0, 12).Draw(t, "candidates")
		d := g.Decide(q, c, rapid.SampledFrom(models).Draw(t, "model"))
		if !allFinite(reflect.ValueOf(d)) {
			t.Fatalf("not finite: %+v", d)
		}
		if d.P < 0 || d.P > 1 || len(d.Judgements) != len(c) {
			t.Fatalf("%+v", d)
		}
		passed, proven := 0, 0
		for i, j := range d.Judgements {
			if j.Pass {
				passed++
			}
			if c[i].Proven {
				proven++
			}
			if c[i].Proven && !j.Pass || j.ByReputation && !c[i].Proven || j.Coverage < 0 || j.Coverage > 1 {
				t.Fatalf("candidate %d: %+v", i, j)
			}
		}
		agrees := map[gate.Verdict]bool{
			gate.VerdictEmpty: len(c) == 0, gate.VerdictEvidence: passed > 0, gate.VerdictWeak: passed == 0 && proven == 0,
			gate.VerdictNoEvidence: passed == 0 && proven == 0, gate.VerdictUncalibrated: passed == len(c) && d.Reason != gate.ReasonNone,
		}
		if !agrees[d.Verdict] {
			t.Fatalf("verdict %v with %d of %d passed, reason %d", d.Verdict, passed, len(c), d.Reason)
		}
		if text := gate.Explain(d); text == "" || strings.Contains(text, "NaN") {
			t.Fatalf("explained as %q", text)
		}
	})
}

// Asking for fewer false alarms never lets more through.
func TestMonotoneInAlpha(t *testing.T) {
	models := propertyModels(t)[1:]
	rapid.Check(t, func(t *rapid.T) {
		g, q := anyGate().Draw(t, "gate"), anyQuery().Draw(t, "query")
		c := rapid.SliceOfN(anyCandidate(), 1, 8).Draw(t, "candidates")
		m := rapid.SampledFrom(models).Draw(t, "model")
		q.Alpha = rapid.Float64Range(.001, .9).Draw(t, "strict")
		strict := g.Decide(q, c, m)
		q.Alpha = rapid.Float64Range(q.Alpha, .95).Draw(t, "lax")
		lax := g.Decide(q, c, m)
		if strict.P != lax.P || strict.Bar < lax.Bar {
			t.Fatalf("p %v and %v, bars %v and %v", strict.P, lax.P, strict.Bar, lax.Bar)
		}
		for i := range c {
			if strict.Judgements[i].Pass && !lax.Judgements[i].Pass {
				t.Fatalf("candidate %d passes at the stricter rate only", i)
			}
		}
	})
}

// The order of the candidates among the judged ones does not matter.
func TestOrderWithinTheJudged(t *testing.T) {
	models := propertyModels(t)
	rapid.Check(t, func(t *rapid.T) {
		g, q := anyGate().Draw(t, "gate"), anyQuery().Draw(t, "query")
		c := rapid.SliceOfN(anyCandidate(), 5, 5).Draw(t, "judged")
		rest := rapid.SliceOfN(anyCandidate(), 0, 3).Draw(t, "rest")
		q.K = 5
		m := rapid.SampledFrom(models).Draw(t, "model")
		order := rapid.Permutation([]int{0, 1, 2, 3, 4}).Draw(t, "order")
		shuffled := make([]gate.Candidate, 5)
		for to, from := range order {
			shuffled[to] = c[from]
		}
		a := g.Decide(q, append(c, rest...), m)
		b := g.Decide(q, append(shuffled, rest...), m)
		for to, from := range order {
			if a.Judgements[from] != b.Judgements[to] {
				t.Fatalf("%+v became %+v", a.Judgements[from], b.Judgements[to])
			}
		}
		a.Judgements, b.Judgements = nil, nil
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v became %+v", a, b)
		}
	})
}

// Every kind of bad input has a defined verdict.
func TestBadInput(t *testing.T) {
	texts := append(library(298, 51), "标准化流程要求每个步骤都有记录", "การทดสอบระบบภาษาไทย")
	m := modelOf(t, texts)
	if err := m.SetScores(bankScores(.2, .05), gate.ScaleCosine); err != nil {
		t.Fatal(err)
	}
	everything := strings.Join(texts[:298], " ")
	empty, _ := gate.NewModel(gate.ModelOptions{})
	tests := []struct {
		name, query, passage string
		score                float64
		model                *gate.Model
		want                 gate.Verdict
	}{
		{"empty query", "", texts[0], .5, m, gate.VerdictUncalibrated},
		{"stop words only", "what is it that you are", texts[0], .5, m, gate.VerdictUncalibrated},
		{"one rare word, found", "word19000x", "word19000x word3", .5, m, gate.VerdictEvidence},
		{"one word, not found", "zebra", texts[0], .2, m, gate.VerdictNoEvidence},
		{"one megabyte", strings.Repeat("zebra crossing lights unknown ", 1<<15), texts[0], .2, m, gate.VerdictNoEvidence},
		{"one megabyte of distinct words", strings.Join(manyWords(100_000), " "), texts[0], .2, m, gate.VerdictNoEvidence},
		{"invalid UTF-8", "\xff\xfe\xfd", texts[0], .5, m, gate.VerdictUncalibrated},
		{"invalid UTF-8 around a word", "\xff zebra \xfe", texts[0], .2, m, gate.VerdictNoEvidence},
		{"Chinese, found", "标准化流程", texts[298], .5, m, gate.VerdictEvidence},
		{"Chinese, foreign", "今天的天气怎么样", texts[298], .2, m, gate.VerdictNoEvidence},
		{"Thai, found", "ระบบภาษาไทย", texts[299], .5, m, gate.VerdictEvidence},
		{"emoji", "🦙🦙🦙", texts[0], .5, m, gate.VerdictUncalibrated},
		{"passage of every word, foreign query", "zebra crossing lights", everything, .2, m, gate.VerdictNoEvidence},
		{"passage of every word, common words", "word3 word5 word11 word14", everything, .2, m, gate.VerdictNoEvidence},
		{"negative score", "zebra", texts[0], -7, m, gate.VerdictNoEvidence},
		{"NaN score", "zebra", texts[0], nan, m, gate.VerdictNoEvidence},
		{"infinite score, foreign query", "zebra", texts[0], math.Inf(1), m, gate.VerdictNoEvidence},
		{"no text", "zebra", "", .9, m, gate.VerdictUncalibrated},
		{"empty collection", "zebra", texts[0], .9, empty, gate.VerdictUncalibrated},
		{"no model", "zebra", texts[0], .9, nil, gate.VerdictUncalibrated},
	}
	for _, tt := range tests {
		d := gate.Evidence{}.Decide(question(tt.query), []gate.Candidate{candidate(tt.passage, tt.score), candidate(tt.passage, tt.score)}, tt.model)
		if d.Verdict != tt.want {
			t.Errorf("%s: %v (E %.2f, bar %.2f, p %.3f)", tt.name, d.Verdict, d.E, d.Bar, d.P)
		}
	}
	if d := (gate.Evidence{}).Decide(question("zebra"), nil, m); d.Verdict != gate.VerdictEmpty {
		t.Errorf("nothing found: %v", d.Verdict)
	}
}

func manyWords(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("unseen%d", i)
	}
	return out
}

func FuzzDecode(f *testing.F) {
	f.Add(encoded(f, fullModel(f, 2)))
	f.Add(encoded(f, modelOf(f, physics)))
	f.Add([]byte("RGM\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, d := range [][]byte{data, sealed(data)} {
			m, err := gate.Decode(d)
			if err != nil {
				if m != nil || !errors.Is(err, gate.ErrCorrupt) && !errors.Is(err, gate.ErrVersion) {
					t.Fatalf("%v %v", m, err)
				}
				continue
			}
			dec := gate.Evidence{SmallCorpus: gate.Decide}.Decide(question("word1 lhc"), []gate.Candidate{candidate("word1", .3)}, m)
			if !allFinite(reflect.ValueOf(dec)) {
				t.Fatalf("%+v", dec)
			}
			if _, err := gate.Decode(encoded(t, m)); err != nil {
				t.Fatal("not readable again:", err)
			}
		}
	})
}

func FuzzDecide(f *testing.F) {
	m := modelOf(f, library(150, 61))
	if err := m.SetScores(bankScores(.3, .1), gate.ScaleCosine); err != nil {
		f.Fatal(err)
	}
	f.Add("When was the Higgs boson discovered?", physics[0], .3, 5)
	f.Add("标准化\xff", "\x00", math.Inf(1), -1)
	f.Fuzz(func(t *testing.T, query, passage string, score float64, k int) {
		q := question(query)
		q.K = k
		d := gate.Evidence{}.Decide(q, []gate.Candidate{candidate(passage, score)}, m)
		if !allFinite(reflect.ValueOf(d)) || d.P < 0 || d.P > 1 {
			t.Fatalf("%+v", d)
		}
	})
}
