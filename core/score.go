package core

import (
	"cmp"
	"fmt"
	"math"
)

// ScoreKind says what the scores of a retriever mean. Without it no number is
// read as a similarity: a distance taken for one turns a ranking upside down.
type ScoreKind uint8

// Kinds of scores. Conversions to a cosine assume unit vectors.
const (
	// ScoreUndeclared means that nobody said; only the order counts.
	ScoreUndeclared ScoreKind = iota
	// CosineSimilarity is in [-1,1], higher is better.
	CosineSimilarity
	// CosineDistance is 1-cosine in [0,2], lower is better.
	CosineDistance
	// InnerProduct is a dot product, higher is better.
	InnerProduct
	// L2Distance is a Euclidean distance, lower is better.
	L2Distance
	// SquaredL2Distance is the square of one, lower is better.
	SquaredL2Distance
	// OneMinusSquaredL2 is 1-d^2, higher is better.
	OneMinusSquaredL2
	// Certainty is (1+cosine)/2 in [0,1], higher is better.
	Certainty
	// InverseCosineDistance is 1/(1+d) of a cosine distance, in [1/3,1].
	InverseCosineDistance
	// InverseL2Distance is 1/(1+d) of a Euclidean distance, in (0,1].
	InverseL2Distance
	// InverseSquaredL2Distance is 1/(1+d^2), in (0,1].
	InverseSquaredL2Distance
	// FusedRank is a rank-fusion score, higher is better; only comparisons
	// within one list mean anything.
	FusedRank
	// Opaque is any score of which only "higher is better" is known.
	Opaque
	// NoScore means that there are none; only the order counts.
	NoScore

	scoreKinds
)

var scoreKindNames = [scoreKinds]string{
	"undeclared", "cosine similarity", "cosine distance", "inner product", "L2 distance", "squared L2 distance",
	"1 - squared L2", "certainty", "1/(1+cosine distance)", "1/(1+L2)", "1/(1+squared L2)", "fused rank", "opaque", "none",
}

// String returns the name of the kind.
func (k ScoreKind) String() string {
	if k < scoreKinds {
		return scoreKindNames[k]
	}
	return fmt.Sprintf("ScoreKind(%d)", uint8(k))
}

// ordered reports whether the scores themselves order the candidates.
func (k ScoreKind) ordered() bool { return k != ScoreUndeclared && k < NoScore }

// ascending reports whether lower scores are better.
func (k ScoreKind) ascending() bool {
	return k == CosineDistance || k == L2Distance || k == SquaredL2Distance
}

// compare orders two scores, the better first. What is not a finite number
// comes last, whatever the kind. Kinds without an order call everything equal.
func (k ScoreKind) compare(a, b float64) int {
	if !k.ordered() {
		return 0
	}
	fa, fb := finite(a), finite(b)
	switch {
	case !fa && !fb:
		return 0
	case !fa:
		return 1
	case !fb:
		return -1
	case k.ascending():
		return cmp.Compare(a, b)
	}
	return cmp.Compare(b, a)
}

// Cosine converts a score to the cosine it stands for. It is NaN where the kind
// has none or the score is not finite.
func (k ScoreKind) Cosine(score float64) float64 {
	if !finite(score) || !k.possible(score) {
		return math.NaN()
	}
	var c float64
	switch k {
	case CosineSimilarity, InnerProduct:
		c = score
	case CosineDistance:
		c = 1 - score
	case L2Distance:
		c = 1 - score*score/2
	case SquaredL2Distance:
		c = 1 - score/2
	case OneMinusSquaredL2:
		c = (score + 1) / 2
	case Certainty:
		c = 2*score - 1
	case InverseCosineDistance:
		c = 2 - 1/score
	case InverseL2Distance:
		d := 1/score - 1
		c = 1 - d*d/2
	case InverseSquaredL2Distance:
		c = 1 - (1/score-1)/2
	default:
		return math.NaN()
	}
	return asCosine(c)
}

// asCosine is NaN for what can be no cosine: the vectors were not of unit length.
func asCosine(c float64) float64 {
	if !(c >= -1.01 && c <= 1.01) {
		return math.NaN()
	}
	return min(max(c, -1), 1)
}

// possible reports whether a score can have come from a distance at all.
func (k ScoreKind) possible(score float64) bool {
	switch k {
	case L2Distance, SquaredL2Distance:
		return score >= 0
	case InverseL2Distance, InverseSquaredL2Distance, InverseCosineDistance:
		return score > 0 && score <= 1
	}
	return true
}

// Relevances derives a relevance in [0,1] for each score, aligned with it and
// monotone in its order: the cosine where there is one, else the place between
// the list's extremes, else the rank. Scores must be in base order, best first.
func (k ScoreKind) Relevances(scores []float64) []float64 {
	out := make([]float64, len(scores))
	k.relevances(scores, out)
	return out
}

// Strengths returns what a least relevance is compared with, for each score, in
// [0,1]: the cosine, at least 0, where every score has one, else what Relevances
// says. Of equal cosines Relevances makes ranks, since something has to tell them
// apart; equally far from the question they stay equally irrelevant here.
func (k ScoreKind) Strengths(scores []float64) []float64 {
	out := make([]float64, len(scores))
	if !k.cosines(scores, out) {
		k.relevances(scores, out)
	}
	return out
}

func (k ScoreKind) relevances(scores, out []float64) {
	if k.cosines(scores, out) && differ(scores, out) || k.fromSpread(scores, out) {
		return
	}
	n := float64(len(scores))
	for i, s := range scores {
		out[i] = (n - float64(i)) / n
		if k.ordered() && !finite(s) {
			out[i] = 0
		}
	}
}

// cosines fills out with cosines of at least 0. It reports false where a finite
// score has none or there is no finite score.
func (k ScoreKind) cosines(scores, out []float64) bool {
	numbers := 0
	for i, s := range scores {
		if !finite(s) {
			out[i] = 0
			continue
		}
		numbers++
		c := k.Cosine(s)
		if math.IsNaN(c) {
			return false
		}
		out[i] = max(c, 0)
	}
	return numbers > 0
}

// differ reports whether the values of finite scores are not all the same, which
// one alone cannot be.
func differ(scores, values []float64) bool {
	lo, hi, numbers := math.Inf(1), math.Inf(-1), 0
	for i, s := range scores {
		if finite(s) {
			numbers++
			lo, hi = min(lo, values[i]), max(hi, values[i])
		}
	}
	return hi > lo || numbers == 1
}

// fromSpread fills out with the place of each score between the worst and the
// best. It reports false where scores do not order or are all the same.
func (k ScoreKind) fromSpread(scores, out []float64) bool {
	if !k.ordered() || k == Opaque {
		return false
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range scores {
		if finite(s) {
			lo, hi = min(lo, s), max(hi, s)
		}
	}
	if !(hi > lo) || !finite(hi-lo) {
		return false
	}
	for i, s := range scores {
		switch {
		case !finite(s):
			out[i] = 0
		case k.ascending():
			out[i] = (hi - s) / (hi - lo)
		default:
			out[i] = (s - lo) / (hi - lo)
		}
	}
	return true
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
