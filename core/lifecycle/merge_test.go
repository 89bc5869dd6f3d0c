package lifecycle_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	lc "github.com/repute-go/repute/core/lifecycle"
)

func chunk(doc, id string) lc.Passage {
	return lc.Passage{Doc: doc, Chunk: id, Tokens: 10, Similarity: .5, Lexical: 2}
}

func text(doc string, state lc.State) lc.Passage {
	return lc.Passage{Doc: doc, Tokens: 30, State: state, Whole: true}
}

// names writes a plan as "tier:document/chunk" with "!" for a library text.
func names(t lc.Tiers, p lc.Plan) (out []string) {
	lists := map[lc.Tier][]lc.Passage{lc.PinnedTier: t.Pinned, lc.ClaimedTier: t.Claimed, lc.RetrievedTier: t.Retrieved}
	for _, it := range p.Items {
		q := lists[it.From][it.Index]
		name := q.Doc + "/" + q.Chunk
		if it.From != lc.RetrievedTier {
			name = q.Doc + "!"
		}
		out = append(out, fmt.Sprintf("%v:%s", it.Tier, name))
	}
	return out
}

func TestMerge(t *testing.T) {
	near := text("c", lc.Claimed)
	near.Similarity = .6
	far := text("c", lc.Claimed)
	far.Similarity = .4
	words := text("c", lc.Claimed)
	words.Similarity, words.Lexical = math.NaN(), 2.5
	part := lc.Passage{Doc: "a", Tokens: 30, State: lc.Pinned, Holds: []string{"2"}}
	late := text("z", lc.Pinned)
	late.Pinned = 20
	early := text("y", lc.Pinned)
	early.Pinned = 10
	blocked := chunk("b", "1")
	blocked.Blocked = true
	named := func(p lc.Passage, text string) lc.Passage {
		p.Text, p.Whole = text, false
		return p
	}
	hidden := named(blocked, "x")
	for _, v := range []struct {
		name   string
		tiers  lc.Tiers
		budget lc.Budget
		want   []string
	}{
		{"nothing", lc.Tiers{}, lc.Budget{}, nil},
		{"the retriever alone", lc.Tiers{Retrieved: []lc.Passage{chunk("a", "1"), chunk("b", "1")}}, lc.Budget{},
			[]string{"retrieved:a/1", "retrieved:b/1"}},
		{"a claim that does not match changes nothing", // vector 11 mended
			lc.Tiers{Claimed: []lc.Passage{far}, Retrieved: []lc.Passage{chunk("a", "1")}}, lc.Budget{},
			[]string{"retrieved:a/1"}},
		{"a claim the retriever found is served in its place",
			lc.Tiers{Claimed: []lc.Passage{far}, Retrieved: []lc.Passage{chunk("a", "1"), chunk("c", "1")}}, lc.Budget{},
			[]string{"claimed:c!", "retrieved:a/1"}},
		{"and stays a chunk without room",
			lc.Tiers{Claimed: []lc.Passage{far}, Retrieved: []lc.Passage{chunk("a", "1"), chunk("c", "1")}}, lc.Budget{Tokens: 39},
			[]string{"retrieved:a/1", "retrieved:c/1"}},
		{"a claim as near as the results", lc.Tiers{Claimed: []lc.Passage{near}, Retrieved: []lc.Passage{chunk("a", "1")}}, lc.Budget{},
			[]string{"claimed:c!", "retrieved:a/1"}},
		{"a claim that matches by words", lc.Tiers{Claimed: []lc.Passage{words}, Retrieved: []lc.Passage{chunk("a", "1")}}, lc.Budget{},
			[]string{"claimed:c!", "retrieved:a/1"}},
		{"no results, no claims", lc.Tiers{Claimed: []lc.Passage{near}}, lc.Budget{}, nil},
		{"a pinned text holds its chunks", // vector 12 mended
			lc.Tiers{Pinned: []lc.Passage{text("a", lc.Pinned)}, Retrieved: []lc.Passage{chunk("a", "1"), chunk("a", "2"), chunk("b", "1")}},
			lc.Budget{}, []string{"pinned:a!", "retrieved:b/1"}},
		{"but only those it consists of",
			lc.Tiers{Pinned: []lc.Passage{part}, Retrieved: []lc.Passage{chunk("b", "1"), chunk("a", "1"), chunk("a", "2")}},
			lc.Budget{}, []string{"pinned:a!", "pinned:a/1", "retrieved:b/1"}},
		{"a pinned text without room leaves its chunks first",
			lc.Tiers{Pinned: []lc.Passage{text("a", lc.Pinned)}, Retrieved: []lc.Passage{chunk("b", "1"), chunk("a", "1")}},
			lc.Budget{Tokens: 20}, []string{"pinned:a/1", "retrieved:b/1"}},
		{"the longest pinned first", lc.Tiers{Pinned: []lc.Passage{late, early}}, lc.Budget{}, []string{"pinned:y!", "pinned:z!"}},
		{"room is given to the longest pinned", lc.Tiers{Pinned: []lc.Passage{late, early}}, lc.Budget{Items: 1}, []string{"pinned:y!"}},
		{"no library at all", lc.Tiers{Pinned: []lc.Passage{late}, Retrieved: []lc.Passage{chunk("a", "1")}}, lc.Budget{Items: -1},
			[]string{"retrieved:a/1"}},
		{"pinned and claimed at once is one", lc.Tiers{Pinned: []lc.Passage{late}, Claimed: []lc.Passage{late}, Retrieved: []lc.Passage{chunk("z", "1")}},
			lc.Budget{}, []string{"pinned:z!"}},
		{"the same chunk twice", lc.Tiers{Retrieved: []lc.Passage{chunk("a", "1"), chunk("a", "1")}}, lc.Budget{}, []string{"retrieved:a/1"}},
		{"a blocked document", lc.Tiers{Retrieved: []lc.Passage{blocked, chunk("a", "1")}}, lc.Budget{}, []string{"retrieved:a/1"}},
		{"a text retrieved as another document's is there once",
			lc.Tiers{Claimed: []lc.Passage{named(near, "x")}, Retrieved: []lc.Passage{chunk("a", "1"), named(chunk("b", "1"), "x")}},
			lc.Budget{}, []string{"retrieved:a/1", "retrieved:b/1"}},
		{"and comes first if it is pinned",
			lc.Tiers{Pinned: []lc.Passage{named(early, "x")}, Retrieved: []lc.Passage{chunk("a", "1"), named(chunk("b", "1"), "x")}},
			lc.Budget{}, []string{"pinned:b/1", "retrieved:a/1"}},
		{"also where its own document is claimed",
			lc.Tiers{Pinned: []lc.Passage{named(early, "x")}, Claimed: []lc.Passage{named(near, "x")}, Retrieved: []lc.Passage{named(chunk("c", "1"), "x")}},
			lc.Budget{}, []string{"pinned:c/1"}},
		{"a text of two documents of the library is there once",
			lc.Tiers{Pinned: []lc.Passage{named(late, "x"), named(early, "x")}, Claimed: []lc.Passage{named(near, "x")}, Retrieved: []lc.Passage{chunk("a", "1")}},
			lc.Budget{}, []string{"pinned:y!", "retrieved:a/1"}},
		{"a text found as the document's own chunk takes its place",
			lc.Tiers{Claimed: []lc.Passage{named(far, "x")}, Retrieved: []lc.Passage{chunk("a", "1"), named(chunk("c", "1"), "x")}},
			lc.Budget{}, []string{"claimed:c!", "retrieved:a/1"}},
		{"a blocked document takes no text away",
			lc.Tiers{Claimed: []lc.Passage{named(near, "x")}, Retrieved: []lc.Passage{hidden, chunk("a", "1"), named(chunk("d", "1"), "y")}},
			lc.Budget{}, []string{"claimed:c!", "retrieved:a/1", "retrieved:d/1"}},
		{"a text retrieved twice is there once",
			lc.Tiers{Retrieved: []lc.Passage{named(chunk("a", "1"), "x"), named(chunk("b", "1"), "x"), chunk("c", "1")}},
			lc.Budget{}, []string{"retrieved:a/1", "retrieved:c/1"}},
		{"unidentified passages stay apart", lc.Tiers{Retrieved: []lc.Passage{chunk("", ""), chunk("", "")}}, lc.Budget{},
			[]string{"retrieved:/", "retrieved:/"}},
	} {
		if got := names(v.tiers, lc.Merge(v.tiers, v.budget)); !slices.Equal(got, v.want) {
			t.Errorf("%s: %v, want %v", v.name, got, v.want)
		}
	}
}

