package worlds

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// beta draws from a Beta distribution.
func beta(rng *rand.Rand, a, b float64) float64 {
	return distuv.Beta{Alpha: a, Beta: b, Src: rng}.Rand()
}

// rarity is RRL's bonus for a document with n counts.
func rarity(n float64) float64 { return max(.05, 1/math.Sqrt(n)) }
