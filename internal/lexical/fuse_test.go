package lexical_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/repute-go/repute/internal/lexical"
)

func TestFuse(t *testing.T) {
	got := lexical.Fuse([]lexical.List{
		{Hits: lexical.Ranked("a", "b"), Weight: 1},
		{Hits: []lexical.Hit{{"c", 2}, {"b", 2}, {"d", math.NaN()}, {"b", 1}}, Weight: .5},
		{Hits: lexical.Ranked("z"), Weight: 0},
		{Hits: lexical.Ranked("z"), Weight: math.NaN()},
		{Hits: lexical.Ranked("z"), Weight: math.Inf(1)},
	})
	want := []lexical.Fused{
		{"b", 1./62 + .5/61, []int{2, 1, 0, 0, 0}},
		{"a", 1. / 61, []int{1, 0, 0, 0, 0}},
		{"c", .5 / 61, []int{0, 1, 0, 0, 0}},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got  %v\nwant %v", got, want)
	}
	if got := lexical.Fuse(nil); len(got) != 0 {
		t.Fatalf("nothing: %v", got)
	}
}

func TestFusionIgnoresOrder(t *testing.T) {
	for name, fuse := range map[string]func([]lexical.List) []lexical.Fused{"Fuse": lexical.Fuse, "Blend": lexical.Blend} {
		t.Run(name, func(t *testing.T) { fusionIgnoresOrder(t, fuse) })
	}
}

func fusionIgnoresOrder(t *testing.T, fuse func([]lexical.List) []lexical.Fused) {
	rapid.Check(t, func(t *rapid.T) {
		hit := rapid.Custom(func(t *rapid.T) lexical.Hit {
			return lexical.Hit{ID: rapid.StringMatching("[a-e]").Draw(t, "id"), Score: float64(rapid.IntRange(0, 3).Draw(t, "score"))}
		})
		list := rapid.Custom(func(t *rapid.T) lexical.List {
			return lexical.List{Hits: rapid.SliceOfN(hit, 0, 6).Draw(t, "hits"), Weight: rapid.Float64Range(0, 2).Draw(t, "weight"),
				Scale: rapid.SampledFrom([]lexical.Scale{lexical.FromLast, lexical.FromZero}).Draw(t, "scale")}
		})
		lists := rapid.SliceOfN(list, 0, 5).Draw(t, "lists")
		want := fuse(lists)
		r := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		r.Shuffle(len(lists), func(i, j int) { lists[i], lists[j] = lists[j], lists[i] })
		for _, l := range lists {
			r.Shuffle(len(l.Hits), func(i, j int) { l.Hits[i], l.Hits[j] = l.Hits[j], l.Hits[i] })
		}
		for _, f := range want {
			if math.IsNaN(f.Score) || f.Score < 0 || f.Score > 10 {
				t.Fatalf("score %v", f.Score)
			}
		}
		same := func(a, b lexical.Fused) bool { return a.ID == b.ID && a.Score == b.Score }
		if got := fuse(lists); !slices.EqualFunc(got, want, same) {
			t.Fatalf("got  %v\nwant %v", got, want)
		}
	})
}

func TestBlend(t *testing.T) {
	got := lexical.Blend([]lexical.List{
		{Hits: []lexical.Hit{{"a", 8}, {"b", 4}, {"c", -1}}, Weight: 1, Scale: lexical.FromZero},
		{Hits: []lexical.Hit{{"b", .7}, {"d", .5}, {"a", .4}, {"d", .1}, {"x", math.NaN()}, {"x", math.Inf(1)}}, Weight: .5},
		{Hits: []lexical.Hit{{"z", 1}}},
		{Weight: .5}, // matched nothing, and still counts in the mean
	})
	want := []lexical.Fused{
		{"a", .5, []int{1, 3, 0, 0}},
		{"b", .5*.5 + .25, []int{2, 1, 0, 0}},
		{"d", .25 / 3, []int{0, 2, 0, 0}},
		{"c", 0, []int{3, 0, 0, 0}},
	}
	if len(got) != len(want) {
		t.Fatalf("got  %v\nwant %v", got, want)
	}
	for i, w := range want {
		if got[i].ID != w.ID || !near(got[i].Score, w.Score) || !slices.Equal(got[i].Ranks, w.Ranks) {
			t.Fatalf("got  %v\nwant %v", got, want)
		}
	}
	if got := lexical.Blend(nil); len(got) != 0 {
		t.Fatalf("nothing: %v", got)
	}
}

func TestBlendOfEqualScores(t *testing.T) {
	for _, scale := range []lexical.Scale{lexical.FromLast, lexical.FromZero} {
		got := lexical.Blend([]lexical.List{{Hits: []lexical.Hit{{"b", .3}, {"a", .3}}, Weight: 2, Scale: scale}})
		if len(got) != 2 || got[0].ID != "a" || got[0].Score != 1 || got[1].Score != 1 || got[1].Ranks[0] != 1 {
			t.Errorf("scale %d: %v", scale, got)
		}
	}
}

// A side that finds nothing leaves the order of the other.
func TestHybridWithOneSide(t *testing.T) {
	for _, one := range [][][]lexical.Hit{{lexical.Ranked("a", "b", "c"), nil}, {nil, lexical.Ranked("a", "b", "c")}} {
		var order []string
		for _, f := range lexical.Hybrid(one[0], one[1]) {
			order = append(order, f.ID)
		}
		if !slices.Equal(order, []string{"a", "b", "c"}) {
			t.Errorf("%v", order)
		}
	}
}
