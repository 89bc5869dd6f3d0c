package core

import (
	"context"
	"iter"
)

// WriteObserver hears of what was written to a source, after it was written and
// in the order in which it was. Its methods are called with the source locked:
// they must return soon and must not call the source. They must not modify or
// keep the chunks' maps and vectors; texts may be kept.
type WriteObserver interface {
	// Inserted says which chunks are new. A chunk that replaces one of the same
	// ID is announced by Deleted first.
	Inserted(chunks []Candidate)
	// Deleted says which chunks are gone, as they were: ID, Text and Vector are
	// set where the source knew them.
	Deleted(chunks []Candidate)
	// Missed says that the source was written to behind its back: what was
	// announced no longer adds up, and Chunks has to be read again.
	Missed()
}

// Observable is implemented by sources that announce what is written to them.
type Observable interface {
	// Observe calls o for every later write until cancel is called. To know the
	// whole collection, observe first and list afterwards: a chunk written in
	// between may be both listed and announced, under one ID.
	Observe(o WriteObserver) (cancel func())
}

// Lister is implemented by sources that can list their chunks.
type Lister interface {
	// Count returns the number of chunks.
	Count() int
	// Chunks yields every chunk with text and vector, ordered by ID, as far as
	// it still exists when its turn comes. It ends after the first error.
	Chunks(ctx context.Context) iter.Seq2[Candidate, error]
}
