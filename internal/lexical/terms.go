package lexical

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// longestTerm bounds a term, in code points: a longer run is data (base64, a hash,
// a text without spaces), and its beginning identifies it well enough.
const longestTerm = 64

// Terms returns the terms of a text in order, repeats included.
//
// The text is folded by [Normalize]. A word is a maximal run of letters, digits
// and their marks; everything else, the underscore too, separates. Of the words,
// those of one code point (but not a Hangul syllable), function words
// ([StopWords]) and English clitics ('s, 're, n't) are dropped, and the rest is
// stemmed ([Stem]). Single letters with dots are one word: "U.S.A." is "usa". A
// word counts by its first 64 code points.
//
// Han, Kana, Thai, Lao, Khmer and Myanmar write no spaces, so a run of them gives
// the overlapping pairs of its characters (a character with its marks is one), and
// a single character itself: "標準化" is "標準", "準化". Hangul and all other scripts
// are taken by word.
//
// The terms may share the memory of the text; clone those that are to outlive it.
// Invalid UTF-8 separates words. Time and memory are linear in the text.
func Terms(text string) []string {
	return AppendTerms(make([]string, 0, len(text)/8+1), text)
}

// AppendTerms appends the terms of a text ([Terms]) to dst and returns it. With
// enough room in dst it allocates only where folding or stemming must write new
// bytes.
func AppendTerms(dst []string, text string) []string {
	s := scanner{text: Normalize(text)}
	for {
		term, ok := s.next()
		if !ok {
			return dst
		}
		dst = append(dst, term)
	}
}

// Unique returns the distinct terms in the order of their first occurrence, in a
// new slice.
func Unique(terms []string) []string {
	out := make([]string, 0, len(terms))
	if len(terms) <= 16 {
		for _, t := range terms {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
		return out
	}
	seen := make(map[string]struct{}, len(terms))
	for _, t := range terms {
		if _, ok := seen[t]; !ok {
			seen[t] = struct{}{}
			out = append(out, t)
		}
	}
	return out
}

// Hash returns 64 well-mixed bits of a term: FNV-1a with a finishing shuffle. It is
// the same in every process and on every machine, so it may be stored.
func Hash(term string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(term); i++ {
		h = (h ^ uint64(term[i])) * 1099511628211
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// class is what a rune does to the words around it.
type class uint8

const (
	separator class = iota
	wordRune        // part of a word of a script with spaces
	pairRune        // character of a script without spaces
	markRune        // belongs to the character before it
)

// unspaced are the scripts whose runs are taken in pairs.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

const prolongedSound = 'ー' // a letter of Kana that Unicode counts to no script

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' {
			return wordRune
		}
		return separator
	case 0xAC00 <= r && r <= 0xD7A3: // Hangul syllables; these two are for speed
		return wordRune
	case 0x4E00 <= r && r <= 0x9FFF: // Han
		return pairRune
	case r == utf8.RuneError:
		return separator
	case isMark(r):
		return markRune
	case !unicode.IsLetter(r) && !unicode.IsDigit(r):
		return separator
	case Unspaced(r):
		return pairRune
	}
	return wordRune
}

// Unspaced reports whether a letter is of a script whose runs [Terms] takes in
// pairs: Han, Kana, Thai, Lao, Khmer, Myanmar.
func Unspaced(r rune) bool {
	return r == prolongedSound || r >= 0xE00 && unicode.In(r, unspaced...)
}

// scanner walks the terms of a normalised text.
type scanner struct {
	text      string
	pos       int
	left, mid int  // start and end of the last character of the run in pairs
	inPairs   bool // between left and the end of such a run
	paired    bool // the run has given a pair
}

func (s *scanner) next() (term string, ok bool) {
	for {
		if s.inPairs {
			if term, ok = s.pair(); ok {
				return term, true
			}
		}
		start, c := s.skip()
		switch c {
		case separator:
			return "", false
		case pairRune:
			s.left, s.mid = start, s.characterEnd(start)
			s.inPairs, s.paired, s.pos = true, false, s.mid
			continue
		}
		if term, ok = s.word(start); ok {
			return term, true
		}
	}
}

