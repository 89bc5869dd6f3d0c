package store

import "github.com/repute-go/repute/core/reputation"

// LoadRequest names what a ranking needs.
type LoadRequest struct {
	// Namespace is the tenant. It may be empty, which is a namespace like any
	// other.
	Namespace string
	// Source and IDs name the aliases wanted. The documents that an alias names
	// (Hash and Previous) are loaded with it.
	Source string
	IDs    []string
	// Hashes names further documents.
	Hashes []Hash
	// User adds the user's personal rows for Personal, and all Active ones.
	// Empty means none.
	User     string
	Personal []string
	// Into, if not nil, may be emptied and used for the answer, to spare memory.
	// Nobody else may hold it.
	Into *Loaded
}

// Answer returns an empty Loaded of a fitting size: Into if there is one, else a
// new one.
func (req *LoadRequest) Answer() *Loaded {
	if l := req.Into; l != nil && l.Aliases != nil && l.Documents != nil {
		clear(l.Aliases)
		clear(l.Documents)
		l.Personal, l.Sequence = make(map[string]Personal), 0 // the last one is still in use
		return l
	}
	return &Loaded{
		Aliases:   make(map[string]Alias, len(req.IDs)),
		Documents: make(map[Hash]Document, max(len(req.IDs), len(req.Hashes))),
		Personal:  make(map[string]Personal),
	}
}

// Loaded is the answer to a LoadRequest.
type Loaded struct {
	// Aliases holds the aliases found, by id.
	Aliases map[string]Alias
	// Documents holds the documents found, by hash.
	Documents map[Hash]Document
	// Personal holds the personal rows found, by document, without texts.
	Personal map[string]Personal
	// Sequence is the number of retrievals recorded for the user so far.
	Sequence int64
}

// Retrieval is what one retrieval writes.
type Retrieval struct {
	// Namespace is the tenant.
	Namespace string
	// Receipt is the new receipt.
	Receipt Receipt
	// Aliases are written as they are. Every document that an alias or the
	// receipt names and that has no row yet gets one without evidence.
	Aliases []Alias
	// Personal names the rows to fold, as Load gave them or with only Document
	// set. The store hands Fold the rows as they are inside its transaction, in
	// this order, those that do not exist with only Document set; the ones given
	// here let it try a compare-and-set first and save a round trip.
	Personal []Personal
	// Fold computes the new personal rows, among those named. Sequence is the
	// number of this retrieval for the user: 1 for the first, one more than Load
	// gave. Fold is pure and may run more than once. Nil if Personal is empty.
	// An error of Fold aborts the write.
	Fold func(sequence int64, rows []Personal) ([]PersonalChange, error)
	// MaxPersonal bounds the user's rows; the inactive rows updated longest ago
	// go first, of equal ones the first by document. Active rows count, but stay.
	// 0 means no bound.
	MaxPersonal int
	// MaxReceipts bounds the receipts of the namespace; the oldest go first, of
	// equal ones the first by id. 0 means no bound. A store may let the number run over by 1 % between
	// clean-ups.
	MaxReceipts int
}

// UpdateRequest names the rows of an update.
type UpdateRequest struct {
	// Namespace is the tenant.
	Namespace string
	// Receipt is the receipt to update, with the documents it shows (Hash and
	// Previous) and the personal rows its user has of them ([PersonalKey] of the
	// receipt's source and Shown.Document). Zero means none.
	Receipt ReceiptID
	// User and Personal name further personal rows. With a receipt, User must
	// be empty or the receipt's.
	User     string
	Personal []string
	// Actors are looked up among the tombstones.
	Actors []string
	// MaxPersonal bounds the rows of the user, as that of a Retrieval does, if the
	// update changes personal rows. 0 means no bound.
	MaxPersonal int
}

// View is what an update sees.
type View struct {
	// Receipt is nil if the request named none.
	Receipt *Receipt
	// Documents holds the documents of the receipt that exist, by hash.
	Documents map[Hash]Document
	// Personal holds the personal rows that exist, by document, without texts.
	Personal map[string]Personal
	// Erased holds, for those of the request's actors that were erased, the
	// time of it in Unix nanoseconds.
	Erased map[string]int64
}

