package core

import (
	"fmt"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// ReceiptID names a retrieval for later signals: 128 random bits, bound to the
// engine's namespace and to the retrieval's user. The zero value names none.
type ReceiptID = store.ReceiptID

// Verdict says whether a query has evidence.
type Verdict = gate.Verdict

// Verdicts.
const (
	// Empty means that the source found nothing at all.
	Empty = gate.VerdictEmpty
	// Evidence means that the query stands out from the noise.
	Evidence = gate.VerdictEvidence
	// Weak means that the query narrowly missed the bar; nothing is passed on.
	Weak = gate.VerdictWeak
	// NoEvidence means that what was found looks like noise; nothing is passed
	// on.
	NoEvidence = gate.VerdictNoEvidence
	// Uncalibrated means that the gate cannot tell; everything is passed on.
	Uncalibrated = gate.VerdictUncalibrated
)

// Response is what a retrieval returns. It is a value of its own: nothing in it
// is shared with the source. Treat it as read-only once it is in a Trace.
type Response struct {
	// Receipt is the handle for Feedback; zero in mode Off, for an empty result
	// and where Unlearned is set.
	Receipt ReceiptID
	// Query, Question, User, Session and Source say what was asked, of whom.
	// Question is the user's own words (WithQuestion), else Query.
	Query, Question, User, Session, Source string
	// Mode is the mode the retrieval ran in.
	Mode Mode
	// Verdict is the gate's. In mode Shadow it is reported, not obeyed.
	Verdict Verdict
	// Decision holds the gate's numbers for the query: P, Z, evidence and bar.
	// Its Judgements are empty; each Item carries its own.
	Decision gate.Decision
	// Items are the results, best first: what the retriever found, at most K, and
	// what the user's library adds to it, at most LibraryOptions.Items. Pinned
	// documents come first; they are there even if the gate lets nothing through.
	Items []Item
	// Rejected are candidates that were not passed on, the nearest misses first,
	// at most DefaultMaxRejected.
	Rejected []Rejected
	// Suggestions offers documents for the user's library: those shown here that
	// have been used often enough and are not answered yet. Empty without a user.
	Suggestions []Suggestion
	// Library says what became of the user's library in this retrieval, where it
	// is not plain from the Items: texts that changed, went or were held back. At
	// most 100.
	Library []LibraryNote
	// Proposed is what mode On would have returned; only in mode Shadow.
	Proposed []Item
	// Unlearned says why the retrieval could not be recorded or did not see the
	// evidence: a store that is down, read-only or full. The results are good,
	// but no signal can be given for them. Nil if all went well.
	Unlearned error

	fence  [8]byte // random
	engine *Engine
}

// Item is one result with everything that put it where it stands.
type Item struct {
	// Candidate is a copy of what the source gave, with ID, DocID and Similarity
	// filled in where they were missing. What is not known, and a Score that is no
	// number, is 0: a Response can always be written as JSON. Mode Off fills in
	// nothing and changes nothing.
	Candidate
	// Hash names the text its evidence belongs to.
	Hash store.Hash
	// Rank is its place in Items, from 0; BaseRank its place in the retriever's
	// order, -1 for a library text that the retriever did not find.
	Rank, BaseRank int
	// Relevance is derived from the score, in [0,1], and tells results of one list
	// apart: where all scores are the same it is made of the rank.
	Relevance float64
	// Final is what ordered it: posterior mean plus exploration bonus, by the
	// ranker's own measure. Without evidence it equals the ranker's prior.
	Final float64
	// Posterior is the probability that it helps with this query.
	Posterior reputation.Estimate
	// Bonus is the part of Final that is exploration.
	Bonus float64
	// Judgement is the gate's: evidence, coverage, distance to the bar. It is
	// zero for a library text that the retriever did not find.
	Judgement gate.Judgement
	// State is the document's standing with the user, Uses how often the user was
	// shown it, decayed and rounded. Global and 0 without a user.
	State lifecycle.State
	Uses  int
	// FromLibrary says that the Text is the user's saved one, Origin where that
	// came from. Changed says that it is not what the source says now, which only
	// the user's own text may be.
	FromLibrary, Changed bool
	Origin               lifecycle.Origin
	// Pinned says that it stands where it does because the user, or long use,
	// pinned the document; the gate was not asked.
	Pinned bool
	// Holds are the ids of the retrieved chunks in whose place a library text
	// stands. Signals may name them, or the ID, or the DocID.
	Holds []string
	// Reason says in a sentence why it stands where it stands.
	Reason string

	idle  bool   // there only because it is pinned
	found string // of a library text: the chunks that it holds
}

// Rejected is a candidate that was not passed on.
type Rejected struct {
	// ID, DocID and Title name the candidate.
	ID, DocID, Title string
	// BaseRank is its place in the retriever's order, from 0.
	BaseRank int
	// Relevance is derived from its score, in [0,1].
	Relevance float64
	// Judgement is the gate's; zero for duplicates.
	Judgement gate.Judgement
	// Reason says in a sentence why.
	Reason string
}

// HasEvidence reports whether the response is worth answering from: it has
// items, and the gate did not refuse the query. An uncalibrated gate refuses
// nothing, and neither does mode Shadow, whatever the Verdict reports. A nil
// response has none.
func (r *Response) HasEvidence() bool {
	if r == nil || len(r.Items) == 0 {
		return false
	}
	return r.Verdict == Evidence || r.Verdict == Uncalibrated || r.Mode == Shadow
}

// IDs returns the chunk ids of the items in order.
func (r *Response) IDs() []string {
	ids := make([]string, len(r.Items))
	for i := range r.Items {
		ids[i] = r.Items[i].ID
	}
	return ids
}

// about returns the signals that concern this response, and their indices. A
// signal On documents keeps only the ids shown here, and so does one of what the
// answer Used.
func (r *Response) about(signals []Signal) (mine []Signal, which []int) {
	shown := make(map[string]bool, 2*len(r.Items))
	for _, it := range r.Items {
		shown[it.ID], shown[it.DocID] = true, true
		for _, id := range it.Holds {
			shown[id] = true
		}
	}
	for i, s := range signals {
		if s.on != nil {
			var ids []string
			for _, id := range s.on {
				if shown[id] {
					ids = append(ids, id)
				}
			}
			if len(ids) == 0 {
				continue
			}
			s = s.On(ids...)
		}
		if s.used != nil {
			here := make(map[string]float64)
			for id, x := range s.used {
				if shown[id] {
					here[id] = x
				}
			}
			if len(here) == 0 && len(s.used) > 0 {
				continue
			}
			s.used = here
		}
		mine, which = append(mine, s), append(which, i)
	}
	return mine, which
}

// Update is what feedback changed.
type Update struct {
	// Receipt is the receipt it was given for.
	Receipt ReceiptID
	// Duplicate says that everything was known already; nothing changed.
	Duplicate bool
	// TooLate says that a signal came when the event it is for had already left a
	// document's memory, or when that had no place for it any more; nothing changed
	// for that document.
	TooLate bool
	// Outcome is the combined opinion about the whole answer in [0,1] and
	// Weight what it counts, 1 for a verified one.
	Outcome, Weight float64
	// Documents holds what changed, in the order shown.
	Documents []DocumentUpdate
}

// DocumentUpdate is the change of one document.
type DocumentUpdate struct {
	// ID and DocID name it as shown.
	ID, DocID string
	// Pos and Neg are the good and bad outcomes that this feedback added to its
	// evidence; negative where a revision took some back.
	Pos, Neg float64
}

// String describes the update in a line.
func (u Update) String() string {
	if u.Duplicate {
		return "nothing new"
	}
	return fmt.Sprintf("outcome %.2f at weight %.2f, %d documents", u.Outcome, u.Weight, len(u.Documents))
}
