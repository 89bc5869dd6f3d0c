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
	deprecated, err := s.library.check(found)
	if err != nil {
		return err
	}
	s.say("   Checked in the Go sources (✗ is marked as deprecated), and why each stands where it stands:")
	s.items(found, len(found.Items), deprecated)
	_, err = s.learn(ctx, found, deprecated)
	return err
}
