package main

import (
	"context"
	"strings"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/examples/chroma-rag/terminal"
)

// compare shows what plain search, sigma-rag's rule and the engine would pass on
// for one question, and what that would cost in a prompt. It learns nothing.
func (s *session) compare(ctx context.Context, question string) error {
	c, err := s.engine.Compare(ctx, s.collection, core.Query{Text: question, User: user, K: s.set.results})
	if err != nil {
		return err
	}
	for _, arm := range []core.Arm{c.Plain, c.Sigma, c.Ours} {
		names := make([]string, len(arm.Items))
		for i, it := range arm.Items {
			names[i] = place(it)
		}
		s.say("   %-19s %d passages, about %4d tokens: %s", arm.Name, len(arm.Items), arm.Tokens, terminal.Line(strings.Join(names, ", "), width-30))
	}
	return nil
}
