package reputation

import (
	"math"

	"github.com/repute-go/repute/internal/lexical"
)

// TextSpace is the [Space] of signatures made by [SignText].
const TextSpace Space = 0x7465787400000001

const (
	wordWeight = 1.0
	gramWeight = 0.25
	// commonWeight is the weight, relative to the length of the rest, of a feature
	// that all texts share: it brings questions with half their words in common
	// within reach of the kernel, which is made for vectors.
	commonWeight = 0.6
	commonHash   = 0x636f6d6d6f6e
)

// SignText makes a signature of a question's words, for retrievers that do not let
// the query vector be seen: a similarity hash (Charikar 2002) over its stemmed words
// and the character 3- and 4-grams in them. It recognises a question asked again in
// much the same words, and knows nothing of synonyms. Of the pairs of questions with
// a common answer that sentence vectors find alike, it finds nearly all where
// questions are worded alike (claims in SciFact) and a third where they are not
// (SQuAD); of unrelated pairs 1 to 6 %, about as many as vectors do. A text without a
// word to go by has no signature, and ok is false.
func SignText(text string) (s Signature, ok bool) {
	var sum bitSums
	terms := lexical.Unique(lexical.Terms(text))
	squares := 0.0
	for _, term := range terms {
		sum.add(lexical.Hash(term), wordWeight)
		squares += wordWeight*wordWeight + gramWeight*gramWeight*float64(sum.grams(term))
	}
	sum.add(commonHash, float32(commonWeight*math.Sqrt(squares)))
	return sum.signs(), len(terms) > 0
}

// bitSums adds up weighted hashes bit by bit.
type bitSums [signatureBits]float32

// add adds a feature by its hash: its weight where a bit is set, less it elsewhere.
func (b *bitSums) add(hash uint64, weight float32) {
	low, high := mix(hash), mix(hash+0x9e3779b97f4a7c15)
	bits := math.Float32bits(weight)
	for i := range 64 {
		b[i] += math.Float32frombits(bits ^ uint32(low>>uint(i)&1)<<31)
		b[64+i] += math.Float32frombits(bits ^ uint32(high>>uint(i)&1)<<31)
	}
}

// grams adds the 3- and 4-grams of a word, its ends marked, and returns how many.
func (b *bitSums) grams(word string) (n int) {
	runes := make([]rune, 0, 32)
	runes = append(runes, '^')
	runes = append(runes, []rune(word)...)
	runes = append(runes, '$')
	for size := 3; size <= 4; size++ {
		for i := 0; i+size <= len(runes); i++ {
			b.add(lexical.Hash(string(runes[i:i+size])), gramWeight)
			n++
		}
	}
	return n
}

func (b *bitSums) signs() (s Signature) {
	for i, x := range b {
		if x > 0 {
			s[i/64] |= 1 << uint(i%64)
		}
	}
	return s
}

// mix scrambles 64 bits (SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
