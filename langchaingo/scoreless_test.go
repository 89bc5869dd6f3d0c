package langchaingo_test

import (
	"context"
	"slices"
	"testing"

	"github.com/tmc/langchaingo/schema"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	replc "github.com/repute-go/repute/langchaingo"
)

// A store that gives no scores gets some: Score is the final score, the store's own
// stays under one key, and every document can be traced to its source.
func TestDocumentsOfAStoreWithoutScores(t *testing.T) {
	vs := &shelf{docs: []schema.Document{
		{PageContent: "one", Metadata: map[string]any{"id": "1", "score": 7, "source": "s.md"}},
		{PageContent: "two", Metadata: nil},
		{PageContent: "three", Metadata: map[string]any{"id": 3}},
	}}
	src, err := replc.FromVectorStore(vs, replc.OtherCosine)
	if err != nil {
		t.Fatal(err)
	}
	r, err := replc.NewRetriever(newEngine(t, core.Options{Gate: gate.Off{}}), src, replc.RetrieverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	docs, err := r.GetRelevantDocuments(context.Background(), "q")
	if err != nil || len(docs) != 3 {
		t.Fatal(docs, err)
	}
	var texts []string
	for i, d := range docs {
		texts = append(texts, d.PageContent)
		if d.Score <= 0 || i > 0 && d.Score > docs[i-1].Score {
			t.Errorf("%q: score %v after %v", d.PageContent, d.Score, docs[max(i-1, 0)].Score)
		}
		if base, ok := d.Metadata[replc.KeyBaseScore].(float64); !ok || base != 0 {
			t.Errorf("%q: base score %v", d.PageContent, d.Metadata[replc.KeyBaseScore])
		}
		for _, key := range []string{replc.KeyReceipt, replc.KeyID, replc.KeyDocID, replc.KeyBaseRank, replc.KeyRelevance, replc.KeyPosterior, replc.KeyReason, replc.KeyVerdict} {
			if d.Metadata[key] == nil || d.Metadata[key] == "" {
				t.Errorf("%q: no %s in %v", d.PageContent, key, d.Metadata)
			}
		}
	}
	if want := []string{"one", "two", "three"}; !slices.Equal(texts, want) {
		t.Errorf("order %q, want %q", texts, want)
	}
	if m := docs[0].Metadata; m["id"] != "1" || m["score"] != 7 || m["source"] != "s.md" {
		t.Errorf("the user's own keys: %v", m)
	}
}
