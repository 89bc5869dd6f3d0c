package lexical_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/repute-go/repute/internal/lexical"
)

// chunk is a passage of the usual size, 512 characters.
var chunk = strings.Repeat("Shutdown gracefully shuts down the server without interrupting any active connections. It works by first closing all open listeners. ", 4)[:512]

func BenchmarkTerms(b *testing.B) {
	for name, text := range map[string]string{
		"english":  chunk,
		"accents":  strings.ReplaceAll(chunk, "e", "é"),
		"japanese": strings.Repeat("国際標準化に関する動向", 16),
		"korean":   strings.Repeat("초과근무 승인 규칙 ", 20),
	} {
		b.Run(name, func(b *testing.B) {
			var terms []string
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				terms = lexical.AppendTerms(terms[:0], text)
			}
		})
	}
}

func BenchmarkNewSet(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(chunk)))
	for b.Loop() {
		lexical.NewSet(chunk)
	}
}

// collection draws documents of 50 terms whose frequencies follow Zipf's law.
func collection(n int) [][]string {
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.1, 8, 30000)
	docs := make([][]string, n)
	for i := range docs {
		docs[i] = make([]string, 50)
		for k := range docs[i] {
			docs[i][k] = fmt.Sprint("w", zipf.Uint64())
		}
	}
	return docs
}

func BenchmarkIndex(b *testing.B) {
	docs := collection(10000)
	index := lexical.NewIndex(lexical.BM25{})
	for i, d := range docs {
		index.Add(fmt.Sprint(i), d)
	}
	b.Run("Search", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			index.Search(docs[i%len(docs)][:8], 50)
		}
	})
	b.Run("Replace", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			index.Add(fmt.Sprint(i%len(docs)), docs[(i+1)%len(docs)])
		}
	})
}

func BenchmarkFusion(b *testing.B) {
	list := func(offset int) []lexical.Hit {
		hits := make([]lexical.Hit, lexical.BlendDepth)
		for i := range hits {
			hits[i] = lexical.Hit{ID: fmt.Sprint(i + offset), Score: float64(len(hits) - i)}
		}
		return hits
	}
	one, two := list(0), list(50)
	for name, fuse := range map[string]func([]lexical.List) []lexical.Fused{"Fuse": lexical.Fuse, "Blend": lexical.Blend} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fuse([]lexical.List{{Hits: one, Weight: 1, Scale: lexical.FromZero}, {Hits: two, Weight: lexical.VectorWeight}})
			}
		})
	}
}
