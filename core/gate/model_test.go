package gate_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/internal/lexical"
)

func bankModel(t testing.TB, dimension int) *gate.Model {
	t.Helper()
	m, err := gate.NewModel(gate.ModelOptions{Bank: randomVectors(gate.BankSize, dimension, 11)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func encoded(t interface{ Fatal(...any) }, m *gate.Model) []byte {
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBank(t *testing.T) {
	topics := make(map[string]int)
	for _, q := range gate.Bank() {
		topics[q.Topic]++
		if len(lexical.Terms(q.Text)) == 0 {
			t.Errorf("%q has no word", q.Text)
		}
	}
	if len(topics) != 16 || len(gate.Bank()) != 256 {
		t.Errorf("%d topics, %d questions", len(topics), len(gate.Bank()))
	}
	asked := gate.BankQuestions()
	if len(asked) != gate.BankSize || asked[1] != gate.Bank()[4] {
		t.Errorf("%d asked, second %v", len(asked), asked[1])
	}
}

// After any sequence of inserts, updates and deletes the word statistics are
// those of a model built from what is left, and so are the bank's best scores of
// every question that is not stale.
func TestIncrementalEqualsRebuilt(t *testing.T) {
	const dimension = 8
	texts, vectors := library(40, 21), randomVectors(40, dimension, 22)
	rapid.Check(t, func(t *rapid.T) {
		m, _ := gate.NewModel(gate.ModelOptions{Bank: randomVectors(gate.BankSize, dimension, 11)})
		live := make(map[uint64]int) // key -> text
		for _, step := range rapid.SliceOfN(rapid.IntRange(0, 3*40*10-1), 1, 60).Draw(t, "steps") {
			key, text := uint64(step%10), step/10%40
			switch step / 400 {
			case 0:
				inserted, err := m.Insert(key, lexical.NewSet(texts[text]), vectors[text])
				if _, known := live[key]; err != nil || inserted == known {
					t.Fatalf("insert %d: %v %v", key, inserted, err)
				}
				if inserted {
					live[key] = text
				}
			case 1:
				old, known := live[key]
				if m.Delete(key, lexical.NewSet(texts[old])) != known {
					t.Fatalf("delete %d", key)
				}
				delete(live, key)
			case 2:
				if err := m.Update(key, lexical.NewSet(texts[live[key]]), lexical.NewSet(texts[text]), vectors[text]); err != nil {
					t.Fatal(err)
				}
				live[key] = text
			}
		}
		err := m.Rescore(func(each func(uint64, []float32)) error {
			for key, text := range live {
				each(key, vectors[text])
			}
			return nil
		})
		if err != nil || len(m.Stale()) > 0 {
			t.Fatalf("still stale: %v %v", m.Stale(), err)
		}
		rebuilt, _ := gate.NewModel(gate.ModelOptions{Bank: randomVectors(gate.BankSize, dimension, 11)})
		for key, text := range live {
			if _, err := rebuilt.Insert(key, lexical.NewSet(texts[text]), vectors[text]); err != nil {
				t.Fatal(err)
			}
		}
		compare(t, m, rebuilt, texts)
	})
}

func compare(t *rapid.T, got, want *gate.Model, texts []string) {
	if got.Chunks() != want.Chunks() || got.MeanLength() != want.MeanLength() {
		t.Fatalf("%d passages of %v words, want %d of %v", got.Chunks(), got.MeanLength(), want.Chunks(), want.MeanLength())
	}
	for _, text := range texts {
		for _, term := range lexical.Terms(text) {
			if got.DocumentFrequency(term) != want.DocumentFrequency(term) {
				t.Fatalf("%s: %d passages, want %d", term, got.DocumentFrequency(term), want.DocumentFrequency(term))
			}
		}
	}
	a, known := got.Moments()
	b, wanted := want.Moments()
	if known != wanted || math.Abs(a.Mean-b.Mean) > 1e-6 || math.Abs(a.SD-b.SD) > 1e-6 {
		t.Fatalf("moments %v %v, want %v %v", a, known, b, wanted)
	}
}

func TestModelRefusesVectors(t *testing.T) {
	m := bankModel(t, 8)
	for name, v := range map[string][]float32{
		"none": nil, "short": make([]float32, 7), "zero": make([]float32, 8),
		"NaN": {float32(nan), 1, 1, 1, 1, 1, 1, 1}, "infinite": {float32(math.Inf(1)), 1, 1, 1, 1, 1, 1, 1},
	} {
		if ok, err := m.Insert(1, lexical.NewSet("some words"), v); ok || !errors.Is(err, gate.ErrDimension) {
			t.Errorf("%s: %v %v", name, ok, err)
		}
		if err := m.Update(1, lexical.Set{}, lexical.NewSet("some words"), v); !errors.Is(err, gate.ErrDimension) {
			t.Errorf("update %s: %v", name, err)
		}
	}
	if m.Chunks() != 0 || m.DocumentFrequency("word") != 0 {
		t.Error("a refused passage was counted")
	}
	if _, err := gate.NewModel(gate.ModelOptions{Bank: randomVectors(3, 8, 1)}); !errors.Is(err, gate.ErrDimension) {
		t.Error(err)
	}
	if err := m.SetScores(bankScores(0, 1), gate.ScaleCosine); !errors.Is(err, gate.ErrSample) {
		t.Error(err)
	}
	huge := []float32{math.MaxFloat32, math.MaxFloat32, -math.MaxFloat32, math.MaxFloat32, 0, 0, 0, math.MaxFloat32}
	if ok, err := m.Insert(2, lexical.NewSet("x"), huge); !ok || err != nil {
		t.Error(ok, err)
	}
}

// emptied is a model of six passages whose four best were deleted for most of
// the bank.
func emptied(t *testing.T) (m *gate.Model, vectors [][]float32) {
	m, vectors = bankModel(t, 4), randomVectors(6, 4, 3)
	for i := range vectors {
		if _, err := m.Insert(uint64(i), lexical.NewSet("word"), vectors[i]); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 5 {
		m.Delete(uint64(i), lexical.NewSet("word"))
	}
	if len(m.Stale()) == 0 {
		t.Fatal("nothing is stale")
	}
	return m, vectors
}

func TestRescoreThatFails(t *testing.T) {
	m, vectors := emptied(t)
	before, fails := encoded(t, m), errors.New("listing failed")
	err := m.Rescore(func(each func(uint64, []float32)) error {
		each(5, vectors[5])
		return fails
	})
	if !errors.Is(err, fails) || !bytes.Equal(before, encoded(t, m)) {
		t.Error("changed", err)
	}
}

// Writes while passages are listed for Rescore are not lost.
func TestRescoreBesideWrites(t *testing.T) {
	m, vectors := emptied(t)
	extra := randomVectors(3, 4, 9)
	err := m.Rescore(func(each func(uint64, []float32)) error {
		each(5, vectors[5])
		for i, v := range extra {
			if _, err := m.Insert(uint64(10+i), lexical.NewSet("word"), v); err != nil {
				return err
			}
		}
		m.Delete(5, lexical.NewSet("word"))
		each(11, extra[1])
		each(7, make([]float32, 4)) // not usable
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = m.Rescore(func(each func(uint64, []float32)) error { // of what became stale meanwhile
		for i, v := range extra {
			each(uint64(10+i), v)
		}
		return nil
	})
	want := bankModel(t, 4)
	for i, v := range extra {
		if _, err := want.Insert(uint64(10+i), lexical.NewSet("word"), v); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := m.Moments()
	expected, _ := want.Moments()
	if err != nil || got != expected {
		t.Errorf("%+v, want %+v (%v)", got, expected, err)
	}
}

func TestSetScoresRefuses(t *testing.T) {
	m := modelOf(t, physics)
	for _, scores := range [][]float64{nil, {1}, {1, nan}, {math.Inf(1), math.Inf(-1), 2}} {
		if err := m.SetScores(scores, gate.ScaleCosine); !errors.Is(err, gate.ErrSample) {
			t.Errorf("%v: %v", scores, err)
		}
	}
	if _, ok := m.Moments(); ok {
		t.Error("moments out of nothing")
	}
	if err := m.SetScores([]float64{.5, .5}, gate.ScaleCosine); err != nil {
		t.Fatal(err)
	}
	moments, _ := m.Moments()
	near(t, "least deviation", moments.SD, 1e-3, 0)
}

func TestFingerprint(t *testing.T) {
	v := randomVectors(3, 16, 5)
	f, err := gate.NewFingerprint(v)
	if err != nil {
		t.Fatal(err)
	}
	wobbly := randomVectors(3, 16, 5)
	wobbly[1][0] *= 1.001
	g, _ := gate.NewFingerprint(wobbly)
	other, _ := gate.NewFingerprint(randomVectors(3, 16, 6))
	short, _ := gate.NewFingerprint(randomVectors(3, 8, 5))
	if !f.Matches(f) || !f.Matches(g) || f.Equal(g) || !f.Equal(f) {
		t.Error("the same embedder on other hardware must match")
	}
	if f.Matches(other) || f.Matches(short) || f.Matches(gate.Fingerprint{}) || (gate.Fingerprint{}).Matches(gate.Fingerprint{}) {
		t.Error("another embedder must not match")
	}
	for _, bad := range [][][]float32{nil, v[:2], {v[0], v[1], make([]float32, 16)}, {v[0], v[1], v[2][:3]}} {
		if _, err := gate.NewFingerprint(bad); !errors.Is(err, gate.ErrSample) {
			t.Error(err)
		}
	}
}

// fullModel has every part that the encoding knows.
func fullModel(t testing.TB, dimension int) *gate.Model {
	t.Helper()
	f, _ := gate.NewFingerprint(randomVectors(3, dimension, 7))
	m, err := gate.NewModel(gate.ModelOptions{Bank: randomVectors(gate.BankSize, dimension, 11), Fingerprint: f})
	if err != nil {
		t.Fatal(err)
	}
	vectors := randomVectors(30, dimension, 8)
	for i, text := range library(30, 6) {
		if _, err := m.Insert(uint64(i), lexical.NewSet(text), vectors[i]); err != nil {
			t.Fatal(err)
		}
	}
	m.SetFloor(gate.Floor{Mean: .1, SD: .05, Chunks: 30, Pairs: 435, KS: .1, KSP: .3})
	if err := m.SetBankEvidence(make([]float64, 256)); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCodecRoundTrip(t *testing.T) {
	empty, _ := gate.NewModel(gate.ModelOptions{})
	sampled, _ := gate.NewModel(gate.ModelOptions{Sampled: true})
	for name, m := range map[string]*gate.Model{"empty": empty, "sampled": sampled, "words": modelOf(t, physics), "full": fullModel(t, 8)} {
		b := encoded(t, m)
		got, err := gate.Decode(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(b, encoded(t, got)) {
			t.Errorf("%s: encoding the decoded model gives other bytes", name)
		}
		if got.Sampled() != m.Sampled() || got.HasBank() != m.HasBank() || got.Chunks() != m.Chunks() || !got.Fingerprint().Equal(m.Fingerprint()) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A decoded model goes on as if nothing had happened.
func TestDecodedModelGoesOn(t *testing.T) {
	m := fullModel(t, 8)
	twin, err := gate.Decode(encoded(t, m))
	if err != nil {
		t.Fatal(err)
	}
	extra := randomVectors(9, 8, 77)
	texts := library(30, 6)
	for _, model := range []*gate.Model{m, twin} {
		for i, v := range extra {
			if ok, err := model.Insert(uint64(100+i), lexical.NewSet("alpaca wool"), v); !ok || err != nil {
				t.Fatal(ok, err)
			}
		}
		if !model.Delete(3, lexical.NewSet(texts[3])) {
			t.Fatal("not deleted")
		}
	}
	if !bytes.Equal(encoded(t, m), encoded(t, twin)) {
		t.Error("the decoded model went another way")
	}
}

func TestDecodeRefuses(t *testing.T) {
	good := encoded(t, fullModel(t, 8))
	newer := slices.Clone(good)
	newer[3] = 200
	if _, err := gate.Decode(newer); !errors.Is(err, gate.ErrVersion) {
		t.Errorf("newer: %v", err)
	}
	for n := range len(good) {
		if _, err := gate.Decode(good[:n]); !errors.Is(err, gate.ErrCorrupt) {
			t.Fatalf("first %d bytes: %v", n, err)
		}
	}
	for i := range good {
		flipped := slices.Clone(good)
		flipped[i] ^= 0x10
		if _, err := gate.Decode(flipped); err == nil {
			t.Fatalf("bit in byte %d flipped and not noticed", i)
		}
	}
}

// Readers beside a writer see a consistent table, whatever it grows to.
func TestDecideBesideInserts(t *testing.T) {
	m, _ := gate.NewModel(gate.ModelOptions{Bank: randomVectors(gate.BankSize, 8, 11)})
	texts, vectors := library(400, 31), randomVectors(400, 8, 32)
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				d := gate.Evidence{}.Decide(question("word1 word2 word3"), []gate.Candidate{candidate("word1 word2", .3)}, m)
				if !(d.P >= 0 && d.P <= 1) {
					t.Errorf("p %v", d.P)
				}
			}
		})
	}
	for i := range texts {
		if _, err := m.Insert(uint64(i), lexical.NewSet(texts[i]), vectors[i]); err != nil {
			t.Error(err)
		}
		if i%3 == 0 {
			m.Delete(uint64(i), lexical.NewSet(texts[i]))
		}
	}
	close(done)
	wg.Wait()
}

// Words that have left make room for others: the table does not grow for ever.
func TestChurnIsBounded(t *testing.T) {
	m, _ := gate.NewModel(gate.ModelOptions{})
	for i := range 20_000 {
		words := lexical.SetOf([]string{"term" + string(rune(i)), "other" + string(rune(i))})
		m.Insert(1, words, nil)
		m.Delete(1, words)
	}
	if n := len(encoded(t, m)); n > 100 {
		t.Errorf("an empty model takes %d bytes", n)
	}
}