// Fold computes the changes of an update. It must be pure: it may run more than
// once and must not keep the view.
type Fold func(v View) (Changes, error)

// Changes is what an update writes. The zero value writes nothing. A row that the
// request did not name is [ErrInvalid].
type Changes struct {
	// Receipt replaces the receipt's evidence; nil leaves it.
	Receipt *reputation.Receipt
	// Documents replaces the evidence of documents; rows that do not exist are
	// made. Uses and LastUsed are left alone. What is said of the zero hash, an
	// erased text, is dropped.
	Documents map[Hash]*reputation.Record
	// Personal replaces personal rows.
	Personal []PersonalChange
	// Tallies are added to.
	Tallies []Tally
}

// PersonalChange is a new value of a personal row.
type PersonalChange struct {
	// Personal is the row. Its Text replaces the stored one unless KeepText.
	Personal
	// KeepText leaves the stored text as it is.
	KeepText bool
	// Delete removes the row and its text.
	Delete bool
}

// Page asks for a part of a listing.
type Page struct {
	// After is the last key of the previous page: a name, an id, or the bytes of
	// a Hash or ReceiptID as a string. Empty means from the start.
	After string
	// Limit is the number of rows wanted; 0 means 1,000, and more than 10,000
	// is taken as 10,000.
	Limit int
}

// Bounds says what Expire removes.
type Bounds struct {
	// Now is the time, in Unix nanoseconds. Receipts whose Expires is not after
	// it go.
	Now int64
	// AliasesBefore removes aliases last written before it. 0 keeps all.
	AliasesBefore int64
	// DocumentsBefore removes documents without evidence that no alias names
	// and that were last used before it. 0 keeps all.
	DocumentsBefore int64
	// EvidenceBefore does so with documents that have evidence. It should lie
	// before every receipt that has not expired. 0 keeps all.
	EvidenceBefore int64
	// UsersBefore removes users that have no receipt and no Active row, and none
	// updated at or after it, with their rows and sequence. 0 keeps all.
	UsersBefore int64
	// TombstonesBefore removes tombstones left before it. A tombstone is needed
	// while a receipt made before it may still get a signal, so that it should lie
	// before every receipt that has not expired. 0 keeps all.
	TombstonesBefore int64
	// MaxTallies bounds the tallies per name prefix; those with the smallest
	// sum of absolute values go first. Nil means no bound.
	MaxTallies map[string]int
}

// Erasure names what Erase removes. Exactly one of User, Rater and Document is
// set.
type Erasure struct {
	// User removes a user's receipts, personal rows and texts and every event of
	// theirs. The tombstone is that of [UserActor].
	User string
	// Rater removes every event a rater took part in. The tombstone bears its
	// name.
	Rater string
	// Document removes a text: its evidence, the aliases that have it now, and
	// every mention of it in receipts and as a previous text, which become the
	// zero hash.
	Document Hash
	// Personal names the personal rows that go with Document, of every user.
	Personal []string
	// Now is the time of the tombstone, in Unix nanoseconds.
	Now int64
	// Rewrite returns a record without the events of the erased actor and how
	// many it lost. It is pure. Nil if Document is set.
	Rewrite func(*reputation.Record) (*reputation.Record, int)
	// RewriteReceipt returns a receipt's evidence without the opinions of the
	// erased actor and how many it lost. Nil if Document is set.
	RewriteReceipt func(*reputation.Receipt) (*reputation.Receipt, int)
	// Tallies are the names removed with the actor, such as its rater table.
	Tallies []string
}

// Actor names the tombstone that the erasure leaves.
func (e *Erasure) Actor() string {
	switch {
	case e.User != "":
		return UserActor(e.User)
	case e.Rater != "":
		return e.Rater
	default:
		return DocumentActor(e.Document)
	}
}
