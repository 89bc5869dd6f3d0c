package reputation

import (
	"math"
	"slices"
)

// Posterior is the default ranker. A candidate's score is the posterior mean of
// "this document will help with this query". Its prior mean is
//
//	m0 = logistic(logit(c) + 1.24*(s - s0))
//
// at a strength of two observations, s being relevance within the list and c how
// often a document of which nothing is known helps, at the mean relevance s0.
// Outcomes for alike queries are added as counts, and outcomes for all other
// queries at a weight omega that is not known: omega in {0, .05, .15, .5} and
// "documents hardly matter" are hypotheses, each weighted by how well it predicted
// (Bayesian model averaging). So are two readings of an answer whose sources are
// unknown. Where the query recurs, half a posterior standard deviation is added for
// exploration.
//
// The zero value uses [DefaultConstants] and is ready for use.
type Posterior struct {
	Constants Constants
}

// Name returns "posterior".
func (Posterior) Name() string { return "posterior" }

// FoldConstants are the constants that outcomes are to be folded with.
func (p Posterior) FoldConstants() Constants { return p.Constants.orDefault() }

// usual is the number of candidates up to which ranking needs no memory but its
// result's.
const usual = 64

// Rank implements [Ranker].
func (p Posterior) Rank(q Query, candidates []Candidate, stats *Statistics) Ranking {
	return p.RankInto(nil, nil, q, candidates, stats)
}

// RankInto is Rank for callers that rank often and keep no ranking: its order and
// scores lie in the given memory if that is long enough, and what was there is
// lost. Nil makes it take its own.
func (p Posterior) RankInto(order []int, scores []Score, q Query, candidates []Candidate, stats *Statistics) Ranking {
	var room [usual]evidence
	ev := room[:]
	if len(candidates) > usual {
		ev = make([]evidence, len(candidates))
	}
	order = slices.Grow(order[:0], len(candidates))[:len(candidates)]
	scores = slices.Grow(scores[:0], len(candidates))[:len(candidates)]
	clear(scores) // spread sets every place of the order
	spread(candidates, order, scores)
	r := Ranking{
		Order: order, Scores: scores,
		CitedRate: float32(stats.citedRate()), IgnoreAttribution: stats.ignoreAttribution(),
		FirstShare: stats.firstShare(),
	}
	m := mixture{c: p.Constants.orDefault(), cold: stats.coldRate(), first: r.FirstShare, sharing: 1}
	shared := 0.0
	if k := min(q.K, len(candidates)); k <= 1 {
		m.first, r.FirstShare = 0, 0
	} else if !stats.usesAttribution() {
		m.sharing, m.c.Bonus, shared = float64(k), m.c.SharedBonus, m.c.SharedPrior
	}
	r.Weights = stats.weights(m.c, shared)
	m.weights = r.Weights
	known := m.gather(&q, candidates, r.Order, ev)
	offset := logit(m.cold) - m.c.RelevanceSlope*stats.coldRelevance()
	for i := range scores {
		prior := logistic(offset + m.c.RelevanceSlope*float64(scores[i].S))
		m.score(&scores[i], &ev[i], prior)
	}
	r.Explored = m.localMass > m.c.Recurrence && (m.c.Bonus > 0 || m.c.Exploration == ExploreByDraw)
	for i := range scores {
		scores[i].Value = scores[i].Mean
		if r.Explored {
			m.explore(&scores[i], q.Seed, candidates[i].ID)
		}
	}
	if known {
		sortByScore(r.Order, scores)
	}
	return r
}

// mixture is what the candidates of one query have in common.
type mixture struct {
	c         Constants
	cold      float64 // how often a document of which nothing is known helps
	first     float64 // weight of the reading "the first of the shown"
	weights   [Hypotheses]float64
	a, b      float64 // local evidence of all candidates
	localMass float64 // a + b
	sharing   float64 // documents that share an outcome
}

// gather reads the candidates' evidence and reports whether there is any. It adds up
// in base order, so that not even rounding depends on the order of the candidates.
func (m *mixture) gather(q *Query, candidates []Candidate, base []int, ev []evidence) (known bool) {
	a, b := 0.0, 0.0
	var raters unverified
	for _, i := range base {
		if r := candidates[i].Record; !r.Empty() {
			ev[i].gather(r, q, &m.c, &raters)
			a += ev[i].a
			b += ev[i].b
			known = true
		}
	}
	m.a, m.b, m.localMass = a, b, a+b
	return known
}

// score works out the posterior of one candidate.
func (m *mixture) score(s *Score, ev *evidence, prior float64) {
	s.Propensity = 1
	if ev.counts == (counts{}) && m.localMass == 0 {
		m.unknown(s, prior)
		return
	}
	alpha0, strength := m.c.PriorStrength*prior, m.c.PriorStrength
	best, first, mass := 0.0, 0.0, 0.0
	for h, omega := range m.c.Transfer {
		alpha, total := alpha0+omega*ev.ga, strength+omega*(ev.ga+ev.gb)
		theta := (alpha + ev.a) / (total + ev.a + ev.b)
		s.Thetas[h] = float32(theta)
		best += m.weights[h] * theta
		first += m.weights[h] * (alpha + ev.aw) / (total + ev.aw + ev.bw)
		mass += m.weights[h] * (total + ev.a + ev.b)
	}
	h := Hypotheses - 1
	alpha, n := m.indifferent(ev, prior)
	theta := (alpha + ev.a) / (n + ev.a + ev.b)
	s.Thetas[h] = float32(theta)
	best += m.weights[h] * theta
	first += m.weights[h] * (alpha + ev.aw) / (n + ev.aw + ev.bw)
	mass += m.weights[h] * (n + ev.a + ev.b)

	s.Mean = (1-m.first)*best + m.first*first
	s.Mass, s.MeanBest, s.MeanFirst = mass, float32(best), float32(first)
	s.LocalMass = float32(ev.a + ev.b)
	s.CitedSum, s.CitedMass = float32(ev.cs), float32(ev.cn)
	s.Successes = ev.successes
}

// indifferent is the prior if documents hardly matter: it is what the outcomes of the
// *other* candidates say of this query, moved by relevance. How much they can say is
// bounded by their mass, and by how far documents differ all the same. Without them
// the prior is the same as under every other hypothesis. The document's own outcomes
// stay out, the ones it shared with others too: counted twice they would make this
// hypothesis predict the same document better than any other, and win where documents
// matter most.
func (m *mixture) indifferent(ev *evidence, prior float64) (alpha, strength float64) {
	a, b := max(0, m.a/m.sharing-ev.a), max(0, m.b/m.sharing-ev.b)
	if a+b == 0 {
		return m.c.PriorStrength * prior, m.c.PriorStrength
	}
	mean := (2*m.cold+a)/(2+a+b) + prior - m.cold
	apart := 1 / m.c.Indifference
	strength = 1 / (apart + 1/(1/(1/m.c.PriorStrength-apart)+a+b))
	return strength * min(max(mean, .02), .98), strength
}

// unknown is score where nothing is known of any candidate for a query like this
// one, and of this candidate nothing at all.
func (m *mixture) unknown(s *Score, prior float64) {
	for h := range s.Thetas {
		s.Thetas[h] = float32(prior)
	}
	s.Mean, s.MeanBest, s.MeanFirst = prior, float32(prior), float32(prior)
	s.Mass = m.c.PriorStrength
}

func logit(p float64) float64    { return math.Log(p / (1 - p)) }
func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
