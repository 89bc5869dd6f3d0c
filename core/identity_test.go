package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/repute-go/repute/core"
)

func TestCanonicalID(t *testing.T) {
	tests := []struct {
		in   any
		want string
	}{
		{nil, ""}, {"1", "1"}, {1, "1"}, {int64(1), "1"}, {uint8(1), "1"}, {1.0, "1"}, {float32(1), "1"}, {json.Number("1"), "1"}, {json.Number("1.0"), "1"},
		{1000000.0, "1000000"}, {1e21, "1000000000000000000000"}, {1.5, "1.5"}, {-0.25, "-0.25"},
		{int64(1)<<53 + 1, "9007199254740993"}, {uint64(math.MaxUint64), "18446744073709551615"}, {json.Number("9007199254740993"), "9007199254740993"},
		{math.NaN(), ""}, {math.Inf(1), ""}, {true, "true"}, {" 1", " 1"},
	}
	for _, tt := range tests {
		if got := core.CanonicalID(tt.in); got != tt.want {
			t.Errorf("CanonicalID(%T %v) = %q, want %q", tt.in, tt.in, got, tt.want)
		}
	}
}

func TestIdentityFallsBackInOrder(t *testing.T) {
	eng := newEngine(t, core.Options{IdentityKeys: []string{"key", "id"}})
	hits := core.Hits{Source: "s", Kind: core.NoScore, Candidates: []core.Candidate{
		{ID: "own", Text: "one", Metadata: map[string]any{"key": "k"}},
		{Text: "two", Metadata: map[string]any{"key": 2.0, "id": "x"}},
		{Text: "three", Metadata: map[string]any{"id": 3}},
		{Text: "four"},
		{Title: "five"},
	}}
	resp, err := eng.Rank(context.Background(), core.Query{Text: "q", K: 9}, hits)
	if err != nil {
		t.Fatal(err)
	}
	ids := resp.IDs()
	if ids[0] != "own" || ids[1] != "2" || ids[2] != "3" || len(ids[3]) != 32 || len(ids[4]) != 32 || ids[3] == ids[4] {
		t.Errorf("ids %q", ids)
	}
	again, err := eng.Rank(context.Background(), core.Query{Text: "other", K: 9}, hits)
	if err != nil || again.Items[3].ID != ids[3] || again.Items[3].Hash != resp.Items[3].Hash {
		t.Errorf("an anonymous text changed its identity: %v, %v", again.IDs(), err)
	}
	_, err = eng.Rank(context.Background(), core.Query{Text: "q"}, core.Hits{Source: "s", Candidates: []core.Candidate{{Score: 1}}})
	if !errors.Is(err, core.ErrInvalidHits) {
		t.Errorf("candidate without identity: %v", err)
	}
}

func TestDuplicatesTakeOnePlace(t *testing.T) {
	hits := core.Hits{Source: "s", Kind: core.CosineSimilarity, Candidates: []core.Candidate{
		{ID: "a", Text: "same text", Score: .5},
		{ID: "b", Text: "same text", Score: .9}, // re-ingested copy
		{ID: "c", Text: "other", Score: .8},
		{ID: "c", Text: "other, older", Score: .7}, // same id twice
		{ID: "d", Text: "last", Score: .1},
	}}
	resp := rank(t, core.Query{Text: "q", K: 3}, hits)
	if got := resp.IDs(); len(got) != 3 || got[0] != "b" || got[1] != "c" || got[2] != "d" {
		t.Errorf("items %v, want b, c, d", got)
	}
	if resp.Items[1].Text != "other" || len(resp.Rejected) != 2 {
		t.Errorf("kept %q, rejected %v", resp.Items[1].Text, resp.Rejected)
	}
}
