package judge_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/judge"
)

func TestSignals(t *testing.T) {
	v := judge.Verdict{Score: .7, Rater: "judge:x", Support: map[string]float64{"d0": 1}}
	signals := judge.Signals(v)
	if len(signals) != 1 || signals[0].Rater() != "judge:x" || signals[0].Value() != .7 || signals[0].IsVerified() {
		t.Errorf("%+v", signals)
	}
}

func TestNewCase(t *testing.T) {
	resp := &core.Response{Question: "in my words", Query: "rephrased", Items: []core.Item{
		{Candidate: core.Candidate{ID: "c1", DocID: "d", Title: "T", Text: "one"}},
		{Candidate: core.Candidate{ID: "c2", DocID: "d", Text: "two"}},
	}}
	c := judge.NewCase(resp, "a")
	if c.Question != "in my words" || c.Answer != "a" || c.Reference != "" || c.Validate() != nil ||
		!slices.Equal(c.Documents, []judge.Document{{ID: "c1", Title: "T", Text: "one"}, {ID: "c2", Text: "two"}}) {
		t.Errorf("%+v", c)
	}
}

// retrieve has an engine rank two documents and returns the response.
func retrieve(t *testing.T, ctx context.Context, eng *core.Engine) *core.Response {
	t.Helper()
	hits := core.Scores(core.CosineSimilarity, map[string]float64{"d0": .8, "d1": .79})
	hits.Source = "test"
	resp, err := eng.Rank(ctx, core.Query{Text: "what grows here", K: 2}, hits)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// What the judge finds in the background raises the document that bears the answer out, and not the other.
func TestVerdictsReachTheEngine(t *testing.T) {
	ctx := core.WithUser(context.Background(), "u1")
	eng, err := core.New(core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	f := newFeed(t, judge.FeedOptions{Judge: judge.Overlap{}, Sink: judge.EngineSink(eng)})
	before := means(retrieve(t, ctx, eng))
	for range 5 {
		if err := f.Submit(ctx, retrieve(t, ctx, eng).Receipt, apples); err != nil {
			t.Fatal(err)
		}
	}
	closeFeed(t, f)
	if s := f.Stats(); s.Delivered != 5 {
		t.Fatalf("stats %+v", s)
	}
	after := means(retrieve(t, ctx, eng))
	if !(after["d0"] > before["d0"]+.01) || after["d1"] > before["d1"]+.01 {
		t.Errorf("posterior before %v, after %v", before, after)
	}
}

// A judge that no longer speaks of a document takes back what it said of it.
func TestSupportMayBeTakenBack(t *testing.T) {
	ctx := context.Background()
	eng, err := core.New(core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	resp := retrieve(t, ctx, eng)
	first, err := eng.Feedback(ctx, resp.Receipt, judge.Signals(judge.Verdict{Score: 1, Rater: "judge:x", Support: map[string]float64{"d0": 1, "d1": 0}})...)
	if err != nil || len(first.Documents) != 2 {
		t.Fatalf("%+v, %v", first, err)
	}
	part := judge.Signals(judge.Verdict{Score: 1, Rater: "judge:x", Support: map[string]float64{"d0": 1}})
	then, err := eng.Feedback(ctx, resp.Receipt, part...)
	if err != nil || len(then.Documents) != 1 || then.Documents[0].ID != "d1" || then.Documents[0].Neg != -first.Documents[1].Neg {
		t.Errorf("first %+v, then %+v, %v", first, then, err)
	}
	if again, err := eng.Feedback(ctx, resp.Receipt, part...); err != nil || !again.Duplicate {
		t.Errorf("again: %+v, %v", again, err)
	}
}

func means(r *core.Response) map[string]float64 {
	m := map[string]float64{}
	for _, it := range r.Items {
		m[it.ID] = it.Posterior.Mean
	}
	return m
}

func TestEngineRefusalsAreCounted(t *testing.T) {
	eng, err := core.New(core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	sink := judge.EngineSink(eng)
	v := judge.Verdict{Score: 1, Rater: "judge:x"}
	if err := sink(context.Background(), receipt(1), v); !errors.Is(err, core.ErrUnknownReceipt) {
		t.Errorf("unknown receipt: %v", err)
	}
	f := newFeed(t, judge.FeedOptions{Judge: judge.Overlap{}, Sink: sink})
	f.Submit(context.Background(), receipt(1), apples)
	closeFeed(t, f)
	if s := f.Stats(); s.SinkFailed != 1 {
		t.Errorf("stats %+v", s)
	}
}

func ExampleOverlap() {
	v, err := judge.Overlap{}.Judge(context.Background(), judge.Case{
		Question: "In what country is Normandy?",
		Answer:   "Normandy is in France.",
		Documents: []judge.Document{
			{ID: "normandy", Text: "Normandy is a region in the north of France."},
			{ID: "apples", Text: "Apples have been grown in Normandy for ages."},
		},
	})
	fmt.Println(v.Score, v.Support, err)
	// Output: 1 map[apples:0 normandy:1] <nil>
}

func ExampleFallback() {
	model := judge.Func(func(context.Context, judge.Case) (judge.Verdict, error) {
		return judge.Verdict{}, fmt.Errorf("%w: no network", judge.ErrUnavailable)
	})
	v, err := judge.Fallback(model, judge.Overlap{}).Judge(context.Background(), judge.Case{
		Answer:    "Normandy is in France.",
		Documents: []judge.Document{{ID: "normandy", Text: "Normandy is a region in the north of France."}},
	})
	fmt.Println(v.Rater, v.Score, v.Fallback, err)
	// Output: judge:overlap 1 true <nil>
}

func ExampleFeed() {
	ctx := context.Background()
	eng, err := core.New(core.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer eng.Close()
	feed, err := judge.NewFeed(judge.FeedOptions{Judge: judge.Overlap{}, Sink: judge.EngineSink(eng)})
	if err != nil {
		fmt.Println(err)
		return
	}
	hits := core.Scores(core.CosineSimilarity, map[string]float64{"normandy": .8, "apples": .7})
	hits.Source = "notes"
	resp, err := eng.Rank(ctx, core.Query{Text: "In what country is Normandy?"}, hits)
	if err != nil {
		fmt.Println(err)
		return
	}
	// ... a model answers from the documents; the answer is judged while the user reads it.
	err = feed.Submit(ctx, resp.Receipt, judge.Case{
		Question: "In what country is Normandy?",
		Answer:   "In France.",
		Documents: []judge.Document{
			{ID: "normandy", Text: "Normandy is a region in the north of France."},
			{ID: "apples", Text: "Apples have been grown in Normandy for ages."},
		},
	})
	fmt.Println(err, feed.Close(ctx), feed.Stats().Delivered)
	// Output: <nil> <nil> 1
}
