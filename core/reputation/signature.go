package reputation

import (
	"math"
	"math/bits"
)

// Signature is 128 bits of a query: two queries whose vectors enclose a small
// angle differ in few bits (random hyperplanes, Charikar 2002). Only signatures
// of the same [Space] may be compared.
type Signature [2]uint64

// Space identifies how signatures were made: their kind, the model behind them
// and the mean that was taken off. 0 means that there is no signature; evidence
// then counts for the document as a whole only. A [Record] compares signatures of one
// space, that of its newest event: where questions of two models take turns on the same
// text, outcomes from before the last turn count for the document as a whole, for good.
type Space uint64

const (
	kernelFull = 0.5 // radians: up to here two queries count as the same
	kernelNone = 1.0 // radians: from here on they have nothing in common
)

// kernel holds [Kernel] by Hamming distance.
var kernel = kernelTable(kernelFull, kernelNone)

// kernelTable is smoothstep between the two angles, by Hamming distance.
func kernelTable(full, none float64) (t [129]float64) {
	for h := range t {
		theta := math.Pi * float64(h) / 128
		x := min(max((none-theta)/(none-full), 0), 1)
		t[h] = x * x * (3 - 2*x)
	}
	return t
}

// Kernel is how much an outcome for one query says about the other, in [0,1]: 1
// up to an estimated angle of 0.5 rad (cosine .88), falling smoothly to 0 at 1.0
// rad (cosine .54).
func Kernel(a, b Signature) float64 { return kernel[a.Hamming(b)] }

// Hamming is the number of bits in which the signatures differ, 0 to 128. The
// angle between the vectors is about pi*Hamming/128 radians.
func (s Signature) Hamming(other Signature) int {
	return bits.OnesCount64(s[0]^other[0]) + bits.OnesCount64(s[1]^other[1])
}
