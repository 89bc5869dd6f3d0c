package chromem

import "github.com/repute-go/repute/core"

// Chunked is a chunk as the splitter makes it, for tests.
type Chunked struct {
	ID, Text string
	Overlap  int
}

// SplitAgain cuts a text, given the chunks it had before.
func SplitAgain(text string, before []Chunked) []Chunked {
	var old []earlier
	for _, b := range before {
		old = append(old, earlierOf(core.Candidate{ID: b.ID, Text: b.Text, Metadata: map[string]any{KeyOverlap: b.Overlap}}))
	}
	s := newSplitter(text)
	var out []Chunked
	for _, p := range split(s, old) {
		c := Chunked{Text: s.chunk(p), Overlap: p.own - p.start}
		if p.old >= 0 {
			c.ID = old[p.old].id
		}
		out = append(out, c)
	}
	return out
}

// Units returns the sentences of a text.
func Units(text string) []string {
	var out []string
	for _, u := range segments(text, bodySize) {
		out = append(out, text[u.start:u.end])
	}
	return out
}

var FileOf = fileOf

// Libraries is the number of databases that the package remembers.
func Libraries() int {
	libraries.mu.Lock()
	defer libraries.mu.Unlock()
	return len(libraries.byDB)
}
