package core

import (
	"context"
	"slices"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// witness tells the user's rows what this retrieval showed of their documents,
// and which plausible ones it left out.
func (r *retrieval) witness(ctx context.Context, resp *Response) {
	p := r.personal
	if p == nil {
		return
	}
	base := r.stats.Health(r.engine.constants()).ColdRate
	shown := make(map[string]bool, len(resp.Items))
	for i := range resp.Items {
		it := &resp.Items[i]
		if shown[it.DocID] {
			continue
		}
		shown[it.DocID] = true
		if it.idle {
			continue // being pinned is no use, or a pin would earn itself
		}
		kind := lifecycle.Fetched
		if fromLibrary(resp.Items, it.DocID) {
			kind = lifecycle.Served
		}
		p.tell(p.key(it.DocID), lifecycle.Event{
			Kind: kind, Title: it.Title, Path: it.Path, Posterior: r.overall(base, it.DocID),
		})
	}
	for i := range r.candidates {
		doc, key := r.candidates[i].DocID, p.keys[i]
		_, exists := p.loaded[key]
		if shown[doc] || !r.decision.Judgements[i].Pass || r.blocked(i) || !exists {
			continue
		}
		shown[doc] = true
		p.tell(key, lifecycle.Event{Kind: lifecycle.Missed, Posterior: r.overall(base, doc)})
	}
	for i := range resp.Items {
		r.stand(&resp.Items[i], p.of(resp.Items[i].DocID))
	}
	for i := range resp.Proposed {
		r.stand(&resp.Proposed[i], p.of(resp.Proposed[i].DocID))
	}
}

func fromLibrary(items []Item, doc string) bool {
	return slices.ContainsFunc(items, func(it Item) bool { return it.DocID == doc && it.FromLibrary })
}

// stand says in an item how its document stands with the user.
func (r *retrieval) stand(it *Item, rec lifecycle.Record) {
	it.State, it.Uses = rec.State(), rec.UseCount(r.personal.now, r.personal.opts)
}

// overall is what outcomes say about a document, from those of its chunks that
// this retrieval saw.
func (r *retrieval) overall(base float64, doc string) lifecycle.Posterior {
	var records []*reputation.Record
	for i := range len(r.candidates) + len(r.extras) {
		if c := r.candidate(i); c.DocID == doc && !c.record.Empty() {
			records = append(records, c.record)
		}
	}
	return overall(r.time, base, r.engine.constants(), records)
}

// suggest fills in what the rows have come to, once they are stored.
func (r *retrieval) suggest(resp *Response) {
	p := r.personal
	if p == nil {
		return
	}
	for _, items := range [][]Item{resp.Items, resp.Proposed} {
		for i := range items {
			if rec, ok := p.after[p.key(items[i].DocID)]; ok {
				r.stand(&items[i], rec)
			}
		}
	}
	fresh, pending := p.suggestions()
	for _, list := range [][]Suggestion{fresh, pending} {
		for i := range list {
			list[i].shown = resp.chunksOf(list[i].Doc)
		}
	}
	resp.Suggestions = pending
	r.engine.announce(fresh)
	r.engine.mirror(p)
}

// recordNews writes what the rows have to learn where nothing is shown, and so
// no receipt is made.
func (r *retrieval) recordNews(ctx context.Context) {
	p := r.personal
	if p == nil || len(p.touched) == 0 {
		return
	}
	req := store.UpdateRequest{Namespace: r.engine.opts.Namespace, User: p.user, Personal: p.touched}
	if err := r.engine.store.Update(ctx, req, p.foldUpdate); err != nil {
		r.engine.opts.Logger.Warn("library not updated", "source", p.source, "error", err)
		return
	}
	r.engine.mirror(p)
}
