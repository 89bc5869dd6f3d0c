package core

import (
	"context"
	"time"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/store"
)

// embedTimeout is how long the background waits for the vector of a changed text.
const embedTimeout = 10 * time.Second

// changedText is a claimed text that took the place of another one and still has that
// one's vector.
type changedText struct {
	key, doc string
	claim    lifecycle.Claim
}

// vectorAnew gives a text that took the place of another one a vector: that of its
// chunks as they were just found, where they have any. Else it keeps the old one, as
// a text that changed is mostly still about the same, until the background has
// embedded it: no answer waits for that.
func (r *retrieval) vectorAnew(t *libraryText, claim *lifecycle.Claim) {
	whole := container{text: claim.Text}
	var found []Candidate
	for i := range r.candidates {
		if c := &r.candidates[i]; c.DocID == t.passage.Doc && c.Text != "" && whole.holds(c.Text) {
			found = append(found, *c.Candidate)
		}
	}
	if v := usableVector(meanVector(found)); v != nil {
		claim.Vector, claim.Model = v, storable(r.hits.Model)
		return
	}
	claim.Vector, claim.Model = t.record.Claim.Vector, t.record.Claim.Model
	if _, ok := r.source.(Embedder); ok {
		r.embed = append(r.embed, changedText{t.key, t.passage.Doc, *claim})
	}
}

// embedChanged embeds, in the background, the texts that changed in this retrieval.
func (r *retrieval) embedChanged() {
	if len(r.embed) == 0 || r.unlearned != nil {
		return
	}
	e, src, user, texts := r.engine, r.source, r.personal.user, r.embed
	e.start(func(ctx context.Context) {
		for _, t := range texts {
			err := isolated(ctx, embedTimeout, func(ctx context.Context) error {
				return e.embedText(ctx, src, user, t)
			})
			if err != nil && ctx.Err() == nil {
				e.opts.Logger.Warn("changed library text not embedded", "document", t.doc, "error", err)
			}
		}
	})
}

// embedText gives a row the vector of its text, unless the text is another one by
// now. Nothing else in the row is touched.
func (e *Engine) embedText(ctx context.Context, src Source, user string, t changedText) error {
	vector, model := vectorOf(ctx, src, t.claim.Text, nil)
	if vector == nil {
		return ErrUnsupported
	}
	req := store.UpdateRequest{Namespace: e.opts.Namespace, User: user, Personal: []string{t.key}}
	return e.store.Update(ctx, req, func(v store.View) (store.Changes, error) {
		row, ok := v.Personal[t.key]
		if !ok || row.Record.Claim.Size == 0 || row.Record.Claim.Hash != t.claim.Hash {
			return store.Changes{}, nil
		}
		row.Record.Claim.Vector, row.Record.Claim.Model = vector, model
		return store.Changes{Personal: []store.PersonalChange{personalChange(t.key, row.Record, time.Unix(0, row.Updated))}}, nil
	})
}
