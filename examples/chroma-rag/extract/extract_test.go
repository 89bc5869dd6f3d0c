package extract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/repute-go/repute/examples/chroma-rag/extract"
	"pgregory.net/rapid"
)

var passages = []string{
	"net http server shutdown\nfunc (s *Server) Shutdown(ctx context.Context) error\n\nShutdown gracefully shuts down the server without interrupting any active connections. It works by first closing all open listeners.\n\n\tsrv.Shutdown(ctx)",
	"net http server close\nfunc (s *Server) Close() error\n\nClose immediately closes all active listeners. For a graceful shutdown, use Server.Shutdown.",
	"Cats purr. Dogs bark.",
}

func ExampleAnswer() {
	fmt.Println(extract.Answer("how do I shut an HTTP server down gracefully?", passages, 2))
	// Output:
	// Shutdown gracefully shuts down the server without interrupting any active connections. [1]
}

func TestBest(t *testing.T) {
	for _, c := range []struct {
		name, question string
		passages       []string
		n              int
		want           []extract.Sentence
	}{
		{"nothing shown", "what?", nil, 1, nil},
		{"nothing in common", "sourdough bread", passages, 3, nil},
		{"question without words", "how do I?", passages, 3, nil},
		{"one sentence", "do cats purr", passages, 3, []extract.Sentence{{Text: "Cats purr.", Passage: 3}}},
		{"the same sentence twice", "cats", []string{"Cats purr.", "Cats purr."}, 3, []extract.Sentence{{Text: "Cats purr.", Passage: 1}}},
		{"a later passage that says more", "dogs bark loudly", []string{"Dogs sleep.", "Dogs bark loudly."}, 1, []extract.Sentence{{Text: "Dogs bark loudly.", Passage: 2}}},
		{"code and headings are no sentences", "server", []string{"server\n\tserver.Run().\n"}, 1, nil},
	} {
		got := extract.Best(c.question, c.passages, c.n)
		same := slices.EqualFunc(got, c.want, func(a, b extract.Sentence) bool { return a.Text == b.Text && a.Passage == b.Passage })
		if !same {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestLongSentencesAreCut(t *testing.T) {
	for _, word := range []string{"word ", "wörd", "語"} {
		long := "Cats " + strings.Repeat(word, 1000) + "."
		got := extract.Best("cats", []string{long}, 1)
		if len(got) != 1 || len(got[0].Text) > 410 || !utf8.ValidString(got[0].Text) || !strings.HasSuffix(got[0].Text, "…") {
			t.Errorf("%+v", got)
		}
	}
}

// Every sentence is found in the passage it names.
func TestSentencesAreQuotations(t *testing.T) {
	text := rapid.StringMatching(`([A-Z]?[a-d]{1,3}[ .\n"!]{1,2}){0,30}`)
	rapid.Check(t, func(t *rapid.T) {
		shown := rapid.SliceOfN(text, 0, 4).Draw(t, "passages")
		question := text.Draw(t, "question")
		first := extract.Best(question, shown, 3)
		for _, s := range first {
			if s.Passage < 1 || s.Passage > len(shown) || !strings.Contains(strings.Join(strings.Fields(shown[s.Passage-1]), " "), s.Text) {
				t.Fatalf("%q is not from passage %d", s.Text, s.Passage)
			}
		}
		if again := extract.Best(question, shown, 3); fmt.Sprint(first) != fmt.Sprint(again) {
			t.Fatalf("%+v, then %+v", first, again)
		}
	})
}
