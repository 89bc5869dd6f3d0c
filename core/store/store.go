// Package store is the contract between the engine and the place where its
// state lives: which rows there are, which operations, and what each promises.
//
// A store keeps and never decides. It does not decay, clamp, rank, expire on
// its own or interpret a record: every rule lives in a pure package and reaches
// the store as a [Fold] or as an explicit call. Package storetest checks every
// promise made here and can be run against any implementation.
//
// # Rows
//
//   - document: (namespace, content hash) -> the evidence of one text
//   - alias: (namespace, source, id) -> the content hash that id has now
//   - receipt: (namespace, receipt id) -> what was shown and what was said of it
//   - personal: (namespace, user, document) -> one entry of a user's library
//   - tally: (namespace, name) -> numbers that are only ever added to
//   - blob: (namespace, name) -> opaque state under a fingerprint
//   - tombstone: (namespace, actor) -> erased; late signals are refused
//
// Namespaces never see each other. Keys are compared byte for byte; no key is
// ever joined with a separator, so hostile ids cannot meet.
//
// # Values
//
// Records handed out by a store are shared and immutable: neither the caller
// nor the store modifies them afterwards. Everything else (slices, maps) is
// copied at the border. All methods are safe for concurrent use.
package store

import (
	"context"
	"errors"
	"io"
)

// Errors of every store. Drivers wrap them with %w and keep their own cause in
// the chain.
var (
	// ErrUnknownReceipt says that no receipt has this id in this namespace:
	// it never existed, expired, or was erased with its user.
	ErrUnknownReceipt = errors.New("store: unknown receipt")
	// ErrConflict says that an update lost every race it was allowed to run.
	// Nothing was changed and it can be tried again.
	ErrConflict = errors.New("store: update conflict")
	// ErrReadOnly says that the place cannot be written (read-only file, full
	// disk). Nothing was changed; reads still work.
	ErrReadOnly = errors.New("store: cannot write")
	// ErrVersion says that the stored state was written by a newer version of
	// this library and is left alone.
	ErrVersion = errors.New("store: written by a newer version")
	// ErrErased says that the user of a retrieval was erased after it was made.
	// Nothing was changed.
	ErrErased = errors.New("store: erased")
	// ErrClosed says that the store was closed.
	ErrClosed = errors.New("store: closed")
	// ErrInvalid says that a request is malformed, for example a personal row
	// without a user.
	ErrInvalid = errors.New("store: invalid request")
)

// Store keeps the state of one or more engines. Engines of several processes
// may share one.
type Store interface {
	// Load reads everything a ranking needs in one round trip. Rows that do not
	// exist are simply absent from the result, which is the caller's alone: it may
	// come back as the Into of another request.
	Load(ctx context.Context, req LoadRequest) (*Loaded, error)

	// Record writes a receipt, the aliases of the shown documents and their use
	// counts in one round trip, all or nothing. It changes nothing that is
	// learned. A receipt id that exists already is an error of the caller. A
	// retrieval whose user has a tombstone that is not older than Receipt.Created
	// is [ErrErased]: it was under way when they were erased.
	Record(ctx context.Context, r Retrieval) error

	// Update is the only read-modify-write. It locks the receipt, the documents
	// and the personal rows that the request and the receipt name, in key
	// order, runs fold on them and applies its changes in one transaction. Fold
	// is pure and may run more than once. An error of fold aborts the update
	// and is returned as it is.
	Update(ctx context.Context, req UpdateRequest, fold Fold) error

	// Add adds to tallies outside an update, for counters that belong to no
	// receipt.
	Add(ctx context.Context, namespace string, deltas []Tally) error
	// Tallies lists the tallies whose name starts with prefix, by name.
	Tallies(ctx context.Context, namespace, prefix string, page Page) ([]Tally, error)

	// Blob reads one blob; ok is false if there is none.
	Blob(ctx context.Context, namespace, name string) (b Blob, ok bool, err error)
	// Blobs lists the blobs whose name starts with prefix, by name.
	Blobs(ctx context.Context, namespace, prefix string, page Page) ([]Blob, error)
	// PutBlob writes a blob, whole; the last writer wins.
	PutBlob(ctx context.Context, namespace string, b Blob) error
	// SwapBlob writes a blob if the stored one of its name is still old, of which
	// Fingerprint, Updated and Data are compared, or if there is none and old is
	// nil. It reports whether it did. Of several callers that saw the same blob one
	// replaces it.
	SwapBlob(ctx context.Context, namespace string, old *Blob, b Blob) (swapped bool, err error)
	// DeleteBlob removes a blob. Removing none is no error.
	DeleteBlob(ctx context.Context, namespace, name string) error

	// Documents lists the documents of a namespace by hash.
	Documents(ctx context.Context, namespace string, page Page) ([]Document, error)
	// Aliases lists the aliases of a source by id.
	Aliases(ctx context.Context, namespace, source string, page Page) ([]Alias, error)
	// Receipts lists receipts by id; user "" means of every user.
	Receipts(ctx context.Context, namespace, user string, page Page) ([]Receipt, error)
	// Personal lists a user's rows by document, without their texts.
	Personal(ctx context.Context, namespace, user string, page Page) ([]Personal, error)
	// Users lists the users that have personal rows, by name.
	Users(ctx context.Context, namespace string, page Page) ([]string, error)
	// Texts reads the texts kept with personal rows. Documents without one are
	// absent from the result.
	Texts(ctx context.Context, namespace, user string, documents []string) (map[string]string, error)

	// Expire removes what is older than its bound says and returns how many
	// rows went. It works in small transactions, so that it never blocks
	// ranking for long.
	Expire(ctx context.Context, namespace string, bounds Bounds) (int, error)

	// Erase removes a user, a rater or a document with everything they left
	// behind, leaves a tombstone and returns the number of rows changed or
	// removed. The tombstone is there before the first row goes, so that an
	// update running meanwhile either sees it or is cleaned up after. Erasing
	// again does no harm and moves the tombstone to the later time.
	Erase(ctx context.Context, namespace string, e Erasure) (int, error)

	// Export writes every row of a namespace to w, in a versioned format that
	// Import of any store reads. It sees a consistent state per row, not across
	// rows.
	Export(ctx context.Context, namespace string, w io.Writer) error
	// Import reads what Export wrote into a namespace. Rows that exist are
	// replaced, tallies are added, and of two tombstones the later stays. Rows of
	// an actor erased here come in like others: an older export is followed by
	// erasing again. It works in batches: after an error the rows
	// read before it may be there. Input that no Export wrote is [ErrInvalid],
	// that of a newer version [ErrVersion].
	Import(ctx context.Context, namespace string, r io.Reader) error

	// Close releases the store. Calls after it return [ErrClosed], except Close,
	// which does nothing a second time.
	Close() error
}
