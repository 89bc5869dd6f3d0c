package lexical

// RankConstant is the constant of reciprocal rank fusion, 60 as in Cormack, Clarke
// and Büttcher (2009): the larger, the less the first ranks count.
const RankConstant = 60

// List is the result of one retriever for [Fuse] or [Blend].
type List struct {
	// Hits are the documents that really matched; no others, since every document
	// of a list gains by being there. Their order does not matter: they are ranked
	// by score. Equal scores share the better rank; a hit whose score is not finite
	// is left out; of an ID that occurs twice the better counts.
	Hits []Hit
	// Weight multiplies what the list gives. 0, negative or not finite: the list is
	// left out.
	Weight float64
	// Scale is for Blend alone.
	Scale Scale
}

// Fused is a document of a fusion.
type Fused struct {
	ID    string
	Score float64
	Ranks []int // its rank in each list, from 1; 0 where it is missing
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
//
// It is for lists of which only the ranks mean something. With equal weights a
// weak list drags a good one far down, and a weight that does no harm (.02 for a
// small sentence encoder beside BM25) hardly does more than break ties; where the
// scores mean something, [Blend] ranks better.
func Fuse(lists []List) []Fused {
	return merge(lists, func(l List, ranked []rankedHit) {
		for i, h := range ranked {
			ranked[i].part = l.Weight / (RankConstant + float64(h.rank))
		}
	})
}
