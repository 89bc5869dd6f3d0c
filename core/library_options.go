package core

import (
	"fmt"
	"time"
)

// Defaults of LibraryOptions.
const (
	// DefaultLibraryItems is the number of texts that the library adds at most.
	DefaultLibraryItems = 3
	// DefaultLibraryTokens is the number of tokens that they have at most.
	DefaultLibraryTokens = 2000
	// DefaultLibraryTimeout is how long a retrieval waits for Loaders.
	DefaultLibraryTimeout = 500 * time.Millisecond
)

// LibraryOptions says what the personal library may add to a response. The zero
// value means the defaults. What the retriever found is never cut for it.
type LibraryOptions struct {
	// Items is the number of library texts added to what the retriever found; 0
	// means DefaultLibraryItems, a negative number none. A text that takes the
	// place of retrieved chunks is not counted.
	Items int
	// Tokens bounds what they add to the prompt, estimated by EstimateTokens,
	// less the chunks whose place they take; 0 means DefaultLibraryTokens, a
	// negative number none. A longer text stays in the library and is not served.
	Tokens int
	// Timeout bounds what a retrieval waits for Loaders to say what the texts to
	// be served are now; 0 means DefaultLibraryTimeout. A text whose loader does
	// not answer in time is not served.
	Timeout time.Duration
	// Dir is a folder for copies of the saved texts, one file each, that people
	// and other programs may read; empty means none. The engine makes it, writes
	// it and never reads a text from it. Names are opaque, files are readable by
	// their owner alone and go with their claim. Workers and namespaces may share
	// it, but not two stores: a sweep removes copies without a claim in its own.
	// Nobody else should be able to write into the folder; links in it that lead
	// out of it are not followed.
	Dir string
}

func (o LibraryOptions) validate() error {
	if o.Timeout < 0 {
		return fmt.Errorf("%w: Library.Timeout %v is negative", ErrInvalidOptions, o.Timeout)
	}
	return nil
}

func (o LibraryOptions) withDefaults() LibraryOptions {
	if o.Items == 0 {
		o.Items = DefaultLibraryItems
	}
	if o.Tokens == 0 {
		o.Tokens = DefaultLibraryTokens
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultLibraryTimeout
	}
	return o
}
