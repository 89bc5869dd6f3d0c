package chromem_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/philippgille/chromem-go"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
)

func Example() {
	eng, err := core.New(core.Options{})
	if err != nil {
		panic(err)
	}
	defer eng.Close()
	notes, err := repchromem.Open(eng, chromem.NewDB(), "notes", bag, repchromem.Options{})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	if _, err := notes.Add(ctx, []core.Candidate{
		{ID: "old", Title: "Manual 2019", Text: "Restart the server with the reset switch."},
		{ID: "new", Title: "Manual 2026", Text: "Restart the server from the console."},
	}); err != nil {
		panic(err)
	}
	if err := eng.Calibrate(ctx, notes); err != nil { // else the first questions are told apart by their words
		panic(err)
	}
	question := core.Query{Text: "restart the server with a switch", K: 2}
	for range 5 {
		resp, err := notes.Retrieve(ctx, question)
		if err != nil {
			panic(err)
		}
		// The answer was tried: the old manual did not work, the new one did.
		if _, err := notes.Feedback(ctx, resp.Receipt, core.Verified(false).On("old"), core.Verified(true).On("new")); err != nil {
			panic(err)
		}
	}
	resp, err := notes.Retrieve(ctx, question)
	if err != nil {
		panic(err)
	}
	for _, it := range resp.Items {
		fmt.Println(it.Title, "was number", it.BaseRank+1)
	}
	// Output:
	// Manual 2026 was number 2
	// Manual 2019 was number 1
}

func ExampleCollection_Query() {
	eng, err := core.New(core.Options{})
	if err != nil {
		panic(err)
	}
	defer eng.Close()
	notes, err := repchromem.Open(eng, chromem.NewDB(), "notes", bag, repchromem.Options{})
	if err != nil {
		panic(err)
	}
	ctx, trace := core.WithTrace(context.Background())
	if _, err := notes.Add(ctx, []core.Candidate{{ID: "sky", Text: "The sky is blue."}, {ID: "grass", Text: "Grass is green."}}); err != nil {
		panic(err)
	}
	results, err := notes.Query(ctx, "what is blue?", 1, nil, nil) // as with the wrapped collection
	if err != nil {
		panic(err)
	}
	fmt.Println(results[0].ID, results[0].Content)
	update, err := trace.Feedback(ctx, core.Rated("user:u1", core.Up))
	if err != nil {
		panic(err)
	}
	fmt.Println(len(update[0].Documents), "document learned")
	// Output:
	// sky The sky is blue.
	// 1 document learned
}

func ExampleCollection_Ingest() {
	eng, err := core.New(core.Options{})
	if err != nil {
		panic(err)
	}
	defer eng.Close()
	notes, err := repchromem.Open(eng, chromem.NewDB(), "notes", bag, repchromem.Options{})
	if err != nil {
		panic(err)
	}
	files := fstest.MapFS{ // or os.DirFS("notes")
		"sky.md":   {Data: []byte("# The sky\n\nThe sky is blue.")},
		"grass.md": {Data: []byte("# Grass\n\nGrass is green.")},
		"logo.png": {Data: []byte("\x89PNG\r\n\x1a\n\x00")},
	}
	for range 2 {
		report, err := notes.Ingest(context.Background(), files, repchromem.IngestOptions{})
		if err != nil {
			panic(err)
		}
		fmt.Println(report.Added, "added,", report.Unchanged, "unchanged,", report.Embedded, "embedded")
		for _, p := range report.Problems {
			fmt.Println(p.Document, p.Err)
		}
	}
	// Output:
	// 2 added, 0 unchanged, 2 embedded
	// logo.png chromem: not a text file
	// 0 added, 2 unchanged, 0 embedded
	// logo.png chromem: not a text file
}
