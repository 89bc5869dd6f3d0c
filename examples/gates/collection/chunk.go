package collection

import "strings"

// Chunk cuts a text into windows of size code points that overlap, as sigma-rag
// does: the text is stripped, windows are stripped, empty ones left out, and the
// first window that reaches the end is the last. The rest of an empty text is
// none. Overlap must be smaller than size.
func Chunk(text string, size, overlap int) []string {
	runes := []rune(strings.TrimSpace(text))
	if len(runes) <= size {
		if len(runes) == 0 {
			return nil
		}
		return []string{string(runes)}
	}
	var out []string
	for from := 0; ; from += size - overlap {
		to := min(from+size, len(runes))
		if window := strings.TrimSpace(string(runes[from:to])); window != "" {
			out = append(out, window)
		}
		if to == len(runes) {
			return out
		}
	}
}

// Passage is a chunk of a document.
type Passage struct {
	Document int // index into Documents
	Text     string
}

// Passages cuts every document, title first, into passages of 512 characters that
// overlap by 64.
func (c *Collection) Passages() []Passage {
	var out []Passage
	for i, d := range c.Documents {
		for _, text := range Chunk(strings.TrimSpace(d.Title+" "+d.Text), 512, 64) {
			out = append(out, Passage{Document: i, Text: text})
		}
	}
	return out
}
