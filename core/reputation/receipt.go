package reputation

import "slices"

// Receipt is the evidence side of a retrieval: what ranking knew about each
// document shown, the current opinions, the raters' calibration as it was when
// they first spoke, and what has been applied already. It is immutable once
// handed out; [Fold] makes a new one.
type Receipt struct {
	Tag       uint64 // random, unique in the namespace
	Time      int64  // of the retrieval, Unix nanoseconds
	User      uint16 // ActorTag of the user, 0 = none
	Signature Signature
	Space     Space
	Shown     []Shown

	CitedRate         float32 // mean attribution in the namespace at ranking
	IgnoreAttribution bool

	Opinions     []Opinion     // current ones; each is about the whole answer or one document
	Calibrations []Calibration // of the raters among them, by name

	frozen  bool         // classes holds what was known at the first opinion
	classes []classRates // sorted by name; never modified
	applied []applied    // aligned with Shown; nil = nothing
	stats   Contribution // its own part only
	tallies []TallyDelta
}

// Shown is what ranking knew about a document it showed. Its place in
// Receipt.Shown is its position.
type Shown struct {
	Propensity float32 // probability of the place; 1 = deterministic, 0 = not known
	Mean       float32 // posterior mean
	MeanBest   float32
	MeanFirst  float32
	LocalMass  float32
	S          float32 // relevance within the list
	CitedSum   float32
	CitedMass  float32
	Thetas     [Hypotheses]float32
}

// Calibration is how far a rater could be trusted when the receipt first heard
// from it.
type Calibration struct {
	Rater    string
	TPR, FPR float64 // probability of a yes to a true and to a false answer
	// DocFPR is FPR as seen on each document shown, aligned with Receipt.Shown.
	DocFPR []float32
}

// classRates are how likely a rater of a class says yes to a true answer (tpr) and to
// a false one (fpr).
type classRates struct {
	class    string
	tpr, fpr float64
}

// applied is what a receipt has added to one document's record.
type applied struct {
	done   bool
	event  Event // amounts only
	checks []Check
}

// NewReceipt writes down what a ranking knew about the documents it shows; shown
// are indices into the candidates in shown order. The caller sets Tag and User.
func NewReceipt(q Query, r Ranking, shown []int) *Receipt {
	rc := &Receipt{
		Time: q.Time, Signature: q.Signature, Space: q.Space,
		CitedRate: r.CitedRate, IgnoreAttribution: r.IgnoreAttribution,
		Shown: make([]Shown, len(shown)),
	}
	for i, j := range shown {
		s := &r.Scores[j]
		rc.Shown[i] = Shown{
			Propensity: s.Propensity, Mean: float32(s.Mean), MeanBest: s.MeanBest, MeanFirst: s.MeanFirst,
			LocalMass: s.LocalMass, S: s.S, CitedSum: s.CitedSum, CitedMass: s.CitedMass, Thetas: s.Thetas,
		}
	}
	return rc
}

// clone copies the receipt so that opinions and what was applied can be changed.
func (r *Receipt) clone() *Receipt {
	c := *r
	c.Opinions = slices.Clone(r.Opinions)
	c.Calibrations = slices.Clone(r.Calibrations)
	return &c
}
