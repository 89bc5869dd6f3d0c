package main

import (
	"context"

	"github.com/repute-go/repute/core"
)

// ask answers one question, says where the answer comes from and why the passages
// stand in this order, checks what was shown, and learns from it.
func (s *session) ask(ctx context.Context, question string) error {
	found, err := s.retrieve(ctx, question)
	if err != nil {
		return err
	}
	return s.reply(ctx, found)
}

// reply prints the answer to a question from what was found, and what it is made of.
func (s *session) reply(ctx context.Context, found *core.Response) error {
	if s.set.compare {
		if err := s.compare(ctx, found.Question); err != nil {
			return err
		}
	}
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
	s.provenance(found)
	outdated, err := s.corpus.check(found)
	if err != nil {
		return err
	}
	update, err := s.learn(ctx, found, answer, outdated)
	if err != nil {
		return err
	}
	if len(outdated) > 0 {
		s.say("Checked in the Go sources: %s", outcome(update))
	}
	return s.grade(ctx, found, answer)
}
