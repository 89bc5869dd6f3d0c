package core_test

import (
	"context"
	"slices"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
)

// What Keep leaves out is not there: it takes no place, not even that of a copy of
// its text, and nothing is said of it.
func TestKeep(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	hits := core.Hits{Source: "s", Kind: core.CosineSimilarity, Candidates: []core.Candidate{
		{ID: "theirs", Text: "one text", Score: .9}, {ID: "mine", Text: "one text", Score: .8}, {ID: "else", Text: "another", Score: .7},
	}}
	src := core.SourceFunc{Description: core.SourceInfo{Name: "s"}, Func: func(context.Context, core.Query, int) (core.Hits, error) { return hits, nil }}
	for _, mode := range []core.Mode{core.On, core.Shadow, core.Off} {
		q := core.Query{Text: "text", Mode: mode, Keep: func(c *core.Candidate) bool { return c.ID != "theirs" }}
		ranked, err := eng.Rank(context.Background(), q, hits)
		if err != nil {
			t.Fatal(err)
		}
		found, err := eng.Retrieve(context.Background(), src, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*core.Response{ranked, found} {
			if !slices.Equal(r.IDs(), []string{"mine", "else"}) || len(r.Rejected) != 0 {
				t.Errorf("%v: %v, rejected %+v", mode, r.IDs(), r.Rejected)
			}
		}
	}
	if hits.Candidates[0].ID != "theirs" || len(hits.Candidates) != 3 {
		t.Error("the source's candidates changed")
	}
}
