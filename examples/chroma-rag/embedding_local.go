package main

import (
	"context"
	"math"

	"github.com/repute-go/repute/internal/lexical"
)

// localEmbedding hashes stemmed words and their 4-grams into a vector. It needs no
// model and no network, and knows only how words are written, not what they mean.
func localEmbedding() embedding {
	return embedding{"hashed-words", func(_ context.Context, text string) ([]float32, error) {
		v := make([]float32, 2048)
		add := func(t string, w float64) {
			h := lexical.Hash(t)
			s := float32(w)
			if h>>63 == 1 {
				s = -s
			}
			v[h%2048] += s
		}
		for _, t := range lexical.Terms(text) {
			add(t, 1)
			r := []rune("<" + t + ">")
			for i := 0; i+4 <= len(r); i++ {
				add("#"+string(r[i:i+4]), .3)
			}
		}
		n := 0.0
		for i, x := range v {
			v[i] = float32(math.Copysign(math.Sqrt(math.Abs(float64(x))), float64(x)))
			n += float64(v[i] * v[i])
		}
		if n == 0 {
			v[0] = 1
		}
		return v, nil
	}}
}
