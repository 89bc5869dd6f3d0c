package lifecycle

import (
	"math"
	"slices"
	"time"
)

// AuditLength is the number of moves a record remembers.
const AuditLength = 8

// Record is the personal row of one document and one user in one namespace. The
// store keeps the key; the record holds no user name. The zero value is a
// document this user has no history with (Global). A Record is a value: copies
// are independent because its slices are never written in place.
type Record struct {
	Learned State  `json:"learned"`         // what evidence says; State adds the user's choice
	Since   Stamp  `json:"since,omitzero"`  // when Learned was entered
	Intent  Intent `json:"intent,omitzero"` // what the user said; evidence never changes it

	Uses        Counter `json:"uses,omitzero"`         // decayed uses, from the retriever or the library
	LastFetched Stamp   `json:"last_fetched,omitzero"` // last shown from the retriever
	LastServed  Stamp   `json:"last_served,omitzero"`  // last shown from the library
	Query       int64   `json:"query,omitzero"`        // the user's query number at the last appearance
	Misses      uint8   `json:"misses,omitzero"`       // plausible queries in a row without it

	Opinion    Opinion `json:"opinion,omitzero"`
	AboveSince Stamp   `json:"above_since,omitzero"` // in the library: score at or over PinThreshold since
	BelowSince Stamp   `json:"below_since,omitzero"` // under DemoteThreshold (earned pin: PinThreshold) since
	Evaluated  Stamp   `json:"evaluated,omitzero"`   // state and stamps are exact up to here

	Suggestion Offer `json:"suggestion,omitzero"`
	Claim      Claim `json:"claim,omitzero"`

	Title string `json:"title,omitzero"` // at most MaxTitle bytes, untrusted
	Path  string `json:"path,omitzero"`  // at most MaxPath bytes, untrusted: shown, never opened
	Moves []Move `json:"moves,omitzero"` // the last AuditLength moves, oldest first
}

// Intent is what the user has said about a document, apart from evidence.
type Intent struct {
	Choice     Choice `json:"choice,omitzero"`
	ChosenAt   Stamp  `json:"chosen_at,omitzero"`   // time of the last order; an older one is ignored
	DeclinedAt Stamp  `json:"declined_at,omitzero"` // last decline or removal
	Declines   uint16 `json:"declines,omitzero"`    // since the last accept
	Wait       uint32 `json:"wait,omitzero"`        // uses still wanted before a suggestion
}

// Offer is the newest suggestion made for a document. The number, counted from
// 1 per record, is the suggestion's identity; together with the document it is
// unique for a user.
type Offer struct {
	ID       uint32 `json:"id,omitzero"`
	At       Stamp  `json:"at,omitzero"`
	Answered uint32 `json:"answered,omitzero"` // the newest number that was accepted or declined
}

// Claim is the text a user has taken into the library, and how to tell whether
// it still is what the source says.
type Claim struct {
	Text   string    `json:"text,omitzero"`   // valid UTF-8, at most MaxText bytes; empty if kept apart
	Size   int       `json:"size,omitzero"`   // bytes of the text wherever it is kept; set by Apply
	Hash   string    `json:"hash,omitzero"`   // content hash of the source when claimed
	Source string    `json:"source,omitzero"` // name of the source
	Origin Origin    `json:"origin,omitzero"`
	Chunks []string  `json:"chunks,omitzero"` // chunk IDs the text consists of, for FromChunks
	Vector []float32 `json:"vector,omitzero"` // embedding of the text; optional
	Model  string    `json:"model,omitzero"`  // embedding model; vectors of different models are never compared
	At     Stamp     `json:"at,omitzero"`
}

// Bounds of what a record stores. Titles and paths are cut, the rest is refused
// with [ErrTooLarge].
const (
	MaxText   = 256 << 10 // bytes of a claimed text
	MaxTitle  = 512       // bytes
	MaxPath   = 1024      // bytes
	MaxName   = 256       // bytes of a hash, source, model or chunk ID
	MaxChunks = 1024      // chunk IDs of a claim
	MaxVector = 8192      // components of a vector
)

