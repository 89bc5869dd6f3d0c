package gate

import (
	"fmt"
	"math"

	"github.com/repute-go/repute/internal/lexical"
)

// Weights say how much each part of a passage's evidence counts.
type Weights struct {
	Coverage    float64 // share of the question's information found in the passage
	Information float64 // the same in units of ln(chunks+1)
	Score       float64 // the retriever's score, standardised by the bank
}

// DefaultWeights were fitted by logistic regression over five public English
// collections and three embedders.
func DefaultWeights() Weights { return Weights{Coverage: 4.4, Information: 1.35, Score: 0.3} }

// Profile trades false alarms for findings.
type Profile uint8

const (
	// Balanced keeps the false-alarm rate asked for. The zero value.
	Balanced Profile = iota
	// Recall lets about twice as many false alarms pass, so that fewer answerable
	// questions are refused: for paraphrase, questions in another language than
	// the texts, and questions about code.
	Recall
)

// SmallCorpus says what to do with a collection of fewer than 100 passages,
// where the rate was never measured.
type SmallCorpus uint8

const (
	// Show computes and reports everything, and refuses nothing. The zero value.
	Show SmallCorpus = iota
	// Decide judges as if the collection were larger.
	Decide
)

// Evidence is the default gate. For candidate i, with N passages,
//
//	e_i = 4.4*coverage + 1.35*information + 0.3*standardised score
//
// where coverage is the share of the question's inverse-document-frequency weight
// that the passage holds, information that weight divided by ln(N+1), and the
// score is standardised by the best scores of a bank of generic questions. The
// question's false-alarm rate is estimated as p = 2.6*exp(-max e_i); it passes if
// p <= alpha. Once it has passed, a candidate within Delta of the bar passes too.
//
// The rate holds per question and at any collection size from 100 passages up. It
// was measured on English text in passages of about 512 characters and is an
// average over collections: a single one can have twice the rate asked for. For an
// exact rate see Conformal. Questions on the collection's own subject that it
// happens not to answer often pass; only reading the passages can tell those.
//
// The zero value is ready to use. It holds no state and is safe for concurrent use.
type Evidence struct {
	// Alpha is the false-alarm rate per question, in (0,1). 0 means .05.
	Alpha float64
	// Weights; all zero means DefaultWeights. Other weights invalidate the rate
	// unless Conformal is set too.
	Weights Weights
	// Delta is how far below the bar a candidate may lie once the question has
	// passed. 0 means 1; +Inf keeps every candidate.
	Delta float64
	// Strict sets Delta to zero.
	Strict bool
	// Profile is Balanced or Recall.
	Profile Profile
	// BankGuard raises the bar where the bank's generic questions reach it too
	// often, which large mixed collections need at times. Measuring it takes 256
	// searches.
	BankGuard bool
	// Conformal replaces the estimated rate by one measured on the user's own
	// out-of-scope questions. Profile and BankGuard are then ignored.
	Conformal *Conformal
	// SmallCorpus is Show or Decide.
	SmallCorpus SmallCorpus
}

const (
	defaultAlpha  = 0.05
	defaultDelta  = 1
	judged        = 5    // candidates the constants were fitted for
	perLogK       = 0.3  // what the bar rises by per ln(k/5)
	noScoreRelief = 0.3  // what the bar falls by without a score
	wholeConstant = 2.6  // p = 2.6*exp(-E) with the statistics of the whole collection
	partConstant  = 4.5  // the same with those of a sample of it
	smallCorpus   = 100  // passages below which the rate was not measured
	longChunk     = 4    // times the mean length from which a passage counts less
	maxTerms      = 1024 // terms of a question that are looked at
	recallFloor   = 2.5  // the recall profile's lowest bar
)

// Name returns "evidence".
func (Evidence) Name() string { return "evidence" }

// Needs returns words and scores, and with BankGuard or Recall the bank's
// evidence.
func (g Evidence) Needs() Needs {
	return Needs{Words: true, Scores: true, Bank: g.Conformal == nil && (g.BankGuard || g.Profile == Recall)}
}

