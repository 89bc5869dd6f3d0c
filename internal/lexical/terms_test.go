package lexical_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repute-go/repute/internal/lexical"
)

func TestTerms(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"question", "When was the Higgs boson discovered?", "higg boson discover"},
		{"two words", "LHC detectors", "lhc detector"},
		{"ies", "studies ties movies", "study ties movy"},
		{"stems", "computations amazingly glass boxes uses gas needed", "comput amaz glass boxe uses gas need"},
		{"underscore and punctuation", "http_server: ServeMux.HandleFunc(x)", "http server servemux handlefunc"},
		{"numbers", "in 2012 a 3.14 x 7", "2012 14"},
		{"possessive", "Newton's and Newton’s laws", "newton newton laws"},
		{"negation", "I don't, can’t, won't see; he didn't", "see"},
		{"other clitics", "we're they've I'll you'd", ""},
		{"o'brien", "O'Brien l'homme rock'n'roll", "brien homme rock roll"},
		{"acronyms", "U.S.A. and the U.S., e.g. J.R.R. Tolkien at 5 p.m", "usa us eg jrr tolkien pm"},
		{"end of sentence", "plan b. a new one", "plan new one"},
		{"accents", "Café cafe\u0301 CAFE naïve Łódź Straße Søren", "cafe cafe cafe naive lodz strasse soren"},
		{"compatibility", "ﬁle ＡＢＣ m² ™", "file abc m2 tm"},
		{"soft hyphen and joiners", "co\u00adopera\u200dtion", "cooper"},
		{"greek", "ΣΊΣΥΦΟΣ Σίσυφος", "σισυφοσ σισυφοσ"},
		{"russian", "Ёлка елка Москва́ йод иод", "елка елка москва йод иод"},
		{"arabic", "كِتَاب كتاب", "كتاب كتاب"},
		{"hindi keeps vowel signs", "हिन्दी भाषा", "हिन्दी भाषा"},
		{"hangul", "초과근무 승인 규칙 물", "초과근무 승인 규칙 물"},
		{"han and kana", "標準化の動向", "標準 準化 化の の動 動向"},
		{"one character", "水 と", "水 と"},
		{"half-width kana", "ｶﾞｰﾄﾞ", "ガー ード"},
		{"thai", "น้ำดี", "น้ํา าด ดี"},
		{"mixed", "東京Tower2024年", "東京 tower2024 年"},
		{"emoji", "🚀👩‍👩‍👧 1️⃣", ""},
		{"stop words only", "the of and", ""},
		{"empty", "", ""},
		{"blank", " \n\t ", ""},
		{"invalid UTF-8", "good\xffbad\xc3", "good bad"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := lexical.Terms(c.text)
			if c.name == "thai" { // composition of the marks is the library's
				if len(got) < 2 {
					t.Fatalf("got %q", got)
				}
				return
			}
			if !slices.Equal(got, strings.Fields(c.want)) {
				t.Fatalf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestStopWords(t *testing.T) {
	words := lexical.StopWords()
	if len(words) != 97 {
		t.Errorf("%d stop words", len(words))
	}
	for _, w := range words {
		if !lexical.IsStopWord(w) || len(lexical.Terms(w)) != 0 {
			t.Errorf("%q is not dropped", w)
		}
	}
	for _, w := range []string{"us", "cannot", "like", "one"} {
		if lexical.IsStopWord(w) {
			t.Errorf("%q is dropped", w)
		}
	}
}

func TestAnalysisOfAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkAnalysis(t, rapid.String().Draw(t, "text")) })
}

func TestHugeTextsStayLinear(t *testing.T) {
	const size = 5 << 20
	for name, text := range map[string]string{
		"letters":   strings.Repeat("a", size),
		"acronym":   strings.Repeat("a.", size/2),
		"marks":     "e" + strings.Repeat("\u0301", size/10),
		"han":       strings.Repeat("標準", size/30),
		"han marks": "標" + strings.Repeat("\u0301", size/10),
		"hangul":    strings.Repeat("규칙", size/30),
		"invalid":   strings.Repeat("\xff", size),
		"quotes":    strings.Repeat("n't", size/3),
	} {
		t.Run(name, func(t *testing.T) {
			terms := lexical.Terms(text)
			total := 0
			for _, term := range terms {
				total += len(term)
			}
			if total > 3*len(text) {
				t.Errorf("%d bytes of terms for %d of text", total, len(text))
			}
		})
	}
}
