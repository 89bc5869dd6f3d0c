package reputation_test

import (
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
