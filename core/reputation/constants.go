package reputation

import "time"

// Constants are the numbers of the default ranker and of folding. The zero value
// of the whole struct means [DefaultConstants]; to change one, start from those.
type Constants struct {
	// PriorStrength is the number of observations relevance counts for.
	PriorStrength float64
	// RelevanceSlope is the log-odds between the least and the most relevant
	// candidate of a list.
	RelevanceSlope float64
	// Transfer is how much global evidence counts under each hypothesis but the
	// last, which is "documents hardly matter".
	Transfer [Hypotheses - 1]float64
	// TransferPenalty is taken off a hypothesis' log weight per unit of Transfer.
	TransferPenalty float64
	// SharedPrior is added to the log weight of every hypothesis but the last where
	// several documents share an outcome and nothing says which of them made it. The
	// outcomes then tell the hypotheses apart only slowly.
	SharedPrior float64
	// Indifference says how far documents differ under "documents hardly matter": as
	// Beta distributions of this strength do. It must exceed PriorStrength.
	Indifference float64
	// Exploration is how a query that recurs tries documents out.
	Exploration Exploration
	// Bonus is the exploration bonus in posterior standard deviations.
	Bonus float64
	// SharedBonus is Bonus where several documents share an outcome and nothing says
	// which of them made it: failures then take turns by themselves.
	SharedBonus float64
	// Recurrence is the local mass over all candidates above which a query counts
	// as one that recurs, and exploration is allowed.
	Recurrence float64
	// Uncited is what an attribution of 0 counts as evidence against a document.
	Uncited float64
	// PositionDecay is the attention paid to a place in the list relative to the
	// one before.
	PositionDecay float64
	// HalfLife of evidence, 0 = none. 90 days suit a corpus that changes.
	HalfLife time.Duration
	// RaterHalfLife is the half-life of what is known about raters, 0 = none.
	RaterHalfLife time.Duration
	// RaterStrength is the number of observations a rater's class counts for.
	RaterStrength float64
	// RaterCap is the mass of unverified evidence of one class of raters about one
	// document that counts at most, in verified outcomes.
	RaterCap float64
	// RaterEvents is the number of unverified events by one rater that a record
	// keeps.
	RaterEvents int
}

// Exploration is a way of trying documents out.
type Exploration int

const (
	// ExploreByBonus adds Constants.Bonus posterior standard deviations to the mean.
	// It is deterministic and the default; with a Bonus of 0 there is no
	// exploration.
	ExploreByBonus Exploration = iota
	// ExploreByDraw orders by a draw from each posterior (Thompson 1933), keyed by
	// the query's seed and the candidate's ID, never by its place in the list: the
	// same session sees the same order. It did worse than the bonus in our
	// experiments, at every horizon.
	ExploreByDraw
)

// DefaultConstants returns the numbers that the experiments were run with.
func DefaultConstants() Constants {
	return Constants{
		PriorStrength:   2,
		RelevanceSlope:  1.24,
		Transfer:        [Hypotheses - 1]float64{0, .05, .15, .5},
		TransferPenalty: 8,
		SharedPrior:     2,
		Indifference:    20,
		Bonus:           .5,
		Recurrence:      .5,
		Uncited:         .3,
		PositionDecay:   .6,
		RaterHalfLife:   180 * 24 * time.Hour,
		RaterStrength:   1,
		RaterCap:        5,
		RaterEvents:     4,
	}
}

// orDefault returns the defaults for the zero value.
func (c Constants) orDefault() Constants {
	if c == (Constants{}) {
		return DefaultConstants()
	}
	return c
}
