package core

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// candidate is a Candidate on its way through the engine. What it points to is
// still the source's: it is read, never written, and copied into Items. The names
// it hides are those that the engine fills in.
type candidate struct {
	*Candidate
	ID, DocID  string
	Similarity float64 // NaN = unknown

	hash      store.Hash
	previous  store.Hash // text whose evidence it may inherit
	relevance float64
	record    *reputation.Record
	alias     store.Alias // as stored; zero if unknown
}

// item returns a copy with all that is filled in and no number that is none.
func (c *candidate) item() Candidate {
	out := c.Candidate.clone()
	out.ID, out.DocID, out.Similarity = c.ID, c.DocID, 0
	if finite(c.Similarity) {
		out.Similarity = c.Similarity
	}
	if !finite(out.Score) {
		out.Score = 0
	}
	return out
}

// usual is the number of candidates up to which the steps need no memory but
// that of their results.
const usual = 64

// prepare gives every candidate an identity, brings them into base order, sets
// duplicates aside, keeps the first Depth and derives relevances. Candidates are
// in base order and lie in the workspace.
func (o Options) prepare(q Query, hits Hits, work *workspace) (kept []candidate, dropped []Rejected, err error) {
	all := room(&work.candidates, len(hits.Candidates))
	for i := range all {
		given, c := &hits.Candidates[i], &all[i]
		*c = candidate{Candidate: given, Similarity: similarity(hits.Kind, given)}
		if c.ID, c.DocID, c.hash, err = o.identify(hits.Source, given); err != nil {
			return nil, nil, err
		}
	}
	hits.Kind.order(all)
	work.twins = work.twins[:0]
	var twins *[]candidate
	if q.User != "" {
		twins = &work.twins
	}
	kept, dropped = distinct(all, twins)
	kept = kept[:min(len(kept), q.Depth)]
	setRelevances(hits.Kind, kept)
	kept, low := atLeast(hits.Kind, kept, q.MinRelevance)
	return kept, append(dropped, low...), nil
}

// similarity returns the cosine that the source gave, else the one its score
// stands for, else NaN. What is no cosine is unknown.
func similarity(kind ScoreKind, c *Candidate) float64 {
	if given := asCosine(c.Similarity); given != 0 && !math.IsNaN(given) {
		return given
	}
	return kind.Cosine(c.Score)
}

// order brings candidates into base order: by score, where it decides, then as
// they were given.
func (k ScoreKind) order(cands []candidate) {
	for i := 1; i < len(cands); i++ {
		if k.compare(cands[i-1].Score, cands[i].Score) > 0 {
			slices.SortStableFunc(cands, func(a, b candidate) int { return k.compare(a.Score, b.Score) })
			return
		}
	}
}

func setRelevances(kind ScoreKind, cands []candidate) {
	var scores, relevances [usual]float64
	s := slices.Grow(scores[:0], len(cands))[:len(cands)]
	r := slices.Grow(relevances[:0], len(cands))[:len(cands)]
	for i := range cands {
		s[i] = cands[i].Score
	}
	kind.relevances(s, r)
	for i := range cands {
		cands[i].relevance = r[i]
	}
}

// distinct keeps the best of candidates that share an id or a text: copies of
// one text must not share its evidence or fill several of the K places. Copies in
// other documents go to twins, unless that is nil.
func distinct(all []candidate, twins *[]candidate) (kept []candidate, dropped []Rejected) {
	var idRoom, textRoom [2 * usual]int32
	ids, texts := indexFor(len(all), idRoom[:]), indexFor(len(all), textRoom[:])
	kept = all[:0]
	for i := range all {
		c := &all[i]
		id, text := maphash.String(mapSeed, c.ID), binary.LittleEndian.Uint64(c.hash[:8])
		first := texts.find(text, func(j int) bool { return kept[j].hash == c.hash })
		if first < 0 {
			first = ids.find(id, func(j int) bool { return kept[j].ID == c.ID })
		}
		if first >= 0 {
			dropped = append(dropped, c.rejected(i, "duplicate of "+oneLine(kept[first].ID, 80)))
			if twins != nil && c.DocID != kept[first].DocID {
				*twins = append(*twins, *c)
			}
			continue
		}
		ids.add(id, len(kept))
		texts.add(text, len(kept))
		if len(kept) == i {
			kept = all[:i+1]
		} else {
			kept = append(kept, *c)
		}
	}
	return kept, dropped
}

// mapSeed spreads strings over what is found by hash.
var mapSeed = maphash.MakeSeed()

// index finds list positions by the hash of what stands there, by open addressing.
// The length is a power of two; a slot holds the position + 1, 0 is free.
type index []int32

// indexFor returns an index for n positions, in room if that suffices.
func indexFor(n int, room []int32) index {
	size := len(room)
	for size < 2*n {
		size *= 2
	}
	if size == len(room) {
		return room
	}
	return make(index, size)
}

// find returns the position with this hash that is the same, or -1.
func (x index) find(hash uint64, same func(int) bool) int {
	for mask, at := uint64(len(x)-1), hash; ; at++ {
		if slot := x[at&mask]; slot == 0 {
			return -1
		} else if same(int(slot) - 1) {
			return int(slot) - 1
		}
	}
}

// add notes a position.
func (x index) add(hash uint64, position int) {
	mask, at := uint64(len(x)-1), hash
	for x[at&mask] != 0 {
		at++
	}
	x[at&mask] = int32(position) + 1
}

// atLeast drops candidates that a least relevance excludes. Base order need not be
// relevance order where a score has no number, so every candidate is looked at.
func atLeast(kind ScoreKind, cands []candidate, least float64) (kept []candidate, dropped []Rejected) {
	if least <= 0 {
		return cands, nil
	}
	scores := make([]float64, len(cands))
	for i := range cands {
		scores[i] = cands[i].Score
	}
	kept = cands[:0]
	for i, strength := range kind.Strengths(scores) {
		if c := &cands[i]; strength < least {
			dropped = append(dropped, c.rejected(i, "less relevant than asked for"))
			continue
		}
		kept = append(kept, cands[i])
	}
	return kept, dropped
}

func (c *candidate) rejected(base int, reason string) Rejected {
	return Rejected{ID: c.ID, DocID: c.DocID, Title: c.Title, BaseRank: base, Relevance: c.relevance, Reason: reason}
}
