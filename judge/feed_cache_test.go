package judge_test

import (
	"context"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/judge"
)

// asked counts how often a judge is asked about each of some cases, one after another.
func asked(t *testing.T, size int, verdict judge.Verdict, cases ...judge.Case) (calls int, s judge.FeedStats) {
	t.Helper()
	counting := judge.Func(func(context.Context, judge.Case) (judge.Verdict, error) {
		calls++
		return verdict, nil
	})
	var j judge.Judge = counting
	if verdict.Fallback {
		j = judge.Fallback(nil, counting)
	}
	f := newFeed(t, judge.FeedOptions{Judge: j, Sink: new(inbox).take, Workers: 1, Cache: size})
	for _, c := range cases {
		if err := f.Submit(context.Background(), receipt(1), c); err != nil {
			t.Fatal(err)
		}
	}
	closeFeed(t, f)
	return calls, f.Stats()
}

func TestFeedCache(t *testing.T) {
	verdict := judge.Verdict{Score: .5, Rater: "judge:x", Support: map[string]float64{"d0": 1}}
	base := judge.Case{Question: "q", Answer: "a", Documents: docs("one", "two")}
	turned := base
	turned.Documents = []judge.Document{base.Documents[1], base.Documents[0]}
	if n, s := asked(t, 0, verdict, base, base, turned); n != 1 || s.CacheHits != 2 || s.Delivered != 3 {
		t.Errorf("equal cases: asked %d times, %+v", n, s)
	}
	if n, _ := asked(t, -1, verdict, base, base); n != 2 {
		t.Errorf("without a cache: asked %d times", n)
	}
	if n, _ := asked(t, 1, verdict, base, caseOf(1), base); n != 3 {
		t.Errorf("a cache of one: asked %d times", n)
	}
	verdict.Fallback = true
	if n, _ := asked(t, 0, verdict, base, base); n != 2 {
		t.Errorf("a stand-in was kept: asked %d times", n)
	}
}

func TestFeedCacheTellsCasesApart(t *testing.T) {
	verdict := judge.Verdict{Score: .5, Rater: "judge:x"}
	d := func(id, title, text string) []judge.Document {
		return []judge.Document{{ID: id, Title: title, Text: text}}
	}
	different := []judge.Case{
		{Question: "ab", Answer: "c"}, {Question: "a", Answer: "bc"}, {Answer: "abc"}, {Answer: "c", Reference: "ab"},
		{Answer: "c", Documents: d("a", "b", "")}, {Answer: "c", Documents: d("a", "", "b")}, {Answer: "c", Documents: d("ab", "", "")},
		{Answer: "c", Documents: append(d("a", "", ""), d("b", "", "")...)},
	}
	if n, s := asked(t, 0, verdict, different...); n != len(different) {
		t.Errorf("asked %d times about %d cases, %+v", n, len(different), s)
	}
}

// Verdicts from the cache must not be shared between receipts.
func TestFeedSinkMayChangeItsVerdict(t *testing.T) {
	verdict := judge.Verdict{Score: .5, Rater: "judge:x", Support: map[string]float64{"d0": 1}, Sufficiency: new(1.0)}
	bad := 0
	sink := func(_ context.Context, _ core.ReceiptID, v judge.Verdict) error {
		if v.Support["d0"] != 1 || *v.Sufficiency != 1 {
			bad++
		}
		v.Support["d0"], *v.Sufficiency = 0, 0
		return nil
	}
	f := newFeed(t, judge.FeedOptions{Judge: judge.Func(func(context.Context, judge.Case) (judge.Verdict, error) {
		return verdict.Clone(), nil
	}), Sink: sink, Workers: 1})
	for range 3 {
		f.Submit(context.Background(), receipt(1), apples)
	}
	closeFeed(t, f)
	if bad > 0 {
		t.Errorf("%d of 3 verdicts had been changed before", bad)
	}
}
