package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/examples/chroma-rag/terminal"
)

// The questions of the tour. The two wordings of the third have no content word in
// common.
const (
	answerableQuestion = "how do I shut an HTTP server down gracefully?"
	foreignQuestion    = "how long should I knead the dough for a sourdough loaf?"
	outdatedQuestion   = "how do I write data into a file that does not exist yet?"
	otherWording       = "how do I save bytes with permissions before umask, truncating what was there?"
	livingSymbol       = "os.WriteFile"
)

// maxRounds bounds how often the tour asks the outdated question.
const maxRounds = 10

// guide gives the tour.
type guide struct {
	*session
	before int // place of the living symbol for the other wording, before anything was learned
}

// tour shows what the engine does with a few questions.
func (s *session) tour(ctx context.Context) error {
	g := &guide{session: s}
	s.say("%s; ready after %s", s.described, since(s.started))
	steps := []func(context.Context) error{g.answerable, g.foreign, g.outdated, g.reworded, g.library, g.restart, g.note}
	for _, step := range steps {
		s.say("")
		if err := step(ctx); err != nil {
			return err
		}
	}
	s.say("\nThe tour took %s. Now ask: go run ./examples/chroma-rag -ask \"...\"", since(s.started))
	return nil
}

// since is the time since a moment, for people.
func since(t time.Time) string { return fmt.Sprintf("%.1f s", time.Since(t).Seconds()) }

// answerable asks what the documentation answers.
func (g *guide) answerable(ctx context.Context) error {
	g.say("1. A question with an answer, and where the answer comes from")
	g.quote("Q", answerableQuestion)
	found, err := g.retrieve(ctx, answerableQuestion)
	if err != nil {
		return err
	}
	answer, err := g.answer(ctx, answerableQuestion, found)
	if err != nil {
		return err
	}
	g.quote("A", answer)
	g.sources(found, 1)
	return nil
}

// foreign asks what the documentation cannot answer.
func (g *guide) foreign(ctx context.Context) error {
	g.say("2. A question that the Go documentation cannot answer")
	g.quote("Q", foreignQuestion)
	found, err := g.retrieve(ctx, foreignQuestion)
	if err != nil {
		return err
	}
	g.verdict(found)
	return nil
}

// outdated asks for something that a deprecated symbol matches best, until the
// outcomes of the check have put the living one first, for the other wording too.
func (g *guide) outdated(ctx context.Context) error {
	g.say("3. The best match is deprecated. No passage says so; a check in the Go sources does (✗)")
	g.quote("Q", outdatedQuestion)
	var err error
	if g.before, err = g.peek(ctx, otherWording); err != nil {
		return err
	}
	for round := 1; round <= maxRounds; round++ {
		found, deprecated, update, err := g.round(ctx, outdatedQuestion)
		if err != nil {
			return err
		}
		other, err := g.peek(ctx, otherWording)
		if err != nil {
			return err
		}
		done := round > 1 && rankOf(found.Items, livingSymbol) == 1 && other == 1 || round == maxRounds
		if round == 1 || done {
			g.say("   asked %s:", times(round))
			g.items(found, 3, deprecated)
			g.say("   %s", terminal.Line(outcome(update), width))
		}
		if done {
			break
		}
	}
	return nil
}

// round asks, checks what was shown, and reports what the check says.
func (s *session) round(ctx context.Context, question string) (*core.Response, map[string]bool, core.Update, error) {
	found, err := s.retrieve(ctx, question)
	if err != nil {
		return nil, nil, core.Update{}, err
	}
	answer, err := s.answer(ctx, question, found)
	if err != nil {
		return nil, nil, core.Update{}, err
	}
	deprecated, err := s.corpus.check(found)
	if err != nil {
		return nil, nil, core.Update{}, err
	}
	update, err := s.learn(ctx, found, answer, deprecated)
	return found, deprecated, update, err
}

// reworded asks the same in other words: what was learned carries over.
func (g *guide) reworded(ctx context.Context) error {
	g.say("4. The same in other words, without a content word in common. What was learned carries over")
	g.quote("Q", otherWording)
	found, err := g.retrieve(ctx, otherWording)
	if err != nil {
		return err
	}
	deprecated, err := g.corpus.check(found)
	if err != nil {
		return err
	}
	g.say("   %s stood at place %d before, and now stands at %d:", livingSymbol, g.before, rankOf(found.Items, livingSymbol))
	g.items(found, 3, deprecated)
	return nil
}

// library accepts the suggestion that repeated use has brought about.
func (g *guide) library(ctx context.Context) error {
	g.say("5. What proves useful is suggested for one's own library")
	found, err := g.retrieve(ctx, outdatedQuestion)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(found.Suggestions, func(sug core.Suggestion) bool { return sug.Doc == livingSymbol })
	if i < 0 {
		g.say("   %s has not been suggested.", livingSymbol)
		return nil
	}
	g.say("   suggested: %s, used %d times. Accepted.", found.Suggestions[i].Doc, found.Suggestions[i].Uses)
	entry, err := g.engine.Library(user).In(g.collection).Accept(ctx, found.Suggestions[i])
	if err != nil {
		return err
	}
	g.say("   %s is now %s: %d bytes of text are kept and checked against the source before they are served", entry.DocID, entry.State, entry.Size)
	return nil
}

// restart closes everything, opens it again and asks again.
func (g *guide) restart(ctx context.Context) error {
	g.say("6. After a restart everything is still there")
	if err := g.Close(); err != nil {
		return err
	}
	began := time.Now()
	if err := g.open(ctx); err != nil {
		return err
	}
	g.quote("Q", outdatedQuestion)
	found, err := g.retrieve(ctx, outdatedQuestion)
	if err != nil {
		return err
	}
	g.say("   %d passages and what was learned, open again after %s:", g.collection.Count(), since(began))
	g.items(found, 1, nil)
	return nil
}

// peek is the place of the living symbol for a question, without recording that it
// was asked.
func (g *guide) peek(ctx context.Context, question string) (int, error) {
	c, err := g.engine.Compare(ctx, g.collection, core.Query{Text: question, K: g.set.results})
	if err != nil {
		return 0, err
	}
	return rankOf(c.Ours.Items, livingSymbol), nil
}

// rankOf is the place of a symbol among results, from 1; 0 if it is not there.
func rankOf(items []core.Item, symbol string) int {
	return 1 + slices.IndexFunc(items, func(it core.Item) bool { return it.DocID == symbol })
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
