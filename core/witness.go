package core

import (
	"context"
	"slices"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/reputation"
)

// witness tells the user's rows what this retrieval showed of their documents,
// and which plausible ones it left out.
func (r *retrieval) witness(resp *Response) {
	if r.personal == nil {
		return
	}
	base := r.stats.Health(r.engine.constants()).ColdRate
	r.missed(base, r.used(base, resp.Items))
	for _, items := range [][]Item{resp.Items, resp.Proposed} {
		for i := range items {
			r.stand(&items[i], r.personal.of(items[i].DocID))
		}
	}
}

// used notes a use of every document shown, and returns these. Standing there only
// because of a pin is no use, or a pin would earn itself.
func (r *retrieval) used(base float64, items []Item) map[string]bool {
	shown := make(map[string]bool, len(items))
	for i := range items {
		it := &items[i]
		if shown[it.DocID] {
			continue
		}
		shown[it.DocID] = true
		if it.idle {
			continue
		}
		kind := lifecycle.Fetched
		if fromLibrary(items, it.DocID) {
			kind = lifecycle.Served
		}
		r.personal.tell(r.personal.key(it.DocID), lifecycle.Event{
			Kind: kind, Title: it.Title, Path: it.Path, Posterior: r.overall(base, it.DocID),
		})
	}
	return shown
}

// missed notes a miss of every document that has a row, passed the gate and is not
// shown.
func (r *retrieval) missed(base float64, shown map[string]bool) {
	for i := range r.candidates {
		doc, key := r.candidates[i].DocID, r.personal.keys[i]
		_, exists := r.personal.loaded[key]
		if shown[doc] || !r.decision.Judgements[i].Pass || r.blocked(i) || !exists {
			continue
		}
		shown[doc] = true
		r.personal.tell(key, lifecycle.Event{Kind: lifecycle.Missed, Posterior: r.overall(base, doc)})
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
	r.engine.copyChanged(p.user, p.reclaimed)
}

// recordNews writes what the rows have to learn where nothing is shown, and so
// no receipt is made.
func (r *retrieval) recordNews(ctx context.Context) {
	p := r.personal
	if p == nil || len(p.touched) == 0 {
		return
	}
	if err := r.engine.updateRows(ctx, p.user, p.touched, r.time, p.foldUpdate); err != nil {
		r.engine.opts.Logger.Warn("library not updated", "source", p.source, "error", err)
		return
	}
	r.engine.copyChanged(p.user, p.reclaimed)
}
