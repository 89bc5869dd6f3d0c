package sqlite_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/store/sqlite"
)

// What an engine has learned is there when the file is opened again.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "repute")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	found := core.Scores(core.CosineSimilarity, map[string]float64{"old.md": .82, "new.md": .80, "faq.md": .4})
	found.Source = "docs"
	for range 2 {
		state, err := sqlite.Open(ctx, filepath.Join(dir, "state.db"), sqlite.Options{})
		if err != nil {
			log.Fatal(err)
		}
		eng, err := core.New(core.Options{Store: state, Gate: gate.Off{}})
		if err != nil {
			log.Fatal(err)
		}
		r, err := eng.Rank(ctx, core.Query{Text: "how do I log in?"}, found)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.IDs())
		if _, err := eng.Feedback(ctx, r.Receipt, core.Verified(false).On("old.md")); err != nil {
			log.Fatal(err)
		}
		eng.Close()
		state.Close()
	}
	// Output:
	// [old.md new.md faq.md]
	// [new.md old.md faq.md]
}
