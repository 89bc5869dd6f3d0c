package gate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/internal/lexical"
)

var nan = math.NaN()

// physics is the six-passage collection of the reference vectors.
var physics = []string{
	"The Higgs boson was discovered at the LHC in 2012.",
	"Pasta carbonara needs eggs, cheese and pepper.",
	"The LHC accelerates protons; detectors record collisions.",
	"Sourdough bread is leavened with wild yeast.",
	"Detecting dark matter: WIMP searches and axions.",
	"Black holes emit Hawking radiation.",
}

// modelOf counts the texts under the keys 0, 1, 2, ...
func modelOf(t testing.TB, texts []string) *gate.Model {
	t.Helper()
	m, err := gate.NewModel(gate.ModelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if ok, err := m.Insert(uint64(i), lexical.NewSet(text), nil); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	return m
}

// bankScores returns 64 scores with this mean and population deviation.
func bankScores(mean, sd float64) []float64 {
	out := make([]float64, gate.BankSize)
	for i := range out {
		out[i] = mean + sd*float64(1-2*(i%2))
	}
	return out
}

func question(text string) gate.Query {
	return gate.Query{Terms: lexical.Unique(lexical.Terms(text)), ScoreKnown: true}
}

func candidate(text string, cosine float64) gate.Candidate {
	return gate.Candidate{Words: lexical.NewSet(text), Score: cosine, Similarity: cosine}
}

// library makes n passages of ten words from a vocabulary with Zipf's law.
func library(n int, seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 1))
	z := rand.NewZipf(r, 1.1, 5, 20_000)
	out := make([]string, n)
	for i := range out {
		for range 60 {
			out[i] += fmt.Sprintf("word%d ", z.Uint64())
		}
	}
	return out
}

func randomVectors(n, dimension int, seed uint64) [][]float32 {
	r := rand.New(rand.NewPCG(seed, 2))
	out := make([][]float32, n)
	for i := range out {
		out[i] = make([]float32, dimension)
		for k := range out[i] {
			out[i][k] = float32(r.NormFloat64())
		}
	}
	return out
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.10g, want %.10g", what, got, want)
	}
}
