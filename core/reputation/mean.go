package reputation

// Mean is the simplest honest ranker: the mean of a Beta distribution whose prior
// is the relevance, at a strength of two observations, and whose counts are all
// outcomes of the document, for whatever query. It learns that a document is good
// or bad, not what it is good for. The zero value is ready for use.
type Mean struct{}

// meanStrength is the number of observations that relevance counts for.
const meanStrength = 2

// Name returns "mean".
func (Mean) Name() string { return "mean" }

// Rank implements [Ranker].
func (Mean) Rank(q Query, candidates []Candidate, stats *Statistics) Ranking {
	order, scores := make([]int, len(candidates)), make([]Score, len(candidates))
	spread(candidates, order, scores)
	for i := range candidates {
		s := &scores[i]
		prior := .05 + .9*float64(s.S)
		alpha, beta := meanStrength*prior, meanStrength*(1-prior)
		if r := candidates[i].Record; r != nil {
			for j := range r.Events {
				e := &r.Events[j]
				alpha += float64(e.Pos)
				beta += float64(e.Neg)
				if e.Class == 0 {
					s.Successes += float64(e.Pos)
				}
			}
		}
		s.Mass = alpha + beta
		s.LocalMass = float32(s.Mass - meanStrength)
		s.Mean = alpha / s.Mass
		s.Value, s.Propensity = s.Mean, 1
		s.MeanBest, s.MeanFirst = float32(s.Mean), float32(s.Mean)
		for h := range s.Thetas {
			s.Thetas[h] = float32(s.Mean)
		}
	}
	sortByScore(order, scores)
	return Ranking{
		Order: order, Scores: scores, Weights: [Hypotheses]float64{1},
		CitedRate: float32(stats.citedRate()), IgnoreAttribution: stats.ignoreAttribution(),
	}
}