// Move is one entry of the audit trail. A user's action that leaves the state as
// it was is recorded with From equal to To.
type Move struct {
	From  State `json:"from"`
	To    State `json:"to"`
	Cause Cause `json:"cause"`
	At    Stamp `json:"at"`
}

// State is the document's standing: Pinned where the user pinned it, else what
// evidence says. It is as of the last Apply or Evaluate.
func (r Record) State() State {
	if r.Intent.Choice == PinnedByUser {
		return Pinned
	}
	return r.Learned
}

// Blocked reports whether the user never wants to see the document.
func (r Record) Blocked() bool { return r.Intent.Choice == BlockedByUser }

// Serves reports whether the library has a text of this document to serve. A
// pin whose source is gone has none.
func (r Record) Serves() bool { return r.State().InLibrary() && r.Claim.Size > 0 }

// LastUsed is the last time the document was shown to the user, or accepted.
func (r Record) LastUsed() Stamp { return r.Uses.At }

// UseCount is the decayed use count at a time, rounded.
func (r Record) UseCount(now time.Time, o Options) int {
	o = o.WithDefaults()
	return int(math.Round(r.Uses.at(StampOf(now), o.Lambda)))
}

// Unseen is the number of the user's queries since the document last appeared,
// given the number of the current one; 0 where either is unknown. It costs no
// write per missed query.
func (r Record) Unseen(query int64) int64 {
	if r.Query == 0 || query <= r.Query {
		return 0
	}
	return query - r.Query
}

// Detach separates the text from the record, for stores that keep texts apart so
// that a list of a library does not load thousands of them. A record without its
// text works everywhere: after Apply a text in it is a new one to be stored, no text
// and a Size means that the stored one holds, and no Size that it is to be deleted.
func (r Record) Detach() (Record, string) {
	text := r.Claim.Text
	r.Claim.Text = ""
	return r, text
}

// Score is the decay score at a time, see [Options.Score].
func (r Record) Score(now time.Time, o Options) float64 {
	o = o.WithDefaults()
	return r.scoreAt(StampOf(now), &o)
}

// Kept reports whether the user has said something that only the user may take
// back: a pin, a block, or a claim. Such rows are never deleted to make room.
func (r Record) Kept() bool { return r.Intent.Choice != NoChoice || r.Learned.InLibrary() }

// Forgettable reports whether the row says no more than its absence would, so
// that a sweep may delete it: Global, no intent, no suggestion that still may be
// answered, no opinion worth a quarter of a thumb.
func (r Record) Forgettable(now time.Time, o Options) bool {
	o = o.WithDefaults()
	g := r.Opinion.fading(StampOf(now), &o)
	return r.Learned == Global && r.Intent.Choice == NoChoice && r.Intent.Declines == 0 &&
		r.Suggestion.ID == r.Suggestion.Answered &&
		g*max(r.Opinion.Up, r.Opinion.Down) < .25
}

func (r *Record) scoreAt(t Stamp, o *Options) float64 {
	if r.Uses.At == 0 {
		return o.score(0, math.Inf(1), r.Opinion.mean(t, o))
	}
	return o.score(r.Uses.at(t, o.Lambda), t.daysSince(r.Uses.At), r.Opinion.mean(t, o))
}

// clampFuture heals a record that a clock running ahead has written: every time
// after now becomes now. The audit trail stays as it was written.
func (r *Record) clampFuture(now Stamp) {
	for _, s := range r.stamps() {
		*s = min(*s, now)
	}
}

// stamps lists every time in the record but those of the audit trail, in the
// order in which they are stored.
func (r *Record) stamps() [13]*Stamp {
	return [...]*Stamp{&r.Since, &r.Intent.ChosenAt, &r.Intent.DeclinedAt, &r.Uses.At, &r.LastFetched, &r.LastServed,
		&r.Opinion.At, &r.Opinion.PosteriorAt, &r.AboveSince, &r.BelowSince, &r.Evaluated, &r.Suggestion.At, &r.Claim.At}
}

// note appends to the audit trail without touching the array the caller holds.
func (r *Record) note(m Move) {
	old := r.Moves[max(0, len(r.Moves)-AuditLength+1):]
	r.Moves = append(slices.Clone(old), m)
}
