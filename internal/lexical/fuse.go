package lexical

import (
	"math"
	"slices"
)

// RankConstant is the constant of reciprocal rank fusion, 60 as in Cormack, Clarke
// and Büttcher (2009): the larger, the less the first ranks count.
const RankConstant = 60

// List is the result of one retriever for [Fuse].
type List struct {
	// Hits are the documents that really matched; no others, since every document
	// of a list gains by its rank. Their order does not matter: they are ranked by
	// score. Equal scores share the better rank; a hit whose score is NaN is left
	// out; of an ID that occurs twice the better counts.
	Hits []Hit
	// Weight multiplies the list's contributions. 0, negative or not finite: the
	// list is left out.
	Weight float64
}

// Fused is a document of a fusion.
type Fused struct {
	ID    string
	Score float64 // sum over the lists of weight/(RankConstant + rank)
	Ranks []int   // its rank in each list, from 1; 0 where it is missing
}

// Ranked returns hits for documents whose order is known and whose scores are not,
// best first.
func Ranked(ids ...string) []Hit {
	hits := make([]Hit, len(ids))
	for i, id := range ids {
		hits[i] = Hit{ID: id, Score: float64(len(ids) - i)}
	}
	return hits
}

// Fuse merges lists by weighted reciprocal rank fusion (Cormack, Clarke and
// Büttcher 2009): a document scores the sum of weight/(60 + rank) over the lists
// that hold it. The result holds every document of a list once, best first, equal
// scores by ID; it depends neither on the order of the lists, but for Ranks, nor
// on that of their hits. The lists are not modified.
func Fuse(lists []List) []Fused {
	at := map[string]int{}
	var out []Fused
	var parts [][]float64 // contributions by document
	for l, list := range lists {
		if !(list.Weight > 0) || math.IsInf(list.Weight, 0) {
			continue
		}
		for id, rank := range ranks(list.Hits) {
			i, ok := at[id]
			if !ok {
				i = len(out)
				at[id] = i
				out = append(out, Fused{ID: id, Ranks: make([]int, len(lists))})
				parts = append(parts, nil)
			}
			out[i].Ranks[l] = rank
			parts[i] = append(parts[i], list.Weight/(RankConstant+float64(rank)))
		}
	}
	for i := range out {
		out[i].Score = sum(parts[i])
	}
	slices.SortFunc(out, func(a, b Fused) int {
		return compareHits(Hit{a.ID, a.Score}, Hit{b.ID, b.Score})
	})
	return out
}

// ranks returns the rank of each document, equal scores sharing the better one.
func ranks(hits []Hit) map[string]int {
	sorted := slices.DeleteFunc(slices.Clone(hits), func(h Hit) bool { return math.IsNaN(h.Score) })
	slices.SortFunc(sorted, compareHits)
	out := make(map[string]int, len(sorted))
	place, rank := 0, 0
	previous := math.NaN()
	for _, h := range sorted {
		if _, ok := out[h.ID]; ok {
			continue
		}
		if place++; h.Score != previous {
			rank = place
		}
		previous = h.Score
		out[h.ID] = rank
	}
	return out
}

// sum adds in ascending order, so that the order of the lists cannot show in the
// last bit.
func sum(parts []float64) float64 {
	slices.Sort(parts)
	total := 0.0
	for _, p := range parts {
		total += p
	}
	return total
}
