package chromem

import (
	"context"
	"fmt"
	"io"

	"github.com/philippgille/chromem-go"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/internal/lexical"
)

// Collection is a chromem collection with its embedding function, behind an
// engine. It is safe for concurrent use. Make one with Open.
type Collection struct {
	engine *core.Engine
	db     *chromem.DB
	embed  chromem.EmbeddingFunc
	opts   Options
	shelf  *shelf
}

var (
	_ core.Source     = (*Collection)(nil)
	_ core.Sampler    = (*Collection)(nil)
	_ core.Embedder   = (*Collection)(nil)
	_ core.Adder      = (*Collection)(nil)
	_ core.Loader     = (*Collection)(nil)
	_ core.Lister     = (*Collection)(nil)
	_ core.Observable = (*Collection)(nil)
)

// Open opens a collection of db, or creates it, and puts the engine in front of
// it. embed embeds every text, stored ones and queries: it must be the function
// the collection was filled with and be safe for concurrent use. Its vectors
// need not be of length 1. What an existing collection holds is read once, which
// takes about as long as ten queries.
//
// Errors: ErrNoEmbedding; core.ErrInvalidOptions; core.ErrDimension or ErrVector
// for an existing collection some of whose vectors cannot be compared, and
// core.ErrFingerprint for one that was written with another Options.Model, all of
// which Repair mends; and those of chromem.
func Open(eng *core.Engine, db *chromem.DB, name string, embed chromem.EmbeddingFunc, opts Options) (*Collection, error) {
	switch {
	case eng == nil:
		return nil, fmt.Errorf("%w: no engine", core.ErrInvalidOptions)
	case db == nil:
		return nil, fmt.Errorf("%w: no database", core.ErrInvalidOptions)
	case name == "":
		return nil, fmt.Errorf("%w: no collection name", core.ErrInvalidOptions)
	case embed == nil:
		return nil, fmt.Errorf("%w for collection %.80q", ErrNoEmbedding, name)
	}
	if err := opts.validate(); err != nil {
		return nil, err
	}
	opts = opts.withDefaults(name)
	s, err := libraryOf(db).open(db, name, embed, opts.Metadata)
	if err != nil {
		return nil, err
	}
	c := &Collection{engine: eng, db: db, embed: embed, opts: opts, shelf: s}
	if err := c.prepare(); err != nil {
		return nil, err
	}
	return c, nil
}

// prepare reads what the collection holds, with an index of its words if the
// handle needs one.
func (c *Collection) prepare() error {
	s := c.shelf
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.opts.Hybrid && s.words == nil {
		s.words = lexical.NewIndex(lexical.BM25{})
		s.read = false
	}
	if s.current() {
		return c.sameModel()
	}
	if err := s.rebuild(c.db); err != nil {
		return err
	}
	return c.sameModel()
}

// sameModel refuses a collection that was written with another embedding model.
// The caller holds the shelf's lock.
func (c *Collection) sameModel() error {
	if c.opts.Model == "" {
		return nil
	}
	for _, e := range c.shelf.chunks {
		if e.model != "" && e.model != c.opts.Model {
			return fmt.Errorf("%w: collection %.80q holds vectors of %.80q, opened with %.80q", core.ErrFingerprint, c.shelf.name, e.model, c.opts.Model)
		}
	}
	return nil
}

// Name returns the name of the wrapped collection.
func (c *Collection) Name() string { return c.shelf.name }

// Engine returns the engine, for feedback.
func (c *Collection) Engine() *core.Engine { return c.engine }

// Info describes the collection to the engine.
func (c *Collection) Info() core.SourceInfo {
	kind := core.CosineSimilarity
	if c.opts.Hybrid {
		kind = core.FusedRank
	}
	return core.SourceInfo{Name: c.opts.Source, Model: c.opts.Model, Kind: kind}
}

// Feedback passes signals for a receipt on to the engine.
func (c *Collection) Feedback(ctx context.Context, receipt core.ReceiptID, signals ...core.Signal) (core.Update, error) {
	return c.engine.Feedback(ctx, receipt, signals...)
}

// Retrieve asks the engine, with the collection as its source. Query.Filter
// takes a Where. Errors are those of core.Engine.Retrieve and of Search.
func (c *Collection) Retrieve(ctx context.Context, q core.Query) (*core.Response, error) {
	return c.engine.Retrieve(ctx, c, q)
}

// ExportToWriter writes the collection as chromem's method of that name does,
// without meeting a write half way.
func (c *Collection) ExportToWriter(w io.Writer, compress bool, encryptionKey string) error {
	c.shelf.mu.RLock()
	defer c.shelf.mu.RUnlock()
	return c.db.ExportToWriter(w, compress, encryptionKey, c.shelf.name)
}

// Count returns the number of chunks.
func (c *Collection) Count() int { return c.shelf.collection.Count() }

// reading locks the collection for reading, after taking note of writes past
// the handles. Unlock with shelf.mu.RUnlock.
func (c *Collection) reading() error {
	s := c.shelf
	for {
		s.mu.RLock()
		if s.current() {
			return nil
		}
		s.mu.RUnlock()
		if err := c.writing(); err != nil {
			return err
		}
		s.mu.Unlock()
	}
}

// writing locks the collection for writing, after taking note of writes past
// the handles. Unlock with shelf.mu.Unlock.
func (c *Collection) writing() error {
	s := c.shelf
	s.mu.Lock()
	if s.current() {
		return nil
	}
	if err := s.rebuild(c.db); err != nil {
		s.mu.Unlock()
		return err
	}
	for o := range s.observers {
		o.Missed()
	}
	return nil
}
