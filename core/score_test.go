package core_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/repute-go/repute/core"
	"pgregory.net/rapid"
)

func TestScoreKindCosine(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		kind        core.ScoreKind
		score, want float64
	}{
		{core.CosineSimilarity, .8, .8},
		{core.CosineDistance, .2, .8},
		{core.InnerProduct, .8, .8},
		{core.InnerProduct, 40, nan}, // not unit vectors
		{core.L2Distance, math.Sqrt(.4), .8},
		{core.SquaredL2Distance, .4, .8},
		{core.OneMinusSquaredL2, .6, .8},
		{core.OneMinusSquaredL2, -.4, .3},
		{core.OneMinusSquaredL2, -172.6, nan},
		{core.Certainty, .9, .8},
		{core.InverseCosineDistance, 1 / 1.2, .8},
		{core.InverseL2Distance, 1 / (1 + math.Sqrt(.4)), .8},
		{core.InverseSquaredL2Distance, 1 / 1.4, .8},
		{core.FusedRank, .03, nan},
		{core.Opaque, .8, nan},
		{core.NoScore, .8, nan},
		{core.ScoreUndeclared, .8, nan},
		{core.CosineSimilarity, math.Inf(1), nan},
		{core.InverseL2Distance, 0, nan},
	}
	for _, tt := range tests {
		got := tt.kind.Cosine(tt.score)
		if math.IsNaN(got) != math.IsNaN(tt.want) || math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%v.Cosine(%v) = %v, want %v", tt.kind, tt.score, got, tt.want)
		}
	}
}

// retrieveIDs ranks hits on a fresh engine and returns ids and relevances.
func rank(t testing.TB, q core.Query, hits core.Hits) *core.Response {
	t.Helper()
	eng := newEngine(t, core.Options{})
	resp, err := eng.Rank(context.Background(), q, hits)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func TestRelevance(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		name   string
		kind   core.ScoreKind
		scores []float64 // of a, b, c, ... in the source's order
		ids    []string
		want   []float64
	}{
		{"a distance read as a distance", core.CosineDistance, []float64{.9, .1}, []string{"b", "a"}, []float64{.9, .1}},
		{"undeclared distances are only an order", core.ScoreUndeclared, []float64{.1, .9}, []string{"a", "b"}, []float64{1, .5}},
		{"negative similarity", core.CosineSimilarity, []float64{.5, -.4}, []string{"a", "b"}, []float64{.5, 0}},
		{"one minus squared L2", core.OneMinusSquaredL2, []float64{.4, -.4}, []string{"a", "b"}, []float64{.7, .3}},
		{"far out of range", core.OneMinusSquaredL2, []float64{-.4, -172.6}, []string{"a", "b"}, []float64{1, 0}},
		{"opaque negative scores keep order", core.Opaque, []float64{-172.6, -.4}, []string{"b", "a"}, []float64{1, .5}},
		{"all zero falls back to rank", core.CosineSimilarity, []float64{0, 0}, []string{"a", "b"}, []float64{1, .5}},
		{"NaN never outranks a number", core.CosineSimilarity, []float64{nan, .2, .1}, []string{"b", "c", "a"}, []float64{.2, .1, 0}},
		{"infinities come last", core.CosineSimilarity, []float64{inf, .2, -inf}, []string{"b", "a", "c"}, []float64{.2, 0, 0}},
		{"a lone NaN is not relevant", core.CosineSimilarity, []float64{nan}, []string{"a"}, []float64{0}},
		{"unbounded products", core.InnerProduct, []float64{11, 12.3, 9}, []string{"b", "a", "c"}, []float64{1, 2 / 3.3, 0}},
		{"fused ranks", core.FusedRank, []float64{.03, .02, .01}, []string{"a", "b", "c"}, []float64{1, .5, 0}},
		{"no scores", core.NoScore, []float64{0, 0, 0}, []string{"a", "b", "c"}, []float64{1, 2. / 3, 1. / 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hits := core.Hits{Kind: tt.kind, Source: "s"}
			for i, s := range tt.scores {
				hits.Candidates = append(hits.Candidates, core.Candidate{ID: string(rune('a' + i)), Score: s})
			}
			resp := rank(t, core.Query{Text: "q", K: 10}, hits)
			if got := resp.IDs(); !slices.Equal(got, tt.ids) {
				t.Fatalf("order %v, want %v", got, tt.ids)
			}
			for i, it := range resp.Items {
				if math.Abs(it.Relevance-tt.want[i]) > 1e-9 {
					t.Errorf("relevance of %s = %v, want %v", it.ID, it.Relevance, tt.want[i])
				}
			}
		})
	}
}

