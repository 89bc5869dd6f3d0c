package gate

import (
	"fmt"
	"math"
)

// Fixed is sigma-rag's gate: a candidate passes if its cosine reaches mu + n*sigma
// of the noise floor, the cosines of random passages of different documents.
//
// Its false-alarm rate 1-Phi(n) is per passage and theoretical: over N passages
// at least one false alarm is all but certain for n = 2 and a few hundred
// passages, and cosines of real text are not normal. PerQuery corrects for the
// first. It is here for comparison, and for those who want exactly this rule.
//
// The zero value means two standard deviations. Immutable, safe for concurrent use.
type Fixed struct {
	// Sigma is the level n in standard deviations. 0 means 2.
	Sigma float64
	// PerQuery raises the level so that the rate 1-Phi(n) holds for the best of
	// all passages of the collection (Šidák) instead of for one.
	PerQuery bool
}

const defaultSigma = 2

// Name returns "fixed".
func (Fixed) Name() string { return "fixed" }

// Needs returns vectors.
func (Fixed) Needs() Needs { return Needs{Vectors: true} }

// Validate reports a level that is negative or not finite.
func (g Fixed) Validate() error {
	if !nonNegative(g.Sigma) {
		return fmt.Errorf("%w: sigma %v must be finite and not negative", ErrOptions, g.Sigma)
	}
	return nil
}

// Decide passes the candidates whose cosine reaches the level. A judgement's
// Evidence is the cosine's z value, Decision.Bar the level, Decision.P the rate of
// the best candidate: per passage, or with PerQuery per question. Query.Alpha
// replaces the level's own rate. Proven candidates pass. Without a noise floor, or
// without a single cosine, nothing is refused.
func (g Fixed) Decide(q Query, candidates []Candidate, m *Model) Decision {
	if len(candidates) == 0 {
		return empty()
	}
	if m == nil {
		return undecided(nil, len(candidates), ReasonNoModel)
	}
	floor, ok := m.Floor()
	switch {
	case !ok || floor.Chunks < minFloorChunks:
		return undecided(nil, len(candidates), ReasonNoModel)
	case !anySimilarity(candidates):
		return undecided(nil, len(candidates), ReasonNoText)
	}
	family := 1
	if g.PerQuery {
		family = max(1, m.Chunks(), floor.Chunks)
	}
	d := Decision{Alpha: g.rate(q.Alpha), PerPassage: !g.PerQuery, Judgements: make([]Judgement, len(candidates))}
	d.Bar = g.level(d.Alpha, q.Alpha, family)
	for i, c := range candidates {
		d.Judgements[i] = judgeFixed(c, floor, d.Bar)
	}
	concludeFixed(&d, candidates, family)
	d.Approximate = q.Filtered && g.PerQuery
	return d
}

func anySimilarity(candidates []Candidate) bool {
	for i := range candidates {
		if !math.IsNaN(candidates[i].Similarity) {
			return true
		}
	}
	return false
}

// rate returns the false-alarm rate asked for.
func (g Fixed) rate(asked float64) float64 {
	if validAlpha(asked) {
		return asked
	}
	return UpperTail(g.sigma())
}

func (g Fixed) sigma() float64 {
	if g.Sigma > 0 && !math.IsInf(g.Sigma, 1) {
		return g.Sigma
	}
	return defaultSigma
}

// level returns the standard deviations that stand for a rate over a family of tests.
func (g Fixed) level(rate, asked float64, family int) float64 {
	if family == 1 && !validAlpha(asked) {
		return g.sigma() // exactly as given, not through a tail and back
	}
	return deviate(PerTest(rate, family))
}

// judgeFixed compares as sigma-rag does: the cosine with mu + n*sigma, inclusive.
func judgeFixed(c Candidate, floor Floor, level float64) Judgement {
	if math.IsNaN(c.Similarity) {
		return Judgement{Margin: finite(-level, 0)}
	}
	z := finite(floor.Z(c.Similarity), 0)
	return Judgement{Basis: BasisCosine, Evidence: z, Standardised: z, Margin: finite(z-level, 0), Pass: c.Similarity >= floor.Threshold(level)}
}

func concludeFixed(d *Decision, candidates []Candidate, family int) {
	d.P = 1
	byText, proven, counted := false, false, false
	for i := range candidates {
		j := &d.Judgements[i]
		switch {
		case candidates[i].Proven:
			proven = true
			j.ByReputation = !j.Pass
			j.Pass = true
		case !math.IsNaN(candidates[i].Similarity):
			if !counted || j.Evidence > d.E {
				d.E, counted = j.Evidence, true
			}
			byText = byText || j.Pass
		}
	}
	if counted {
		d.P = FamilyWise(UpperTail(d.E), family)
	}
	d.Z = deviate(d.P)
	d.ByReputation = proven && !byText
	d.Verdict = VerdictNoEvidence
	if byText || proven {
		d.Verdict = VerdictEvidence
	}
}
