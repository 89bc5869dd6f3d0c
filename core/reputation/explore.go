package reputation

import (
	"math"
	"math/rand/v2"

	"github.com/repute-go/repute/internal/lexical"
	"gonum.org/v1/gonum/stat/distuv"
)

// explore adds to a score what makes its document worth a try.
func (m *mixture) explore(s *Score, seed uint64, id string) {
	if m.c.Exploration == ExploreByDraw {
		s.Bonus = s.Estimate().draw(seed, id) - s.Mean
		s.Propensity = 0
	} else {
		s.Bonus = m.c.Bonus * math.Sqrt(s.Mean*(1-s.Mean)/s.Mass)
	}
	s.Value += s.Bonus
}

// draw draws from the posterior, always the same for a seed and an ID.
func (e Estimate) draw(seed uint64, id string) float64 {
	if e.Mean <= 0 || e.Mean >= 1 || e.Mass <= 0 {
		return e.Mean
	}
	// A Beta draw divides Gamma draws, which underflow for tiny parameters.
	const least = 1e-2
	b := distuv.Beta{
		Alpha: max(e.Mass*e.Mean, least), Beta: max(e.Mass*(1-e.Mean), least),
		Src: rand.NewPCG(seed, lexical.Hash(id)),
	}
	if x := b.Rand(); x >= 0 && x <= 1 {
		return x
	}
	return e.Mean
}
