package chromem_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	upstream "github.com/philippgille/chromem-go"
	"pgregory.net/rapid"

	"github.com/repute-go/repute/chromem"
)

func unfitted(t testing.TB) *chromem.LocalEmbedder {
	t.Helper()
	e, err := chromem.NewLocalEmbedder(chromem.LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func embedded(t testing.TB, e *chromem.LocalEmbedder, text string) []float32 {
	t.Helper()
	v, err := e.Embed(context.Background(), text)
	if err != nil {
		t.Fatalf("%.40q: %v", text, err)
	}
	return v
}

func product(a, b []float32) (dot float64) {
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
	}
	return dot
}

func TestLocalEmbedderKnowsRelatedSpellings(t *testing.T) {
	e := unfitted(t)
	for _, c := range []struct{ text, near, far string }{
		{"shut a server down", "shutting down servers", "cook pasta in water"},
		{"ServeMux.HandleFunc", "serve mux handle", "read file lines"},
		{"HTTPServer", "server for http", "parser for json"},
		{"retreival of documnets", "retrieval of documents", "sourdough bread"},
		{"国際標準化に関する動向", "標準化の動向", "夕食に寿司を食べました"},
		{"초과근무 승인 규칙", "초과근무를 승인하는 규칙", "저녁에 김치를 먹었다"},
		{"café au lait", "cafe\u0301 lait", "schwarzer Tee"},
	} {
		v := embedded(t, e, c.text)
		near, far := product(v, embedded(t, e, c.near)), product(v, embedded(t, e, c.far))
		if near < .25 || far > .1 {
			t.Errorf("%q: %.3f to %q, %.3f to %q", c.text, near, c.near, far, c.far)
		}
	}
}

func TestLocalEmbedderRefusesTextsWithoutTerms(t *testing.T) {
	e := unfitted(t)
	for _, text := range []string{"", "   ", "\n", "!!!", "the of and", "x y 1", "🚀", "\xff\xfe"} {
		if v, err := e.Embed(context.Background(), text); !errors.Is(err, chromem.ErrNoTerms) || v != nil {
			t.Errorf("%q: %d numbers, error %v", text, len(v), err)
		}
	}
	if _, err := e.EmbedAll(context.Background(), []string{"word", "!"}); !errors.Is(err, chromem.ErrNoTerms) || !strings.Contains(err.Error(), "text 1") {
		t.Errorf("EmbedAll: %v", err)
	}
}

func TestLocalEmbedderHeedsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e := unfitted(t)
	if _, err := e.Embed(ctx, "word"); !errors.Is(err, context.Canceled) {
		t.Errorf("Embed: %v", err)
	}
	if _, err := e.EmbedAll(ctx, []string{"word"}); !errors.Is(err, context.Canceled) {
		t.Errorf("EmbedAll: %v", err)
	}
	if _, err := chromem.FitLocal(ctx, slices.Values([]string{"word"}), chromem.LocalOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("FitLocal: %v", err)
	}
}

func TestLocalOptions(t *testing.T) {
	for dimensions, ok := range map[int]bool{0: true, 2048: true, 5000: true, 65536: true, 2047: false, -1: false, 65537: false} {
		e, err := chromem.NewLocalEmbedder(chromem.LocalOptions{Dimensions: dimensions})
		if ok != (err == nil) || !ok && !errors.Is(err, chromem.ErrLocalOptions) {
			t.Errorf("%d dimensions: %v", dimensions, err)
		}
		if ok && dimensions > 0 && (e.Dimensions() != dimensions || len(embedded(t, e, "word")) != dimensions) {
			t.Errorf("%d dimensions: got %d", dimensions, e.Dimensions())
		}
	}
	if _, err := chromem.FitLocal(context.Background(), slices.Values([]string{"a word"}), chromem.LocalOptions{Dimensions: 1}); !errors.Is(err, chromem.ErrLocalOptions) {
		t.Errorf("FitLocal: %v", err)
	}
}

func TestLocalVectorsAreUnitAndDeterministic(t *testing.T) {
	fit := fitted(t)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.OneOf(rapid.StringMatching(`[A-Za-z]{2,9}`), rapid.String()), 1, 12).Draw(t, "words")
		v, err := fit.Embed(context.Background(), strings.Join(words, " "))
		if errors.Is(err, chromem.ErrNoTerms) {
			return
		}
		if length := product(v, v); err != nil || math.Abs(length-1) > 1e-5 {
			t.Fatalf("length %v, error %v", length, err)
		}
		again, err := fit.Embed(context.Background(), strings.Join(words, " "))
		if err != nil || !slices.Equal(v, again) {
			t.Fatalf("another vector the second time, error %v", err)
		}
	})
}

func TestLocalEmbedderIgnoresTheOrderOfWords(t *testing.T) {
	e := fitted(t)
	if !slices.Equal(embedded(t, e, "graceful shutdown of ServeMux servers"), embedded(t, e, "ServeMux servers: shutdown, graceful")) {
		t.Error("the order of words shows")
	}
}

// What an embedder does may not change between releases without another recipe
// name, since vectors of the old one are stored.
func TestLocalRecipeIsPinned(t *testing.T) {
	v := embedded(t, unfitted(t), "ServeMux 標準化 Café")
	sum := 0.0
	for i, x := range v {
		sum += float64(i) * float64(x)
	}
	const want = -284.348270
	if math.Abs(sum-want) > 1e-3 {
		t.Errorf("checksum %.6f, want %.6f", sum, float64(want))
	}
}

func TestLocalEmbedderIsLinearInTheText(t *testing.T) {
	e := unfitted(t)
	for name, text := range map[string]string{
		"one word":    strings.Repeat("a", 5<<20),
		"capitals":    strings.Repeat("aB", 1<<20),
		"many words":  strings.Repeat("some words ", 1<<16),
		"han":         strings.Repeat("標準", 1<<16),
		"no boundary": strings.Repeat("AB", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			if v := embedded(t, e, text); math.Abs(product(v, v)-1) > 1e-5 {
				t.Error("not of length 1")
			}
		})
	}
}

func TestLocalEmbedderInCollection(t *testing.T) {
	ctx := context.Background()
	e := unfitted(t)
	c, err := upstream.NewDB().CreateCollection("c", nil, e.Func())
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"Shutdown gracefully shuts down the server.", "Fields splits the string around white space."} {
		if err := c.AddDocument(ctx, upstream.Document{ID: fmt.Sprint(i), Content: text}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := c.Query(ctx, "how do I split a string?", 1, nil, nil)
	if err != nil || len(got) != 1 || got[0].ID != "1" {
		t.Fatalf("%v, %v", got, err)
	}
}

func ExampleFitLocal() {
	ctx := context.Background()
	texts := []string{"func Shutdown stops the server", "func Fields splits a string", "func Close closes the server"}
	e, err := chromem.FitLocal(ctx, slices.Values(texts), chromem.LocalOptions{})
	if err != nil {
		panic(err)
	}
	saved, _ := e.MarshalBinary() // keep it beside the database
	same, err := chromem.LoadLocal(saved)
	if err != nil {
		panic(err)
	}
	v, err := same.Embed(ctx, "stop the server")
	fmt.Println(len(v), err, same.Fingerprint() == e.Fingerprint())
	// Output: 2048 <nil> true
}

func BenchmarkLocalEmbed(b *testing.B) {
	e := fitted(b)
	text := strings.Repeat("ServeMux is an HTTP request multiplexer. It matches the URL of each incoming request. ", 6)
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := e.Embed(context.Background(), text); err != nil {
			b.Fatal(err)
		}
	}
}
