package lifecycle

import (
	"fmt"
	"strconv"
	"strings"
)

var rule = strings.Repeat("-", 60)

// Text renders the provenance for a terminal or a chat: a block between two rules
// that starts with an empty line, and the empty string where there is nothing to
// say. All titles, paths and headings are made inert by [Plain] and quoted; chunks are
// counted from one, as readers do.
func (p Provenance) Text() string {
	if len(p.Sources) == 0 && len(p.Suggestions) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", rule)
	if len(p.Sources) > 0 {
		b.WriteString("Sources\n")
	}
	for i := range p.Sources {
		s := &p.Sources[i]
		fmt.Fprintf(&b, "  * %s\n      %s\n", quote(s.name()), strings.Join(s.facts(), "  |  "))
		for _, line := range s.details() {
			fmt.Fprintf(&b, "      %s: %s\n", line.label, quote(line.value))
		}
	}
	if len(p.Suggestions) > 0 {
		b.WriteString("Suggestions\n")
	}
	for i := range p.Suggestions {
		s := &p.Suggestions[i]
		fmt.Fprintf(&b, "  * Keep %s in your library? You have used it %s.\n", quote(s.name()), times(s.Uses))
		fmt.Fprintf(&b, "      [accept] [decline]  document %s, suggestion %d\n", quote(Plain(s.Doc)), s.ID)
	}
	fmt.Fprintf(&b, "%s\n", rule)
	return b.String()
}

// Markdown renders the provenance as CommonMark, and the empty string where there
// is nothing to say. Whatever comes from documents is made inert by [Plain] and
// escaped: it cannot become a link, an image, HTML or a heading.
func (p Provenance) Markdown() string {
	var b strings.Builder
	if len(p.Sources) > 0 {
		b.WriteString("**Sources**\n\n")
	}
	for i := range p.Sources {
		s := &p.Sources[i]
		fmt.Fprintf(&b, "- **%s** (%s)\n", escapeMarkdown(s.name()), strings.Join(s.facts(), ", "))
		for _, line := range s.details() {
			fmt.Fprintf(&b, "  - %s: %s\n", line.label, escapeMarkdown(line.value))
		}
	}
	if len(p.Sources) > 0 && len(p.Suggestions) > 0 {
		b.WriteByte('\n')
	}
	if len(p.Suggestions) > 0 {
		b.WriteString("**Suggestions**\n\n")
	}
	for i := range p.Suggestions {
		s := &p.Suggestions[i]
		fmt.Fprintf(&b, "- Keep **%s** in your library? You have used it %s. (document %s, suggestion %d)\n",
			escapeMarkdown(s.name()), times(s.Uses), escapeMarkdown(Plain(s.Doc)), s.ID)
	}
	return b.String()
}

// quote marks where an untrusted text begins and ends. Plain text holds no line
// break, so with its own quotes replaced it cannot leave them; and a chat that
// renders markup finds no tag, link, image or code in it.
func quote(plain string) string { return `"` + harmless.Replace(plain) + `"` }

var harmless = strings.NewReplacer(`"`, "'", "`", "'", "<", "‹", ">", "›", "[", "(", "]", ")")

func (s *Source) name() string     { return firstPlain(s.Title, s.Doc) }
func (s *Suggestion) name() string { return firstPlain(s.Title, s.Doc) }

func firstPlain(texts ...string) string {
	for _, t := range texts {
		if p := Plain(t); p != "" {
			return p
		}
	}
	return "(untitled)"
}

// facts are the parts of a source that come from the library itself.
func (s *Source) facts() []string {
	facts := []string{s.extent(), s.standing()}
	if s.FromLibrary {
		facts = append(facts, "from your library")
		if s.Origin == FromCaller {
			facts = append(facts, "text supplied by the user")
		}
	}
	if s.Changed {
		facts = append(facts, "differs from the source")
	}
	return facts
}

// extent says how much of the document was used. Readers count from one.
func (s *Source) extent() string {
	of := ""
	if s.Total > 0 {
		of = fmt.Sprintf(" of %d", s.Total)
	}
	numbers := make([]string, len(s.Chunks))
	for i, c := range s.Chunks {
		numbers[i] = strconv.Itoa(c + 1)
	}
	switch {
	case s.Whole:
		return "whole document"
	case len(numbers) == 1:
		return "chunk " + numbers[0] + of
	case len(numbers) > 1:
		return "chunks " + strings.Join(numbers, ", ") + of
	case s.Passages == 1:
		return "1 passage"
	}
	return fmt.Sprintf("%d passages", s.Passages)
}

func (s *Source) standing() string {
	if s.State == Global || s.Uses == 0 {
		return s.State.String()
	}
	return fmt.Sprintf("%v (used %s)", s.State, times(s.Uses))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

type detail struct{ label, value string }

// details are the parts that come from documents or callers, made plain.
func (s *Source) details() []detail {
	var ds []detail
	for _, d := range []detail{
		{"path", s.Path},
		{"section", strings.Join(s.Sections, " / ")},
		{"why", strings.Join(s.Why, "; ")},
	} {
		if d.value = Plain(d.value); d.value != "" {
			ds = append(ds, d)
		}
	}
	return ds
}
