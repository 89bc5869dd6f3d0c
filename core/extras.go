package core

import (
	"context"
	"math"
	"slices"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// libraryID is the id on a receipt of a library text that stands for no chunk: a
// name that nothing else in the answer has, chunk or document. It is taken then.
func libraryID(doc string, taken map[string]bool) string {
	id := "library:" + doc
	for taken[id] {
		id = "library:" + id
	}
	taken[id] = true
	return id
}

// names are the ids of all chunks and documents that an answer may be made of.
func (r *retrieval) names(entries []entry) map[string]bool {
	names := make(map[string]bool, 2*len(r.candidates))
	for i := range r.candidates {
		names[r.candidates[i].ID], names[r.candidates[i].DocID] = true, true
	}
	for _, e := range entries {
		if e.text != nil {
			names[e.text.passage.Doc] = true
		}
	}
	return names
}

// addExtras makes candidates of the library texts that stand for no retrieved
// chunk, so that a receipt can show them and signals reach them. They are scored
// among the others without moving them: the ranking of what was retrieved is
// done.
func (r *retrieval) addExtras(ctx context.Context, entries []entry) {
	isExtra := func(e entry) bool { return e.text != nil && e.text.extra >= 0 }
	if !slices.ContainsFunc(entries, isExtra) {
		return
	}
	taken := r.names(entries)
	for _, e := range entries {
		if isExtra(e) {
			r.extras = append(r.extras, r.extra(e.text, libraryID(e.text.passage.Doc, taken)))
		}
	}
	r.loadExtras(ctx)
	all := r.rankable()
	for i := range r.extras {
		x := &r.extras[i]
		c := rankable(x, len(r.candidates))
		for j := range r.candidates {
			if r.candidates[j].relevance <= x.relevance {
				c.Base = j
				break
			}
		}
		all = append(all, c)
	}
	scores := r.engine.usable(r.engine.opts.Ranker.Rank(r.asked, all, r.stats), r.asked, all, r.stats).Scores
	r.ranking.Scores = append(r.ranking.Scores[:len(r.candidates):len(r.candidates)], scores[len(r.candidates):]...)
}

func (r *retrieval) extra(t *libraryText, id string) candidate {
	c := candidate{
		Candidate: &Candidate{Title: t.record.Title, Path: t.record.Path, Text: t.text},
		ID:        id, DocID: t.passage.Doc,
		hash: contentHash(t.text), relevance: r.relevanceOf(t.passage.Similarity),
	}
	if finite(t.passage.Similarity) {
		c.Similarity, c.Score = t.passage.Similarity, t.passage.Similarity
	}
	return c
}

// relevanceOf is the relevance of the candidate that is as similar to the question,
// or of the middle one where that is unknown.
func (r *retrieval) relevanceOf(similarity float64) float64 {
	if len(r.candidates) == 0 {
		return math.NaN()
	}
	best, least := len(r.candidates)/2, math.Inf(1)
	for i := range r.candidates {
		if d := math.Abs(r.candidates[i].Similarity - similarity); d < least {
			best, least = i, d
		}
	}
	return r.candidates[best].relevance
}

// loadExtras reads what outcomes said about the texts.
func (r *retrieval) loadExtras(ctx context.Context) {
	hashes := make([]store.Hash, len(r.extras))
	for i := range r.extras {
		hashes[i] = r.extras[i].hash
	}
	known, err := r.engine.store.Load(ctx, store.LoadRequest{Namespace: r.engine.opts.Namespace, Hashes: hashes})
	if err != nil {
		r.engine.opts.Logger.Warn("evidence of library texts not read", "error", err)
		return
	}
	for i, h := range hashes {
		r.extras[i].record = known.Documents[h].Evidence
	}
}

// rankable is what a ranker gets to know of a candidate.
func rankable(c *candidate, base int) reputation.Candidate {
	return reputation.Candidate{
		ID: c.ID, Relevance: c.relevance, Base: base, Record: c.record,
		Text: c.Text, Metadata: c.Metadata,
	}
}
