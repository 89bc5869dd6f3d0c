// Package terminal shows untrusted text on a terminal, and progress.
package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Escape makes a text from a document safe to print: everything that could move
// the cursor, change colours, hide text or reverse its direction (control
// characters, escape sequences, bidirectional marks, invisible and unassigned
// characters, invalid UTF-8) is shown as an escape such as \x1b. Line breaks stay;
// a tab becomes four spaces.
func Escape(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case r == '\n' || r == ' ':
			b.WriteRune(r)
		case r == '\t':
			b.WriteString("    ")
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		text = text[size:]
	}
	return b.String()
}

// Line is Escape on one line of at most width characters; what is too long ends in
// an ellipsis.
func Line(text string, width int) string {
	text = Escape(strings.Join(strings.Fields(text), " "))
	rs := []rune(text)
	if len(rs) <= width {
		return text
	}
	return string(rs[:max(width-1, 0)]) + "…"
}

// Wrap is Escape with each paragraph broken between words into lines of at most
// width characters, all behind indent. A longer word has a line of its own.
func Wrap(text, indent string, width int) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(Escape(text), "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		at := 0
		for _, word := range strings.Fields(paragraph) {
			n := utf8.RuneCountInString(word)
			switch {
			case at == 0:
				b.WriteString(indent)
				at = utf8.RuneCountInString(indent)
			case at+1+n > width:
				b.WriteString("\n" + indent)
				at = utf8.RuneCountInString(indent)
			default:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(word)
			at += n
		}
	}
	return b.String()
}

// IsTerminal says whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Progress returns a function that shows how much of a task is done, and one to
// call at its end, which takes the bar away. Where w is no terminal both do
// nothing. The functions are safe for concurrent use.
func Progress(w io.Writer, task string) (show func(done, total int), end func()) {
	if !IsTerminal(w) {
		return func(int, int) {}, func() {}
	}
	bar := progressbar.NewOptions(-1, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(task),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30), progressbar.OptionThrottle(0))
	show = func(done, total int) {
		if bar.GetMax() != total {
			bar.ChangeMax(total)
		}
		_ = bar.Set(done) // a bar that cannot be drawn is no reason to stop
	}
	return show, func() { _ = bar.Clear() }
}
