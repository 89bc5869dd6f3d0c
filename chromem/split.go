package chromem

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sizes of chunks in characters (code points). The gate was measured on chunks
// of this size; much longer ones hold a question's words by chance.
const (
	// ChunkSize is the most characters of a chunk, what it repeats included.
	ChunkSize = 512
	// ChunkOverlap is the most characters that a chunk repeats of the one before
	// it in the same paragraph.
	ChunkOverlap = 64
)

// bodySize is the most characters that a chunk adds to the one before it.
const bodySize = ChunkSize - ChunkOverlap - 1

// piece is a chunk of a text: the segments [first, last), after a repetition of
// what stands before them. Offsets are bytes.
type piece struct {
	first, last int
	start, end  int // of the chunk's text; start..own repeats
	own         int // where the last repeated segment ends; start if nothing is repeated
	old         int // the earlier chunk that it is or replaces; -1 = none
}

// splitter cuts one text.
type splitter struct {
	text     string
	segments []segment
}

func newSplitter(text string) *splitter {
	return &splitter{text: text, segments: segments(text, bodySize)}
}

// continues reports whether segment i goes on with the paragraph of the one before.
func (s *splitter) continues(i int) bool {
	return i > 0 && s.segments[i-1].paragraph == s.segments[i].paragraph
}

// length is the number of characters of the segments [first, last).
func (s *splitter) length(first, last int) int {
	if first >= last {
		return 0
	}
	end := s.segments[last-1]
	return end.runesAt + end.runes - s.segments[first].runesAt
}

// room is the most characters of a chunk that begins with segment i.
func (s *splitter) room(i int) int {
	if s.continues(i) {
		return bodySize
	}
	return ChunkSize
}

// fresh cuts the segments [first, last) into chunks: whole paragraphs, small ones
// together, long ones in parts of about one length.
func (s *splitter) fresh(first, last int) []piece {
	var out []piece
	for from := first; from < last; {
		to := s.block(from, last)
		out = append(out, s.divide(from, to)...)
		from = to
	}
	return out
}

// block returns the end of the paragraphs from segment `from` that belong together.
// They are added while they fill less than half a chunk and the next one fits; a
// mere heading stays with what follows it.
func (s *splitter) block(from, last int) int {
	to := s.paragraphEnd(from, last)
	for to < last && s.length(from, to) < ChunkSize/2 {
		next := s.paragraphEnd(to, last)
		if s.length(from, next) > s.room(from) && s.length(from, to) >= ChunkSize/4 && s.length(to, next) <= ChunkSize {
			break
		}
		to = next
	}
	return to
}

func (s *splitter) paragraphEnd(from, last int) int {
	to := from + 1
	for to < last && s.continues(to) {
		to++
	}
	return to
}

// divide cuts segments into as few chunks as possible and makes the longest of them
// as short as possible.
func (s *splitter) divide(first, last int) []piece {
	if s.length(first, last) <= s.room(first) {
		return []piece{s.piece(first, last)}
	}
	least := len(s.fill(first, last, bodySize))
	low, high := 1, bodySize // the smallest limit that needs no more chunks
	for low < high {
		if mid := (low + high) / 2; len(s.fill(first, last, mid)) <= least {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return s.fill(first, last, low)
}

// fill cuts segments into chunks that add at most limit characters, each as long as
// it can be; one that begins a paragraph may be longer by what the others repeat.
// A segment that is longer stands alone.
func (s *splitter) fill(first, last, limit int) []piece {
	var out []piece
	for from := first; from < last; {
		most := limit + s.room(from) - bodySize
		to := from + 1
		for to < last && s.length(from, to+1) <= most {
			to++
		}
		out = append(out, s.piece(from, to))
		from = to
	}
	return out
}

// piece makes a chunk of segments. If it goes on with a paragraph it repeats the
// end of the sentence before, from the beginning of a word.
func (s *splitter) piece(first, last int) piece {
	p := piece{first: first, last: last, start: s.segments[first].start, end: s.segments[last-1].end, old: -1}
	p.own = p.start
	if s.continues(first) {
		before := s.segments[first-1]
		p.start = before.end - len(tail(s.text[before.start:before.end], ChunkOverlap))
		p.own = before.end
	}
	return p
}

func (s *splitter) chunk(p piece) string { return s.text[p.start:p.end] }

// tail returns the last n characters of a text or a little less, so that it
// begins with a word.
func tail(text string, n int) string {
	from := len(text)
	for ; n > 0 && from > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	if from == 0 {
		return text
	}
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	if unicode.IsSpace(before) {
		return strings.TrimLeftFunc(text[from:], unicode.IsSpace)
	}
	if i := strings.IndexFunc(text[from:], unicode.IsSpace); i >= 0 {
		return strings.TrimLeftFunc(text[from+i:], unicode.IsSpace)
	}
	for from < len(text) { // no space: begin with a whole character
		r, size := utf8.DecodeRuneInString(text[from:])
		if !unicode.Is(unicode.M, r) && r != '\u200d' {
			break
		}
		from += size
	}
	return text[from:]
}

// normalText brings line ends into one form and drops a byte order mark.
func normalText(text string) string {
	text = strings.TrimPrefix(text, "\uFEFF")
	if strings.IndexByte(text, '\r') < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}
