package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normalize folds away the differences in spelling that do not make another word:
// Unicode compatibility forms (NFKC: ligatures, full-width letters, superscripts),
// case, the accents of Latin and Greek letters, the vowel points of Arabic and
// Hebrew, Russian stress marks and ё, invisible characters (soft hyphens, joiners,
// direction marks) and the typographic apostrophes. Accents of other scripts stay,
// since there they make another letter: й is not и.
//
// Canonically equivalent texts (NFC and NFD) give the same result, and Normalize
// of its own result changes nothing. Bytes that are no UTF-8 become U+FFFD, which
// separates words. Time and memory are linear in the text; a lower-case ASCII
// text is returned as it is, without a copy.
func Normalize(text string) string {
	ascii, lower := classify(text)
	switch {
	case ascii && lower:
		return text
	case ascii:
		return strings.ToLower(text)
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	var b strings.Builder
	b.Grow(len(text))
	for text != "" {
		text = text[writePlain(&b, text):]
		end := oddEnd(text)
		b.WriteString(normalizeOdd(text[:end]))
		text = text[end:]
	}
	return b.String()
}

// normalizeOdd is Normalize the long way, through decomposition.
func normalizeOdd(text string) string {
	if text == "" {
		return ""
	}
	return norm.NFC.String(fold(norm.NFKD.String(text)))
}

// classify reports whether the text is all ASCII and, if so, free of capitals.
func classify(text string) (ascii, lower bool) {
	lower = true
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= utf8.RuneSelf {
			return false, false
		}
		if 'A' <= c && c <= 'Z' {
			lower = false
		}
	}
	return true, lower
}

// fold lower-cases a decomposed text and drops the marks that do not count.
func fold(decomposed string) string {
	var b strings.Builder
	b.Grow(len(decomposed))
	var base rune // last rune that was no mark
	for _, r := range decomposed {
		if r < utf8.RuneSelf {
			base = unicode.ToLower(r)
			b.WriteByte(byte(base))
			continue
		}
		if ignorable(r) || isMark(r) && accent(base, r) {
			continue
		}
		if isMark(r) && r != iotaSubscript {
			b.WriteRune(r)
			continue
		}
		base = unicode.ToLower(unicode.ToUpper(r)) // joins σ and ς as well
		if s, ok := spelled[base]; ok {
			b.WriteString(s)
			base = rune(s[len(s)-1])
			continue
		}
		b.WriteRune(base)
	}
	return b.String()
}

// iotaSubscript is a mark that case folding turns into the letter iota.
const iotaSubscript = '\u0345'

// spelled holds the letters that Unicode does not decompose, in plain letters, and
// the apostrophes in one form.
var spelled = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ħ': "h", 'ŧ': "t",
	'\u2018': "'", '\u2019': "'", '\u201B': "'", '\u02BC': "'", '\u02BB': "'",
}

func isMark(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Mc, unicode.Me) }

// accent reports whether a mark on this base makes no other letter.
func accent(base, mark rune) bool {
	switch {
	case mark == iotaSubscript:
		return false
	case base < 0x250 || unicode.Is(unicode.Me, mark):
		return true
	case unicode.Is(unicode.Cyrillic, base):
		return mark == '\u0301' && strings.ContainsRune("аеиоуыэюя", base) || mark == '\u0308' && base == 'е'
	}
	return unicode.Is(unicode.Mn, mark) && unicode.In(base, unicode.Latin, unicode.Greek, unicode.Arabic, unicode.Hebrew)
}

// ignorable reports whether a rune is invisible inside a word. The zero-width
// space is not: it separates words.
func ignorable(r rune) bool {
	switch {
	case r == '\u00AD', r == '\u034F', r == '\u061C', r == '\u2060', r == '\uFEFF':
		return true
	case '\u200C' <= r && r <= '\u200F', '\u202A' <= r && r <= '\u202E', '\u2066' <= r && r <= '\u2069':
		return true
	}
	return unicode.Is(unicode.Variation_Selector, r)
}
