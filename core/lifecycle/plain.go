package lifecycle

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainLimit is the number of characters Plain keeps.
const plainLimit = 160

// Plain makes one line of inert text from an untrusted one, for a terminal, a log
// or a prompt: terminal control sequences, control and format characters
// (bidirectional marks, zero-width characters, tags), private-use and invalid
// code points go, line breaks and runs of blanks become one blank, piles of combining
// marks are cut, and what is longer than 160 characters ends in an ellipsis.
// Joiners inside words of scripts that need them stay.
func Plain(s string) string {
	var b strings.Builder
	w := plainWriter{b: &b}
	var c controls
	for len(s) > 0 && w.n <= plainLimit {
		if skip := c.escapeLen(s); skip > 0 {
			s = s[skip:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		if r != utf8.RuneError || size > 1 {
			w.put(r)
		}
	}
	if w.n > plainLimit {
		return string([]rune(b.String())[:plainLimit-1]) + "…"
	}
	return b.String()
}

type plainWriter struct {
	b     *strings.Builder
	n     int  // runes written
	last  rune // last rune written, 0 at first
	blank bool // a blank is due before the next rune
	marks int  // combining marks in a row
}

const maxMarks = 3

func (w *plainWriter) put(r rune) {
	switch {
	case unicode.IsSpace(r):
		w.blank = w.n > 0
		return
	case r == '\u200c' || r == '\u200d': // joiners
		if w.blank || w.last < 0x300 || !unicode.IsOneOf(joined, w.last) {
			return
		}
	case unicode.IsOneOf(inert, r), invisible(r):
		return
	case unicode.IsOneOf(combining, r):
		if w.marks++; w.marks > maxMarks || w.n == 0 || w.blank {
			return
		}
	default:
		w.marks = 0
	}
	if w.blank {
		w.b.WriteByte(' ')
		w.n++
		w.blank = false
	}
	w.b.WriteRune(r)
	w.n++
	w.last = r
}

var (
	inert     = []*unicode.RangeTable{unicode.C, unicode.Noncharacter_Code_Point}
	joined    = []*unicode.RangeTable{unicode.Letter, unicode.Mark, unicode.So}
	combining = []*unicode.RangeTable{unicode.Mn, unicode.Me}
)

// invisible letters that Unicode does not count as format characters.
func invisible(r rune) bool {
	return r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0' || r == '\u2800' || r == '\u034f'
}

// controls finds terminal control sequences in a text, from its front to its end.
type controls struct {
	unended bool // no string sequence ends in what is left: it is not looked for again
}

// escapeLen is the length of the terminal control sequence that s starts with,
// or 0. Of a string sequence without its end only the introducer counts, so that
// a title cannot swallow what follows.
func (c *controls) escapeLen(s string) int {
	body, ok := strings.CutPrefix(s, "\x1b")
	if !ok {
		return c.c1Len(s)
	}
	if body == "" {
		return 1
	}
	switch body[0] {
	case '[':
		return 2 + csiLen(body[1:])
	case ']', 'P', 'X', '^', '_':
		return 2 + c.stringLen(body[1:])
	}
	if body[0] >= 0x20 && body[0] < 0x7f {
		return 2
	}
	return 1
}

// c1Len handles the eight-bit forms, as they appear in UTF-8.
func (c *controls) c1Len(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	switch r {
	case '\u009b':
		return size + csiLen(s[size:])
	case '\u009d', '\u0090', '\u0098', '\u009e', '\u009f':
		return size + c.stringLen(s[size:])
	}
	return 0
}

// csiLen counts parameters, intermediates and the final byte.
func csiLen(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] < 0x40 {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] < 0x7f {
		i++
	}
	return i
}

// stringLen counts up to the end of a string sequence, 0 if it has none.
func (c *controls) stringLen(s string) int {
	if c.unended {
		return 0
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\a':
			return i + 1
		case strings.HasPrefix(s[i:], "\x1b\\"), strings.HasPrefix(s[i:], "\u009c"):
			return i + 2
		}
	}
	c.unended = true
	return 0
}

// escapeMarkdown puts a backslash before every ASCII punctuation mark, which
// CommonMark reads as that mark and nothing else: no emphasis, link, table or bare
// address survives. What HTML is made of becomes entities, for renderers that pass
// HTML through.
func escapeMarkdown(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != ' ':
			b.WriteByte('\\')
			fallthrough
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
