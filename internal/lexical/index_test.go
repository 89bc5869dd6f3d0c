package lexical_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/repute-go/repute/internal/lexical"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6 }

// The idf values are Lucene's; the raw scores are those of bm25s 0.2 with its
// defaults k1 1.5 and b .75.
func TestScoresAgreeWithLucene(t *testing.T) {
	words := func(texts ...string) (docs [][]string) {
		for _, s := range texts {
			docs = append(docs, strings.Fields(s))
		}
		return docs
	}
	three := words("code validate email addresses before sending upload",
		"code always clamp confidence scores range zero one", "code refactor graduated pattern storage layer")
	mail := words("sales follow up email email within two days",
		"code email reviewer after tests pass", "tone keep email short")
	for _, c := range []struct {
		docs  [][]string
		query string
		want  []float64
	}{
		{three, "confidence clamp range", []float64{0, 1.105901, 0}},
		{three, "code", []float64{0.053413, 0.050186, 0.057082}},
		{mail, "sales email", []float64{0.410077, 0.053413, 0.062838}},
		{mail, "sales email email", []float64{0.478997, 0.106825, 0.125677}},
		{mail, "unknown", []float64{0, 0, 0}},
		{mail, "", []float64{0, 0, 0}},
	} {
		got := lexical.BM25{K1: 1.5, B: .75}.Scores(strings.Fields(c.query), c.docs)
		for i := range got {
			if !near(got[i], c.want[i]) {
				t.Errorf("%q: %v, want %v", c.query, got, c.want)
				break
			}
		}
	}
	if got := lexical.BM25(lexical.BM25{}).Scores([]string{"a"}, nil); len(got) != 0 {
		t.Errorf("no documents: %v", got)
	}
}

func TestIDF(t *testing.T) {
	for _, c := range []struct {
		n, df int
		want  float64
	}{{6, 0, 2.63905733}, {6, 1, 1.540445041}, {6, 2, 1.029619417}, {6, 9, lexical.IDF(6, 6)}, {6, -1, lexical.IDF(6, 0)}, {-3, 2, math.Ln2}} {
		if got := lexical.IDF(c.n, c.df); !near(got, c.want) {
			t.Errorf("IDF(%d,%d) = %v, want %v", c.n, c.df, got, c.want)
		}
	}
}

// An index that has seen additions, replacements and removals scores like a list
// of the documents it holds.
func TestIndexFollowsItsDocuments(t *testing.T) {
	vocabulary := strings.Fields("a b c d e f g h")
	rapid.Check(t, func(t *rapid.T) {
		index, model := lexical.NewIndex(lexical.BM25{}), map[string][]string{}
		terms := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 6)
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			id := fmt.Sprint("d", rapid.IntRange(0, 40).Draw(t, "id"))
			if rapid.Bool().Draw(t, "add") {
				model[id] = terms.Draw(t, "terms")
				index.Add(id, model[id])
				continue
			}
			_, there := model[id]
			if index.Remove(id) != there {
				t.Fatalf("Remove(%s) != %v", id, there)
			}
			delete(model, id)
		}
		query := terms.Draw(t, "query")
		want := searchModel(model, query)
		got := index.Search(query, len(model)+1)
		if index.Len() != len(model) || !slices.EqualFunc(got, want, sameHit) {
			t.Fatalf("%v\nwant %v", got, want)
		}
		if n := len(want) / 2; !slices.Equal(index.Search(query, n), got[:n]) {
			t.Fatalf("the first %d differ", n)
		}
	})
}

func sameHit(a, b lexical.Hit) bool { return a.ID == b.ID && math.Abs(a.Score-b.Score) < 1e-12 }

func searchModel(model map[string][]string, query []string) (hits []lexical.Hit) {
	ids := slices.Sorted(func(yield func(string) bool) {
		for id := range model {
			if !yield(id) {
				return
			}
		}
	})
	docs := make([][]string, len(ids))
	for i, id := range ids {
		docs[i] = model[id]
	}
	for i, s := range (lexical.BM25{}).Scores(query, docs) {
		if s > 0 {
			hits = append(hits, lexical.Hit{ID: ids[i], Score: s})
		}
	}
	slices.SortStableFunc(hits, func(a, b lexical.Hit) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return hits
}

func TestSearchFuncKeeps(t *testing.T) {
	index := lexical.NewIndex(lexical.BM25{})
	index.Add("1", []string{"x"})
	index.Add("2", []string{"x", "y"})
	index.Add("3", []string{"y"})
	got := index.SearchFunc([]string{"x"}, 5, func(id string) bool { return id != "1" })
	if len(got) != 1 || got[0].ID != "2" {
		t.Fatalf("%v", got)
	}
	if index.DF("x") != 2 || index.DF("z") != 0 || !index.Contains("3") || index.Contains("4") {
		t.Fatal("wrong counts")
	}
	for _, n := range []int{0, -1} {
		if got := index.Search([]string{"x"}, n); len(got) != 0 {
			t.Fatalf("n %d: %v", n, got)
		}
	}
}

func TestIndexIsSafeForConcurrentUse(t *testing.T) {
	index := lexical.NewIndex(lexical.BM25{})
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 200 {
				id := fmt.Sprint(i % 20)
				switch (i + w) % 3 {
				case 0:
					index.Add(id, []string{"common", id})
				case 1:
					index.Remove(id)
				}
				for _, h := range index.Search([]string{"common", "3"}, 5) {
					if !(h.Score > 0) {
						t.Errorf("score %v", h.Score)
					}
				}
			}
		})
	}
	wg.Wait()
}

// A filter that panics leaves nothing behind that would spoil later searches.
func TestSearchSurvivesAPanic(t *testing.T) {
	index := lexical.NewIndex(lexical.BM25{})
	index.Add("1", []string{"x"})
	want := index.Search([]string{"x"}, 1)
	func() {
		defer func() { _ = recover() }()
		index.SearchFunc([]string{"x"}, 1, func(string) bool { panic("filter") })
	}()
	for range 10 {
		if got := index.Search([]string{"x"}, 1); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
