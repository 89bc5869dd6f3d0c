package reputation

import "slices"

// Query is what ranking knows about the question.
type Query struct {
	Signature Signature
	Space     Space  // of Signature; 0 = there is none
	Time      int64  // now, Unix nanoseconds
	K         int    // results wanted
	Seed      uint64 // of session and namespace: the only source of randomness
	// Task, Keywords and Text are for rankers of your own; ours do not read them.
	Task     string
	Keywords []string
	Text     string
}

// Candidate is one document that a retriever proposes.
type Candidate struct {
	ID string
	// Relevance as the retriever reports it, normally in [0,1], higher is better;
	// NaN = unknown.
	Relevance float64
	// Base is the rank in the retriever's own order, 0 first.
	Base int
	// Record is the evidence about the document's text; nil = none.
	Record *Record
	// Text and Metadata are for rankers of your own; ours do not read them. They may
	// be empty.
	Text     string
	Metadata map[string]any
}

// Hypotheses is the number of competing explanations that [Posterior] weighs.
const Hypotheses = 5

// Score says where a candidate stands and why. Every number is finite.
type Score struct {
	Value     float64 // what orders: Mean + Bonus for Posterior
	Mean      float64 // posterior mean of "it will help with this query", in [0,1]
	Mass      float64 // evidence mass, prior included: alpha + beta
	Bonus     float64 // for being worth a try; may be negative where posteriors are drawn from
	Successes float64 // verified successes for queries like this one (kernel >= .5); a half-life fades them, newer outcomes do not

	// What a receipt keeps for the day the outcome comes in.
	Thetas     [Hypotheses]float32 // mean under each hypothesis
	MeanBest   float32             // mean if answers are made from the best of the documents shown
	MeanFirst  float32             // mean if they are made from the first ones
	LocalMass  float32             // evidence for queries like this one
	S          float32             // relevance within this list, in [0,1]
	CitedSum   float32             // local attribution evidence: sum
	CitedMass  float32             // and mass
	Propensity float32             // probability of the place given what was known; 1 = deterministic, 0 = not known
}

// Ranking is an order of the candidates with its reasons.
type Ranking struct {
	Order  []int   // indices into the candidates, best first; all of them
	Scores []Score // aligned with the candidates

	Explored          bool                // an exploration bonus was paid: the query recurs
	CitedRate         float32             // mean attribution in the namespace
	IgnoreAttribution bool                // attribution was found not to repeat itself
	FirstShare        float64             // weight of the reading that the first documents shown made the answer
	Weights           [Hypotheses]float64 // of the hypotheses, sum 1
}

// Ranker orders candidates. Rank is a pure function: it changes neither the
// candidates nor the statistics, and may be called concurrently. Statistics may be
// nil, which means none yet. Candidates may come in any order; the result does not
// depend on it. Ties are broken by base rank, then ID. It must not keep the
// candidates: their memory is used again.
type Ranker interface {
	// Name identifies the ranker in traces and in front of its summaries.
	Name() string
	Rank(q Query, candidates []Candidate, stats *Statistics) Ranking
}

// Summarizer is implemented by rankers that keep a summary in each record besides
// the ring of events. Fold adds an event to a summary (nil = empty) and returns
// the new one, at most [MaxSummary] bytes with the ranker's name; it must not
// modify its argument. When a signal is revised, the event holds the difference of
// the amounts, which may be negative.
type Summarizer interface {
	Fold(summary []byte, e Event) []byte
}

// Summarize returns the record with the summary of the given ranker, made anew from
// the events in its ring. It is how a ranker that is switched to gets its summary.
func Summarize(r *Record, ranker string, s Summarizer) *Record {
	if r.Empty() {
		return r
	}
	var summary []byte
	for _, e := range r.Events {
		summary = s.Fold(summary, e)
	}
	return r.WithSummary(ranker, summary)
}

// sortByScore orders the candidates by score; order holds them in base order, which
// breaks ties.
func sortByScore(order []int, scores []Score) {
	slices.SortStableFunc(order, func(i, j int) int {
		switch x, y := scores[i].Value, scores[j].Value; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
}

// byBase orders candidates as the retriever did.
func byBase(a, b *Candidate) int {
	switch {
	case a.Base != b.Base:
		return a.Base - b.Base
	case a.ID < b.ID:
		return -1
	case a.ID > b.ID:
		return 1
	}
	return 0
}