func TestBar(t *testing.T) {
	nan := math.NaN()
	bar := lc.BarOf([]lc.Passage{{Similarity: .7, Lexical: 1}, {Similarity: .5, Lexical: 3}, {Similarity: nan, Lexical: 2}})
	if bar != (lc.Bar{Similarity: .5, Lexical: 2}) {
		t.Fatalf("bar %+v", bar)
	}
	for _, v := range []struct {
		similarity, lexical float64
		want                bool
	}{
		{.5, 0, true}, {.49, 9, false}, {nan, 2, true}, {nan, 1.9, false}, {nan, nan, false}, {0, 2, true},
		{-1, 0, false}, {math.Inf(1), 0, false}, {1, nan, true},
	} {
		if got := bar.Passes(v.similarity, v.lexical); got != v.want {
			t.Errorf("Passes(%v, %v) = %v", v.similarity, v.lexical, got)
		}
	}
	if (lc.Bar{}).Passes(1, 100) {
		t.Error("the empty bar lets something pass")
	}
	if lc.BarOf([]lc.Passage{{}, {}, {Lexical: 1}}).Passes(nan, 5) {
		t.Error("a question most results share no word with lets claims pass by words")
	}
}

func drawPassage(t *rapid.T, library bool) lc.Passage {
	p := lc.Passage{
		Doc:        rapid.SampledFrom([]string{"", "a", "b", "c", "d"}).Draw(t, "doc"),
		Tokens:     rapid.IntRange(0, 50).Draw(t, "tokens"),
		Similarity: rapid.SampledFrom([]float64{math.NaN(), -1, 0, .3, .6, .9}).Draw(t, "similarity"),
		Lexical:    rapid.SampledFrom([]float64{math.NaN(), 0, 1, 2}).Draw(t, "lexical"),
		State:      lc.State(rapid.IntRange(0, 5).Draw(t, "state")),
		Blocked:    rapid.IntRange(0, 9).Draw(t, "blocked") == 0,
	}
	p.Text = rapid.SampledFrom([]string{"", "", "x", "y"}).Draw(t, "text")
	id := rapid.SampledFrom([]string{"", "1", "2", "3"})
	if library {
		p.Whole, p.Holds = rapid.Bool().Draw(t, "whole"), rapid.SliceOfN(id, 0, 2).Draw(t, "holds")
		p.Pinned = lc.Stamp(rapid.IntRange(0, 3).Draw(t, "since"))
	} else {
		p.Chunk = id.Draw(t, "chunk")
	}
	return p
}

