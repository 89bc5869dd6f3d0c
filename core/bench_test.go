package core_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
)

// fifty returns 50 candidates with texts and a query vector.
func fifty() core.Hits {
	h := core.Hits{Source: "bench", Kind: core.CosineSimilarity, QueryVector: make([]float32, 384)}
	for i := range h.QueryVector {
		h.QueryVector[i] = float32(i%7) - 3
	}
	for i := range 50 {
		h.Candidates = append(h.Candidates, core.Candidate{
			ID: fmt.Sprint("chunk-", i), DocID: fmt.Sprint("doc-", i/5), Score: .9 - float64(i)/100,
			Text: fmt.Sprintf("Passage %d tells how listener number %d is closed when the server shuts down gracefully.", i, i*17),
		})
	}
	return h
}

func benchmarkRank(b *testing.B, events int) {
	eng := newEngine(b, core.Options{Gate: gate.Off{}})
	ctx, q, h := context.Background(), core.Query{Text: "how is a listener closed", K: 50, Depth: 50}, fifty()
	for i := range events {
		r, err := eng.Rank(ctx, q, h)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := eng.Feedback(ctx, r.Receipt, core.Verified(i%3 > 0)); err != nil {
			b.Fatal(err)
		}
	}
	q.K = 5
	b.ReportAllocs()
	for b.Loop() {
		if _, err := eng.Rank(ctx, q, h); err != nil {
			b.Fatal(err)
		}
	}
}

// The whole of Rank for 50 candidates: identity, load, rank, judge, record.
func BenchmarkRank50NoEvidence(b *testing.B) { benchmarkRank(b, 0) }

// The same with full event rings for every candidate.
func BenchmarkRank50FullRings(b *testing.B) { benchmarkRank(b, 70) }

func BenchmarkFeedback5(b *testing.B) {
	eng := newEngine(b, core.Options{Gate: gate.Off{}})
	ctx, q, h := context.Background(), core.Query{Text: "how is a listener closed", K: 5}, fifty()
	r, err := eng.Rank(ctx, q, h)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		if _, err := eng.Feedback(ctx, r.Receipt, core.Verified(i%2 == 0)); err != nil {
			b.Fatal(err)
		}
	}
}

// Rank with the default gate over a calibrated source, its words in the cache.
func BenchmarkRank50Gate(b *testing.B) {
	s := newShelf(prose(400)...)
	eng := calibrated(b, core.Options{}, s)
	ctx, q := context.Background(), core.Query{Text: answerable, K: 5, Depth: 50}
	h, err := s.Search(ctx, q, 50)
	if err != nil {
		b.Fatal(err)
	}
	h.Source, h.Model, h.Kind = s.name, s.Info().Model, core.CosineSimilarity
	b.ReportAllocs()
	for b.Loop() {
		if _, err := eng.Rank(ctx, q, h); err != nil {
			b.Fatal(err)
		}
	}
}
