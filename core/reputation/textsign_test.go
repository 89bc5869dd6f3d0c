package reputation_test

import (
	"strings"
	"testing"

	"github.com/repute-go/repute/core/reputation"
)

// Signatures are stored: the same words must have the same one for ever. If the
// analysis of words has to change, TextSpace must change with it.
func TestTextSignatureIsFrozen(t *testing.T) {
	got, ok := reputation.SignText("How do I shut down an HTTP server gracefully?")
	if want := (reputation.Signature{0xa0ca41a5a677d184, 0xac01ed0d6f6b39a9}); !ok || got != want {
		t.Errorf("%#x, want %#x", got, want)
	}
}

func TestTextSignatureKnowsRewording(t *testing.T) {
	ask := func(text string) reputation.Signature {
		s, ok := reputation.SignText(text)
		if !ok {
			t.Fatalf("%q has no signature", text)
		}
		return s
	}
	q := ask("How do I shut down an HTTP server gracefully?")
	for text, want := range map[string]float64{
		"how do i SHUT DOWN an http server gracefully": 1,
		"Shutting down an HTTP server gracefully":      .9,
		"gracefully shut down a web server":            .05,
	} {
		if k := reputation.Kernel(q, ask(text)); k < want {
			t.Errorf("%q: kernel %v, want at least %v", text, k, want)
		}
	}
	for _, text := range []string{"What is the capital of France?", "parse a date in another time zone", "標準化とは何ですか"} {
		if k := reputation.Kernel(q, ask(text)); k > 0 {
			t.Errorf("%q: kernel %v", text, k)
		}
	}
}

func TestTextsWithoutWords(t *testing.T) {
	for _, text := range []string{"", " ", "?!", "the of and", "\xff\xfe", "\x00"} {
		if s, ok := reputation.SignText(text); ok {
			t.Errorf("%q has signature %v", text, s)
		}
	}
	if _, ok := reputation.SignText(strings.Repeat("long question ", 100_000)); !ok {
		t.Error("a long text has none")
	}
}

func BenchmarkSignText(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		reputation.SignText("How do I shut down an HTTP server gracefully?")
	}
}
