package store_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/repute-go/repute/core/store"
)

// State moves from any store to any other by export and import.
func Example_move() {
	ctx := context.Background()
	from, to := store.NewMemory(), store.NewMemory()
	if err := from.Add(ctx, "tenant", []store.Tally{{Name: "answers", Values: []float64{3, 1}}}); err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := from.Export(ctx, "tenant", &file); err != nil {
		log.Fatal(err)
	}
	if err := to.Import(ctx, "tenant", &file); err != nil {
		log.Fatal(err)
	}
	rows, err := to.Tallies(ctx, "tenant", "", store.Page{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows)
	// Output: [{answers [3 1]}]
}
