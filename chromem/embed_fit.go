package chromem

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	"github.com/repute-go/repute/internal/lexical"
)

// ErrNoSample means that there was no text with a term to learn from.
var ErrNoSample = errors.New("chromem: no text to learn word frequencies from")

// Bounds of what is learned.
const (
	maxFrequencies = 1 << 18 // features kept: 8 bytes each, about 3 when saved
	maxCounted     = 1 << 21 // features counted at once; then those seen once are forgotten
)

// idfPower flattens idf. Query and document are both weighted, so 0.5 would give
// each shared word its idf once, as BM25 does; 0.75 was best over six collections.
const idfPower = 0.75

// FitLocal returns an embedder that has learned from sample texts how common words
// are. The texts should be those that will be stored, or some thousands of them
// drawn at random, cut as they will be cut. What it learned is fixed then: texts
// added later are weighted alike, and a word it never saw counts as rare.
//
// Each text is read once, in time and memory linear in it. Texts without a term
// are passed over; [ErrNoSample] if all are.
func FitLocal(ctx context.Context, texts iter.Seq[string], opts LocalOptions) (*LocalEmbedder, error) {
	opts, err := opts.validate()
	if err != nil {
		return nil, err
	}
	counts, n := map[uint32]uint32{}, 0
	for text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		fs := features(text)
		if len(fs) == 0 {
			continue
		}
		n++
		for _, f := range fs {
			counts[f.key()]++
		}
		if len(counts) > maxCounted {
			forgetRare(counts)
		}
	}
	if n == 0 {
		return nil, ErrNoSample
	}
	return newLocal(opts.Dimensions, newFrequencies(n, counts)), nil
}

// forgetRare drops the features seen once, as lossy counting does (Manku and Motwani
// 2002).
func forgetRare(counts map[uint32]uint32) {
	for k, n := range counts {
		if n == 1 {
			delete(counts, k)
		}
	}
}

// key identifies a feature among the learned ones by 32 bits other than those that
// choose its slot.
func (f feature) key() uint32 { return uint32(f.hash >> 32) }

// frequencies are the features that more than one text of a sample held.
type frequencies struct {
	texts   int // of the sample
	counts  []termCount
	weights map[uint32]float32
}

type termCount struct {
	key uint32
	df  uint32 // texts that held it, from 2 to frequencies.texts
}

func newFrequencies(texts int, counts map[uint32]uint32) *frequencies {
	list := make([]termCount, 0, len(counts)/2)
	for k, n := range counts {
		if n > 1 {
			list = append(list, termCount{k, min(n, uint32(texts))})
		}
	}
	if len(list) > maxFrequencies {
		slices.SortFunc(list, func(a, b termCount) int { return cmp.Or(cmp.Compare(b.df, a.df), cmp.Compare(a.key, b.key)) })
		list = list[:maxFrequencies]
	}
	slices.SortFunc(list, func(a, b termCount) int { return cmp.Compare(a.key, b.key) })
	return withWeights(texts, slices.Clip(list))
}

func withWeights(texts int, list []termCount) *frequencies {
	f := &frequencies{texts: texts, counts: list, weights: make(map[uint32]float32, len(list))}
	rare := lexical.IDF(texts, 1)
	for _, s := range list {
		f.weights[s.key] = float32(math.Pow(lexical.IDF(texts, int(s.df))/rare, idfPower))
	}
	return f
}

// weight returns the share of a rare feature's weight that this one has, in (0,1].
func (f *frequencies) weight(x feature) float64 {
	if f == nil {
		return 1
	}
	if w, ok := f.weights[x.key()]; ok {
		return float64(w)
	}
	return 1
}
