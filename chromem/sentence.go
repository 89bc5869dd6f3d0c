package chromem

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// segment is the smallest piece of text that a chunk border never cuts: a sentence,
// or a part of one that is too long for a chunk. Offsets are bytes of the text.
type segment struct {
	start, end int
	runesAt    int // code points of the text before start
	runes      int // code points of the segment
	paragraph  int
}

// segments cuts a text into segments of at most most code points, in order. Where a
// segment ends depends on nothing but its own paragraph up to there and the next
// word, so that an edit moves no border elsewhere.
func segments(text string, most int) []segment {
	var out []segment
	pos, runes := 0, 0
	add := func(start, end, paragraph int) {
		runes += utf8.RuneCountInString(text[pos:start])
		u := segment{start: start, end: end, runesAt: runes, runes: utf8.RuneCountInString(text[start:end]), paragraph: paragraph}
		runes += u.runes
		pos = end
		out = append(out, u)
	}
	for n, p := range paragraphs(text) {
		for _, s := range sentences(text, p) {
			for _, part := range parts(text, s, most) {
				add(part.start, part.end, n)
			}
		}
	}
	return out
}

// stretch is a stretch of a text in bytes.
type stretch struct{ start, end int }

// paragraphs returns the stretches between blank lines, trimmed.
func paragraphs(text string) []stretch {
	var out []stretch
	open := -1
	end := 0
	for pos := 0; pos < len(text); {
		line := text[pos:]
		next := len(text)
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line, next = line[:i], pos+i+1
		}
		trimmed := strings.TrimRightFunc(line, unicode.IsSpace)
		switch {
		case strings.TrimLeftFunc(trimmed, unicode.IsSpace) == "":
			if open >= 0 {
				out = append(out, stretch{open, end})
			}
			open = -1
		case open < 0:
			open = pos + len(line) - len(strings.TrimLeftFunc(line, unicode.IsSpace))
			fallthrough
		default:
			end = pos + len(trimmed)
		}
		pos = next
	}
	if open >= 0 {
		out = append(out, stretch{open, end})
	}
	return out
}

// sentences cuts a paragraph after its sentences, trimmed.
func sentences(text string, p stretch) []stretch {
	var out []stretch
	start := p.start
	for pos := p.start; pos < p.end; {
		r, size := utf8.DecodeRuneInString(text[pos:p.end])
		pos += size
		if !ends(r) {
			continue
		}
		for pos < p.end { // closing quotes and more full stops belong to it
			r2, size := utf8.DecodeRuneInString(text[pos:p.end])
			if !ends(r2) && !closes(r2) {
				break
			}
			pos += size
		}
		next := skipSpace(text, pos, p.end)
		if next < p.end && (fullwidth(r) || next > pos && begins(text[next:p.end])) {
			out = append(out, stretch{start, pos})
			start, pos = next, next
		}
	}
	if start < p.end {
		out = append(out, stretch{start, p.end})
	}
	return out
}

func skipSpace(text string, pos, end int) int {
	return end - len(strings.TrimLeftFunc(text[pos:end], unicode.IsSpace))
}

// ends reports whether a sentence may end with the rune.
func ends(r rune) bool {
	switch r {
	case '.', '!', '?', '…':
		return true
	}
	return fullwidth(r)
}

// fullwidth reports whether the rune ends a sentence without a space after it.
func fullwidth(r rune) bool { return r == '。' || r == '！' || r == '？' || r == '｡' }

func closes(r rune) bool {
	switch r {
	case '"', '\'', ')', ']', '*', '_', '`':
		return true
	}
	return unicode.Is(unicode.Pf, r) || unicode.Is(unicode.Pe, r)
}

// begins reports whether a sentence may begin here: not with a lower-case letter,
// which follows abbreviations.
func begins(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return !unicode.IsLower(r) && !ends(r)
}

// parts cuts a sentence that is too long, at line ends if there are any, else at
// spaces, else between characters.
func parts(text string, s stretch, most int) []stretch {
	var out []stretch
	for {
		limit := s.start + runeOffset(text[s.start:s.end], most)
		if limit == s.end {
			break
		}
		cut := lastBreak(text, s.start, limit)
		end := s.start + len(strings.TrimRightFunc(text[s.start:cut], unicode.IsSpace))
		out = append(out, stretch{s.start, end})
		s.start = skipSpace(text, cut, s.end)
	}
	if s.start < s.end {
		out = append(out, s)
	}
	return out
}

// runeOffset returns the byte offset of the nth code point.
func runeOffset(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// lastBreak returns the best place to cut text between start and limit: after
// the last line end or else space of its second half, else before a character.
func lastBreak(text string, start, limit int) int {
	half := start + (limit-start)/2
	for half > start && !utf8.RuneStart(text[half]) {
		half--
	}
	if i := strings.LastIndexByte(text[half:limit], '\n'); i >= 0 && strings.TrimSpace(text[start:half+i]) != "" {
		return half + i + 1
	}
	if i := strings.LastIndexFunc(text[half:limit], unicode.IsSpace); i >= 0 && strings.TrimSpace(text[start:half+i]) != "" {
		return half + i
	}
	cut := limit
	for cut > half && cut < len(text) {
		r, _ := utf8.DecodeRuneInString(text[cut:])
		if !unicode.Is(unicode.M, r) && r != '\u200d' {
			break
		}
		_, size := utf8.DecodeLastRuneInString(text[:cut])
		cut -= size
	}
	if cut <= half {
		return limit
	}
	return cut
}
