// Package lifecycle holds the rules of a user's personal library: which documents
// become part of it, which leave it, what it serves, and how that is explained.
//
// There is one [Record] per namespace, user and document. It keeps three things
// apart: what evidence has taught ([Record.Learned], with the counters behind
// it), what the user has said ([Intent]: pin, block, decline), and the text the
// user has claimed ([Claim]). Evidence never overwrites what the user has said.
//
// Records change in one place, [Apply], and by the mere passing of time in
// [Evaluate]; both go through the same transition function, and every move
// leaves its cause in the record's audit trail. [Merge] puts pinned, claimed
// and retrieved passages together, and [Provenance] says what was used and why.
//
//	          fetched              three uses             accept
//	GLOBAL ────────────▶ SURFACED ────────────▶ SUGGESTED ────────▶ CLAIMED
//	   ▲    ◀──────────    ▲  ▲ ◀──────────────    decline,          │   ▲
//	   │      decay        │  └── source gone ──   expiry    score ≥ │   │ score < .85
//	   │                   │                          .85 for 7 days ▼   │ for 3 days
//	   └──── decay ─── DEMOTED ◀── decay, remove, bad posterior ──  PINNED
//
// The package is pure: no clock, no input or output, no randomness. Time is an
// argument. All functions are safe for concurrent use; a Record is a plain
// value, and no function modifies its arguments.
//
// The states and numbers are those of langchain-rag-wiki; docs/lifecycle.md
// says where the behaviour differs and why.
package lifecycle
