package gate_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/internal/lexical"
)

// What is written while passages are listed counts, also where it scores below
// what was deleted, and wherever in the listing it falls.
func TestRescoreBesideAnyWrites(t *testing.T) {
	const dimension, passages = 4, 24
	words, vectors := lexical.NewSet("word"), randomVectors(passages, dimension, 23)
	rapid.Check(t, func(t *rapid.T) {
		m, _ := gate.NewModel(gate.ModelOptions{Bank: randomVectors(gate.BankSize, dimension, 11)})
		live, inserted := make(map[uint64]bool), make(map[uint64]int)
		vector := func(key uint64) []float32 { return vectors[(int(key)+7*inserted[key])%passages] }
		write := func(key uint64) {
			if live[key] {
				m.Delete(key, words)
			} else {
				inserted[key]++ // with another vector than before
				if _, err := m.Insert(key, words, vector(key)); err != nil {
					t.Fatal(err)
				}
			}
			live[key] = !live[key]
		}
		keys := rapid.Uint64Range(0, passages-1)
		for _, key := range rapid.SliceOfN(keys, 0, 40).Draw(t, "before") {
			write(key)
		}
		meanwhile := rapid.SliceOfN(keys, 0, 30).Draw(t, "meanwhile")
		err := m.Rescore(func(each func(uint64, []float32)) error {
			for key := range uint64(passages) {
				if live[key] {
					each(key, vector(key))
				}
				if len(meanwhile) > 0 {
					write(meanwhile[0])
					meanwhile = meanwhile[1:]
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := gate.NewModel(gate.ModelOptions{Bank: randomVectors(gate.BankSize, dimension, 11)})
		for key := range uint64(passages) {
			if live[key] {
				_, _ = want.Insert(key, words, vector(key))
			}
		}
		got, known := m.Moments()
		expected, wanted := want.Moments()
		if len(m.Stale()) > 0 { // an upper bound stands for these
			if wanted && got.Mean < expected.Mean-1e-6 {
				t.Fatalf("mean %v is below %v", got.Mean, expected.Mean)
			}
			return
		}
		if known != wanted || math.Abs(got.Mean-expected.Mean) > 1e-6 || math.Abs(got.SD-expected.SD) > 1e-6 {
			t.Fatalf("%+v, want %+v", got, expected)
		}
	})
}

// A passage inserted while others are listed counts although it scores less than
// the best that was deleted before.
func TestRescoreKeepsAnInsertBelowTheOldBest(t *testing.T) {
	const dimension = gate.BankSize + 1
	bank := make([][]float32, gate.BankSize)
	for i := range bank {
		bank[i] = make([]float32, dimension)
		bank[i][i] = 1
	}
	m, err := gate.NewModel(gate.ModelOptions{Bank: bank})
	if err != nil {
		t.Fatal(err)
	}
	words := lexical.NewSet("word")
	at := func(cosine float64) []float32 { // to the first question; the others are at right angles
		v := make([]float32, dimension)
		v[0], v[dimension-1] = float32(cosine), float32(math.Sqrt(1-cosine*cosine))
		return v
	}
	for i, cosine := range []float64{.9, .89, .88, .87, .86, .2} {
		if _, err := m.Insert(uint64(i), words, at(cosine)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 5 {
		m.Delete(uint64(i), words)
	}
	err = m.Rescore(func(each func(uint64, []float32)) error {
		_, err := m.Insert(7, words, at(.6))
		each(5, at(.2))
		return err
	})
	got, _ := m.Moments()
	near(t, "best of the first question", got.Mean*gate.BankSize, .6, 1e-6)
	if err != nil || len(m.Stale()) > 0 {
		t.Error(err, m.Stale())
	}
}

// Scores from outside are out of date once the collection is twice as large, or
// half; small collections do not matter.
func TestOutgrown(t *testing.T) {
	texts, needs := library(400, 5), gate.Evidence{}.Needs()
	m, _ := gate.NewModel(gate.ModelOptions{})
	at := func(n int) bool { // with n passages
		for i := m.Chunks(); i < n; i++ {
			_, _ = m.Insert(uint64(i), lexical.NewSet(texts[i]), nil)
		}
		for i := m.Chunks(); i > n; i-- {
			m.Delete(uint64(i-1), lexical.NewSet(texts[i-1]))
		}
		twin, err := gate.Decode(encoded(t, m))
		if err != nil || twin.Outgrown(needs) != m.Outgrown(needs) {
			t.Errorf("%d passages: another answer when decoded (%v)", n, err)
		}
		return m.Outgrown(needs)
	}
	if at(0) || at(99) || !at(100) {
		t.Error("of 100 passages the scores are wanted")
	}
	_ = m.SetScores(bankScores(.2, .1), gate.ScaleCosine)
	if at(100) || at(199) || !at(200) {
		t.Error("from 100 to 200 passages")
	}
	if err := m.SetScores(nil, gate.ScaleCosine); err == nil || at(200) {
		t.Error("a source without scores is asked again at once", err)
	}
	if at(101) || !at(100) {
		t.Error("from 200 to 100 passages")
	}
	board := bankModel(t, 8)
	vectors := randomVectors(300, 8, 3)
	for i, v := range vectors {
		_, _ = board.Insert(uint64(i), lexical.NewSet(texts[i]), v)
	}
	if board.Outgrown(needs) {
		t.Error("a model that keeps its own scores")
	}
	guard := gate.Evidence{BankGuard: true}.Needs()
	if !board.Outgrown(guard) {
		t.Error("the evidence of the bank's questions is wanted")
	}
	_ = board.SetBankEvidence(make([]float64, 256))
	if board.Outgrown(guard) || board.Outgrown(gate.Fixed{}.Needs()) {
		t.Error("asked again at once")
	}
}
