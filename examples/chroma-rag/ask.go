package main

import (
	"context"

	"github.com/repute-go/repute/core"
)

// ask answers one question, says where the answer comes from and why the passages
// stand in this order, checks what was shown, and learns from it.
func (s *session) ask(ctx context.Context, question string) error {
	if s.set.compare {
		if err := s.compare(ctx, question); err != nil {
			return err
		}
	}
	found, err := s.retrieve(ctx, question)
	if err != nil {
		return err
	}
	return s.reply(ctx, found)
}

// reply prints the answer to a question from what was found.
func (s *session) reply(ctx context.Context, found *core.Response) error {
	if !found.HasEvidence() {
		s.verdict(found)
		return nil
	}
	answer, err := s.answer(ctx, found.Question, found)
	if err != nil {
		return err
	}
	if answer == "" {
		answer = "The passages found do not say."
	}
	s.quote("A", answer)
	s.sources(found, len(found.Items))
	outdated, err := s.corpus.check(found)
	if err != nil {
		return err
	}
	s.say("   Why each stands where it stands%s:", legend(outdated))
	s.items(found, len(found.Items), outdated)
	_, err = s.learn(ctx, found, answer, outdated)
	return err
}

// legend explains the marks, if there are any.
func legend(outdated map[string]bool) string {
	if len(outdated) == 0 {
		return ""
	}
	return ", and what a check in the Go sources says (✗ is marked as deprecated)"
}
