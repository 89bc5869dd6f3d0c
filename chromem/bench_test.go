package chromem_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/philippgille/chromem-go"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
)

const (
	benchChunks    = 10_000
	benchDimension = 384
)

func randomVector(r *rand.Rand) []float32 {
	v := make([]float32, benchDimension)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// large makes a collection of 10,000 chunks of 384 numbers and some 60 words.
func large(b *testing.B, opts repchromem.Options, gating gate.Gate) (*repchromem.Collection, *chromem.Collection) {
	b.Helper()
	eng, err := core.New(core.Options{Gate: gating})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { eng.Close() })
	r := rand.New(rand.NewPCG(1, 2))
	query := randomVector(r)
	embed := func(context.Context, string) ([]float32, error) { return query, nil }
	db := chromem.NewDB()
	c, err := repchromem.Open(eng, db, "large", embed, opts)
	if err != nil {
		b.Fatal(err)
	}
	chunks := make([]core.Candidate, benchChunks)
	for i := range chunks {
		words := make([]string, 60)
		for j := range words {
			words[j] = fmt.Sprint("w", int(float64(20_000)*r.Float64()*r.Float64()*r.Float64()))
		}
		chunks[i] = core.Candidate{ID: fmt.Sprint(i), Text: strings.Join(words, " "), Vector: randomVector(r), Metadata: map[string]any{"source": "bench"}}
	}
	if _, err := c.Add(b.Context(), chunks); err != nil {
		b.Fatal(err)
	}
	return c, db.GetCollection("large", embed)
}

func BenchmarkQuery(b *testing.B) {
	const question = "w17 w4711 w12345"
	b.Run("plain chromem", func(b *testing.B) {
		_, inner := large(b, repchromem.Options{}, gate.Off{})
		b.ReportAllocs()
		for b.Loop() {
			if _, err := inner.Query(b.Context(), question, 10, nil, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, bench := range []struct {
		name string
		opts repchromem.Options
		gate gate.Gate
	}{
		{"search", repchromem.Options{}, gate.Off{}},
		{"retrieve, gate off", repchromem.Options{}, gate.Off{}},
		{"retrieve, gate", repchromem.Options{}, gate.Evidence{}},
		{"retrieve, hybrid, gate", repchromem.Options{Hybrid: true}, gate.Evidence{}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			c, _ := large(b, bench.opts, bench.gate)
			q := core.Query{Text: question, K: 5}
			if err := c.Engine().Calibrate(b.Context(), c); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if bench.name == "search" {
					_, err = c.Search(b.Context(), q, 10)
				} else {
					_, err = c.Retrieve(b.Context(), q)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	_, inner := large(b, repchromem.Options{}, gate.Off{})
	eng := newEngine(b)
	docs, err := inner.QueryEmbedding(b.Context(), randomVector(rand.New(rand.NewPCG(3, 4))), benchChunks, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	db := chromem.NewDB()
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ { // another collection each time: one that is known is not read again
		b.StopTimer()
		name := fmt.Sprint(n)
		c, err := db.CreateCollection(name, nil, bag)
		if err != nil {
			b.Fatal(err)
		}
		for _, d := range docs {
			if err := c.AddDocument(b.Context(), chromem.Document{ID: d.ID, Content: d.Content, Embedding: d.Embedding}); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		if _, err := repchromem.Open(eng, db, name, bag, repchromem.Options{}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := db.DeleteCollection(name); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

func BenchmarkIngest(b *testing.B) {
	docs := make([]repchromem.Document, 1000)
	for i := range docs {
		docs[i] = repchromem.Document{ID: fmt.Sprint(i), Text: fmt.Sprint("Document ", i, ". ", strings.Repeat("It has a few sentences like this one. ", 10))}
	}
	for name, fresh := range map[string]bool{"new": true, "unchanged": false} {
		b.Run(name, func(b *testing.B) {
			c := open(b, chromem.NewDB(), repchromem.Options{Hybrid: true})
			b.ReportAllocs()
			for b.Loop() {
				if fresh {
					c = open(b, chromem.NewDB(), repchromem.Options{Hybrid: true})
				}
				if _, err := c.IngestDocuments(b.Context(), docs, repchromem.IngestOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
