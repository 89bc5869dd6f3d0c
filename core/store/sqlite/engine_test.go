package sqlite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/core/store/sqlite"
)

func engine(t testing.TB, s store.Store) *core.Engine {
	t.Helper()
	eng, err := core.New(core.Options{Store: s, Gate: gate.Off{}})
	must(t, err)
	t.Cleanup(func() {
		if err := eng.Close(); err != nil {
			t.Error(err)
		}
	})
	return eng
}

// hits are n candidates with texts and a query vector.
func hits(n int) core.Hits {
	h := core.Hits{Source: "src", Kind: core.CosineSimilarity, QueryVector: make([]float32, 384)}
	for i := range h.QueryVector {
		h.QueryVector[i] = float32(i%7) - 3
	}
	for i := range n {
		h.Candidates = append(h.Candidates, core.Candidate{
			ID: fmt.Sprint("chunk-", i), DocID: fmt.Sprint("doc-", i/5), Score: .9 - float64(i)/100,
			Text: fmt.Sprintf("Passage %d tells how listener number %d is closed when the server shuts down gracefully.", i, i*17),
		})
	}
	return h
}

var question = core.Query{Text: "how is a listener closed", K: 5}

// TestEngineOnFullDisk goes on answering, says that it does not learn, and learns
// again when there is room.
func TestEngineOnFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path)
	eng := engine(t, s)
	all := question
	all.K, all.Depth = 200, 200
	first, err := eng.Rank(t.Context(), all, hits(200))
	must(t, err)
	pages, err := s.Pages()
	must(t, err)
	must(t, s.LimitPages(pages))
	full, err := eng.Rank(t.Context(), all, hits(200))
	must(t, err)
	if !errors.Is(full.Unlearned, store.ErrReadOnly) || !full.Receipt.IsZero() || len(full.Items) != 200 {
		t.Errorf("on a full disk: unlearned %v, receipt %v, %d items", full.Unlearned, full.Receipt, len(full.Items))
	}
	if _, err := eng.Feedback(t.Context(), first.Receipt, core.Verified(true)); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("feedback on a full disk: %v", err)
	}
	must(t, s.LimitPages(0))
	if _, err := eng.Feedback(t.Context(), first.Receipt, core.Verified(false).On("chunk-0")); err != nil {
		t.Errorf("feedback with room again: %v", err)
	}
	// Another engine on the same file knows.
	again, err := engine(t, open(t, path)).Rank(t.Context(), all, hits(200))
	must(t, err)
	if again.Unlearned != nil || again.Items[0].ID == "chunk-0" {
		t.Errorf("after one bad outcome %q still comes first; unlearned %v", again.Items[0].ID, again.Unlearned)
	}
}

// benchmarkRank ranks 50 candidates with so many events each.
func benchmarkRank(b *testing.B, opts sqlite.Options, events int) {
	s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "state.db"), opts)
	must(b, err)
	defer s.Close()
	eng, h, all := engine(b, s), hits(50), question
	all.K, all.Depth = 50, 50
	for i := range events {
		r, err := eng.Rank(b.Context(), all, h)
		must(b, err)
		_, err = eng.Feedback(b.Context(), r.Receipt, core.Verified(i%3 > 0))
		must(b, err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r, err := eng.Rank(b.Context(), question, h)
		if err != nil || r.Unlearned != nil {
			b.Fatal(err, r.Unlearned)
		}
	}
}

func BenchmarkRank50NoEvidence(b *testing.B) { benchmarkRank(b, sqlite.Options{}, 0) }

func BenchmarkRank50FullRings(b *testing.B) { benchmarkRank(b, sqlite.Options{}, 70) }

// BenchmarkRank50FullRingsCold reads and decodes every record.
func BenchmarkRank50FullRingsCold(b *testing.B) { benchmarkRank(b, sqlite.Options{CacheBytes: 1}, 70) }

// BenchmarkFeedback5 waits for the disk.
func BenchmarkFeedback5(b *testing.B) {
	eng := engine(b, open(b, filepath.Join(b.TempDir(), "state.db")))
	r, err := eng.Rank(b.Context(), question, hits(50))
	must(b, err)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		_, err := eng.Feedback(b.Context(), r.Receipt, core.Verified(i%2 == 0))
		must(b, err)
	}
}
