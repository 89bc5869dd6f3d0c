package reputation_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/repute-go/repute/core/reputation"
)

// full makes 50 candidates with n events each, for queries near and far.
func full(n int, class uint16) (reputation.Query, []reputation.Candidate) {
	rng := rand.New(rand.NewPCG(1, 2))
	q := reputation.Query{K: 5, Time: 1000, Space: 1, Signature: reputation.Signature{rng.Uint64(), rng.Uint64()}}
	cands := make([]reputation.Candidate, 50)
	for i := range cands {
		cands[i] = reputation.Candidate{ID: fmt.Sprint(i), Base: i, Relevance: 1 - float64(i)/50}
		if n > 0 {
			cands[i].Record = &reputation.Record{Space: 1, Local: ^uint64(0)}
		}
		for j := range n {
			e := reputation.Event{Signature: q.Signature, Receipt: uint64(j + 1), Time: int64(j), Class: class,
				Pos: rng.Float32(), Neg: rng.Float32(), GlobalPos: rng.Float32(), GlobalNeg: rng.Float32(), Position: 20000, Attribution: rng.Float32()}
			for range rng.IntN(60) {
				e.Signature[rng.IntN(2)] ^= 1 << rng.IntN(64)
			}
			cands[i].Record.Events = append(cands[i].Record.Events, e)
		}
	}
	return q, cands
}

func BenchmarkRank(b *testing.B) {
	for _, bb := range []struct {
		name   string
		events int
		class  uint16
		c      reputation.Constants
	}{
		{"none", 0, 0, reputation.Constants{}},
		{"full", 64, 0, reputation.Constants{}},
		{"raters", 64, 7, reputation.Constants{}},
		{"halflife", 64, 0, halfLife()},
	} {
		b.Run(bb.name, func(b *testing.B) {
			q, cands := full(bb.events, bb.class)
			p := reputation.Posterior{Constants: bb.c}
			var stats reputation.Statistics
			b.ReportAllocs()
			for b.Loop() {
				p.Rank(q, cands, &stats)
			}
		})
	}
}

func halfLife() reputation.Constants {
	c := reputation.DefaultConstants()
	c.HalfLife = 500
	return c
}

func BenchmarkFold(b *testing.B) {
	for _, n := range []int{0, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			q, cands := full(n, 0)
			r := (reputation.Posterior{}).Rank(q, cands, nil)
			rc := reputation.NewReceipt(q, r, r.Order[:5])
			rc.Tag = 99
			recs := make([]*reputation.Record, 5)
			for i, j := range r.Order[:5] {
				recs[i] = cands[j].Record
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := reputation.Fold(rc, []reputation.Opinion{{Verified: true, Value: 1}}, recs, reputation.Raters{}, reputation.Constants{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
