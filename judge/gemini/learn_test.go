package gemini_test

import (
	"context"
	"slices"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/judge"
	"github.com/repute-go/repute/judge/gemini"
)

// Of a document that the model was not shown nothing is learned, good or bad.
func TestNothingIsLearnedOfWhatWasNotShown(t *testing.T) {
	ctx := context.Background()
	eng, err := core.New(core.Options{Gate: gate.Off{}})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	rank := func() *core.Response {
		hits := core.Scores(core.CosineSimilarity, map[string]float64{"doc-7": .8, "doc-9": .79})
		hits.Source = "test"
		resp, err := eng.Rank(ctx, core.Query{Text: "what grows here", K: 2}, hits)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	s := serve(t, says(`{"reason":"x","support":[{"document":1,"share":0.9}],"sufficiency":1,"score":1}`))
	j, _ := newJudge(t, s, func(o *gemini.Options) { o.MaxDocuments = 1 })
	v, err := j.Judge(ctx, aCase())
	if err != nil {
		t.Fatal(err)
	}
	mean := func() float64 {
		items := rank().Items
		return items[slices.IndexFunc(items, func(it core.Item) bool { return it.ID == "doc-9" })].Posterior.Mean
	}
	before := mean()
	for range 5 {
		upd, err := eng.Feedback(ctx, rank().Receipt, judge.Signals(v)...)
		if err != nil || len(upd.Documents) != 1 || upd.Documents[0].ID != "doc-7" || upd.Documents[0].Pos <= 0 {
			t.Fatalf("%+v, %v", upd, err)
		}
	}
	if after := mean(); after < before { // it may rise: documents of this kind help
		t.Errorf("doc-9, of which nobody spoke: %.3f, then %.3f", before, after)
	}
}
