package core

import (
	"context"
	"math"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/internal/lexical"
)

const (
	// provenSuccesses is the number of verified successes for questions like
	// this one from which a candidate passes the gate whatever its words.
	provenSuccesses = 2
	// cachedTexts bounds the texts whose words an engine remembers, cachedWords
	// their different words together, 8 bytes each.
	cachedTexts = 8192
	cachedWords = 4 << 20
)

// wordCache remembers the words of texts by content hash, so that a text that is
// found again is not analysed again.
type wordCache struct {
	sets  *lru.Cache[store.Hash, lexical.Set]
	held  *atomic.Int64 // words in all sets
	limit int64
}

func newWordCache(limit int64) wordCache {
	w := wordCache{held: new(atomic.Int64), limit: limit}
	sets, err := lru.NewWithEvict(cachedTexts, func(_ store.Hash, set lexical.Set) { w.held.Add(-int64(set.Len())) })
	if err != nil { // only for a size that is not positive
		panic("core: " + err.Error())
	}
	w.sets = sets
	return w
}

// words returns the words of a text with this content hash.
func (w wordCache) words(hash store.Hash, text string) lexical.Set {
	if text == "" {
		return lexical.Set{}
	}
	if set, ok := w.sets.Get(hash); ok {
		return set
	}
	set := lexical.NewSet(text)
	w.held.Add(int64(set.Len()))
	if known, _ := w.sets.ContainsOrAdd(hash, set); known {
		w.held.Add(-int64(set.Len()))
	}
	for w.held.Load() > w.limit {
		if _, _, ok := w.sets.RemoveOldest(); !ok {
			break
		}
	}
	return set
}

// judge asks the gate, and lets it learn from the texts of a source that cannot be
// listed.
func (r *retrieval) judge(ctx context.Context) {
	if cands, known := r.decide(ctx); known != nil {
		known.observe(r, cands)
	}
}

// decide asks the gate about the query and every candidate, in base order. It
// returns what it asked about and, where the gate needs it, what is known of the
// source.
func (r *retrieval) decide(ctx context.Context) (cands []gate.Candidate, known *calibration) {
	e := r.engine
	cands = r.gateCandidates()
	var q gate.Query
	var model *gate.Model
	if e.opts.Gate.Needs() != (gate.Needs{}) {
		known = e.calibrations.of(ctx, r.source, r.hits.Source)
		q, model = r.gateQuery(), known.current()
	}
	r.decision = e.judged(r.work.decide(e.opts.Gate, q, cands, model), q, cands)
	return cands, known
}

func (r *retrieval) gateQuery() gate.Query {
	return gate.Query{
		Terms: lexical.Unique(lexical.Terms(r.query.Text)), K: r.query.K, Alpha: r.query.Alpha,
		Filtered: r.query.Filter != nil, ScoreKnown: r.hits.Kind.comparable(),
	}
}

// gateCandidates returns the candidates as the gate sees them.
func (r *retrieval) gateCandidates() []gate.Candidate {
	cands := r.unproven()
	for i := range cands {
		s := r.ranking.Scores[i]
		cands[i].Proven = s.Successes >= provenSuccesses && s.Mean > .5
	}
	return cands
}

// unproven returns the candidates as the gate sees them before any outcome.
func (r *retrieval) unproven() []gate.Candidate {
	needs := r.engine.opts.Gate.Needs()
	cands := room(&r.work.judged, len(r.candidates))
	for i := range r.candidates {
		c := &r.candidates[i]
		cands[i] = gate.Candidate{Score: r.hits.Kind.upward(c.Score), Similarity: c.Similarity}
		if needs.Words {
			cands[i].Words = r.engine.words.words(c.hash, c.Text)
		}
	}
	return cands
}

// comparable reports whether scores can be compared between queries.
func (k ScoreKind) comparable() bool { return k.ordered() && k != FusedRank }

// upward turns a score so that higher is better; NaN if it means nothing.
func (k ScoreKind) upward(score float64) float64 {
	switch {
	case !k.ordered() || !finite(score):
		return math.NaN()
	case k.ascending():
		return -score
	}
	return score
}

// missed says in a sentence why the gate held a candidate back.
func missed(j gate.Judgement) string { return j.Explain() }
