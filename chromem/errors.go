package chromem

import "errors"

// Errors that a caller may want to tell apart with errors.Is. A vector of
// another dimension is core.ErrDimension, a blank query core.ErrEmptyQuery.
var (
	// ErrNoEmbedding says that no embedding function was given. The wrapped
	// package would quietly send every text to OpenAI.
	ErrNoEmbedding = errors.New("chromem: no embedding function")
	// ErrVector says that a vector is empty, zero or not finite, so that it has
	// no cosine to anything.
	ErrVector = errors.New("chromem: unusable vector")
	// ErrText says that a chunk has neither text nor vector, or that its text or
	// id is not valid UTF-8.
	ErrText = errors.New("chromem: unusable text")
	// ErrCollision says that two ids share a file in a persistent collection, so
	// that one would overwrite the other.
	ErrCollision = errors.New("chromem: ids share a file")
	// ErrFilter says that a filter is of a foreign type, has an unknown operator
	// or, for DeleteWhere, no condition.
	ErrFilter = errors.New("chromem: invalid filter")
	// ErrUnknownChunk says that Update was given an id that is not there.
	ErrUnknownChunk = errors.New("chromem: unknown chunk")
	// ErrReplaced says that the collection was deleted or created anew behind
	// the handle. Open it again.
	ErrReplaced = errors.New("chromem: collection was replaced")
)