func drawPassages(t *rapid.T, library bool) []lc.Passage {
	ps := make([]lc.Passage, rapid.IntRange(0, 6).Draw(t, "n"))
	for i := range ps {
		ps[i] = drawPassage(t, library)
	}
	return ps
}

// The promises of Merge, for any input.
func TestMergeLosesAndRepeatsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := lc.Tiers{Pinned: drawPassages(t, true), Claimed: drawPassages(t, true), Retrieved: drawPassages(t, false)}
		b := lc.Budget{Items: rapid.IntRange(-1, 8).Draw(t, "items"), Tokens: rapid.IntRange(-1, 200).Draw(t, "tokens")}
		plan := lc.Merge(in, b)
		type ref struct {
			from  lc.Tier
			index int
		}
		seen := map[ref]int{}
		texts := map[string]int{}
		last := lc.PinnedTier
		var retrieved []int
		for _, it := range plan.Items {
			seen[ref{it.From, it.Index}]++
			if it.Tier < last {
				t.Fatal("tiers out of order")
			}
			last = it.Tier
			if (it.Tier == lc.PinnedTier) != (it.State == lc.Pinned) {
				t.Fatalf("marked %v in the %v tier", it.State, it.Tier)
			}
			for _, j := range it.Holds {
				seen[ref{lc.RetrievedTier, j}]++
				lib := append(slices.Clone(in.Pinned), in.Claimed...)[map[lc.Tier]int{lc.PinnedTier: 0, lc.ClaimedTier: len(in.Pinned)}[it.From]+it.Index]
				if q := in.Retrieved[j]; q.Doc != lib.Doc || !lib.Whole && !slices.Contains(lib.Holds, q.Chunk) && (q.Text == "" || q.Text != lib.Text) {
					t.Fatalf("%+v does not hold %+v", lib, q)
				}
			}
			switch it.From {
			case lc.RetrievedTier:
				if it.Tier == lc.RetrievedTier {
					retrieved = append(retrieved, it.Index)
				}
			case lc.PinnedTier:
				texts[in.Pinned[it.Index].Doc]++
			default:
				texts[in.Claimed[it.Index].Doc]++
			}
		}
		for doc, n := range texts {
			if n > 1 && doc != "" {
				t.Fatalf("the text of %q is there %d times", doc, n)
			}
		}
		if !slices.IsSorted(retrieved) {
			t.Fatal("the retriever's order is gone")
		}
		for _, l := range plan.Left {
			seen[ref{l.From, l.Index}]++
			if q := l.From == lc.RetrievedTier; q && l.Reason != lc.BlockedByOrder && l.Reason != lc.Duplicate {
				t.Fatalf("a retrieved passage is lost: %v", l.Reason)
			}
		}
		for from, n := range map[lc.Tier]int{lc.PinnedTier: len(in.Pinned), lc.ClaimedTier: len(in.Claimed), lc.RetrievedTier: len(in.Retrieved)} {
			for i := range n {
				if seen[ref{from, i}] != 1 {
					t.Fatalf("%v %d appears %d times in %+v", from, i, seen[ref{from, i}], plan)
				}
			}
		}
		checkBudget(t, in, b, plan)
		checkTexts(t, in, plan)
	})
}

