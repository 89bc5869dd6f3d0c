package terminal_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/repute-go/repute/examples/chroma-rag/terminal"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "",
		"plain, ä, 日本, 👍 and\nlines": "plain, ä, 日本, 👍 and\nlines",
		"\x1b[31mred\x1b[0m":         `\x1b[31mred\x1b[0m`,
		"a\rb\x00c\x7f":              `a\x0db\x00c\x7f`,
		"\u202egpj.exe":              `\u202egpj.exe`,
		"zero\u200bwidth\ufeff":      `zero\u200bwidth\ufeff`,
		"\u0085next\u2028line":       `\u0085next\u2028line`,
		"bad \xff\xfe":               `bad \xff\xfe`,
		"\ttab":                      "    tab",
		"\x9b2J":                     `\x9b2J`,
	} {
		if got := terminal.Escape(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("\x1b]0;title\a\u202e")
	f.Fuzz(func(t *testing.T, text string) {
		for _, shown := range []string{terminal.Escape(text), terminal.Line(text, 40), terminal.Wrap(text, "  ", 40)} {
			for _, r := range shown {
				if r != '\n' && !unicode.IsPrint(r) {
					t.Errorf("%q shows %q", text, r)
				}
			}
		}
	})
}

func TestLine(t *testing.T) {
	if got := terminal.Line("  one\n two\x1b  three ", 12); got != `one two\x1b…` {
		t.Errorf("%q", got)
	}
	if got := terminal.Line("abc", 3); got != "abc" {
		t.Errorf("%q", got)
	}
}

func TestWrap(t *testing.T) {
	got := terminal.Wrap("one two three four\n\nfive extraordinarily", "  ", 11)
	if want := "  one two\n  three\n  four\n\n  five\n  extraordinarily"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for line := range strings.SplitSeq(terminal.Wrap(strings.Repeat("ä ö ü ", 50), " ", 20), "\n") {
		if utf8.RuneCountInString(line) > 20 {
			t.Errorf("%q is too long", line)
		}
	}
}

func TestProgressIsQuietWithoutTerminal(t *testing.T) {
	var b bytes.Buffer
	show, end := terminal.Progress(&b, "reading")
	show(1, 2)
	end()
	if b.Len() > 0 {
		t.Errorf("wrote %q", b.String())
	}
}
