package lexical_test

import (
	"math"
	"testing"

	"github.com/repute-go/repute/internal/lexical"
)

// Where no term repeats, sets say all there is to say.
func TestSetScoresAgreeWithScores(t *testing.T) {
	query := []string{"listener", "close", "server"}
	docs := [][]string{
		{"close", "listener", "before", "server"}, {"server", "start"}, {}, {"noth", "alik", "here", "at", "all"}, {"listener"},
	}
	sets := make([]lexical.Set, len(docs))
	for i, d := range docs {
		sets[i] = lexical.SetOf(d)
	}
	want := lexical.BM25{}.Scores(query, docs)
	for i, got := range (lexical.BM25{}).SetScores(query, sets) {
		if math.Abs(got-want[i]) > 1e-12 {
			t.Errorf("document %d: %v, want %v", i, got, want[i])
		}
	}
}

func TestSetScoresOfNothing(t *testing.T) {
	for _, docs := range [][]lexical.Set{nil, {{}}, {{}, {}}} {
		for i, s := range (lexical.BM25{}).SetScores([]string{"a"}, docs) {
			if s != 0 {
				t.Errorf("%d of %d empty texts scores %v", i, len(docs), s)
			}
		}
	}
}
