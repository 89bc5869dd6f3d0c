package judge

import (
	"context"
	"fmt"

	"github.com/repute-go/repute/core"
)

// Signals turns a verdict into what a core.Engine learns from: the judge's opinion under its own rater, with the share of the
// answer each document bears out. It is an opinion, never a verification. Without Support it is one about all documents.
// Sufficiency is not learned from: it speaks of the question, not of a document.
func Signals(v Verdict) []core.Signal {
	s := core.Judged(v.Rater, v.Score)
	if len(v.Support) > 0 {
		s = s.Used(v.Support)
	}
	return []core.Signal{s}
}

// EngineSink returns the Sink that feeds verdicts to eng. The user given to Submit's context must be the receipt's.
func EngineSink(eng *core.Engine) Sink {
	return func(ctx context.Context, receipt core.ReceiptID, v Verdict) error {
		if _, err := eng.Feedback(ctx, receipt, Signals(v)...); err != nil {
			return fmt.Errorf("judge: verdict not learned: %w", err)
		}
		return nil
	}
}
