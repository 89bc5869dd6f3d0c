package core

import (
	"cmp"
	"context"
	"slices"
)

// respond fills the response from the steps' results.
func (r *retrieval) respond(ctx context.Context, resp *Response) {
	resp.Verdict = r.decision.Verdict
	resp.Decision = r.decision
	resp.Decision.Judgements = nil
	resp.Unlearned = r.unlearned
	resp.Items, r.onReceipt = r.results(ctx)
	if resp.Mode == Shadow {
		resp.Proposed, r.idle = resp.Items, nil
		r.onReceipt = r.shown(Shadow)
		resp.Items = r.items(r.onReceipt)
		for i := range resp.Items {
			resp.Items[i].Reason = "the retriever's own order"
		}
	}
	resp.Rejected = r.rejected()
	resp.Library = r.notes
}

// results are what the gate lets through, in the ranker's order, with the texts of
// the user's library, and what of it a receipt shows.
func (r *retrieval) results(ctx context.Context) (items []Item, onReceipt []int) {
	if r.personal == nil {
		shown := r.shown(On)
		return r.items(shown), shown
	}
	entries := r.arrange(ctx)
	r.addExtras(ctx, entries)
	return r.merged(entries)
}

func (r *retrieval) items(shown []int) []Item {
	items, k := make([]Item, len(shown)), r.engine.constants()
	for rank, i := range shown {
		c, s := &r.candidates[i], &r.ranking.Scores[i]
		items[rank] = Item{
			Candidate: c.item(), Hash: c.hash, Rank: rank, BaseRank: i,
			Relevance: c.relevance, Final: s.Value, Posterior: s.Estimate(), Bonus: s.Bonus,
			Judgement: r.decision.Judgements[i],
		}
		items[rank].Reason = explain(&items[rank], c, s, r.place(i), k)
	}
	return items
}

// place returns how many candidates that the gate let through stand before
// candidate i in base order: the rank it would have without evidence.
func (r *retrieval) place(i int) int {
	n := 0
	for j := range i {
		if r.decision.Judgements[j].Pass {
			n++
		}
	}
	return n
}

// blockedReason says of a candidate that the user never wants to see its document.
const blockedReason = "blocked by the user"

// rejected lists what the gate or the user held back, the nearest misses first, then the
// other reasons, at most DefaultMaxRejected.
func (r *retrieval) rejected() []Rejected {
	var out []Rejected
	for i := range r.candidates {
		j := r.decision.Judgements[i]
		var rej Rejected
		switch {
		case r.blocked(i):
			rej = r.candidates[i].rejected(i, blockedReason)
		case j.Pass:
			continue
		default:
			rej = r.candidates[i].rejected(i, missed(j))
		}
		rej.Judgement = j
		out = append(out, rej)
	}
	slices.SortStableFunc(out, func(a, b Rejected) int {
		return cmp.Compare(b.Judgement.Margin, a.Judgement.Margin)
	})
	out = append(out, r.dropped...)
	return slices.Clip(out[:min(len(out), DefaultMaxRejected)])
}
