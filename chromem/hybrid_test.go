package chromem_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/philippgille/chromem-go"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
)

// blind embeds everything as the same vector: it knows nothing.
func blind(context.Context, string) ([]float32, error) { return []float32{1, 0}, nil }

func TestAnEmbeddingThatKnowsNothingDoesNoHarm(t *testing.T) {
	c, err := repchromem.Open(newEngine(t), chromem.NewDB(), "notes", blind, repchromem.Options{Hybrid: true})
	if err != nil {
		t.Fatal(err)
	}
	add(t, c, "z: how a server shuts down gracefully", "y: a server listens", "a: unrelated", "b: unrelated too", "c: nothing of the kind")
	hits, err := c.Search(t.Context(), core.Query{Text: "server shuts down gracefully"}, 5)
	if err != nil || len(hits.Candidates) != 5 || hits.Candidates[0].ID != "z" || hits.Candidates[1].ID != "y" {
		t.Fatalf("%v %v", hits.Candidates, err)
	}
	if hits.Kind != core.FusedRank || c.Info().Kind != core.FusedRank || hits.Candidates[0].Similarity != 1 || hits.Candidates[0].Score != 1 {
		t.Errorf("%v %+v", hits.Kind, hits.Candidates[0])
	}
}

func TestHybridFindsWhatOneSideMisses(t *testing.T) {
	// "car" and "auto" mean the same to this embedding, which cannot tell numbers.
	embed := func(_ context.Context, text string) ([]float32, error) {
		v := []float32{0, 0, 1}
		if strings.Contains(text, "car") || strings.Contains(text, "auto") {
			v = []float32{1, 0, .1}
		}
		if strings.Contains(text, "against") {
			v = []float32{-1, 0, -.1}
		}
		return v, nil
	}
	c, err := repchromem.Open(newEngine(t), chromem.NewDB(), "notes", embed, repchromem.Options{Hybrid: true})
	if err != nil {
		t.Fatal(err)
	}
	add(t, c, "synonym: the auto is fast", "number: error E1234 is harmless", "against: turned against it")
	for query, want := range map[string]string{"car": "synonym", "E1234": "number"} {
		hits, err := c.Search(t.Context(), core.Query{Text: query}, 3)
		if err != nil || hits.Candidates[0].ID != want {
			t.Errorf("%s: %+v %v", query, hits.Candidates, err)
		}
		for _, x := range hits.Candidates {
			if x.ID == "against" {
				t.Errorf("%s: matches in nothing, yet found", query)
			}
		}
	}
	hits, err := c.Search(t.Context(), core.Query{Vector: []float32{1, 0, 0}}, 3)
	if err != nil || len(hits.Candidates) != 1 || hits.Candidates[0].ID != "synonym" || math.IsNaN(hits.Candidates[0].Similarity) {
		t.Errorf("by vector alone: %+v %v", hits.Candidates, err)
	}
}

// A chunk that counts less goes behind one that matches a little worse, also when
// the better one was not among the first n before. Weights that are none change
// nothing.
func TestWeightMovesChunksInAHybridSearch(t *testing.T) {
	ctx := t.Context()
	weights := map[string]float64{"draft": .3, "nan": math.NaN(), "zero": 0, "less": -1, "more": 7, "infinite": math.Inf(1)}
	open := func(weight func(map[string]string) float64) *repchromem.Collection {
		c, err := repchromem.Open(newEngine(t), chromem.NewDB(), "notes", blind, repchromem.Options{Hybrid: true, Weight: weight})
		if err != nil {
			t.Fatal(err)
		}
		docs := []core.Candidate{
			{ID: "best", Text: "server shuts down gracefully", Metadata: map[string]any{"state": "draft"}},
			{ID: "good", Text: "server shuts down at once", Metadata: map[string]any{"state": "nan"}},
			{ID: "fair", Text: "a server listens", Metadata: map[string]any{"state": "zero"}},
			{ID: "poor", Text: "unrelated", Metadata: map[string]any{"state": "more"}},
		}
		if _, err := c.Add(ctx, docs); err != nil {
			t.Fatal(err)
		}
		return c
	}
	search := func(c *repchromem.Collection, n int) []core.Candidate {
		hits, err := c.Search(ctx, core.Query{Text: "server shuts down gracefully"}, n)
		if err != nil {
			t.Fatal(err)
		}
		return hits.Candidates
	}
	plain := search(open(nil), 4)
	heavy := open(func(m map[string]string) float64 {
		defer clear(m) // it is a copy
		return weights[m["state"]]
	})
	for range 2 {
		got := search(heavy, 4)
		if got[0].ID != "good" || got[0].Score != plain[1].Score || got[2].ID != "best" || math.Abs(got[2].Score-.3*plain[0].Score) > 1e-9 {
			t.Errorf("%+v", got)
		}
		if got[0].Metadata["state"] != "nan" {
			t.Errorf("the metadata is gone: %+v", got[0])
		}
	}
	if got := search(heavy, 1); len(got) != 1 || got[0].ID != "good" {
		t.Errorf("one: %+v", got)
	}
}

func TestWeightNeedsAHybridSearch(t *testing.T) {
	_, err := repchromem.Open(newEngine(t), chromem.NewDB(), "notes", blind, repchromem.Options{Weight: func(map[string]string) float64 { return 1 }})
	if !errors.Is(err, core.ErrInvalidOptions) {
		t.Error(err)
	}
}
