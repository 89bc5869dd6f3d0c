package core

import "strings"

// container is a text that others may be part of, whatever their white space.
type container struct {
	text, spaced string
}

// holds reports whether the text contains another word for word. An empty one is
// part of every text.
func (c *container) holds(part string) bool {
	part = strings.ToValidUTF8(part, "\uFFFD")
	if strings.Contains(c.text, part) {
		return true
	}
	if c.spaced == "" {
		c.spaced = oneSpaced(c.text)
	}
	return strings.Contains(c.spaced, oneSpaced(part))
}

// oneSpaced makes every run of white space one blank.
func oneSpaced(text string) string { return strings.Join(strings.Fields(text), " ") }
