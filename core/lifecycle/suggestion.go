package lifecycle

import "time"

// Suggestion offers a document for the user's library. Answer it with Accept or
// Decline, with the number as [Event.Suggestion]; an answer after it expired is
// still valid.
type Suggestion struct {
	Doc     string `json:"doc_id"`
	ID      uint32 `json:"id"` // counted per user and document
	Title   string `json:"doc_title"`
	Path    string `json:"doc_path"`
	Uses    int    `json:"fetch_count"` // decayed use count, rounded
	Expires Stamp  `json:"expires"`
}

// Pending returns the suggestion that waits for an answer at now, and false if
// there is none. Every retrieval may show it again: it is not lost with the
// response that carried it first.
func (r Record) Pending(doc string, now time.Time, o Options) (Suggestion, bool) {
	o = o.WithDefaults()
	t, expires := StampOf(now), r.Suggestion.At.add(o.SuggestionTTL)
	if r.State() != Suggested || t >= expires {
		return Suggestion{}, false
	}
	return Suggestion{Doc: doc, ID: r.Suggestion.ID, Title: r.Title, Path: r.Path,
		Uses: r.UseCount(now, o), Expires: expires}, true
}
