package core

import (
	"slices"

	"github.com/repute-go/repute/core/lifecycle"
)

// Provenance says what the response is made of, document by document, and lists
// its suggestions. It is a value of its own; its Text and Markdown are safe to
// print, its JSON is the dictionary form.
func (r *Response) Provenance() lifecycle.Provenance {
	uses := make([]lifecycle.Use, len(r.Items))
	for i := range r.Items {
		uses[i] = r.Items[i].use()
	}
	suggestions := make([]lifecycle.Suggestion, len(r.Suggestions))
	for i, s := range r.Suggestions {
		suggestions[i] = s.Suggestion
	}
	return lifecycle.NewProvenance(uses, suggestions)
}

// headings are the metadata keys under which ingestion tools keep the heading of a
// chunk's section.
var headings = []string{"section_heading", "section", "heading"}

func (it *Item) use() lifecycle.Use {
	u := lifecycle.Use{
		Doc: it.DocID, Title: it.Title, Path: it.Path, State: it.State, Uses: it.Uses,
		Chunk: -1, Total: it.TotalChunks, FromLibrary: it.FromLibrary, Origin: it.Origin,
		Changed: it.Changed, Why: it.Reason,
		Whole: it.FromLibrary && it.Origin == lifecycle.FromLoader,
	}
	if it.TotalChunks > 0 {
		u.Chunk = it.ChunkIndex
	}
	if i := slices.IndexFunc(headings, func(k string) bool { return CanonicalID(it.Metadata[k]) != "" }); i >= 0 && !it.FromLibrary {
		u.Section = CanonicalID(it.Metadata[headings[i]])
	}
	return u
}
