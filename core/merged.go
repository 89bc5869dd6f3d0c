package core

import (
	"slices"
	"strings"
)

// candidate returns one by its index on the receipt: those of the retriever first,
// then the extras.
func (r *retrieval) candidate(i int) *candidate {
	if i < len(r.candidates) {
		return &r.candidates[i]
	}
	return &r.extras[i-len(r.candidates)]
}

// merged makes the items of the final order and notes what the receipt shows: the
// same, but texts that are there only because they are pinned come last and are
// bystanders.
func (r *retrieval) merged(entries []entry) (items []Item, onReceipt []int) {
	shown := make([]int, 0, len(entries))
	for _, e := range entries {
		if e.candidate >= 0 {
			shown = append(shown, e.candidate)
		}
	}
	plain := r.items(shown)
	items = make([]Item, 0, len(entries))
	for _, e := range entries {
		var it Item
		switch {
		case e.candidate >= 0:
			it, plain = plain[0], plain[1:]
			if e.pinned {
				it.Pinned, it.Reason = true, e.why
			}
			onReceipt = append(onReceipt, e.candidate)
		case len(e.holds) > 0:
			it = r.standIn(e)
			onReceipt = append(onReceipt, e.holds...)
		default:
			i := len(r.candidates) + e.text.extra
			it = r.added(e, i)
			if it.idle = !e.text.fits; it.idle {
				r.idle = append(r.idle, i)
			} else {
				onReceipt = append(onReceipt, i)
			}
		}
		it.Rank = len(items)
		items = append(items, it)
	}
	return items, append(onReceipt, r.idle...)
}

// standIn is a library text in the place of retrieved chunks. It is what the best
// of them is, but for the text. Where there are several chunks its id is that of the
// document, unless a chunk beside it has that.
func (r *retrieval) standIn(e entry) Item {
	it := r.items(e.holds[:1])[0]
	found := make([]string, len(e.holds))
	for j, i := range e.holds {
		it.Holds = append(it.Holds, r.candidates[i].ID)
		found[j] = r.candidates[i].Text
	}
	if it.found = strings.Join(found, "\n\n"); len(it.found) > len(e.text.text) {
		it.found = e.text.text
	}
	if len(e.holds) > 1 && !r.chunkNamed(it.DocID, e.holds) {
		it.ID = it.DocID
	}
	it.Text, it.Vector = e.text.text, nil
	it.ChunkIndex, it.TotalChunks = 0, 0
	r.fromLibrary(&it, e)
	return it
}

// chunkNamed reports whether a candidate besides those given has an id.
func (r *retrieval) chunkNamed(id string, but []int) bool {
	for i := range r.candidates {
		if r.candidates[i].ID == id && !slices.Contains(but, i) {
			return true
		}
	}
	return false
}

// added is a library text that the retriever did not find.
func (r *retrieval) added(e entry, i int) Item {
	c, s := r.candidate(i), r.ranking.Scores[i]
	it := Item{
		Candidate: c.item(), Hash: c.hash, BaseRank: -1,
		Final: s.Value, Posterior: s.Estimate(), Bonus: s.Bonus,
	}
	if finite(c.relevance) {
		it.Relevance = c.relevance
	}
	r.fromLibrary(&it, e)
	return it
}

func (r *retrieval) fromLibrary(it *Item, e entry) {
	it.FromLibrary, it.Changed, it.Origin = true, e.text.changed, e.text.record.Claim.Origin
	it.Pinned, it.Reason = e.pinned, e.why
	if it.Title == "" {
		it.Title = e.text.record.Title
	}
	if it.Path == "" {
		it.Path = e.text.record.Path
	}
}
