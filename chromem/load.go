package chromem

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/repute-go/repute/core"
)

// LoadDocument returns what a document is now: its chunks in order, without
// what they repeat of each other. docID is the id of a document, else of a
// chunk. Options.Allow decides whether the user may see it.
func (c *Collection) LoadDocument(ctx context.Context, user, docID string) (core.Loaded, error) {
	if err := c.reading(); err != nil {
		return core.Loaded{}, err
	}
	ids, known := c.shelf.documents[docID]
	if !known {
		ids = []string{docID}
	}
	ids = slices.Clone(ids)
	c.shelf.mu.RUnlock()
	chunks, err := c.Get(ctx, ids...)
	if err != nil || len(chunks) == 0 {
		return core.Loaded{}, err
	}
	loaded := core.Loaded{Text: joined(chunks), Exists: true, Allowed: true}
	if c.opts.Allow != nil {
		if !known && chunks[0].DocID != "" {
			docID = chunks[0].DocID
		}
		if loaded.Allowed, err = c.opts.Allow(ctx, user, docID); err != nil {
			return core.Loaded{}, err
		}
	}
	if !loaded.Allowed {
		loaded.Text = ""
	}
	return loaded, nil
}

// joined puts the chunks of a document together again.
func joined(chunks []core.Candidate) string {
	slices.SortFunc(chunks, func(a, b core.Candidate) int {
		return cmp.Or(cmp.Compare(a.ChunkIndex, b.ChunkIndex), strings.Compare(a.ID, b.ID))
	})
	var b strings.Builder
	for i, chunk := range chunks {
		text := chunk.Text
		if i > 0 {
			repeated, err := strconv.Atoi(core.CanonicalID(chunk.Metadata[KeyOverlap]))
			switch {
			case err == nil && repeated > 0 && repeated <= len(text):
				text = text[repeated:]
			default:
				b.WriteString("\n\n")
			}
		}
		b.WriteString(text)
	}
	return b.String()
}
