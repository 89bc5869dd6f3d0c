package store

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/reputation"
)

// Hash is the content hash that names a document: the first 128 bits of a
// SHA-256 over its text, or over its source and id where no text is known. The
// zero value names nothing.
type Hash [16]byte

// IsZero reports whether h names nothing.
func (h Hash) IsZero() bool { return h == Hash{} }

// String returns h in lower-case hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// CompareHashes orders hashes by their bytes.
func CompareHashes(a, b Hash) int { return bytes.Compare(a[:], b[:]) }

// ReceiptID names a receipt: 128 random bits. The zero value names none.
type ReceiptID [16]byte

// IsZero reports whether id names no receipt.
func (id ReceiptID) IsZero() bool { return id == ReceiptID{} }

// String returns id in lower-case hexadecimal.
func (id ReceiptID) String() string { return hex.EncodeToString(id[:]) }

// Document is the row of one text.
type Document struct {
	// Hash is the key.
	Hash Hash
	// Evidence is nil while no outcome was ever reported.
	Evidence *reputation.Record
	// Uses counts the retrievals that showed the document.
	Uses int64
	// LastUsed is the time of the newest of them, in Unix nanoseconds.
	LastUsed int64
}

// Alias says which text an id of a source has now.
type Alias struct {
	// Source and ID are the key.
	Source, ID string
	// Hash is the text that the id has now.
	Hash Hash
	// Previous is the text it had before, if that text has evidence that may be
	// carried over; zero otherwise.
	Previous Hash
	// Seen is when the alias was last written, in Unix nanoseconds.
	Seen int64
}

// Receipt is the row of one retrieval.
type Receipt struct {
	// ID is the key.
	ID ReceiptID
	// User and Session are the ones the retrieval was made for; both may be
	// empty.
	User, Session string
	// Source names the retriever.
	Source string
	// Created and Expires are Unix nanoseconds.
	Created, Expires int64
	// Query is the text asked, kept only where the operator asked for it.
	Query string
	// Shown holds the documents shown, in their order.
	Shown []Shown
	// Evidence is what ranking knew and what was said since. Evidence.Shown is
	// aligned with Shown.
	Evidence *reputation.Receipt
}

// Shown is one document on a receipt.
type Shown struct {
	// ID is the chunk's id in the source, Document the id of the document it
	// belongs to.
	ID, Document string
	// Hash is its text.
	Hash Hash
	// Previous is the text whose evidence it may inherit; zero for none.
	Previous Hash
}

// Personal is one document in one user's library.
type Personal struct {
	// Document is the key within the user's rows: the document's id, qualified
	// by its source with [PersonalKey] so that two sources do not meet.
	Document string
	// Record is the lifecycle of the document for this user, without the claimed
	// text (lifecycle.Record.Detach), which goes in Text.
	Record lifecycle.Record
	// Active marks the rows that a retrieval must see whatever it found, and that
	// no bound removes: what the user has claimed, pinned or blocked
	// (lifecycle.Record.Kept). Stores index it.
	Active bool
	// Updated is when the row was last written, in Unix nanoseconds.
	Updated int64
	// Version is the store's own counter of writes to the row; 0 for none.
	Version uint64
	// Text is the saved text. Load, Personal, views and folds leave it empty;
	// Texts reads it. In a PersonalChange, KeepText says whether it replaces the
	// stored one.
	Text string
}

// PersonalKey qualifies a document's id by its source. Two different pairs never
// give one key: the length of the source goes first.
func PersonalKey(source, document string) string {
	return strconv.Itoa(len(source)) + ":" + source + document
}

// SplitPersonalKey undoes [PersonalKey]. It reports false for a key that
// PersonalKey cannot have made.
func SplitPersonalKey(key string) (source, document string, ok bool) {
	digits, rest, found := strings.Cut(key, ":")
	n, err := strconv.Atoi(digits)
	if !found || err != nil || n < 0 || n > len(rest) || strconv.Itoa(n) != digits {
		return "", "", false
	}
	return rest[:n], rest[n:], true
}

// Tally is a named vector of numbers that are only ever added to.
type Tally struct {
	// Name is the key.
	Name string
	// Values are the numbers. Adding aligns by index; the longer wins.
	Values []float64
}

// Blob is a piece of opaque state.
type Blob struct {
	// Name is the key.
	Name string
	// Fingerprint says what the state was made under, for example an embedding
	// model.
	Fingerprint string
	// Data is the state.
	Data []byte
	// Updated is when it was written, in Unix nanoseconds.
	Updated int64
}

func (b Blob) clone() Blob {
	b.Data = slices.Clone(b.Data)
	return b
}

// clone copies a receipt; the evidence is immutable and shared.
func (rc *Receipt) clone() Receipt {
	c := *rc
	c.Shown = slices.Clone(rc.Shown)
	return c
}

// Tombstone says that an actor was erased.
type Tombstone struct {
	// Actor is the key: a rater's name, [UserActor] or [DocumentActor].
	Actor string
	// Erased is when, in Unix nanoseconds.
	Erased int64
}

// UserActor names a user among raters and tombstones.
func UserActor(user string) string { return "user:" + user }

// ErasedSince reports whether an actor was erased at a time or later, Unix
// nanoseconds, given the times of tombstones by actor: whatever they began at that
// time is to be refused.
func ErasedSince(erased map[string]int64, actor string, began int64) bool {
	at, gone := erased[actor]
	return gone && at >= began
}

// DocumentActor names a text among tombstones.
func DocumentActor(h Hash) string { return "document:" + h.String() }
