package chromem_test

import (
	"context"
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