func TestMinRelevanceIsInclusive(t *testing.T) {
	hits := core.Hits{Source: "s", Kind: core.CosineDistance, Candidates: []core.Candidate{
		{ID: "near", Score: .05}, {ID: "edge", Score: .5}, {ID: "far", Score: .6}, {ID: "none", Score: 1},
	}}
	for _, tt := range []struct {
		least float64
		want  int
	}{{0, 4}, {.5, 2}, {.95, 1}, {1, 0}} {
		resp := rank(t, core.Query{Text: "q", K: 5, MinRelevance: tt.least}, hits)
		if len(resp.Items) != tt.want {
			t.Errorf("MinRelevance %v kept %v", tt.least, resp.IDs())
		}
	}
	exact := core.Hits{Source: "s", Kind: core.CosineSimilarity, Candidates: []core.Candidate{{ID: "one", Score: 1}, {ID: "zero", Score: 0}}}
	if got := rank(t, core.Query{Text: "q", MinRelevance: 1}, exact).IDs(); !slices.Equal(got, []string{"one"}) {
		t.Errorf("MinRelevance 1 kept %v", got)
	}
}

// Scores that tie are ordered by rank, which makes none of them relevant.
func TestMinRelevanceOfTies(t *testing.T) {
	for _, tt := range []struct {
		kind   core.ScoreKind
		scores []float64
		want   int
	}{
		{core.CosineDistance, []float64{.6}, 0},
		{core.CosineDistance, []float64{.6, .6}, 0},
		{core.CosineDistance, []float64{.4, .4, .4}, 3},
		{core.CosineSimilarity, []float64{-.1, -.2, -.3}, 0},
		{core.Certainty, []float64{.7, math.NaN(), .7}, 0},
		{core.CosineSimilarity, []float64{0, 0}, 0},
		{core.InnerProduct, []float64{12, 11, 10}, 2}, // no cosines: the place in the list
		{core.NoScore, []float64{0, 0, 0}, 2},
	} {
		if got := rank(t, core.Query{Text: "q", MinRelevance: .5}, bare(tt.kind, tt.scores...)).IDs(); len(got) != tt.want {
			t.Errorf("%v %v: kept %v, want %d", tt.kind, tt.scores, got, tt.want)
		}
	}
}

// What is no cosine is read from the score, however it is said that it is unknown.
func TestUnknownSimilarityIsReadFromTheScore(t *testing.T) {
	for _, unknown := range []float64{0, math.NaN(), 25, math.Inf(-1)} {
		hits := bare(core.CosineDistance, .1)
		hits.Candidates[0].Similarity = unknown
		if it := rank(t, core.Query{Text: "q"}, hits).Items[0]; it.Similarity != .9 {
			t.Errorf("given %v: similarity %v, want .9", unknown, it.Similarity)
		}
	}
	hits := bare(core.CosineDistance, .1)
	hits.Candidates[0].Similarity = -.5
	if it := rank(t, core.Query{Text: "q"}, hits).Items[0]; it.Similarity != -.5 {
		t.Errorf("given -.5: similarity %v", it.Similarity)
	}
}

func TestRelevanceIsMonotone(t *testing.T) {
	kinds := []core.ScoreKind{core.CosineSimilarity, core.CosineDistance, core.InnerProduct, core.L2Distance,
		core.SquaredL2Distance, core.OneMinusSquaredL2, core.Certainty, core.InverseL2Distance, core.FusedRank, core.Opaque, core.NoScore}
	rapid.Check(t, func(rt *rapid.T) {
		kind := rapid.SampledFrom(kinds).Draw(rt, "kind")
		scores := rapid.SliceOfN(rapid.Float64(), 1, 12).Draw(rt, "scores")
		hits := core.Hits{Kind: kind, Source: "s"}
		for i, s := range scores {
			hits.Candidates = append(hits.Candidates, core.Candidate{ID: string(rune('a' + i)), Score: s})
		}
		last := 1.0
		for _, it := range rank(t, core.Query{Text: "q", K: 12}, hits).Items {
			if !(it.Relevance >= 0 && it.Relevance <= last) {
				rt.Fatalf("%v of %v: relevance %v after %v", kind, scores, it.Relevance, last)
			}
			last = it.Relevance
		}
	})
}

func TestScoresIsAnOrder(t *testing.T) {
	h := core.Scores(core.CosineDistance, map[string]float64{"b": .2, "a": .2, "c": .1, "n": math.NaN()})
	var ids []string
	for _, c := range h.Candidates {
		ids = append(ids, c.ID)
	}
	if !slices.Equal(ids, []string{"c", "a", "b", "n"}) {
		t.Errorf("order %v", ids)
	}
}
