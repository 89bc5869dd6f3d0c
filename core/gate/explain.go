package gate

import (
	"fmt"
	"math"
)

// Explain says in one or two plain sentences what a decision means, for people
// who know no statistics.
func Explain(d Decision) string {
	switch {
	case d.Verdict == VerdictUncalibrated:
		return "Everything was passed on, unjudged: " + why(d.Reason) + "."
	case d.Verdict == VerdictEvidence && d.ByReputation:
		return "Passed because of what happened before: passages found here have proven right for questions like this one."
	case d.Verdict == VerdictEvidence:
		return fmt.Sprintf("Passed: %s would look this good %s.", noise(d), about(d.P))
	case d.Verdict == VerdictEmpty:
		return "The search found nothing."
	case d.Bar >= unreachable:
		return fmt.Sprintf("Nothing was passed on: with as few out-of-scope questions as were given nothing can be told at a limit of %s.", odds(d.Alpha))
	case d.Verdict == VerdictWeak:
		return fmt.Sprintf("Nothing was passed on, but it was close: %s looks at least this good %s; the limit is %s.", noise(d), about(d.P), odds(d.Alpha))
	}
	return fmt.Sprintf("Nothing was passed on: %s looks at least this good %s; the limit is %s.", noise(d), about(d.P), odds(d.Alpha))
}

// noise names what a rate is about.
func noise(d Decision) string {
	if d.PerPassage {
		return "a passage that has nothing to do with the question"
	}
	return "a question that this collection cannot answer"
}

// unreachable is more than any evidence; what was infinite lies above it.
const unreachable = math.MaxFloat64 / 2

func why(r Reason) string {
	switch r {
	case ReasonNoModel:
		return "the collection has not been measured yet"
	case ReasonSmallCorpus:
		return fmt.Sprintf("fewer than %d passages of the collection are known, too few to tell chance from evidence", smallCorpus)
	case ReasonNoTerms:
		return "the question holds no word that carries meaning"
	case ReasonNoText:
		return "the passages came without anything to judge them by"
	case ReasonOff:
		return "the gate is switched off"
	}
	return "the gate could not tell"
}

// about is odds for an estimate.
func about(p float64) string {
	if p > 0.995 {
		return "every time"
	}
	if !(p > 0) || p < rarest {
		return odds(p)
	}
	return "about " + odds(p)
}

const rarest = 1e-6 // the smallest rate given as a number

// odds puts a probability in words: "1 time in 20".
func odds(p float64) string {
	switch {
	case !(p > 0) || p < rarest:
		return "less than 1 time in a million"
	case p > 0.1:
		return fmt.Sprintf("%d times in 100", int(math.Round(100*p)))
	}
	return fmt.Sprintf("1 time in %d", int(math.Round(1/p)))
}

// Explain says in one plain sentence why a candidate passed or by how much it
// missed.
func (j Judgement) Explain() string {
	switch {
	case j.ByReputation:
		return "passed by evidence: it has proven right for questions like this one"
	case j.Pass && (j.Basis == BasisNone || j.Margin <= -unreachable):
		return "passed unjudged"
	case j.Pass && j.Margin >= unreachable: // whatever goes with a question that passes
		return "passed with the question: " + j.basis()
	case j.Pass && j.Margin >= 0:
		return fmt.Sprintf("passed by %.2f: %s", j.Margin, j.basis())
	case j.Pass:
		return fmt.Sprintf("passed unjudged; it would have missed by %.2f", -j.Margin)
	case j.Margin >= 0:
		return "refused with the question as a whole"
	case j.Margin <= -unreachable:
		return "refused: no evidence is enough for the limit asked for"
	case j.Basis == BasisNone:
		return "refused: nothing is known to judge it by"
	}
	return fmt.Sprintf("missed by %.2f: %s", -j.Margin, j.basis())
}

// basis says what was found.
func (j Judgement) basis() string {
	switch {
	case j.Basis == BasisCosine && j.Evidence <= 0:
		return "it is no closer to the question than unrelated passages are to each other"
	case j.Basis == BasisCosine:
		return fmt.Sprintf("it is %.1f standard deviations closer to the question than unrelated passages are to each other", j.Evidence)
	case j.Basis == BasisScore:
		return "its words are not known"
	}
	return fmt.Sprintf("it holds %.0f %% of what the question's words tell", 100*j.Coverage)
}
