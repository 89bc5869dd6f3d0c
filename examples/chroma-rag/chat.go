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
)

const chatHelp = `Ask a question. About the last answer: "+ 2" (passage 2 helped), "- 1" (passage 1 did not), "accept 1" or
"decline 1" (suggestion 1), "pin 2", "unpin 2" or "block 2" (the document of passage 2). "library" lists what you keep. "quit" ends.`

// conversation is a chat in progress.
type conversation struct {
	*session
	last *core.Response // nil before the first answer
}

// chat answers the questions that come line by line until the input ends.
func (s *session) chat(ctx context.Context, in io.Reader) error {
	c := &conversation{session: s}
	s.say("%s\n%s", s.described, chatHelp)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for fmt.Fprint(s.out, "> "); lines.Scan(); fmt.Fprint(s.out, "> ") {
		line := strings.TrimSpace(lines.Text())
		if line == "quit" {
			return nil
		}
		err := c.turn(core.WithUser(ctx, user), line)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.quote("", err.Error()) // one line that fails is no reason to end a conversation
		}
	}
	return lines.Err()
}

// turn takes one line.
func (c *conversation) turn(ctx context.Context, line string) error {
	switch line {
	case "":
		return nil
	case "help", "?":
		c.say("%s", chatHelp)
		return nil
	case "library":
		return c.listLibrary(ctx)
	}
	if word, n, ok := order(line); ok {
		return c.obey(ctx, word, n)
	}
	found, err := c.retrieve(ctx, line)
	if err != nil {
		return err
	}
	c.last = found
	return c.reply(ctx, found)
}

// order reads a line such as "pin 2"; signs may touch their number.
func order(line string) (word string, n int, ok bool) {
	word, number, _ := strings.Cut(line, " ")
	if sign := line[:1]; sign == "+" || sign == "-" {
		word, number = sign, strings.TrimSpace(line[1:])
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return "", 0, false
	}
	switch word {
	case "+", "-", "accept", "decline", "pin", "unpin", "block":
		return word, n, true
	}
	return "", 0, false
}

// obey does what an order says about the last answer.
func (c *conversation) obey(ctx context.Context, word string, n int) error {
	if c.last == nil {
		return errors.New("nothing has been answered yet")
	}
	lib := c.engine.Library(user).In(c.collection)
	if word == "accept" || word == "decline" {
		if n < 1 || n > len(c.last.Suggestions) {
			return fmt.Errorf("the last answer has %d suggestions", len(c.last.Suggestions))
		}
		answer := lib.Accept
		if word == "decline" {
			answer = lib.Decline
		}
		return c.moved(answer(ctx, c.last.Suggestions[n-1]))
	}
	if n < 1 || n > len(c.last.Items) {
		return fmt.Errorf("the last answer has %d passages", len(c.last.Items))
	}
	it := c.last.Items[n-1]
	switch word {
	case "pin":
		return c.moved(lib.Pin(ctx, it.DocID))
	case "unpin":
		return c.moved(lib.Unpin(ctx, it.DocID))
	case "block":
		return c.moved(lib.Block(ctx, it.DocID))
	case "+":
		return c.rate(ctx, it, core.Up)
	default:
		return c.rate(ctx, it, core.Down)
	}
}

// rate reports what the user thinks of a passage of the last answer.
func (c *conversation) rate(ctx context.Context, it core.Item, thumb core.Thumb) error {
	update, err := c.engine.Feedback(ctx, c.last.Receipt, core.Rated("user:"+user, thumb).On(it.ID))
	if err != nil {
		return err
	}
	if len(update.Documents) == 0 {
		c.quote("", "noted for "+it.DocID+"; what the check says counts more")
	}
	for _, d := range update.Documents {
		c.quote("", fmt.Sprintf("noted for %s: %+.2f good and %+.2f bad outcomes", d.DocID, d.Pos, d.Neg))
	}
	return nil
}

// moved says where a document stands in the library now.
func (c *conversation) moved(e core.Entry, err error) error {
	if err != nil {
		return err
	}
	blocked := ""
	if e.Blocked {
		blocked = ", never shown to you again"
	}
	c.quote("", fmt.Sprintf("%s is %s%s", e.DocID, e.State, blocked))
	return nil
}

// listLibrary lists what the user keeps or was shown.
func (c *conversation) listLibrary(ctx context.Context) error {
	list, err := c.engine.Library(user).List(ctx, core.LibraryPage{Limit: 50})
	if err != nil {
		return err
	}
	for _, e := range list.Entries {
		c.quote("", fmt.Sprintf("%s: %s, used %d times, score %.2f, %d bytes saved", e.DocID, e.State, e.Uses, e.Score, e.Size))
	}
	return nil
}
