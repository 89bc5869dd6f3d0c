package reputation_test

import (
	"fmt"

	"github.com/repute-go/repute/core/reputation"
)

// A few outcomes turn an order round, also for a question put in other words.
func Example() {
	signer, err := reputation.NewSigner("my-embedding-model", 4, nil)
	if err != nil {
		panic(err)
	}
	question, _ := signer.Sign([]float32{.9, .1, .3, .2})
	query := reputation.Query{Signature: question, Space: signer.Space(), Time: 1, K: 1}
	docs := []reputation.Candidate{{ID: "old guide", Relevance: .82}, {ID: "new guide", Relevance: .79, Base: 1}}
	var stats reputation.Statistics
	ranker := reputation.Posterior{}

	for n := range 6 {
		ranking := ranker.Rank(query, docs, &stats)
		shown := ranking.Order[:query.K]
		receipt := reputation.NewReceipt(query, ranking, shown)
		receipt.Tag = uint64(n + 1)

		// Only the new guide makes the tests pass.
		passed := docs[shown[0]].ID == "new guide"
		opinion := reputation.Opinion{Rater: "verifier:tests", Verified: true}
		if passed {
			opinion.Value = 1
		}
		records := []*reputation.Record{docs[shown[0]].Record}
		folded, err := reputation.Fold(receipt, []reputation.Opinion{opinion}, records, reputation.Raters{}, ranker.Constants)
		if err != nil {
			panic(err)
		}
		docs[shown[0]].Record = folded.Records[0]
		stats.Apply(folded.Stats)
		fmt.Println("showed", docs[shown[0]].ID, "- passed:", passed)
	}

	reworded, _ := signer.Sign([]float32{.88, .15, .28, .22})
	query.Signature = reworded
	ranking := ranker.Rank(query, docs, &stats)
	best := ranking.Order[0]
	low, high := ranking.Scores[best].Estimate().Interval(.9)
	fmt.Printf("then %s first: %.2f (90 %% %.2f to %.2f)\n", docs[best].ID, ranking.Scores[best].Mean, low, high)
	// Output:
	// showed old guide - passed: false
	// showed old guide - passed: false
	// showed old guide - passed: false
	// showed old guide - passed: false
	// showed new guide - passed: true
	// showed new guide - passed: true
	// then new guide first: 0.66 (90 % 0.27 to 0.96)
}

func ExampleSignText() {
	a, _ := reputation.SignText("How do I shut down an HTTP server gracefully?")
	b, _ := reputation.SignText("how to gracefully shut down the http server")
	c, _ := reputation.SignText("What is the capital of France?")
	fmt.Printf("%.1f %.1f\n", reputation.Kernel(a, b), reputation.Kernel(a, c))
	// Output: 1.0 0.0
}

func ExampleMean() {
	bad := &reputation.Record{Events: []reputation.Event{{Receipt: 1, Time: 1, Neg: 1}}}
	docs := []reputation.Candidate{{ID: "a", Relevance: .8, Record: bad}, {ID: "b", Relevance: .6, Base: 1}, {ID: "c", Relevance: .1, Base: 2}}
	for _, i := range (reputation.Mean{}).Rank(reputation.Query{K: 3}, docs, nil).Order {
		fmt.Println(docs[i].ID)
	}
	// Output:
	// b
	// a
	// c
}

func ExampleCarry() {
	before := &reputation.Record{Events: []reputation.Event{{Receipt: 1, Time: 1, Pos: 1}}}
	after := reputation.Carry(before, .25) // the text was edited
	fmt.Println(after.Events[0].Pos)
	// Output: 0.25
}
