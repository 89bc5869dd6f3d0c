package langchaingo_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"

	"github.com/repute-go/repute/core"
	replc "github.com/repute-go/repute/langchaingo"
)

// writable is a source with fixed hits.
type writable struct{ core.SourceFunc }

func (writable) Add(context.Context, []core.Candidate) ([]string, error) { return nil, nil }
func (writable) Delete(context.Context, ...string) error                 { return nil }

func fixedHits(hits core.Hits) writable {
	return writable{core.SourceFunc{
		Description: core.SourceInfo{Name: "fixed"},
		Func:        func(context.Context, core.Query, int) (core.Hits, error) { return hits, nil },
	}}
}

// Documents that are all equally far from the question are not relevant because
// one of them has to be the first.
func TestScoreThresholdOfTies(t *testing.T) {
	for _, distance := range []float64{.4, .6} {
		vs, err := replc.NewVectorStore(fixedHits(core.Hits{Kind: core.CosineDistance, Candidates: []core.Candidate{
			{ID: "a", Text: "a", Score: distance}, {ID: "b", Text: "b", Score: distance},
		}}))
		if err != nil {
			t.Fatal(err)
		}
		docs, err := vs.SimilaritySearch(t.Context(), "q", 5, vectorstores.WithScoreThreshold(.5))
		if want := map[float64]int{.4: 2, .6: 0}[distance]; err != nil || len(docs) != want {
			t.Errorf("distance %v: %v %v, want %d", distance, docs, err, want)
		}
	}
}

// What weaviate returns under "_additional" is a map in the metadata; a chain that
// writes into it must not write into the store's, nor into the trace's.
func TestNestedMetadataIsCopied(t *testing.T) {
	meta := func() map[string]any {
		return map[string]any{"_additional": map[string]any{"id": "x"}, "tags": []string{"a"}}
	}
	spoil := func(m map[string]any) {
		m["_additional"].(map[string]any)["id"] = "changed"
		m["tags"].([]string)[0] = "changed"
	}
	stored := meta()
	hits := core.Hits{Kind: core.CosineSimilarity, Candidates: []core.Candidate{{ID: "a", Text: "aaa", Score: .9, Metadata: stored}}}
	vs, err := replc.NewVectorStore(fixedHits(hits))
	if err != nil {
		t.Fatal(err)
	}
	found, err := vs.SimilaritySearch(t.Context(), "q", 1)
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	spoil(found[0].Metadata)
	r, err := replc.NewRetriever(newEngine(t, core.Options{}), fixedHits(hits), replc.RetrieverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, trace := core.WithTrace(t.Context())
	var docs []schema.Document
	if docs, err = r.GetRelevantDocuments(ctx, "q"); err != nil || len(docs) != 1 {
		t.Fatal(docs, err)
	}
	spoil(docs[0].Metadata)
	for name, m := range map[string]map[string]any{"store": stored, "trace": trace.Last().Items[0].Metadata} {
		if !reflect.DeepEqual(m, meta()) {
			t.Errorf("shared with the %s: %v", name, m)
		}
	}
}
