package core_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/store"
)

// passages returns 50 candidates of ten documents, with a query vector.
func passages() core.Hits {
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

// benchmarkUser ranks 50 candidates for a user with rows of a number of documents,
// some of them claimed.
func benchmarkUser(b *testing.B, user string, rows, claimed int, vector []float32) {
	h := passages()
	eng := newEngine(b, core.Options{Gate: gate.Off{}})
	ctx, now := context.Background(), time.Now()
	for i := range rows {
		e := lifecycle.Event{Kind: lifecycle.Fetched, Title: fmt.Sprint("Document ", i)}
		if i < claimed {
			e.Kind = lifecycle.Accept
			e.Claim = lifecycle.Claim{Text: "A text.", Origin: lifecycle.FromLoader, Hash: "00", Source: "bench", Vector: vector}
		}
		rec, _, err := lifecycle.Apply(lifecycle.Record{}, e, now, lifecycle.Options{})
		if err != nil {
			b.Fatal(err)
		}
		rec, text := rec.Detach()
		key := store.PersonalKey("bench", fmt.Sprint("other-", i))
		err = eng.Store().Update(ctx, store.UpdateRequest{User: "u1", Personal: []string{key}}, func(store.View) (store.Changes, error) {
			return store.Changes{Personal: []store.PersonalChange{{Personal: store.Personal{
				Document: key, Record: rec, Active: rec.Kept(), Updated: now.UnixNano(), Text: text,
			}}}}, nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	q := core.Query{Text: "how is a listener closed", K: 5, User: user}
	b.ReportAllocs()
	for b.Loop() {
		resp, err := eng.Rank(ctx, q, h)
		if err != nil || len(resp.Items) < 5 {
			b.Fatal(err)
		}
	}
}

// opposite is a vector that is like no question of the benchmark.
func opposite() []float32 {
	v := passages().QueryVector
	for i := range v {
		v[i] = -v[i]
	}
	return v
}

// The whole of Rank for a user, to be compared with that for nobody. Rows of documents that are not found cost nothing; claimed ones are looked at.
func BenchmarkNobody(b *testing.B)                { benchmarkUser(b, "", 0, 0, nil) }
func BenchmarkUserWithoutRows(b *testing.B)       { benchmarkUser(b, "u1", 0, 0, nil) }
func BenchmarkUser5000Rows(b *testing.B)          { benchmarkUser(b, "u1", 5000, 0, nil) }
func BenchmarkUser5000Rows50Claimed(b *testing.B) { benchmarkUser(b, "u1", 5000, 50, opposite()) }
func BenchmarkUser5000Claimed(b *testing.B)       { benchmarkUser(b, "u1", 5000, 5000, opposite()) }