// Validate reports settings out of range.
func (g Evidence) Validate() error {
	w := g.Weights
	switch {
	case g.Alpha != 0 && !validAlpha(g.Alpha):
		return fmt.Errorf("%w: alpha %v is not in (0,1)", ErrOptions, g.Alpha)
	case !nonNegative(w.Coverage) || !nonNegative(w.Information) || !nonNegative(w.Score):
		return fmt.Errorf("%w: weights %+v must be finite and not negative", ErrOptions, w)
	case math.IsNaN(g.Delta) || g.Delta < 0:
		return fmt.Errorf("%w: delta %v is negative", ErrOptions, g.Delta)
	case g.Profile > Recall:
		return fmt.Errorf("%w: profile %d", ErrOptions, g.Profile)
	case g.SmallCorpus > Decide:
		return fmt.Errorf("%w: small corpus %d", ErrOptions, g.SmallCorpus)
	case g.Conformal != nil && math.IsInf(g.Conformal.Bar(g.alpha(0)), 1):
		return fmt.Errorf("%w: %d out-of-scope questions cannot support a rate of %v", ErrOptions, g.Conformal.Len(), g.alpha(0))
	}
	return nil
}

func nonNegative(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }

func validAlpha(a float64) bool { return a > 0 && a < 1 }

// Decide judges the question on its first K candidates, but at least 5 and at most
// all, and every candidate against the chunk rule.
func (g Evidence) Decide(q Query, candidates []Candidate, m *Model) Decision {
	return g.DecideInto(nil, q, candidates, m)
}

// DecideInto is Decide for callers that keep no decision: the judgements lie in the
// given memory if that is long enough, and what was there is lost. Nil makes it take
// its own.
func (g Evidence) DecideInto(into []Judgement, q Query, candidates []Candidate, m *Model) Decision {
	switch {
	case len(candidates) == 0:
		return empty()
	case !anyText(candidates): // first: of such a collection a model counts nothing
		return undecided(into, len(candidates), ReasonNoText)
	case m == nil || m.Chunks() == 0:
		return undecided(into, len(candidates), ReasonNoModel)
	}
	t := g.newTest(q, candidates, m)
	d := Decision{Alpha: t.alpha, Bar: t.bar, Approximate: q.Filtered, Judgements: judgements(into, len(candidates))}
	for i, c := range candidates {
		d.Judgements[i] = t.judge(c)
	}
	t.conclude(&d, candidates)
	switch {
	case t.total == 0:
		d.giveWay(ReasonNoTerms)
	case t.chunks < smallCorpus && g.SmallCorpus == Show:
		d.giveWay(ReasonSmallCorpus)
	}
	return d
}

func anyText(candidates []Candidate) bool {
	for i := range candidates {
		if candidates[i].Words.Len() > 0 {
			return true
		}
	}
	return false
}

// giveWay keeps the numbers of a decision and withdraws every refusal.
func (d *Decision) giveWay(why Reason) {
	d.Verdict, d.Reason, d.Approximate, d.ByReputation = VerdictUncalibrated, why, true, false
	for i := range d.Judgements {
		j := &d.Judgements[i]
		j.Pass = true
		if why == ReasonNoTerms {
			j.Basis = BasisNone
		}
	}
}

// test is one question on its way through the evidence gate.
type test struct {
	gate    Evidence
	weights Weights
	alpha   float64
	bar     float64
	offset  float64 // evidence minus offset is what the constants were fitted for
	factor  float64 // p = factor*exp(-(E-offset))
	delta   float64
	k       int // candidates the question is judged on

	terms   []weightedTerm
	total   float64 // weight of all terms
	chunks  int
	unit    float64 // ln(chunks+1)
	mean    float64 // mean passage length in words
	moments *Moments
}

type weightedTerm struct {
	hash   uint64
	weight float64
}

func (g Evidence) newTest(q Query, candidates []Candidate, m *Model) *test {
	t := &test{gate: g, weights: g.weights(), alpha: g.alpha(q.Alpha), delta: g.delta(), k: max(judged, min(q.K, len(candidates))),
		chunks: m.Chunks(), mean: m.MeanLength(), factor: wholeConstant}
	t.unit = math.Log(float64(t.chunks) + 1)
	if m.Sampled() {
		t.factor = partConstant
	}
	t.weigh(q.Terms, m)
	t.moments = usableMoments(q, candidates, m)
	t.offset = perLogK * math.Log(float64(t.k)/judged)
	if t.moments == nil {
		t.offset -= noScoreRelief
	}
	t.bar = finite(t.barFor(m), 0)
	return t
}

func (g Evidence) weights() Weights {
	if g.Weights == (Weights{}) {
		return DefaultWeights()
	}
	return g.Weights
}

func (g Evidence) alpha(asked float64) float64 {
	switch {
	case validAlpha(asked):
		return asked
	case validAlpha(g.Alpha):
		return g.Alpha
	}
	return defaultAlpha
}

