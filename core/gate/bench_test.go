package gate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/internal/lexical"
)

func BenchmarkDecide(b *testing.B) {
	texts := library(10_000, 71)
	m := modelOf(b, texts)
	if err := m.SetScores(bankScores(.3, .1), gate.ScaleCosine); err != nil {
		b.Fatal(err)
	}
	q := question("word3 word40 word200 word1500 word7000 word11 unseen")
	for _, n := range []int{10, 50} {
		c := make([]gate.Candidate, n)
		for i := range c {
			c[i] = candidate(texts[i], rand.New(rand.NewPCG(1, 2)).Float64())
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				gate.Evidence{}.Decide(q, c, m)
			}
		})
	}
}

// BenchmarkInsert counts one ready word set and scores one vector of 384 numbers
// against the bank, in a collection of 10,000.
func BenchmarkInsert(b *testing.B) {
	m := bankModel(b, 384)
	sets, vectors := sets(library(10_000, 72)), randomVectors(10_000, 384, 73)
	for i := range sets {
		m.Insert(uint64(i), sets[i], vectors[i])
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		m.Insert(uint64(10_000+i), sets[i%10_000], vectors[i%10_000])
		i++
	}
}

func sets(texts []string) []lexical.Set {
	out := make([]lexical.Set, len(texts))
	for i, text := range texts {
		out[i] = lexical.NewSet(text)
	}
	return out
}

// BenchmarkCalibrate analyses and counts 10,000 passages of 60 words, with and
// without their vectors.
func BenchmarkCalibrate(b *testing.B) {
	texts, vectors := library(10_000, 74), randomVectors(10_000, 384, 75)
	b.Run("words", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m, _ := gate.NewModel(gate.ModelOptions{})
			for i, text := range texts {
				m.Insert(uint64(i), lexical.NewSet(text), nil)
			}
		}
	})
	b.Run("words and bank", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m := bankModel(b, 384)
			for i, text := range texts {
				m.Insert(uint64(i), lexical.NewSet(text), vectors[i])
			}
		}
	})
}

func BenchmarkCodec(b *testing.B) {
	m := modelOf(b, library(10_000, 76))
	data := encoded(b, m)
	b.Run("encode", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			encoded(b, m)
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := gate.Decode(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkMeasureFloor(b *testing.B) {
	vectors := randomVectors(1000, 384, 77)
	documents := make([]string, len(vectors))
	for i := range documents {
		documents[i] = fmt.Sprint(i / 4)
	}
	for b.Loop() {
		if _, err := gate.MeasureFloor(vectors, documents, 0, rand.NewPCG(1, 2)); err != nil {
			b.Fatal(err)
		}
	}
}
