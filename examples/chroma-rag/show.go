package main

import (
	"fmt"
	"strings"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/examples/chroma-rag/terminal"
)

// width is the number of characters of a line of text.
const width = 110

// say prints a line. Names and messages in it come from documents, and nothing of
// them may reach the terminal as a command; their texts go through quote.
func (s *session) say(format string, args ...any) {
	fmt.Fprintln(s.out, terminal.Escape(fmt.Sprintf(format, args...)))
}

// quote prints a text from outside, wrapped behind an indent whose first line
// starts with label.
func (s *session) quote(label, text string) {
	const indent = "   "
	text = terminal.Wrap(text, indent, width)
	s.say("%-*s%s", len(indent), label, strings.TrimPrefix(text, indent))
}

// verdict says whether the gate let anything through.
func (s *session) verdict(found *core.Response) {
	s.quote("", gate.Explain(found.Decision))
}

// items lists the first n results: number, outcome of the check, symbol, and why
// it stands where it stands. deprecated may be nil where nothing was checked.
func (s *session) items(found *core.Response, n int, deprecated map[string]bool) {
	for i, it := range found.Items[:min(n, len(found.Items))] {
		name, why := terminal.Line(place(it), 50), terminal.Line(it.Reason, 2*width)
		line := fmt.Sprintf("   %d %s %s", i+1, mark(deprecated, it.DocID), name)
		if len(why) > width-40 { // a long reason has a line of its own
			s.say("%s\n       %s", line, why)
		} else {
			s.say("%-40s %s", line, why)
		}
	}
}

// mark is the outcome of the check in a character: a living symbol, a deprecated
// one, or not checked.
func mark(deprecated map[string]bool, symbol string) string {
	switch old, known := deprecated[symbol]; {
	case !known:
		return " "
	case old:
		return "✗"
	default:
		return "✓"
	}
}

// place names a result: the document and, if it has several passages, which one.
func place(it core.Item) string {
	name := it.Title
	if name == "" {
		name = it.DocID
	}
	if it.TotalChunks > 1 {
		return fmt.Sprintf("%s (%d/%d)", name, it.ChunkIndex+1, it.TotalChunks)
	}
	return name
}

// sources says where the first n results come from.
func (s *session) sources(found *core.Response, n int) {
	for i, it := range found.Items[:min(n, len(found.Items))] {
		s.say("   [%d] %s", i+1, terminal.Line(fmt.Sprintf("%s, %s, relevance %.2f", place(it), it.Path, it.Relevance), width-8))
	}
}
