package core

import "errors"

// Errors that a caller may want to tell apart with errors.Is. Errors of a
// wrapped source or store keep their own identity in the chain.
var (
	// ErrInvalidOptions says that Options contradict themselves or are out of
	// range.
	ErrInvalidOptions = errors.New("core: invalid options")
	// ErrInvalidQuery says that a query is out of range: a negative K, a
	// vector that is not finite.
	ErrInvalidQuery = errors.New("core: invalid query")
	// ErrEmptyQuery says that a query has neither text nor vector. No source
	// was asked.
	ErrEmptyQuery = errors.New("core: empty query")
	// ErrUserRequired says that an operation needs a user and got none.
	ErrUserRequired = errors.New("core: user required")
	// ErrInvalidSource says that a source has no name or was nil.
	ErrInvalidSource = errors.New("core: invalid source")
	// ErrInvalidHits says that what a source returned cannot be ranked, for
	// example a candidate without any identity.
	ErrInvalidHits = errors.New("core: invalid hits")
	// ErrNoEvidence says that nothing stood out from the noise. Only adapters
	// asked to fail return it; for the engine it is a verdict.
	ErrNoEvidence = errors.New("core: no evidence")
	// ErrUnknownReceipt says that no such receipt exists in this namespace: it
	// never did, or it was erased.
	ErrUnknownReceipt = errors.New("core: unknown receipt")
	// ErrExpiredReceipt says that a receipt was found but is past its time.
	ErrExpiredReceipt = errors.New("core: expired receipt")
	// ErrForeignReceipt says that the receipt belongs to another user.
	ErrForeignReceipt = errors.New("core: receipt of another user")
	// ErrInvalidSignal says that a signal is the zero Signal, is out of range,
	// is not a number or names no rater.
	ErrInvalidSignal = errors.New("core: invalid signal")
	// ErrUnknownDocument says that a signal names a document that the receipt
	// does not show.
	ErrUnknownDocument = errors.New("core: document not on the receipt")
	// ErrErased says that the user or rater was erased after the receipt was
	// made, or a retrieval or an action of theirs was begun, so that it is refused.
	ErrErased = errors.New("core: erased")
	// ErrDimension says that a vector has another dimension than the collection
	// it is compared with.
	ErrDimension = errors.New("core: vector dimension mismatch")
	// ErrFingerprint says that state of one embedding model would be mixed with
	// state of another.
	ErrFingerprint = errors.New("core: embedding model changed")
	// ErrUnsupported says that a source lacks the seam an operation needs.
	ErrUnsupported = errors.New("core: not supported by this source")
	// ErrDocumentRequired says that an operation on the library names no
	// document.
	ErrDocumentRequired = errors.New("core: document required")
	// ErrSourceRequired says that the engine cannot tell which source a document
	// belongs to. Library.In names it.
	ErrSourceRequired = errors.New("core: source required")
	// ErrGone says that the source no longer has the document.
	ErrGone = errors.New("core: document gone from its source")
	// ErrForbidden says that the user may not read the document.
	ErrForbidden = errors.New("core: document forbidden to the user")
	// ErrClosed says that the engine was closed.
	ErrClosed = errors.New("core: engine closed")
)
