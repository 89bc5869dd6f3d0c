package core_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
)

// handbook is a source of two documents that can say what they are now.
type handbook struct{ leave string }

func (h *handbook) Info() core.SourceInfo {
	return core.SourceInfo{Name: "handbook", Kind: core.CosineSimilarity}
}

func (h *handbook) Search(context.Context, core.Query, int) (core.Hits, error) {
	return core.Hits{Candidates: []core.Candidate{
		{ID: "leave#0", DocID: "leave", Title: "Leave policy", Path: "hr/leave.md", Text: h.leave, Score: .8, TotalChunks: 1},
		{ID: "travel#3", DocID: "travel", Title: "Travel policy", Path: "hr/travel.md", Text: "Book by Monday.", Score: .6, ChunkIndex: 3, TotalChunks: 9},
	}}, nil
}

func (h *handbook) LoadDocument(_ context.Context, _, doc string) (core.Loaded, error) {
	return core.Loaded{Text: h.leave, Exists: doc == "leave", Allowed: true}, nil
}

// A document is suggested after three uses, accepted, changes at its source, and is
// pinned.
func ExampleLibrary() {
	ctx, src := context.Background(), &handbook{leave: "Twenty-eight days."}
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	eng, err := core.New(core.Options{Gate: gate.Off{}, Clock: func() time.Time { return now }})
	if err != nil {
		panic(err)
	}
	defer eng.Close()
	ask := func() *core.Response {
		resp, err := eng.Retrieve(ctx, src, core.Query{Text: "how many days of leave", User: "u1", K: 1})
		if err != nil {
			panic(err)
		}
		return resp
	}
	ask()
	ask()
	suggestion := ask().Suggestions[0]
	fmt.Printf("keep %q? used %d times\n", suggestion.Title, suggestion.Uses)

	lib := eng.Library("u1")
	entry, err := lib.Accept(ctx, suggestion)
	fmt.Println(entry.State, entry.Origin, err)

	src.leave = "Thirty days."
	resp := ask()
	fmt.Println(resp.Items[0].Text, resp.Library[0].Reason)

	entry, err = lib.Pin(ctx, "leave")
	fmt.Println(entry.State, err)
	fmt.Print(ask().Provenance().Text())
	// Output:
	// keep "Leave policy"? used 3 times
	// CLAIMED loader <nil>
	// Thirty days. its text changed at the source; the new one took its place
	// PINNED <nil>
	//
	// ------------------------------------------------------------
	// Sources
	//   * "Leave policy"
	//       whole document  |  PINNED (used 6 times)  |  from your library
	//       path: "hr/leave.md"
	//       why: "pinned in your library"
	// ------------------------------------------------------------
}

// What the engine knows of a user can be handed out and erased.
func ExampleLibrary_Export() {
	ctx, src := context.Background(), &handbook{leave: "Twenty-eight days."}
	eng, err := core.New(core.Options{Gate: gate.Off{}})
	if err != nil {
		panic(err)
	}
	defer eng.Close()
	lib := eng.Library("u1").In(src)
	if _, err := lib.Add(ctx, "leave"); err != nil {
		panic(err)
	}
	if _, err := lib.Erase(ctx); err != nil {
		panic(err)
	}
	if err := lib.Export(ctx, os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// {"user":"u1","documents":[
	// ]}
}
