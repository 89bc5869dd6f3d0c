package sqlite_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

func hash(text string) store.Hash {
	sum := sha256.Sum256([]byte(text))
	return store.Hash(sum[:16])
}

// retrieval shows texts under their own names.
func retrieval(name string, created int64, texts ...string) store.Retrieval {
	r := store.Retrieval{Receipt: store.Receipt{
		ID: store.ReceiptID(hash("receipt " + name)), Source: "src", Created: created, Expires: created + 1_000,
		Evidence: &reputation.Receipt{Tag: 1, Shown: make([]reputation.Shown, len(texts))},
	}}
	for _, text := range texts {
		r.Receipt.Shown = append(r.Receipt.Shown, store.Shown{ID: text, Document: text, Hash: hash(text)})
		r.Aliases = append(r.Aliases, store.Alias{Source: "src", ID: text, Hash: hash(text), Seen: created})
	}
	return r
}

// counter is evidence that counts.
func counter(n float32) *reputation.Record {
	return &reputation.Record{Events: []reputation.Event{{Receipt: 1, Pos: n}}}
}

func counted(r *reputation.Record) float32 {
	if r == nil {
		return 0
	}
	return r.Events[0].Pos
}

// count adds one to every document shown, and to a tally.
func count(v store.View) (store.Changes, error) {
	ch := store.Changes{Documents: make(map[store.Hash]*reputation.Record), Tallies: []store.Tally{{Name: "n", Values: []float64{1}}}}
	for h, d := range v.Documents {
		ch.Documents[h] = counter(counted(d.Evidence) + 1)
	}
	return ch, nil
}

// counts reads the tally and the counters of all documents.
func counts(t *testing.T, s store.Store) (tally float64, documents []float32) {
	t.Helper()
	rows, err := s.Tallies(t.Context(), "", "n", store.Page{})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) > 0 {
		tally = rows[0].Values[0]
	}
	docs, err := s.Documents(t.Context(), "", store.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		documents = append(documents, counted(d.Evidence))
	}
	return tally, documents
}

func names(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
