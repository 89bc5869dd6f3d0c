package core

import (
	"context"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/internal/lexical"
)

// provenSuccesses is the number of verified successes for questions like this
// one from which a candidate passes the gate whatever its words.
const provenSuccesses = 2

// judge asks the gate about the query and every candidate, in base order.
func (r *retrieval) judge(ctx context.Context) {
	cands := make([]gate.Candidate, len(r.candidates))
	for i, c := range r.candidates {
		s := r.ranking.Scores[i]
		cands[i] = gate.Candidate{
			Words: lexical.NewSet(c.Text), Score: c.Score, Similarity: c.Similarity,
			Proven: s.Successes >= provenSuccesses && s.Mean > .5,
		}
	}
	q := gate.Query{
		Terms: lexical.Terms(r.query.Text), K: r.query.K, Alpha: r.query.Alpha,
		Filtered: r.query.Filter != nil, ScoreKnown: r.hits.Kind.ordered() && r.hits.Kind != FusedRank,
	}
	r.decision = r.engine.opts.Gate.Decide(q, cands, nil)
}

// missed says in a sentence why the gate held a candidate back.
func missed(j gate.Judgement) string {
	if j.Margin < 0 {
		return "does not stand out from the noise"
	}
	return "the query as a whole does not stand out from the noise"
}
