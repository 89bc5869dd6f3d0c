package lexical_test

import (
	"fmt"

	"github.com/repute-go/repute/internal/lexical"
)

func ExampleTerms() {
	fmt.Println(lexical.Terms("When was the Higgs boson discovered?"))
	fmt.Println(lexical.Terms("U.S.A.; café, 標準化"))
	// Output:
	// [higg boson discover]
	// [usa cafe 標準 準化]
}

func ExampleOverlapOf() {
	share, ok := lexical.OverlapOf("stop the server", "Shutdown shuts the server down").Coverage()
	fmt.Printf("%.2f %v\n", share, ok)
	share, ok = lexical.OverlapOf("?", "Shutdown").Coverage()
	fmt.Printf("%.2f %v\n", share, ok)
	// Output:
	// 0.50 true
	// 0.00 false
}

func ExampleHybrid() {
	index := lexical.NewIndex(lexical.BM25{})
	for id, text := range map[string]string{
		"shutdown": "Shutdown gracefully shuts down the server.",
		"close":    "Close closes all listeners of the server.",
		"fields":   "Fields splits the string around white space.",
	} {
		index.Add(id, lexical.Terms(text))
	}
	words := index.Search(lexical.Terms("stop a server"), lexical.BlendDepth)
	vectors := []lexical.Hit{{ID: "shutdown", Score: .61}, {ID: "close", Score: .48}, {ID: "fields", Score: .2}}
	for _, f := range lexical.Hybrid(words, vectors) {
		fmt.Printf("%-8s %.2f, rank by words %d, by vectors %d\n", f.ID, f.Score, f.Ranks[0], f.Ranks[1])
	}
	// Output:
	// shutdown 1.00, rank by words 1, by vectors 1
	// close    0.94, rank by words 1, by vectors 2
	// fields   0.00, rank by words 0, by vectors 3
}
