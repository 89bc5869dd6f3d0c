package gate

import (
	"errors"
	"slices"

	"github.com/repute-go/repute/internal/lexical"
)

// ErrOptions is returned by Validate for a gate whose settings make no sense.
var ErrOptions = errors.New("gate: invalid options")

// A Gate judges a question by the passages a retriever found for it. Every gate
// of this package is an immutable value and safe for concurrent use.
type Gate interface {
	// Name is a short lower-case word that says which rule this is.
	Name() string
	// Needs says which parts of a model Decide reads.
	Needs() Needs
	// Validate reports settings that make no sense, wrapping ErrOptions.
	Validate() error
	// Decide judges the candidates, which are in the retriever's order. It
	// modifies nothing and returns finite numbers for any input. A nil model
	// means that nothing is known about the collection yet. It must not keep the
	// candidates: their memory is used again.
	Decide(q Query, candidates []Candidate, m *Model) Decision
}

// Needs names the parts of a model that a gate reads.
type Needs struct {
	Words   bool // how many passages contain a word
	Scores  bool // the best scores of the bank questions; improves the decision, but can be missing
	Vectors bool // the noise floor, from a sample of passage vectors
	Bank    bool // the evidence that the bank's own questions reach (Model.SetBankEvidence)
}

// Query is what a gate wants to know about a question.
type Query struct {
	Terms      []string // distinct analysed words; beyond the first 1,024 they are ignored
	K          int      // results wanted; the question is judged on as many candidates, but at least 5 and at most all
	Alpha      float64  // false-alarm rate wanted, in (0,1); anything else means the gate's own
	Filtered   bool     // a metadata filter narrowed the search, so collection-wide scores do not describe it
	ScoreKnown bool     // Candidate.Score is comparable between questions; a rank or a fused rank is not
}

// judgements returns memory for the judgements of n candidates, all zero: the given
// one if it is long enough.
func judgements(into []Judgement, n int) []Judgement {
	into = slices.Grow(into[:0], n)[:n]
	clear(into)
	return into
}

// Candidate is one retrieved passage as a gate sees it.
type Candidate struct {
	Words      lexical.Set // the distinct words of the passage's text; empty if the text is not known
	Score      float64     // the retriever's score, higher is better; NaN if unknown
	Similarity float64     // cosine of question and passage; NaN if unknown
	Proven     bool        // verified outcomes for questions like this one speak for the passage
}

// Verdict is a gate's answer about a whole question.
type Verdict uint8

const (
	// VerdictEmpty: there was nothing to judge. The zero value.
	VerdictEmpty Verdict = iota
	// VerdictEvidence: the question passed; at least one candidate passed too.
	VerdictEvidence
	// VerdictWeak: the question narrowly missed the bar. No candidate passed.
	VerdictWeak
	// VerdictNoEvidence: the candidates look like those of a question that the
	// collection cannot answer. No candidate passed.
	VerdictNoEvidence
	// VerdictUncalibrated: the gate cannot tell, for the reason given in the
	// decision. Every candidate passed.
	VerdictUncalibrated
)

// String returns the verdict in lower case: "evidence", "no evidence".
func (v Verdict) String() string {
	switch v {
	case VerdictEmpty:
		return "empty"
	case VerdictEvidence:
		return "evidence"
	case VerdictWeak:
		return "weak"
	case VerdictNoEvidence:
		return "no evidence"
	case VerdictUncalibrated:
		return "uncalibrated"
	}
	return "unknown"
}

// Reason says why a gate could not tell.
type Reason uint8

const (
	// ReasonNone: the gate did decide. The zero value.
	ReasonNone Reason = iota
	// ReasonNoModel: the collection has not been measured yet.
	ReasonNoModel
	// ReasonSmallCorpus: too few passages for a meaningful rate.
	ReasonSmallCorpus
	// ReasonNoTerms: the question holds no word that carries meaning.
	ReasonNoTerms
	// ReasonNoText: the texts (or, for Fixed, the cosines) of the passages are not known.
	ReasonNoText
	// ReasonOff: the gate is switched off.
	ReasonOff
)

// Decision is what a gate says about a question. All numbers are finite.
type Decision struct {
	Verdict Verdict
	Reason  Reason // set when the verdict is VerdictUncalibrated
	// P estimates how often a question that the collection cannot answer looks
	// at least this good; in [0,1]. Candidates that passed by reputation do not count.
	P float64
	// Z is P as a standard normal deviate: larger is rarer.
	Z float64
	// E is the highest evidence among the judged candidates.
	E float64
	// Bar is the evidence the question needed.
	Bar float64
	// Alpha is the false-alarm rate that Bar stands for, in (0,1).
	Alpha float64
	// PerPassage says that P and Alpha are rates of one passage, not of the question.
	PerPassage bool
	// Approximate says that P was not measured for a case like this one (a
	// filtered search, a tiny collection, a question without words).
	Approximate bool
	// ByReputation says that only proven candidates carried the question.
	ByReputation bool
	// Judgements holds one entry per candidate, in the candidates' order.
	Judgements []Judgement
}

// Judgement is what a gate says about one candidate.
type Judgement struct {
	Evidence     float64 // what is compared with the bar
	Coverage     float64 // share of the question's information found in the passage, in [0,1]
	Information  float64 // the same in units of ln(chunks+1): above 1, fewer than one passage would hold it by chance
	Standardised float64 // the score in standard deviations above the bank's, clipped to [-2,5]; 0 if unknown
	Margin       float64 // evidence minus the passage's own bar; negative by how much it missed
	Pass         bool    // may be passed on
	ByReputation bool    // passed because of verified outcomes, whatever its evidence
	Basis        Basis   // what Evidence rests on
}

// Basis says what a candidate was judged by.
type Basis uint8

const (
	// BasisNone: nothing. The zero value.
	BasisNone Basis = iota
	// BasisWords: the question's words in the passage, and its score.
	BasisWords
	// BasisScore: its score alone; its words are not known.
	BasisScore
	// BasisCosine: its cosine, compared with that of passages that have nothing to
	// do with each other.
	BasisCosine
)

// Off lets everything through and computes nothing. The zero value is ready.
type Off struct{}

// Name returns "off".
func (Off) Name() string { return "off" }

// Needs returns the zero value: nothing.
func (Off) Needs() Needs { return Needs{} }

// Validate returns nil.
func (Off) Validate() error { return nil }

// Decide passes every candidate with the verdict VerdictUncalibrated, or
// VerdictEmpty when there is none.
func (Off) Decide(_ Query, candidates []Candidate, _ *Model) Decision {
	return undecided(nil, len(candidates), ReasonOff)
}

// DecideInto is Decide with memory for the judgements, see [Evidence.DecideInto].
func (Off) DecideInto(into []Judgement, _ Query, candidates []Candidate, _ *Model) Decision {
	return undecided(into, len(candidates), ReasonOff)
}

// undecided passes n candidates without a number to go by.
func undecided(into []Judgement, n int, why Reason) Decision {
	if n == 0 {
		return empty()
	}
	d := Decision{Verdict: VerdictUncalibrated, Reason: why, P: 1, Z: deviate(1), Judgements: judgements(into, n)}
	for i := range d.Judgements {
		d.Judgements[i].Pass = true
	}
	return d
}

func empty() Decision { return Decision{Verdict: VerdictEmpty, P: 1, Z: deviate(1)} }
