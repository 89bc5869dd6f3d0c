package chromem

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/repute-go/repute/internal/lexical"
)

// Recipe of the vectors. A change makes stored vectors incomparable and needs
// another version in recipe.
const (
	localRecipe     = "repute-local-1"
	shortestRun     = 3                  // characters, the mark of a word's beginning or end included
	longestRun      = 4                  //
	runWeight       = 0.6                // of a run of characters; a word weighs 1
	partOccurrences = 0.5                // what a part of an identifier counts of a word's occurrence
	runSalt         = 0x9e3779b97f4a7c15 // keeps the run "abc" apart from the word "abc"
)

// feature is a word or a run of characters of a text.
type feature struct {
	hash  uint64
	count float64 // occurrences
	run   bool    // of characters
}

// weight is the part of a feature's weight that the text alone gives.
func (f feature) weight() float64 {
	w := f.count
	if w > 1 {
		w = 1 + math.Log(w)
	}
	if f.run {
		w *= runWeight
	}
	return w
}

// features returns the distinct features of a text in the order of their hashes,
// so that sums over them do not depend on the order of the words.
func features(text string) []feature {
	words := occurrences(text)
	out := make([]feature, 0, 8*len(words))
	for word, n := range words {
		out = append(out, feature{hash: lexical.Hash(word), count: n})
		out = appendRuns(out, word, n)
	}
	slices.SortFunc(out, func(a, b feature) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.count, b.count))
	})
	return mergeFeatures(out)
}

// mergeFeatures adds up the counts of equal hashes.
func mergeFeatures(sorted []feature) []feature {
	kept := 0
	for i, f := range sorted {
		if i > 0 && sorted[kept-1].hash == f.hash {
			sorted[kept-1].count += f.count
			continue
		}
		sorted[kept] = f
		kept++
	}
	return sorted[:kept]
}

// occurrences counts the terms of a text and of the parts of its identifiers.
func occurrences(text string) map[string]float64 {
	terms := lexical.Terms(text)
	n := make(map[string]float64, len(terms))
	for _, t := range terms {
		n[t]++
	}
	if parts := identifierParts(text); parts != "" {
		for _, t := range lexical.Terms(parts) {
			n[t] += partOccurrences
		}
	}
	return n
}

// appendRuns appends the runs of three and four characters of a word with its
// beginning and end marked. Pairs of Han or Thai characters are runs already.
func appendRuns(out []feature, word string, n float64) []feature {
	if r, _ := utf8.DecodeRuneInString(word); lexical.Unspaced(r) {
		return out
	}
	marked := "^" + word + "$"
	starts := make([]int, 0, 72) // of the characters; a term has 64 at most
	for i := range marked {
		starts = append(starts, i)
	}
	starts = append(starts, len(marked))
	for k := shortestRun; k <= longestRun; k++ {
		for i := 0; i+k < len(starts); i++ {
			run := marked[starts[i]:starts[i+k]]
			out = append(out, feature{hash: lexical.Hash(run) ^ runSalt, count: n, run: true})
		}
	}
	return out
}

// identifierParts returns the parts of the text's identifiers in mixed case,
// separated by blanks: "ServeMux" gives "Serve Mux", "HTTPServer" "HTTP Server".
// A word without a change of case gives nothing.
func identifierParts(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if !isASCIILetter(text[i]) {
			i++
			continue
		}
		end := i + 1
		for end < len(text) && (isASCIILetter(text[end]) || '0' <= text[end] && text[end] <= '9') {
			end++
		}
		writeParts(&b, text[i:end])
		i = end
	}
	return b.String()
}

func writeParts(b *strings.Builder, word string) {
	start := 0
	for i := 1; i < len(word); i++ {
		if partBegins(word, i) {
			b.WriteString(word[start:i])
			b.WriteByte(' ')
			start = i
		}
	}
	if start > 0 {
		b.WriteString(word[start:])
		b.WriteByte(' ')
	}
}

// partBegins reports whether a part begins at i: a capital after a small letter or
// digit, or the last capital before a small letter.
func partBegins(word string, i int) bool {
	if !isCapital(word[i]) {
		return false
	}
	return !isCapital(word[i-1]) || i+1 < len(word) && isASCIILetter(word[i+1]) && !isCapital(word[i+1])
}

func isCapital(c byte) bool     { return 'A' <= c && c <= 'Z' }
func isASCIILetter(c byte) bool { return isCapital(c) || 'a' <= c && c <= 'z' }
