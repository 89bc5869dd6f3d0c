package lexical_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/repute-go/repute/internal/lexical"
)

// checkAnalysis checks all that holds for every text.
func checkAnalysis(t interface{ Fatalf(string, ...any) }, text string) {
	once := lexical.Normalize(text)
	if !utf8.ValidString(once) || lexical.Normalize(once) != once {
		t.Fatalf("Normalize(%q) = %q, then %q", text, once, lexical.Normalize(once))
	}
	terms := lexical.Terms(text)
	for _, term := range terms {
		if n := utf8.RuneCountInString(term); n == 0 || n > 64 || !utf8.ValidString(term) {
			t.Fatalf("%q has the term %q", text, term)
		}
	}
	if again := lexical.Terms(once); !slices.Equal(again, terms) {
		t.Fatalf("%q: %q, normalised %q", text, terms, again)
	}
	if !utf8.ValidString(text) {
		return
	}
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		if other := lexical.Terms(form.String(text)); !slices.Equal(other, terms) {
			t.Fatalf("%q: %q, in form %d %q", text, terms, form, other)
		}
	}
}

// awkward are runes that meet the borders of the analyzer's cases.
var awkward = []rune("aAñeÉ\u0301\u0308\u0306\u3099\u0345\u093c\u0e33'’.-_ \u00ad\u200d\u200b\ufe0f\ufffdßİıſΣςάйиеё한글\u1112\u1161\u11ab標準かがカﾞｶー々ไทยكِאְ0９②ﬁ𝔄😀Ⅷœ")

func TestAnalysisOfAwkwardTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkAnalysis(t, string(rapid.SliceOfN(rapid.SampledFrom(awkward), 0, 12).Draw(t, "text")))
	})
}

func FuzzTerms(f *testing.F) {
	f.Add("When was the Higgs boson discovered?")
	f.Add("U.S.A. don’t café 標準化 한글 ไทย \xff")
	f.Add(string(awkward))
	f.Fuzz(func(t *testing.T, text string) { checkAnalysis(t, text) })
}

func FuzzOverlap(f *testing.F) {
	f.Add("higgs boson", "boson")
	f.Add("", "!")
	f.Fuzz(func(t *testing.T, a, b string) {
		o, back := lexical.OverlapOf(a, b), lexical.OverlapOf(b, a)
		if o.Shared != back.Shared || o.A != back.B || o.B != back.A {
			t.Fatalf("%+v, exchanged %+v", o, back)
		}
		for _, measure := range []func() (float64, bool){o.Coverage, o.Dice, o.Jaccard, back.Coverage} {
			x, ok := measure()
			if math.IsNaN(x) || x < 0 || x > 1 || !ok && x != 0 {
				t.Fatalf("%+v measures %v, %v", o, x, ok)
			}
		}
		if same, ok := lexical.OverlapOf(a, strings.ToUpper(a)).Jaccard(); ok && same == 0 {
			t.Fatalf("%q shares nothing with its capitals", a)
		}
	})
}
