package lifecycle

import "slices"

// Provenance says what a response was made of. It is returned by value with the
// response and is independent of everything else. Its JSON is the dictionary
// form. All texts in it are as untrusted as the documents: [Provenance.Text] and
// [Provenance.Markdown] neutralise them, other renderers have to.
type Provenance struct {
	Sources     []Source     `json:"sources"`
	Suggestions []Suggestion `json:"suggestions"`
}

// Source is what one document contributed.
type Source struct {
	Doc         string   `json:"doc_id"`
	Title       string   `json:"doc_title"`
	Path        string   `json:"doc_path"`
	State       State    `json:"user_state"`
	Uses        int      `json:"fetch_count"`           // decayed use count, rounded
	Chunks      []int    `json:"chunks_used"`           // numbers of the chunks used, from 0, ascending
	Passages    int      `json:"passages"`              // passages used, numbered or not
	Total       int      `json:"total_chunks,omitzero"` // 0 = unknown
	Whole       bool     `json:"whole"`                 // the whole document was used
	Sections    []string `json:"section_headings"`      // in order of use, without repetition
	FromLibrary bool     `json:"from_library"`          // at least one passage came from the user's library
	Origin      Origin   `json:"origin,omitzero"`       // of the library text
	Changed     bool     `json:"changed,omitzero"`      // the library text is not what the source says now
	Why         []string `json:"why"`                   // why it is here, in order of use, without repetition
}

// Use is one passage that was used in a response.
type Use struct {
	Doc, Title, Path string
	State            State
	Uses             int
	Chunk            int // number within the document, from 0; negative = not numbered
	Total            int // chunks of the document; 0 = unknown
	Whole            bool
	Section          string
	FromLibrary      bool
	Origin           Origin
	Changed          bool
	Why              string
}

// NewProvenance groups the passages of a response by document, in order of first
// appearance. A passage without a document ID is a source of its own. The first
// known title, path and total hold; "whole", "from library" and "changed" hold if
// they do for any passage.
func NewProvenance(uses []Use, suggestions []Suggestion) Provenance {
	p := Provenance{Sources: []Source{}, Suggestions: append([]Suggestion{}, suggestions...)}
	at := make(map[string]int, len(uses))
	for i := range uses {
		u := &uses[i]
		j, known := at[u.Doc]
		if !known || u.Doc == "" {
			j = len(p.Sources)
			at[u.Doc] = j
			p.Sources = append(p.Sources, Source{Doc: u.Doc, State: u.State, Uses: u.Uses,
				Chunks: []int{}, Sections: []string{}, Why: []string{}})
		}
		p.Sources[j].add(u)
	}
	return p
}

func (s *Source) add(u *Use) {
	s.Passages++
	setFirst(&s.Title, u.Title)
	setFirst(&s.Path, u.Path)
	setFirst(&s.Total, u.Total)
	if i, found := slices.BinarySearch(s.Chunks, u.Chunk); u.Chunk >= 0 && !u.Whole && !found {
		s.Chunks = slices.Insert(s.Chunks, i, u.Chunk)
	}
	s.Whole = s.Whole || u.Whole
	s.Changed = s.Changed || u.Changed
	if u.FromLibrary && !s.FromLibrary {
		s.FromLibrary, s.Origin = true, u.Origin
	}
	s.Sections = appendNew(s.Sections, u.Section)
	s.Why = appendNew(s.Why, u.Why)
}

func setFirst[T comparable](to *T, v T) {
	var zero T
	if *to == zero {
		*to = v
	}
}

func appendNew(list []string, s string) []string {
	if s == "" || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
