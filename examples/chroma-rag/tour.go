package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/repute-go/repute/core"
)

// The questions of the tour. The two wordings of the third have no content word in
// common.
const (
	answerable = "how do I shut an HTTP server down gracefully?"
	foreign    = "how long should I knead the dough for a sourdough loaf?"
	outdated   = "how do I write my data into a file, creating it if it does not exist?"
	reworded   = "how do I save bytes with permissions before umask, truncating what was there?"
	living     = "os.WriteFile"
)

// maxRounds bounds how often the tour asks the same question.
const maxRounds = 6

// tour shows what the engine does with a few questions.
func (s *session) tour(ctx context.Context) error {
	s.say("%s; ready after %s.", s.described, s.elapsed())
	for _, step := range []func(context.Context) error{s.tourAnswer, s.tourForeign, s.tourOutdated, s.tourRestart} {
		s.say("")
		if err := step(ctx); err != nil {
			return err
		}
	}
	s.say("\nThe tour took %s. Now ask: go run ./examples/chroma-rag -ask \"...\"", s.elapsed())
	return nil
}

// elapsed is the time since the start of the program, rounded.
func (s *session) elapsed() string {
	return fmt.Sprintf("%.1f s", time.Since(s.started).Seconds())
}

// tourAnswer asks what the documentation answers.
func (s *session) tourAnswer(ctx context.Context) error {
	s.say("1. A question with an answer, and where the answer comes from")
	s.quote("Q", answerable)
	found, err := s.retrieve(ctx, answerable)
	if err != nil {
		return err
	}
	answer, err := s.answer(ctx, answerable, found)
	if err != nil {
		return err
	}
	s.quote("A", answer)
	s.sources(found, 3)
	return nil
}

// tourForeign asks what the documentation cannot answer.
func (s *session) tourForeign(ctx context.Context) error {
	s.say("2. A question that the Go documentation cannot answer")
	s.quote("Q", foreign)
	found, err := s.retrieve(ctx, foreign)
	if err != nil {
		return err
	}
	s.verdict(found)
	return nil
}

// tourOutdated asks for something that a deprecated symbol matches best, until
// the outcomes of the check have put the living one first.
func (s *session) tourOutdated(ctx context.Context) error {
	s.say("3. The best match is deprecated. The passages do not say so; a check in the Go sources does (✗)")
	before, err := s.retrieve(ctx, reworded)
	if err != nil {
		return err
	}
	s.quote("Q", outdated)
	for round := range maxRounds {
		done, err := s.tourRound(ctx, round)
		if err != nil {
			return err
		}
		if done {
			break
		}
	}
	return s.tourReworded(ctx, before)
}

// tourRound asks once, shows what the check says, and feeds it back. done says that
// the living symbol came first.
func (s *session) tourRound(ctx context.Context, round int) (done bool, err error) {
	found, err := s.retrieve(ctx, outdated)
	if err != nil {
		return false, err
	}
	answer, err := s.answer(ctx, outdated, found)
	if err != nil {
		return false, err
	}
	deprecated, err := s.corpus.check(found)
	if err != nil {
		return false, err
	}
	s.say("   asked %s:", times(round+1))
	s.items(found, 3, deprecated)
	update, err := s.learn(ctx, found, answer, deprecated)
	if err != nil {
		return false, err
	}
	s.say("   outcome: %s", outcome(update))
	return rankOf(found, living) == 1, nil
}

// tourReworded asks the same in other words: what was learned carries over.
func (s *session) tourReworded(ctx context.Context, before *core.Response) error {
	s.quote("Q", reworded)
	found, err := s.retrieve(ctx, reworded)
	if err != nil {
		return err
	}
	deprecated, err := s.corpus.check(found)
	if err != nil {
		return err
	}
	s.say("   in other words: %s stood at place %d before those outcomes and stands at %d now:", living, rankOf(before, living), rankOf(found, living))
	s.items(found, 3, deprecated)
	return nil
}

// tourRestart closes everything, opens it again and asks again.
func (s *session) tourRestart(ctx context.Context) error {
	s.say("4. After a restart everything is still there")
	if err := s.Close(); err != nil {
		return err
	}
	began := time.Now()
	if err := s.open(ctx); err != nil {
		return err
	}
	s.quote("Q", outdated)
	found, err := s.retrieve(ctx, outdated)
	if err != nil {
		return err
	}
	s.say("   closed, opened again in %.1f s from %d passages and the state on disk:", time.Since(began).Seconds(), s.collection.Count())
	s.items(found, 2, nil)
	return nil
}

// rankOf is the place of a symbol among the results, from 1; 0 if it is not there.
func rankOf(found *core.Response, symbol string) int {
	return 1 + slices.IndexFunc(found.Items, func(it core.Item) bool { return it.DocID == symbol })
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	default:
		return fmt.Sprintf("%d times", n)
	}
}

// outcome says what the check taught.
func outcome(u core.Update) string {
	var helped, failed []string
	for _, d := range u.Documents {
		names := &helped
		if d.Neg > d.Pos {
			names = &failed
		}
		if !slices.Contains(*names, d.DocID) { // several passages of one document
			*names = append(*names, d.DocID)
		}
	}
	switch {
	case u.Duplicate:
		return "nothing to learn"
	case len(failed) == 0:
		return fmt.Sprintf("%s helped", strings.Join(helped, ", "))
	case len(helped) == 0:
		return fmt.Sprintf("deprecated, did not help: %s", strings.Join(failed, ", "))
	}
	return fmt.Sprintf("%s helped; deprecated, did not help: %s", strings.Join(helped, ", "), strings.Join(failed, ", "))
}
