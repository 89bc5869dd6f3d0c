package lexical

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// A plain rune is one whose normal form does not depend on its neighbours, as long
// as the next rune is plain too or the text ends: a mark may follow otherwise.
// Nearly all runes of most texts are plain, and those need no decomposition.

// writePlain writes the normal form of the plain runes at the beginning of a text
// and returns how many bytes of it they take. The last before a rune that is not
// plain is left.
func writePlain(b *strings.Builder, text string) int {
	table := plainTable()
	pos := 0
	r, size := utf8.DecodeRuneInString(text)
	form, ok := table.form(r, text[:size])
	for ok {
		after := pos + size
		r, size = utf8.DecodeRuneInString(text[after:])
		next, nextOK := table.form(r, text[after:after+size])
		if size > 0 && !nextOK {
			return pos
		}
		b.WriteString(form)
		pos, form, ok = after, next, size > 0
	}
	return pos
}

// oddEnd returns where the first plain rune after the first rune begins.
func oddEnd(text string) int {
	table := plainTable()
	for i, r := range text {
		if _, plain := table.form(r, ""); plain && i > 0 {
			return i
		}
	}
	return len(text)
}

// plainForms holds the normal forms of the plain runes that change.
type plainForms struct {
	alphabets   [0x700]plainForm // Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic
	punctuation [0x70]plainForm  // from U+2000
	wide        [0x60]plainForm  // from U+FF00
}

type plainForm struct {
	text string
	ok   bool
}

// form returns the normal form of a rune, and whether it is plain. itself is the
// rune as text.
func (p *plainForms) form(r rune, itself string) (string, bool) {
	switch {
	case r < 0x700:
		return p.alphabets[r].text, p.alphabets[r].ok
	case 0x2000 <= r && r < 0x2070:
		return p.punctuation[r-0x2000].text, p.punctuation[r-0x2000].ok
	case 0xFF00 <= r && r < 0xFF60:
		return p.wide[r-0xFF00].text, p.wide[r-0xFF00].ok
	case 0xAC00 <= r && r <= 0xD7A3, // Hangul syllables
		0x3400 <= r && r <= 0x4DBF, 0x4E00 <= r && r <= 0x9FFF, // Han
		0x3041 <= r && r <= 0x3096, 0x30A1 <= r && r <= 0x30FC, // Kana
		0x3001 <= r && r <= 0x3011: // punctuation
		return itself, true
	}
	return "", false
}

var plainTable = sync.OnceValue(func() *plainForms {
	p := &plainForms{}
	fillPlain(p.alphabets[:], 0)
	fillPlain(p.punctuation[:], 0x2000)
	fillPlain(p.wide[:], 0xFF00)
	return p
})

func fillPlain(forms []plainForm, first rune) {
	for i := range forms {
		r := first + rune(i)
		if !isMark(r) && !ignorable(r) {
			forms[i] = plainForm{normalizeOdd(string(r)), true}
		}
	}
}
