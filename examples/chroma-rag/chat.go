package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/examples/chroma-rag/terminal"
)

const chatHelp = `Ask a question, or say what helped with the last one: "+2" (passage 2 helped), "-1" (passage 1 did not). "quit" ends.`

// chat answers the questions that come line by line until the input ends.
func (s *session) chat(ctx context.Context, in io.Reader) error {
	s.say("%s", s.described)
	s.say("%s", chatHelp)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	var last *core.Response
	for fmt.Fprint(s.out, "> "); lines.Scan(); fmt.Fprint(s.out, "> ") {
		line := strings.TrimSpace(lines.Text())
		var err error
		switch {
		case line == "":
		case line == "quit":
			return nil
		case line == "help" || line == "?":
			s.say("%s", chatHelp)
		case isThumb(line):
			err = s.rate(ctx, last, line)
		default:
			last, err = s.turn(ctx, line)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.say("   %v", err) // one question that fails is no reason to end a conversation
		}
	}
	return lines.Err()
}

// turn answers one question of a conversation and returns what was found, for
// thumbs.
func (s *session) turn(ctx context.Context, question string) (*core.Response, error) {
	found, err := s.retrieve(ctx, question)
	if err != nil {
		return nil, err
	}
	return found, s.reply(ctx, found)
}

// isThumb says whether a line is a thumb: a sign and a number.
func isThumb(line string) bool {
	if line[0] != '+' && line[0] != '-' {
		return false
	}
	_, err := strconv.Atoi(line[1:])
	return err == nil
}

// rate reports what the user thinks of a passage of the last answer.
func (s *session) rate(ctx context.Context, last *core.Response, line string) error {
	n, err := strconv.Atoi(line[1:])
	if err != nil {
		return err
	}
	if last == nil || n < 1 || n > len(last.Items) {
		return errors.New("no passage of that number was shown last")
	}
	thumb := core.Up
	if line[0] == '-' {
		thumb = core.Down
	}
	update, err := s.engine.Feedback(core.WithUser(ctx, user), last.Receipt, core.Rated("user:"+user, thumb).On(last.Items[n-1].ID))
	if err != nil {
		return err
	}
	if len(update.Documents) == 0 {
		s.say("   noted; what the check says counts more")
		return nil
	}
	for _, d := range update.Documents {
		s.say("   noted: %s, %+.2f good and %+.2f bad outcomes", terminal.Line(d.DocID, 60), d.Pos, d.Neg)
	}
	return nil
}
