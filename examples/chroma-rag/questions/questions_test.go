package questions_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/repute-go/repute/examples/chroma-rag/godoc"
	"github.com/repute-go/repute/examples/chroma-rag/questions"
	"github.com/repute-go/repute/internal/lexical"
)

// words are the stemmed words of a symbol's path and name: "net/http.Server"
// is net, http and server.
func words(symbol string) []string {
	var b strings.Builder
	var before rune
	for _, r := range symbol {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		before = r
	}
	return lexical.Terms(b.String())
}

func shared(a, b []string) []string {
	var both []string
	for _, t := range a {
		if slices.Contains(b, t) {
			both = append(both, t)
		}
	}
	return both
}

func TestNumbers(t *testing.T) {
	for kind, want := range map[questions.Kind]int{questions.Answered: 25, questions.Foreign: 10, questions.Deprecated: 8} {
		if got := len(questions.Of(kind)); got != want {
			t.Errorf("%d questions of kind %s, want %d", got, kind, want)
		}
	}
	if got := len(questions.All()); got != 43 {
		t.Errorf("%d questions", got)
	}
}

// A search that only compares names would find few of the symbols.
func TestMostQuestionsShareNoWordWithTheSymbol(t *testing.T) {
	without := 0
	for _, q := range questions.Of(questions.Answered) {
		var both []string
		for _, symbol := range q.Symbols {
			both = append(both, shared(lexical.Terms(q.Text), words(symbol))...)
		}
		if len(both) == 0 {
			without++
		}
	}
	if without < 15 {
		t.Errorf("%d questions share no word with the symbols that answer, want 15", without)
	}
}

func TestRewordedQuestionsShareNoWord(t *testing.T) {
	for _, q := range questions.Of(questions.Deprecated) {
		if both := shared(lexical.Terms(q.Text), lexical.Terms(q.Reworded)); q.Reworded == "" || len(both) > 0 {
			t.Errorf("%q and %q share %v", q.Text, q.Reworded, both)
		}
	}
}

func TestSymbolsExist(t *testing.T) {
	source, err := godoc.Open("")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := source.Load(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	deprecated := make(map[string]bool, len(entries))
	for _, e := range entries {
		deprecated[e.Symbol] = e.Deprecated
	}
	for _, q := range questions.All() {
		if (len(q.Symbols) == 0) != (q.Kind == questions.Foreign) || (len(q.Outdated) > 0) != (q.Kind == questions.Deprecated) {
			t.Errorf("%q: kind %s with symbols %v, outdated %v", q.Text, q.Kind, q.Symbols, q.Outdated)
		}
		for _, symbol := range append(q.Symbols, q.Outdated...) {
			got, ok := deprecated[symbol]
			if !ok || got != slices.Contains(q.Outdated, symbol) {
				t.Errorf("%q: %s: documented %v, deprecated %v", q.Text, symbol, ok, got)
			}
		}
	}
}
