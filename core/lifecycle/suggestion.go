package lifecycle

import (
	"cmp"
	"math"
	"slices"
	"time"
)

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
		Uses: int(math.Round(r.Uses.at(t, o.Lambda))), Expires: expires}, true
}

// Surplus returns the indices, ascending, of the rows of one user to delete so
// that at most MaxRecords remain. Rows without history go first, then the least
// recently used, and those that remember a decline last. Rows the user keeps
// (see [Record.Kept]) are never among them: if they alone exceed the bound, fewer
// indices are returned, and new claims are to be refused with [ErrFull].
func Surplus(rows []Record, o Options) []int {
	o = o.WithDefaults()
	over := len(rows) - o.MaxRecords
	if over <= 0 {
		return nil
	}
	var drop []int
	for i := range rows {
		if !rows[i].Kept() {
			drop = append(drop, i)
		}
	}
	slices.SortStableFunc(drop, func(a, b int) int {
		return cmp.Or(cmp.Compare(rows[a].worth(), rows[b].worth()), cmp.Compare(rows[a].seen(), rows[b].seen()))
	})
	drop = drop[:min(over, len(drop))]
	slices.Sort(drop)
	return drop
}

func (r *Record) worth() int {
	switch {
	case r.Intent.Declines > 0:
		return 2
	case r.Learned != Global:
		return 1
	}
	return 0
}

func (r *Record) seen() Stamp { return max(r.Uses.At, r.Opinion.At, r.Since) }
