package judge_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repute-go/repute/judge"
)

func docs(texts ...string) []judge.Document {
	ds := make([]judge.Document, len(texts))
	for i, t := range texts {
		ds[i] = judge.Document{ID: fmt.Sprint("d", i), Text: t}
	}
	return ds
}

func overlap(t *testing.T, c judge.Case) judge.Verdict {
	t.Helper()
	v, err := judge.Overlap{}.Judge(context.Background(), c)
	if err != nil {
		t.Fatalf("Judge: %v", err)
	}
	if err := v.Validate(c); err != nil {
		t.Fatalf("verdict: %v", err)
	}
	return v
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestOverlapByHand(t *testing.T) {
	// Weights are ln((n+1)/df). With n = 2: ln 3 for a term in one document or in none, ln 1.5 for one in both.
	one, both := math.Log(3), math.Log(1.5)
	tests := []struct {
		name    string
		c       judge.Case
		score   float64
		support []float64
	}{
		{"all in one", judge.Case{Answer: "red apples", Documents: docs("red apples", "green pears")}, 1, []float64{1, 0}},
		{"half, the rest nowhere", judge.Case{Answer: "red bicycle", Documents: docs("red apples", "green pears")}, .5, []float64{.5, 0}},
		{"shared terms prove little", judge.Case{Answer: "red apples", Documents: docs("red apples", "red pears")}, 1,
			[]float64{1, both / (one + both)}},
		{"spread over two", judge.Case{Answer: "apples pears", Documents: docs("apples", "pears")}, 1, []float64{.5, .5}},
		{"question nearby", judge.Case{Question: "what do farmers grow", Answer: "apples",
			Documents: docs("farmers grow apples", "apples rot")}, 1, []float64{1, .5}},
		{"half the question nearby", judge.Case{Question: "what do farmers grow", Answer: "apples",
			Documents: docs("farmers eat apples", "others grow pears")}, .75, []float64{.75, 0}},
		{"question's own words prove nothing", judge.Case{Question: "do farmers grow apples", Answer: "farmers grow pears",
			Documents: docs("farmers grow apples", "nothing here")}, 0, []float64{0, 0}},
		{"answer of the question's words only", judge.Case{Question: "apples or pears", Answer: "apples",
			Documents: docs("apples beat pears", "none")}, 1, []float64{1, 0}},
		{"single digit", judge.Case{Answer: "7", Documents: docs("7 days", "5 days")}, 1, []float64{1, 0}},
		{"title counts", judge.Case{Answer: "Normandy", Documents: []judge.Document{{ID: "d0", Title: "Normandy"}}}, 1, []float64{1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := overlap(t, tt.c)
			if !near(v.Score, tt.score) {
				t.Errorf("score = %v, want %v", v.Score, tt.score)
			}
			for i, want := range tt.support {
				if got := v.Support[tt.c.Documents[i].ID]; !near(got, want) {
					t.Errorf("support of document %d = %v, want %v", i, got, want)
				}
			}
			if v.Rater != judge.OverlapRater || v.ModelVersion == "" || v.Fallback || v.Sufficiency != nil {
				t.Errorf("verdict %+v", v)
			}
		})
	}
}

func TestOverlapContextEndsAfterTwelveTerms(t *testing.T) {
	at := func(fillers int) float64 {
		text := "apples" + strings.Repeat(" filler", fillers) + " farmers"
		v := overlap(t, judge.Case{Question: "farmers", Answer: "apples", Documents: docs(text)})
		return v.Score
	}
	if got := at(11); got != 1 {
		t.Errorf("question 12 terms away: %v, want 1", got)
	}
	if got := at(12); got != .5 {
		t.Errorf("question 13 terms away: %v, want 0.5", got)
	}
}

func TestOverlapReference(t *testing.T) {
	v := overlap(t, judge.Case{Answer: "It lies in northern France.", Reference: "France", Documents: docs("nothing of it")})
	if v.Score != 1 || v.Support["d0"] != 0 {
		t.Errorf("right answer: %+v", v)
	}
	if v = overlap(t, judge.Case{Answer: "In Spain.", Reference: "France"}); v.Score != 0 {
		t.Errorf("wrong answer without documents: %+v", v)
	}
	if v = overlap(t, judge.Case{Answer: "Denmark and Norway", Reference: "Denmark, Iceland, Norway"}); !near(v.Score, 2./3) {
		t.Errorf("two of three: %v", v.Score)
	}
}

// Texts whose only words are single characters are compared by those, on both sides.
func TestOverlapSingleCharacters(t *testing.T) {
	for _, tt := range []struct {
		answer, reference string
		want              float64
	}{
		{"7", "7", 1}, {"7", "5", 0}, {"It took 7 days.", "7", 1}, {"It took 5 days.", "7", 0}, {"7", "7 days", .5}, {"C", "c", 1},
	} {
		if v := overlap(t, judge.Case{Answer: tt.answer, Reference: tt.reference}); v.Score != tt.want {
			t.Errorf("%q for %q: %v, want %v", tt.answer, tt.reference, v.Score, tt.want)
		}
	}
	v := overlap(t, judge.Case{Question: "7", Answer: "apples", Documents: docs("apples")})
	if v.Score != 1 {
		t.Errorf("a question without a term: %v", v.Score)
	}
}

func TestOverlapScripts(t *testing.T) {
	tests := []struct{ name, answer, related, unrelated string }{
		{"Japanese", "国際標準化に関する動向", "標準化の動向", "猫が好きです"},
		{"Korean", "초과근무 승인 규칙", "초과근무 규칙을 안내합니다", "점심 메뉴"},
		{"accents", "café", "cafe\u0301 au lait", "thé"},
		{"Thai", "การประชุมวันจันทร์", "การประชุมครั้งแรก", "แมวดำ"},
		{"Russian", "Владимир правил в Киеве", "В Киеве правил Владимир", "Погода хорошая"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := overlap(t, judge.Case{Answer: tt.answer, Documents: docs(tt.related, tt.unrelated)})
			if v.Support["d0"] <= 0.2 || v.Support["d1"] != 0 {
				t.Errorf("support %v", v.Support)
			}
		})
	}
}

