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
)

// SignText makes a signature of a question's words, for retrievers that do not let
// the query vector be seen: a similarity hash (Charikar 2002) over its stemmed words
// and the character 3- and 4-grams in them. It recognises a question asked again in
// much the same words, and knows nothing of synonyms: it finds some 30 % of the
// likenesses that vectors find. A text without a word to go by has none, and ok is
// false.
func SignText(text string) (s Signature, ok bool) {
	var sum bitSums
	terms := lexical.Unique(lexical.Terms(text))
	for _, term := range terms {
		sum.add(lexical.Hash(term), wordWeight)
		sum.grams(term)
	}
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

// grams adds the 3- and 4-grams of a word, its ends marked.
func (b *bitSums) grams(word string) {
	runes := make([]rune, 0, 32)
	runes = append(runes, '^')
	runes = append(runes, []rune(word)...)
	runes = append(runes, '$')
	for n := 3; n <= 4; n++ {
		for i := 0; i+n <= len(runes); i++ {
			b.add(lexical.Hash(string(runes[i:i+n])), gramWeight)
		}
	}
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
