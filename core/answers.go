package core

import (
	"fmt"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/reputation"
)

// A ranker or gate that somebody else wrote may answer what is no answer. That
// must not end a retrieval.

// usable returns a ranker's answer if it is one, else that of the default ranker.
func (e *Engine) usable(answer reputation.Ranking, q reputation.Query, cands []reputation.Candidate, stats *reputation.Statistics) reputation.Ranking {
	err := checkRanking(answer, len(cands))
	if err == nil {
		return answer
	}
	e.opts.Logger.Warn("ranker's answer not usable, the default ranker's is", "ranker", e.opts.Ranker.Name(), "error", err)
	return reputation.Posterior{}.Rank(q, cands, stats)
}

// checkRanking refuses what is no order of n candidates with finite scores.
func checkRanking(r reputation.Ranking, n int) error {
	if len(r.Order) != n || len(r.Scores) != n {
		return fmt.Errorf("core: an order of %d with %d scores for %d candidates", len(r.Order), len(r.Scores), n)
	}
	var few [usual]bool
	seen := few[:]
	if n > len(few) {
		seen = make([]bool, n)
	}
	for _, i := range r.Order {
		if i < 0 || i >= n || seen[i] {
			return fmt.Errorf("core: the order of %d candidates holds %d, or holds it twice", n, i)
		}
		seen[i] = true
	}
	for i := range r.Scores {
		if s := &r.Scores[i]; !finite(s.Value) || !finite(s.Mean) || !finite(s.Mass) || !finite(s.Bonus) {
			return fmt.Errorf("core: the score of candidate %d is not finite", i)
		}
	}
	return nil
}

// judged returns a gate's answer if it is one, else lets everything pass.
func (e *Engine) judged(answer gate.Decision, q gate.Query, cands []gate.Candidate) gate.Decision {
	if len(answer.Judgements) == len(cands) {
		return answer
	}
	e.opts.Logger.Warn("gate's answer not usable, everything passes", "gate", e.opts.Gate.Name(),
		"judgements", len(answer.Judgements), "candidates", len(cands))
	return gate.Off{}.Decide(q, cands, nil)
}
