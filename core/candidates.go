package core

import (
	"cmp"
	"math"
	"slices"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// candidate is a Candidate on its way through the engine. Its maps and vectors
// are still the source's: they are read, never written, and copied into Items.
type candidate struct {
	Candidate
	given     int // position in the source's answer
	hash      store.Hash
	previous  store.Hash // text whose evidence it may inherit
	relevance float64
	record    *reputation.Record
	alias     store.Alias // as stored; zero if unknown
}

// prepare gives every candidate an identity, brings them into base order,
// derives relevances and sets duplicates aside. Candidates are in base order.
func (o Options) prepare(q Query, hits Hits) (kept []candidate, dropped []Rejected, err error) {
	all := make([]candidate, len(hits.Candidates))
	for i, c := range hits.Candidates {
		all[i] = candidate{Candidate: c, given: i}
		if all[i].hash, err = o.identify(hits.Source, &all[i].Candidate); err != nil {
			return nil, nil, err
		}
		all[i].Similarity = similarity(hits.Kind, c)
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(hits.Kind.compare(a.Score, b.Score), a.given-b.given, cmp.Compare(a.ID, b.ID))
	})
	kept, dropped = distinct(all)
	setRelevances(hits.Kind, kept)
	kept, low := atLeast(kept, q.MinRelevance)
	return kept, append(dropped, low...), nil
}

// similarity returns the cosine that the source gave, else the one its score
// stands for, else NaN.
func similarity(kind ScoreKind, c Candidate) float64 {
	if c.Similarity != 0 && finite(c.Similarity) {
		return c.Similarity
	}
	if c.Similarity == 0 {
		return kind.Cosine(c.Score)
	}
	return math.NaN()
}

func setRelevances(kind ScoreKind, cands []candidate) {
	scores := make([]float64, len(cands))
	for i, c := range cands {
		scores[i] = c.Score
	}
	for i, r := range kind.Relevances(scores) {
		cands[i].relevance = r
	}
}

// distinct keeps the best of candidates that share an id or a text: copies of
// one text must not share its evidence or fill several of the K places.
func distinct(all []candidate) (kept []candidate, dropped []Rejected) {
	ids := make(map[string]bool, len(all))
	texts := make(map[store.Hash]string, len(all))
	kept = all[:0]
	for i, c := range all {
		first, sameText := texts[c.hash]
		if ids[c.ID] || sameText {
			if first == "" {
				first = c.ID
			}
			dropped = append(dropped, c.rejected(i, "duplicate of "+oneLine(first, 80)))
			continue
		}
		ids[c.ID], texts[c.hash] = true, c.ID
		kept = append(kept, c)
	}
	return kept, dropped
}

// atLeast drops candidates below a relevance. Base order need not be relevance
// order where a score has no number, so every candidate is looked at.
func atLeast(cands []candidate, least float64) (kept []candidate, dropped []Rejected) {
	if least <= 0 {
		return cands, nil
	}
	kept = cands[:0]
	for i, c := range cands {
		if c.relevance < least {
			dropped = append(dropped, c.rejected(i, "less relevant than asked for"))
			continue
		}
		kept = append(kept, c)
	}
	return kept, dropped
}

func (c *candidate) rejected(base int, reason string) Rejected {
	return Rejected{ID: c.ID, DocID: c.DocID, Title: c.Title, BaseRank: base, Relevance: c.relevance, Reason: reason}
}
