package repute_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/store/sqlite"
)

// Any retriever will do: give the engine its scores by id, and say what a score
// means.
func Example_scores() {
	ctx, question := context.Background(), "which one?"
	eng, err := core.New(core.Options{})
	if err != nil {
		panic(err)
	}
	defer eng.Close()
	resp, err := eng.Rank(ctx, core.Query{Text: question}, core.Scores(core.CosineDistance, map[string]float64{"a": .12, "b": .34}))
	if err != nil {
		panic(err)
	}
	upd, err := eng.Feedback(ctx, resp.Receipt, core.Verified(true).On("a"))
	fmt.Println(resp.IDs(), upd.Documents[0].ID, upd.Documents[0].Pos, err)
	// Output: [a b] a 1 <nil>
}

// State that survives a restart, shared by any number of processes.
func Example_sqlite() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "repute")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	st, err := sqlite.Open(ctx, filepath.Join(dir, "repute.db"), sqlite.Options{})
	if err != nil {
		panic(err)
	}
	defer st.Close()
	eng, err := core.New(core.Options{Store: st})
	if err != nil {
		panic(err)
	}
	defer eng.Close()
	resp, err := eng.Rank(ctx, core.Query{Text: "which one?"}, core.Scores(core.CosineSimilarity, map[string]float64{"a": .9}))
	fmt.Println(resp.IDs(), resp.Unlearned, err)
	// Output: [a] <nil> <nil>
}
