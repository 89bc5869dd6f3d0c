package lexical

import (
	"iter"
	"slices"
)

// Set is the distinct terms of a text as sorted 64-bit hashes ([Hash]), 8 bytes a
// term, with the number of terms counted with repeats. Two terms of a text share a
// hash with a probability near 2^-64, which is left out of account.
//
// The zero value is the set of an empty text. A Set never changes, so it may be
// shared between goroutines and copied freely; the copies share memory.
type Set struct {
	hashes []uint64
	tokens int
}

// NewSet returns the set of the terms of a text ([Terms]). It keeps nothing of the
// text.
func NewSet(text string) Set {
	s := scanner{text: Normalize(text)}
	hashes := make([]uint64, 0, len(text)/8+1)
	for {
		term, ok := s.next()
		if !ok {
			return newSet(hashes)
		}
		hashes = append(hashes, Hash(term))
	}
}

// SetOf returns the set of terms that are already at hand.
func SetOf(terms []string) Set {
	hashes := make([]uint64, len(terms))
	for i, t := range terms {
		hashes[i] = Hash(t)
	}
	return newSet(hashes)
}

func newSet(hashes []uint64) Set {
	tokens := len(hashes)
	slices.Sort(hashes)
	distinct := slices.Compact(hashes)
	if cap(distinct) > len(distinct)+len(distinct)/4 {
		distinct = slices.Clip(slices.Clone(distinct))
	}
	return Set{hashes: distinct, tokens: tokens}
}

// Len returns the number of distinct terms.
func (s Set) Len() int { return len(s.hashes) }

// Tokens returns the number of terms, repeats included.
func (s Set) Tokens() int { return s.tokens }

// Contains reports whether the set holds the term with this hash.
func (s Set) Contains(hash uint64) bool {
	_, ok := slices.BinarySearch(s.hashes, hash)
	return ok
}

// Hashes iterates over the hashes of the terms in ascending order.
func (s Set) Hashes() iter.Seq[uint64] { return slices.Values(s.hashes) }

// Shared returns the number of distinct terms that both sets hold.
func (s Set) Shared(other Set) int {
	a, b := s.hashes, other.hashes
	if len(a) > len(b) {
		a, b = b, a
	}
	n := 0
	for _, h := range a {
		i, ok := slices.BinarySearch(b, h)
		if ok {
			n++
		}
		b = b[i:]
	}
	return n
}
