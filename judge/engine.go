package judge

import (
	"context"
	"fmt"

	"github.com/repute-go/repute/core"
)

// NewCase is the case of an answer that was made from the items of a response, under the user's own question.
func NewCase(resp *core.Response, answer string) Case {
	c := Case{Question: resp.Question, Answer: answer, Documents: make([]Document, len(resp.Items))}
	for i, it := range resp.Items {
		c.Documents[i] = Document{ID: it.ID, Title: it.Title, Text: it.Text}
	}
	return c
}

// Signals turns a verdict into what a core.Engine learns from: the judge's opinion under its own rater, with the share of the
// answer each document bears out. It is an opinion, never a verification. It says nothing of a document that Support leaves
// out, which the judge did not look at; without any Support it is about all documents.
// Sufficiency is not learned from: it speaks of the question, not of a document.
func Signals(v Verdict) []core.Signal {
	s := core.Judged(v.Rater, v.Score)
	if len(v.Support) > 0 {
		s = s.UsedPartly(v.Support)
	}
	return []core.Signal{s}
}

// EngineSink returns the Sink that feeds verdicts to eng. The user in Submit's context must be the receipt's, and the documents
// of the case must have the IDs under which the retrieval showed them, as those of NewCase do.
func EngineSink(eng *core.Engine) Sink {
	return func(ctx context.Context, receipt core.ReceiptID, v Verdict) error {
		if _, err := eng.Feedback(ctx, receipt, Signals(v)...); err != nil {
			return fmt.Errorf("judge: verdict not learned: %w", err)
		}
		return nil
	}
}
