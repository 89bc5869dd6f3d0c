package main

import (
	"context"
	"fmt"
	"os"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/examples/chroma-rag/terminal"
	"github.com/repute-go/repute/judge"
	"github.com/repute-go/repute/judge/gemini"
)

// newJudge makes the judge of answers that a model writes: for a Gemini model a
// Gemini judge, with word overlap standing in, where a key is set; else word overlap
// alone, which sends nothing anywhere. Quoted answers have none, for a quotation
// always agrees with its passage.
func newJudge(ctx context.Context, model string) (judge.Judge, error) {
	switch {
	case model == "extract":
		return nil, nil
	case model != "gemini", os.Getenv("GEMINI_API_KEY") == "" && os.Getenv("GOOGLE_API_KEY") == "":
		return judge.Overlap{}, nil
	}
	j, err := gemini.New(ctx, gemini.Options{})
	if err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	return judge.Fallback(j, judge.Overlap{}), nil
}

// grade has an answer judged, says by whom, and tells the engine. A judge without a
// verdict costs nothing but the verdict.
func (s *session) grade(ctx context.Context, found *core.Response, answer string) error {
	if s.judge == nil || found.Receipt.IsZero() {
		return nil
	}
	v, err := s.judge.Judge(ctx, judge.NewCase(found, answer))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.say("Not judged: %s", terminal.Line(err.Error(), 2*width))
		return nil
	}
	if _, err := s.engine.Feedback(ctx, found.Receipt, judge.Signals(v)...); err != nil {
		return err
	}
	standIn := ""
	if v.Fallback {
		standIn = ", standing in for the model"
	}
	s.say("Judged by %s%s: %.2f", v.Rater, standIn, v.Score)
	return nil
}
