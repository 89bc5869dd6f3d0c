package gemini_test

import (
	"context"
	"fmt"

	"github.com/repute-go/repute/judge"
	"github.com/repute-go/repute/judge/gemini"
)

// A model judges where it can; where it is down, limited or silent, word overlap does, marked as such.
func ExampleNew() {
	ctx := context.Background()
	model, err := gemini.New(ctx, gemini.Options{}) // key from GOOGLE_API_KEY or GEMINI_API_KEY
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := judge.Fallback(model, judge.Overlap{}).Judge(ctx, judge.Case{
		Question:  "In what country is Normandy?",
		Answer:    "In France.",
		Documents: []judge.Document{{ID: "normandy", Text: "Normandy is a region in the north of France."}},
	})
	fmt.Println(v.Score, v.Rater, v.Fallback, err)
}