// skip moves to the next rune of a word. At the end of the text it returns
// separator.
func (s *scanner) skip() (start int, c class) {
	for s.pos < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.pos:])
		if c = classOf(r); c == wordRune || c == pairRune {
			return s.pos, c
		}
		s.pos += size
	}
	return s.pos, separator
}

// pair returns the next pair of a run, or a run's only character.
func (s *scanner) pair() (string, bool) {
	if s.mid < len(s.text) {
		if r, _ := utf8.DecodeRuneInString(s.text[s.mid:]); classOf(r) == pairRune {
			end := s.characterEnd(s.mid)
			term := clip(s.text[s.left:end])
			s.left, s.mid, s.pos, s.paired = s.mid, end, end, true
			return term, true
		}
	}
	s.inPairs = false
	return clip(s.text[s.left:s.mid]), !s.paired
}

// characterEnd returns the end of the character at i with the marks on it.
func (s *scanner) characterEnd(i int) int {
	_, size := utf8.DecodeRuneInString(s.text[i:])
	for i += size; i < len(s.text); i += size {
		var r rune
		if r, size = utf8.DecodeRuneInString(s.text[i:]); classOf(r) != markRune {
			break
		}
	}
	return i
}

// word reads the word at start and returns its term, unless it is dropped.
func (s *scanner) word(start int) (string, bool) {
	end := s.wordEnd(start)
	s.pos = end
	word := s.text[start:end]
	if single(word) {
		if acronym, after := s.acronym(start, end); after > end {
			s.pos = after
			return acronym, true
		}
		r, _ := utf8.DecodeRuneInString(word)
		return word, unicode.Is(unicode.Hangul, r)
	}
	if IsStopWord(word) || s.clitic(start, end) || s.negated(start, end) {
		return "", false
	}
	return Stem(clip(word)), true
}

func (s *scanner) wordEnd(i int) int {
	for i < len(s.text) {
		if c := s.text[i]; c < utf8.RuneSelf {
			if classOf(rune(c)) != wordRune {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if c := classOf(r); c != wordRune && c != markRune {
			return i
		}
		i += size
	}
	return i
}

// acronym joins single ASCII letters with dots between them. after == end means
// there is none.
func (s *scanner) acronym(start, end int) (word string, after int) {
	var letters []byte
	i := start
	for s.letterAt(i) && s.wordEnd(i) == i+1 {
		letters = append(letters, s.text[i])
		after = i + 1
		if after >= len(s.text) || s.text[after] != '.' {
			break
		}
		i = after + 1
	}
	if len(letters) < 2 {
		return "", end
	}
	return clip(string(letters)), after
}

func (s *scanner) letterAt(i int) bool {
	return i < len(s.text) && 'a' <= s.text[i] && s.text[i] <= 'z'
}

// clitic reports whether the word is what an apostrophe joins to a word before it:
// 's, 're, 've, 'll.
func (s *scanner) clitic(start, end int) bool {
	if end-start != 2 || start < 2 || s.text[start-1] != '\'' || !s.letterAt(start-2) {
		return false
	}
	switch s.text[start:end] {
	case "re", "ve", "ll":
		return true
	}
	return false
}

// negated reports whether "'t" follows on an n: can't, don't, isn't. Those are
// auxiliary verbs all, and their torsos (don, isn) are no words.
func (s *scanner) negated(start, end int) bool {
	return s.text[end-1] == 'n' && end+1 < len(s.text) && s.text[end] == '\'' &&
		s.text[end+1] == 't' && s.wordEnd(end+1) == end+2
}

// single reports whether a word is one code point.
func single(word string) bool {
	_, size := utf8.DecodeRuneInString(word)
	return size == len(word)
}

// clip cuts a word to the longest a term may be.
func clip(word string) string {
	if len(word) <= longestTerm {
		return word
	}
	n := 0
	for i := range word {
		if n == longestTerm {
			return word[:i]
		}
		n++
	}
	return word
}