func TestOverlapSaysWhenItCannotTell(t *testing.T) {
	tests := []struct {
		name string
		c    judge.Case
		want error
	}{
		{"only function words", judge.Case{Answer: "No, it was not.", Documents: docs("it was not")}, judge.ErrNoVerdict},
		{"only punctuation", judge.Case{Answer: "?!", Documents: docs("?!")}, judge.ErrNoVerdict},
		{"nothing to judge by", judge.Case{Answer: "apples"}, judge.ErrNoVerdict},
		{"reference without a word", judge.Case{Answer: "apples", Reference: "—"}, judge.ErrNoVerdict},
		{"empty answer", judge.Case{Documents: docs("a b")}, judge.ErrInvalidCase},
		{"blank answer", judge.Case{Answer: " \n\t\x00", Documents: docs("a b")}, judge.ErrInvalidCase},
		{"document without ID", judge.Case{Answer: "x", Documents: []judge.Document{{Text: "x"}}}, judge.ErrInvalidCase},
		{"two with one ID", judge.Case{Answer: "x", Documents: []judge.Document{{ID: "a"}, {ID: "a"}}}, judge.ErrInvalidCase},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := judge.Overlap{}.Judge(context.Background(), tt.c)
			if !errors.Is(err, tt.want) {
				t.Fatalf("verdict %+v, error %v, want %v", v, err, tt.want)
			}
		})
	}
}

func TestOverlapStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (judge.Overlap{}).Judge(ctx, judge.Case{Answer: "x", Documents: docs("x")}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
}

func TestOverlapTakesLargeAndBrokenText(t *testing.T) {
	big := strings.Repeat("apples and pears ", 60_000)
	many := make([]judge.Document, 1000)
	for i := range many {
		many[i] = judge.Document{ID: fmt.Sprint(i), Text: fmt.Sprint("document number ", i, " about apples")}
	}
	for name, c := range map[string]judge.Case{
		"1 MB answer":          {Question: "fruit", Answer: big, Documents: docs("apples", "pears")},
		"1 MB document":        {Question: "fruit", Answer: "apples", Documents: docs(big)},
		"1 MB without a space": {Answer: strings.Repeat("x", 1<<20), Documents: docs(strings.Repeat("x", 1<<20))},
		"1,000 documents":      {Question: "apples", Answer: "document number 77", Documents: many},
		"invalid UTF-8":        {Question: "\xff\xfe", Answer: "apples \xff", Documents: docs("apples \xc3\x28")},
	} {
		t.Run(name, func(t *testing.T) {
			if v := overlap(t, c); v.Score == 0 {
				t.Errorf("score 0: %s", v.Reason)
			}
		})
	}
}

