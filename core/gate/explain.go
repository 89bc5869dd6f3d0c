package gate

import (
	"fmt"
	"math"
)

// Explain says in one or two plain sentences what a decision means, for people
// who know no statistics.
func Explain(d Decision) string {
	switch d.Verdict {
	case VerdictEvidence:
		if d.ByReputation {
			return "Passed because of what happened before: passages found here have proven right for questions like this one."
		}
		return fmt.Sprintf("Passed: a question that this collection cannot answer would look this good %s.", about(d.P))
	case VerdictWeak:
		return fmt.Sprintf("Nothing was passed on, but it was close: a question that this collection cannot answer looks at least this good %s; the limit is %s.", about(d.P), odds(d.Alpha))
	case VerdictNoEvidence:
		return fmt.Sprintf("Nothing was passed on: a question that this collection cannot answer looks at least this good %s; the limit is %s.", about(d.P), odds(d.Alpha))
	case VerdictUncalibrated:
		return "Everything was passed on, unjudged: " + why(d.Reason) + "."
	}
	return "The search found nothing."
}

func why(r Reason) string {
	switch r {
	case ReasonNoModel:
		return "the collection has not been measured yet"
	case ReasonSmallCorpus:
		return fmt.Sprintf("the collection holds fewer than %d passages, too few to tell chance from evidence", smallCorpus)
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
	case j.Pass && j.Margin >= 0:
		return fmt.Sprintf("passed by %.2f: it holds %.0f %% of what the question's words tell", j.Margin, 100*j.Coverage)
	case j.Pass:
		return fmt.Sprintf("passed unjudged; it would have missed by %.2f", -j.Margin)
	case j.Margin >= 0:
		return "refused with the question as a whole"
	}
	return fmt.Sprintf("missed by %.2f: it holds %.0f %% of what the question's words tell", -j.Margin, 100*j.Coverage)
}