// No named text is there twice, and none that was there is lost: what is a duplicate
// has its text in the plan, or in a library text that holds it.
func checkTexts(t *rapid.T, in lc.Tiers, plan lc.Plan) {
	lists := map[lc.Tier][]lc.Passage{lc.PinnedTier: in.Pinned, lc.ClaimedTier: in.Claimed, lc.RetrievedTier: in.Retrieved}
	there := map[string]string{}
	for _, it := range plan.Items {
		p := lists[it.From][it.Index]
		said := map[string]bool{p.Text: true}
		for _, j := range it.Holds {
			said[in.Retrieved[j].Text] = true
		}
		for text := range said {
			if other, again := there[text]; again && text != "" {
				t.Fatalf("%q is there as %q and as %q", text, other, p.Doc)
			}
			there[text] = p.Doc
		}
	}
	for _, l := range plan.Left {
		p := lists[l.From][l.Index]
		sameDoc := func(it lc.Placed) bool { return lists[it.From][it.Index].Doc == p.Doc }
		_, said := there[p.Text]
		if l.Reason == lc.Duplicate && l.From != lc.RetrievedTier && (p.Text == "" || !said) && !slices.ContainsFunc(plan.Items, sameDoc) &&
			!slices.ContainsFunc(plan.Left, func(o lc.Left) bool { return o != l && lists[o.From][o.Index].Doc == p.Doc }) {
			t.Fatalf("%+v is a duplicate of nothing", p)
		}
	}
}

// Beyond what was retrieved nothing exceeds the budget.
func checkBudget(t *rapid.T, in lc.Tiers, b lc.Budget, plan lc.Plan) {
	var alone, all lc.Budget
	for i, p := range in.Retrieved {
		if !slices.ContainsFunc(plan.Left, func(l lc.Left) bool { return l.From == lc.RetrievedTier && l.Index == i }) {
			alone.Items++
			alone.Tokens += p.Tokens
		}
	}
	for _, it := range plan.Items {
		all.Items++
		all.Tokens += map[lc.Tier][]lc.Passage{lc.PinnedTier: in.Pinned, lc.ClaimedTier: in.Claimed, lc.RetrievedTier: in.Retrieved}[it.From][it.Index].Tokens
	}
	if b.Items != 0 && all.Items > max(b.Items, alone.Items) || b.Tokens != 0 && all.Tokens > max(b.Tokens, alone.Tokens) {
		t.Fatalf("budget %+v, retrieved %+v, plan %+v", b, alone, all)
	}
}

// The order in which a store lists the library is of no consequence.
func TestMergeIgnoresTheLibrarysOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := lc.Tiers{Retrieved: drawPassages(t, false)}
		for i, p := range drawPassages(t, true) {
			p.Doc = fmt.Sprint(i)
			in.Pinned = append(in.Pinned, p)
		}
		for i, p := range drawPassages(t, true) {
			p.Doc = fmt.Sprint(3 + i)
			in.Claimed = append(in.Claimed, p)
		}
		b := lc.Budget{Items: rapid.IntRange(-1, 8).Draw(t, "items")}
		other := lc.Tiers{Pinned: rapid.Permutation(in.Pinned).Draw(t, "p"), Claimed: rapid.Permutation(in.Claimed).Draw(t, "c"), Retrieved: in.Retrieved}
		if x, y := names(in, lc.Merge(in, b)), names(other, lc.Merge(other, b)); !reflect.DeepEqual(x, y) {
			t.Fatalf("%v or %v", x, y)
		}
	})
}

func TestPassageOfARecord(t *testing.T) {
	w := newWorld(t)
	w.apply(lc.Event{Kind: lc.Pin, Claim: lc.Claim{Text: "x", Origin: lc.FromChunks, Chunks: []string{"1", "2"}}})
	got := lc.PassageOf("doc", w.r)
	want := lc.Passage{Doc: "doc", State: lc.Pinned, Holds: []string{"1", "2"}, Pinned: lc.StampOf(w.now)}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
