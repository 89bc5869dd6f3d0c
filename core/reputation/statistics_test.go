package reputation_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/repute-go/repute/core/reputation"
)

// heard returns the statistics of an engine that heard n outcomes about documents
// of which nothing was known.
func heard(t *testing.T, n int, value float64) *reputation.Statistics {
	t.Helper()
	var s reputation.Statistics
	for range n {
		cands := []reputation.Candidate{{ID: "d", Relevance: .5}}
		r := reputation.Posterior{}.Rank(reputation.Query{K: 1}, cands, &s)
		rc := reputation.NewReceipt(reputation.Query{}, r, []int{0})
		f, err := reputation.Fold(rc, []reputation.Opinion{{Rater: "verifier:x", Verified: true, Value: value}}, []*reputation.Record{nil}, reputation.Raters{}, reputation.Constants{})
		if err != nil {
			t.Fatal(err)
		}
		s.Apply(f.Stats)
	}
	return &s
}

func coldRate(s *reputation.Statistics) float64 { return s.Health(reputation.Constants{}).ColdRate }

func TestMergedStatisticsCountEveryOutcome(t *testing.T) {
	var many []*reputation.Statistics
	for range 30 {
		many = append(many, heard(t, 2, 0))
	}
	merged := reputation.MergeStatistics(append(many, nil)...)
	if got, want := coldRate(&merged), coldRate(heard(t, 60, 0)); math.Abs(got-want) > .002 || merged.Outcomes() != 60 {
		t.Errorf("thirty engines with two failures each believe %v of %v outcomes, one with sixty %v", got, merged.Outcomes(), want)
	}
	if one := heard(t, 40, 1); reputation.MergeStatistics(one) != *one {
		t.Error("merging one engine's statistics changes them")
	}
	if none := reputation.MergeStatistics(); none != (reputation.Statistics{}) {
		t.Errorf("of nobody: %+v", none)
	}
}

// However much was heard once, it fades as fast as what one engine heard.
func TestMergedStatisticsDoNotOutweighTheNews(t *testing.T) {
	good, bad := heard(t, 2500, 1), heard(t, 300, 0)
	merged := reputation.MergeStatistics(good, good, good, good, good, good)
	if got, want := coldRate(&merged), coldRate(good); math.Abs(got-want) > .001 {
		t.Errorf("six times the same is %v, once %v", got, want)
	}
	both := reputation.MergeStatistics(&merged, bad)
	twice := reputation.MergeStatistics(good, bad)
	if math.Abs(coldRate(&both)-coldRate(&twice)) > .02 || coldRate(&both) > .85 {
		t.Errorf("with the news: %v and %v", coldRate(&both), coldRate(&twice))
	}
}

// hearTwice lets one engine hear a thumb on each of n receipts and another, which may
// be the same, a verifier that sets it right.
func hearTwice(t *testing.T, first, second *reputation.Statistics, n int, thumb, truth float64) {
	t.Helper()
	for range n {
		rc := receiptFor(reputation.Query{K: 1}, nil, 1)
		f := foldOne(t, rc, nil, reputation.Raters{}, reputation.Opinion{Rater: "user:u", Value: thumb})
		first.Apply(f.Stats)
		second.Apply(foldOne(t, f.Receipt, f.Records[0], reputation.Raters{}, reputation.Opinion{Verified: true, Value: truth}).Stats)
	}
}

// An engine that hears revisions only forgets as others do.
func TestRevisionsFadeToo(t *testing.T) {
	var one, a, b reputation.Statistics
	for _, value := range []float64{1, 0} {
		hearTwice(t, &one, &one, 5000, value, value)
		hearTwice(t, &a, &b, 5000, value, value)
		merged := reputation.MergeStatistics(&a, &b)
		near(t, fmt.Sprintf("cold rate of two engines after %v", value), coldRate(&merged), coldRate(&one), .01)
		near(t, "outcomes", merged.Outcomes(), one.Outcomes(), 0)
	}
	near(t, "after 5,000 failures", coldRate(&one), .02, .01)
	// The same many times over weighs no more than once.
	many := reputation.MergeStatistics(&b, &b, &b, &b, &b, &b)
	hearTwice(t, &a, &b, 1000, 1, 1)
	news := reputation.MergeStatistics(&many, &a, &b)
	if coldRate(&news) < .25 {
		t.Errorf("six times what revisions said outweighs the news: %v", coldRate(&news))
	}
}

// What an engine says against another's outcomes takes them back where the two come
// together, and survives its encoding.
func TestRevisionsOfAnothersOutcomes(t *testing.T) {
	var one, a, b reputation.Statistics
	hearTwice(t, &one, &one, 50, 1, 0)
	hearTwice(t, &a, &b, 50, 1, 0)
	for _, s := range []*reputation.Statistics{&a, &b} {
		data, err := s.AppendBinary(nil)
		if err != nil || s.UnmarshalBinary(data) != nil {
			t.Fatal(err, s)
		}
	}
	merged := reputation.MergeStatistics(&a, &b)
	near(t, "cold rate", coldRate(&merged), coldRate(&one), .01)
	if h := b.Health(reputation.Constants{}); !(h.ColdRate > 0 && h.ColdRate < 1 && h.CitedRate <= 1) {
		t.Errorf("alone it believes %+v", h)
	}
}

// Statistics written before revisions were counted are still read.
func TestStatisticsOfTheFirstVersion(t *testing.T) {
	s := heard(t, 40, 1)
	data, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	const numbers = 18
	old := append([]byte{1}, data[1:2+8*numbers]...)
	old = append(old, data[len(data)-8:]...)
	var got reputation.Statistics
	if err := got.UnmarshalBinary(old); err != nil || got != *s {
		t.Errorf("%v: %+v", err, got)
	}
}
