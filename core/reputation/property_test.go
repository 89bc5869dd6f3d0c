package reputation_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/repute-go/repute/core/reputation"
	"pgregory.net/rapid"
)

// oddFloats are numbers that retrievers should not report and do.
var oddFloats = rapid.OneOf(
	rapid.Float64Range(0, 1),
	rapid.SampledFrom([]float64{0, 1, .5, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 5e-324}),
)

// oddTimes are moments, some of them absurd.
var oddTimes = rapid.OneOf(
	rapid.Int64Range(1.7e18, 1.8e18),
	rapid.SampledFrom([]int64{0, 1, -1, math.MaxInt64, math.MinInt64}),
)

var rankers = []reputation.Ranker{reputation.Mean{}, reputation.Posterior{}}

func drawSignature(t *rapid.T) reputation.Signature {
	s := reputation.Signature{0x0123456789abcdef, 0xfedcba9876543210}
	for range rapid.IntRange(0, 60).Draw(t, "flips") {
		b := rapid.IntRange(0, 127).Draw(t, "bit")
		s[b/64] ^= 1 << (b % 64)
	}
	return s
}

func drawRecord(t *rapid.T) *reputation.Record {
	n := rapid.IntRange(0, 6).Draw(t, "events")
	if n == 0 {
		return nil
	}
	amount := rapid.Float32Range(0, 2)
	r := &reputation.Record{Space: 1, Local: rapid.Uint64Range(0, 1<<n-1).Draw(t, "local")}
	for i := range n {
		r.Events = append(r.Events, reputation.Event{
			Signature: drawSignature(t), Receipt: uint64(i), Time: oddTimes.Draw(t, "time"),
			Pos: amount.Draw(t, "pos"), Neg: amount.Draw(t, "neg"),
			GlobalPos: amount.Draw(t, "gpos"), GlobalNeg: amount.Draw(t, "gneg"),
			Attribution: rapid.SampledFrom([]float32{0, 1, .5, float32(math.NaN())}).Draw(t, "cited"),
			Position:    rapid.Uint16().Draw(t, "position"), Class: rapid.SampledFrom([]uint16{0, 0, 1, 2, 3, 4, 5}).Draw(t, "class"),
		})
	}
	slices.SortFunc(r.Events, func(a, b reputation.Event) int {
		switch {
		case a.Time < b.Time:
			return -1
		case a.Time > b.Time:
			return 1
		}
		return int(a.Receipt) - int(b.Receipt)
	})
	return r
}

func drawCandidates(t *rapid.T, evidence bool) []reputation.Candidate {
	n := rapid.IntRange(0, 8).Draw(t, "candidates")
	cands := make([]reputation.Candidate, n)
	for i := range cands {
		cands[i] = reputation.Candidate{ID: fmt.Sprint("d", i), Relevance: oddFloats.Draw(t, "relevance"), Base: rapid.IntRange(0, n).Draw(t, "base")}
		if evidence {
			cands[i].Record = drawRecord(t)
		}
	}
	return cands
}

func drawQuery(t *rapid.T) reputation.Query {
	return reputation.Query{Signature: drawSignature(t), Space: reputation.Space(rapid.Uint64Range(0, 2).Draw(t, "space")),
		Time: oddTimes.Draw(t, "now"), K: rapid.IntRange(1, 5).Draw(t, "k"), Seed: rapid.Uint64().Draw(t, "seed")}
}

// drawStatistics are statistics after some outcomes.
func drawStatistics(t *rapid.T) *reputation.Statistics {
	var s reputation.Statistics
	for range rapid.IntRange(0, 3).Draw(t, "outcomes") {
		q := drawQuery(t)
		cands := drawCandidates(t, true)
		if len(cands) == 0 {
			continue
		}
		r := reputation.Posterior{}.Rank(q, cands, &s)
		shown := r.Order[:min(q.K, len(cands))]
		f, err := reputation.Fold(reputation.NewReceipt(q, r, shown), []reputation.Opinion{{Verified: true, Value: rapid.Float64Range(0, 1).Draw(t, "y")}},
			make([]*reputation.Record, len(shown)), reputation.Raters{}, reputation.Constants{})
		if err != nil {
			t.Fatal(err)
		}
		s.Apply(f.Stats)
	}
	return &s
}

func TestNoEvidenceKeepsBaseOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cands, q, s := drawCandidates(t, false), drawQuery(t), drawStatistics(t)
		want := make([]int, len(cands))
		for i := range want {
			want[i] = i
		}
		slices.SortFunc(want, func(i, j int) int {
			if d := cands[i].Base - cands[j].Base; d != 0 {
				return d
			}
			return i - j // IDs rise with the index
		})
		for _, r := range rankers {
			if got := r.Rank(q, cands, s).Order; !slices.Equal(got, want) {
				t.Errorf("%s: %v, the retriever's order is %v", r.Name(), got, want)
			}
		}
	})
}

func TestOrderOfCandidatesDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cands, q, s := drawCandidates(t, true), drawQuery(t), drawStatistics(t)
		shuffled := slices.Clone(cands)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "shuffle"), 0))
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		for _, r := range rankers {
			a, b := r.Rank(q, cands, s), r.Rank(q, shuffled, s)
			for i := range a.Order {
				x, y := a.Order[i], b.Order[i]
				if cands[x].ID != shuffled[y].ID || a.Scores[x] != b.Scores[y] {
					t.Fatalf("%s: place %d: %s %v, shuffled %s %v", r.Name(), i, cands[x].ID, a.Scores[x], shuffled[y].ID, b.Scores[y])
				}
			}
		}
	})
}

func TestScoresAreFiniteAndInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cands, q, s := drawCandidates(t, true), drawQuery(t), drawStatistics(t)
		c := reputation.DefaultConstants()
		c.HalfLife = 1e9
		for _, r := range append(rankers, reputation.Posterior{Constants: c}) {
			ranking := r.Rank(q, cands, s)
			order := slices.Sorted(slices.Values(ranking.Order))
			for i := range cands {
				if order[i] != i {
					t.Fatalf("%s: %v is no permutation", r.Name(), ranking.Order)
				}
			}
			for _, x := range ranking.Scores {
				sum := x.Value + x.Mass + x.Bonus + x.Successes + float64(x.MeanBest+x.MeanFirst+x.LocalMass+x.S+x.CitedSum+x.CitedMass)
				if math.IsNaN(sum) || math.IsInf(sum, 0) || x.Mean < 0 || x.Mean > 1 || x.Bonus < 0 || x.S < 0 || x.S > 1 {
					t.Fatalf("%s: %+v", r.Name(), x)
				}
			}
		}
	})
}

// Reading changes nothing.
func TestRankReadsOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cands, q, s := drawCandidates(t, true), drawQuery(t), drawStatistics(t)
		before := encodeAll(t, cands, s)
		for _, r := range rankers {
			r.Rank(q, cands, s)
		}
		if !slices.Equal(before, encodeAll(t, cands, s)) {
			t.Fatal("ranking changed what it read")
		}
	})
}

func encodeAll(t *rapid.T, cands []reputation.Candidate, s *reputation.Statistics) []byte {
	b, err := s.AppendBinary(nil)
	for i := range cands {
		if r := cands[i].Record; r != nil && err == nil {
			b, err = r.AppendBinary(b)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// With one candidate and evidence of its own, the posterior lies between the prior
// and what the outcomes say.
func TestPosteriorBetweenPriorAndData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := reputation.Query{Space: 1, K: 1, Time: 100}
		cand := []reputation.Candidate{{ID: "d", Relevance: .5}}
		prior := reputation.Posterior{}.Rank(q, cand, nil).Scores[0].Mean
		rec := &reputation.Record{Space: 1}
		lo, hi := prior, prior
		for i := range rapid.IntRange(1, 64).Draw(t, "events") {
			pos := rapid.Float32Range(0, 1).Draw(t, "y")
			rec.Events = append(rec.Events, reputation.Event{Receipt: uint64(i), Time: int64(i), Pos: pos, Neg: 1 - pos})
			rec.Local |= 1 << i
			lo, hi = min(lo, float64(pos)), max(hi, float64(pos))
		}
		cand[0].Record = rec
		if got := (reputation.Posterior{}).Rank(q, cand, nil).Scores[0].Mean; got < lo-1e-6 || got > hi+1e-6 {
			t.Fatalf("posterior %v outside [%v, %v]", got, lo, hi)
		}
	})
}

// Decay takes the same share of good and bad, and only ever takes.
func TestDecayIsSymmetricAndNeverGrows(t *testing.T) {
	c := reputation.DefaultConstants()
	c.HalfLife = 1000
	rapid.Check(t, func(t *rapid.T) {
		rec := drawRecord(t)
		if rec == nil {
			return
		}
		for i := range rec.Events {
			rec.Events[i].Time = int64(i) // the record's own order is not the point
			rec.Events[i].Signature = reputation.Signature{}
		}
		swapped := &reputation.Record{Space: 1, Local: rec.Local, Events: slices.Clone(rec.Events)}
		for i := range swapped.Events {
			e := &swapped.Events[i]
			e.Pos, e.Neg, e.GlobalPos, e.GlobalNeg = e.Neg, e.Pos, e.GlobalNeg, e.GlobalPos
		}
		last := math.Inf(1)
		for _, now := range []int64{-1000, 0, 10, 999, 5000, 1e6, math.MaxInt64} {
			q := reputation.Query{Space: 1, K: 1, Time: now}
			a := reputation.Posterior{Constants: c}.Rank(q, []reputation.Candidate{{ID: "d", Record: rec}}, nil).Scores[0]
			b := reputation.Posterior{Constants: c}.Rank(q, []reputation.Candidate{{ID: "d", Record: swapped}}, nil).Scores[0]
			if math.Abs(a.Mean+b.Mean-1) > 1e-6 || math.Abs(a.Mass-b.Mass) > 1e-6 {
				t.Fatalf("good and bad decay apart: %v and %v", a, b)
			}
			if a.Mass > last+1e-6 {
				t.Fatalf("evidence grew from %v to %v at %d", last, a.Mass, now)
			}
			last = a.Mass
		}
	})
}