// words draws texts from a small vocabulary, so that they overlap.
func words() *rapid.Generator[string] {
	vocabulary := []string{"apples", "pears", "red", "the", "of", "標準化", "7", "é", "\xff", "tree", "trees", ".", "growing"}
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 30).Draw(t, "words"), " ")
	})
}

func drawCase(t *rapid.T) judge.Case {
	return judge.Case{
		Question:  words().Draw(t, "question"),
		Answer:    words().Draw(t, "answer"),
		Documents: docs(rapid.SliceOfN(words(), 0, 6).Draw(t, "documents")...),
		Reference: rapid.OneOf(rapid.Just(""), words()).Draw(t, "reference"),
	}
}

func TestOverlapProperties(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		v, err := judge.Overlap{}.Judge(ctx, c)
		if err != nil {
			if !errors.Is(err, judge.ErrNoVerdict) && !errors.Is(err, judge.ErrInvalidCase) {
				t.Fatalf("error %v", err)
			}
			return
		}
		if err := v.Validate(c); err != nil {
			t.Fatal(err)
		}
		if len(v.Support) != len(c.Documents) {
			t.Fatalf("%d documents, support for %d", len(c.Documents), len(v.Support))
		}
		permuted := c
		permuted.Documents = rapid.Permutation(c.Documents).Draw(t, "permuted")
		again, err := judge.Overlap{}.Judge(ctx, permuted)
		if err != nil || fmt.Sprintf("%#v", again) != fmt.Sprintf("%#v", v) {
			t.Fatalf("permuted: %+v, %v; before: %+v", again, err, v)
		}
		for id, s := range v.Support {
			if c.Reference == "" && s > v.Score+1e-9 {
				t.Fatalf("document %s alone supports %v, all together %v", id, s, v.Score)
			}
		}
	})
}

func FuzzOverlap(f *testing.F) {
	f.Add("who grows apples", "farmers", "farmers grow apples", "")
	f.Add("", "\xff", "標準", "ก")
	f.Fuzz(func(t *testing.T, question, answer, text, reference string) {
		c := judge.Case{Question: question, Answer: answer, Reference: reference, Documents: docs(text, answer)}
		v, err := judge.Overlap{}.Judge(context.Background(), c)
		if err == nil {
			err = v.Validate(c)
		} else if errors.Is(err, judge.ErrNoVerdict) || errors.Is(err, judge.ErrInvalidCase) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkOverlap(b *testing.B) {
	many := make([]judge.Document, 1000)
	for i := range many {
		many[i] = judge.Document{ID: fmt.Sprint(i), Text: fmt.Sprint("document number ", i, " about ", strings.Repeat("apples and pears ", 60))}
	}
	big := strings.Repeat("apples and pears grow on trees ", 1<<20/31)
	for name, c := range map[string]judge.Case{
		"10 short documents": {Question: "about what", Answer: "number 7 is about pears", Documents: many[:10]},
		"1000 documents":     {Question: "about what", Answer: "number 7 is about pears", Documents: many},
		"1 MB document":      {Question: "what grows", Answer: "pears grow on trees", Documents: docs(big)},
		"1 MB answer":        {Question: "what grows", Answer: big, Documents: docs("pears grow on trees")},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := (judge.Overlap{}).Judge(context.Background(), c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// An answer that declines gets what it earns from the passages: nothing.
func TestOverlapOfAnAnswerThatDeclines(t *testing.T) {
	for _, answer := range []string{"I don't know.", "The passages do not say."} {
		v := overlap(t, judge.Case{Question: "What does Shutdown close first?", Answer: answer, Documents: docs("Shutdown closes all open listeners.")})
		if v.Score != 0 || v.Support["d0"] != 0 {
			t.Errorf("%q: %+v", answer, v)
		}
	}
}
