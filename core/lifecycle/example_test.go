package lifecycle_test

import (
	"fmt"
	"time"

	lc "github.com/repute-go/repute/core/lifecycle"
)

// A document is used three times, suggested, accepted, and forgotten again when
// nobody needs it any more.
func ExampleApply() {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	var r lc.Record // nothing known: GLOBAL
	for query := int64(1); query <= 3; query++ {
		now = now.Add(time.Hour)
		r, _, _ = lc.Apply(r, lc.Event{Kind: lc.Fetched, Query: query, Title: "Leave policy"}, now, lc.Options{})
	}
	s, _ := r.Pending("leave", now, lc.Options{})
	fmt.Printf("keep %q? used %d times\n", s.Title, s.Uses)

	accept := lc.Event{Kind: lc.Accept, Suggestion: s.ID, Claim: lc.Claim{Text: "Twenty-eight days.", Origin: lc.FromLoader}}
	r, _, err := lc.Apply(r, accept, now, lc.Options{})
	fmt.Println(r.State(), err)

	_, moves := lc.Evaluate(r, now.Add(90*24*time.Hour), lc.Options{})
	for _, m := range moves {
		fmt.Printf("%s: %v to %v (%v)\n", m.At.Time().Format(time.DateOnly), m.From, m.To, m.Cause)
	}
	// Output:
	// keep "Leave policy"? used 3 times
	// CLAIMED <nil>
	// 2026-03-30: CLAIMED to DEMOTED (decay)
	// 2026-04-06: DEMOTED to GLOBAL (decay)
}

// A user's pin is not subject to decay, and a text is needed to pin something.
func ExampleApply_pin() {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	var r lc.Record
	_, _, err := lc.Apply(r, lc.Event{Kind: lc.Pin}, now, lc.Options{})
	fmt.Println(err)
	r, _, _ = lc.Apply(r, lc.Event{Kind: lc.Pin, Claim: lc.Claim{Text: "On call: dial 4711."}}, now, lc.Options{})
	r, moves := lc.Evaluate(r, now.AddDate(5, 0, 0), lc.Options{})
	fmt.Println(r.State(), r.Serves(), len(moves))
	// Output:
	// lifecycle: nothing to keep, the text is empty
	// PINNED true 0
}

// One order and one budget for pinned, claimed and retrieved passages.
func ExampleMerge() {
	tiers := lc.Tiers{
		Pinned:    []lc.Passage{{Doc: "oncall", Tokens: 20, State: lc.Pinned, Whole: true}},
		Claimed:   []lc.Passage{{Doc: "leave", Tokens: 60, State: lc.Claimed, Whole: true, Similarity: .2}},
		Retrieved: []lc.Passage{{Doc: "leave", Chunk: "leave#4", Tokens: 40, Similarity: .8}, {Doc: "travel", Chunk: "travel#1", Tokens: 40, Similarity: .7}},
	}
	plan := lc.Merge(tiers, lc.Budget{Tokens: 200})
	for _, it := range plan.Items {
		fmt.Printf("%v %d: %s, holds %v\n", it.From, it.Index, it.Why(), it.Holds)
	}
	// Output:
	// pinned 0: pinned in your library, holds []
	// claimed 0: in your library, and found by the retriever too, holds [0]
	// retrieved 1: found by the retriever, holds []
}

func ExampleProvenance_Text() {
	p := lc.NewProvenance([]lc.Use{
		{Doc: "leave", Title: "Leave policy", Path: "hr/leave.md", State: lc.Suggested, Uses: 3, Chunk: 4, Total: 9, Why: "passed the gate"},
		{Doc: "leave", Chunk: 1, Total: 9},
	}, []lc.Suggestion{{Doc: "leave", ID: 1, Title: "Leave policy", Uses: 3}})
	fmt.Print(p.Text())
	// Output:
	// ------------------------------------------------------------
	// Sources
	//   * "Leave policy"
	//       chunks 2, 5 of 9  |  SUGGESTED (used 3 times)
	//       path: "hr/leave.md"
	//       why: "passed the gate"
	// Suggestions
	//   * Keep "Leave policy" in your library? You have used it 3 times.
	//       [accept] [decline]  document "leave", suggestion 1
	// ------------------------------------------------------------
}

func ExampleOptions_Score() {
	var o lc.Options
	fmt.Println(o.Score(20, 0, 1), o.Score(20, 7, 1), o.Score(3, 32, 0), o.Score(3, 0, -1))
	// Output: 1 0.8523 0.1459 0.345
}