func (g Evidence) delta() float64 {
	switch {
	case g.Strict:
		return 0
	case g.Delta > 0:
		return min(g.Delta, math.MaxFloat64)
	}
	return defaultDelta
}

// usableMoments returns the bank's moments if some candidate has a score on their
// scale and the search was not narrowed.
func usableMoments(q Query, candidates []Candidate, m *Model) *Moments {
	moments, ok := m.Moments()
	if !ok || q.Filtered || moments.Scale == ScaleRetriever && !q.ScoreKnown {
		return nil
	}
	for i := range candidates {
		if !math.IsNaN(scoreOn(moments.Scale, candidates[i])) {
			return &moments
		}
	}
	return nil
}

func scoreOn(s Scale, c Candidate) float64 {
	if s == ScaleCosine {
		return c.Similarity
	}
	return c.Score
}

// weigh looks up the weight of every term of the question.
func (t *test) weigh(terms []string, m *Model) {
	terms = terms[:min(len(terms), maxTerms)]
	t.terms = make([]weightedTerm, len(terms))
	for i, term := range terms {
		h := lexical.Hash(term)
		t.terms[i] = weightedTerm{hash: h, weight: m.InverseFrequency(h)}
		t.total += t.terms[i].weight
	}
}

// barFor returns the evidence that the question needs.
func (t *test) barFor(m *Model) float64 {
	if t.gate.Conformal != nil {
		return t.gate.Conformal.Bar(t.alpha)
	}
	bar := math.Log(t.factor/t.alpha) + t.offset
	guard, known := m.guardBar(t.alpha)
	switch {
	case t.gate.Profile == Recall && known:
		return max(recallFloor, (bar+guard)/2)
	case t.gate.Profile == Recall:
		return max(recallFloor, bar-math.Ln2)
	case t.gate.BankGuard && known:
		return max(bar, guard)
	}
	return bar
}

// judge weighs one candidate's text and score.
func (t *test) judge(c Candidate) Judgement {
	found := 0.0
	for _, term := range t.terms {
		if c.Words.Contains(term.hash) {
			found += term.weight
		}
	}
	found /= t.lengthDivisor(c.Words.Tokens())
	j := Judgement{Basis: BasisWords}
	if c.Words.Len() == 0 {
		j.Basis = BasisScore
	}
	if t.total > 0 {
		j.Coverage = min(found/t.total, 1)
	}
	if t.unit > 0 {
		j.Information = found / t.unit
	}
	if t.moments != nil {
		j.Standardised = t.moments.Standardise(scoreOn(t.moments.Scale, c))
	}
	w := t.weights
	j.Evidence = finite(w.Coverage*j.Coverage+w.Information*j.Information+w.Score*j.Standardised, 0)
	j.Margin = finite(j.Evidence-(t.bar-t.delta), 0)
	return j
}

// lengthDivisor lowers what a passage far longer than the others holds, since it
// holds many words by chance, or because it was stuffed with them.
func (t *test) lengthDivisor(tokens int) float64 {
	if t.mean <= 0 || float64(tokens) <= longChunk*t.mean {
		return 1
	}
	return 1 + math.Log(float64(tokens)/t.mean)
}

// conclude turns the judgements into a verdict and fills in who passes.
func (t *test) conclude(d *Decision, candidates []Candidate) {
	proven, counted := false, false
	for i := range candidates {
		switch {
		case candidates[i].Proven:
			proven = true
		case i < t.k && (!counted || d.Judgements[i].Evidence > d.E):
			d.E, counted = d.Judgements[i].Evidence, true
		}
	}
	d.P = 1
	if counted {
		d.P = t.rate(d.E)
	}
	d.Z = deviate(d.P)
	byText := counted && d.E >= t.bar
	d.ByReputation = proven && !byText
	d.Verdict = t.verdict(d, byText || proven, counted)
	for i := range d.Judgements {
		j := &d.Judgements[i]
		switch {
		case candidates[i].Proven:
			j.Pass, j.ByReputation = true, j.Margin < 0 || !byText
		case byText || proven:
			j.Pass = j.Margin >= 0
		}
	}
}

// rate returns the false-alarm rate of a question whose best evidence is e.
func (t *test) rate(e float64) float64 {
	if t.gate.Conformal != nil {
		return t.gate.Conformal.P(e)
	}
	return min(1, t.factor*math.Exp(-(e-t.offset)))
}

func (t *test) verdict(d *Decision, passed, counted bool) Verdict {
	switch {
	case passed:
		return VerdictEvidence
	case counted && d.E >= t.bar-defaultDelta:
		return VerdictWeak
	}
	return VerdictNoEvidence
}
