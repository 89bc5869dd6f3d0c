package chromem

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/philippgille/chromem-go"

	"github.com/repute-go/repute/core"
)

// RepairOptions configures Repair.
type RepairOptions struct {
	// All embeds every text anew: for a change of the embedding model. Otherwise
	// only documents whose vector cannot be compared with the others are.
	All bool
	// Model is recorded with what is embedded, as Options.Model.
	Model string
	// Concurrency is the number of texts embedded at a time; 0 means
	// DefaultConcurrency.
	Concurrency int
	// Progress is called after every text, one call at a time.
	Progress func(done, total int)
}

// Repair embeds the texts of a collection's documents anew: of those whose vector
// is zero, not finite or of another dimension than most, or of all. Documents that
// would have to be embedded and have no text, or none with a term (ErrNoTerms), are
// removed. It returns how many
// documents it changed. All texts are embedded before the first document is
// replaced, so that an error or a context that ends leaves the collection as it
// was. Handles that are open see the change on their next use.
//
// Errors: ErrNoEmbedding, core.ErrInvalidOptions, ErrVector, core.ErrDimension if
// embed does not fit those that stay, the context's, and those of chromem.
func Repair(ctx context.Context, db *chromem.DB, name string, embed chromem.EmbeddingFunc, opts RepairOptions) (int, error) {
	if db == nil || name == "" {
		return 0, fmt.Errorf("%w: no database or no collection name", core.ErrInvalidOptions)
	}
	if embed == nil {
		return 0, fmt.Errorf("%w for collection %.80q", ErrNoEmbedding, name)
	}
	o := Options{Concurrency: opts.Concurrency}
	if err := o.validate(); err != nil {
		return 0, err
	}
	s, err := libraryOf(db).open(db, name, embed, nil)
	if err != nil {
		return 0, err
	}
	c := &Collection{db: db, embed: embed, opts: o.withDefaults(name), shelf: s}
	s.ingesting.Lock()
	defer s.ingesting.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	docs, err := list(db, name, s.collection)
	if err != nil {
		return 0, err
	}
	return c.repair(ctx, docs, opts)
}

// repair replaces documents. The caller holds the shelf's lock.
func (c *Collection) repair(ctx context.Context, docs []chromem.Document, opts RepairOptions) (int, error) {
	s := c.shelf
	again, remove, dimension := damaged(docs, opts)
	if err := c.embedAll(ctx, again, opts.Progress); err != nil {
		return 0, err
	}
	again = slices.DeleteFunc(again, func(d chromem.Document) bool {
		if d.Embedding == nil {
			remove = append(remove, d.ID)
		}
		return d.Embedding == nil
	})
	for _, d := range again {
		if err := sameDimension(len(d.Embedding), dimension); err != nil {
			return 0, fmt.Errorf("embedding of document %.80q: %w", d.ID, err)
		}
		dimension = len(d.Embedding)
	}
	s.read = false
	if err := s.apply(again, s.present(remove)); err != nil {
		return 0, err
	}
	if err := s.rebuild(c.db); err != nil {
		return 0, err
	}
	for o := range s.observers {
		o.Missed()
	}
	return len(again) + len(remove), nil
}

// damaged returns the documents to embed again, without their vectors, the ids
// of those that cannot be, and the dimension of those that stay, 0 if none do.
func damaged(docs []chromem.Document, opts RepairOptions) (again []chromem.Document, remove []string, dimension int) {
	sizes := map[int]int{}
	for _, d := range docs {
		if _, err := norm(d.Embedding); err == nil && !opts.All {
			sizes[len(d.Embedding)]++
		}
	}
	if len(sizes) > 0 {
		dimension = commonest(sizes)
	}
	for _, d := range docs {
		_, err := norm(d.Embedding)
		switch {
		case err == nil && len(d.Embedding) == dimension:
		case d.Content == "":
			remove = append(remove, d.ID)
		default:
			m := maps.Clone(d.Metadata)
			if m == nil {
				m = map[string]string{}
			}
			if opts.Model != "" {
				m[KeyModel] = opts.Model
			}
			again = append(again, chromem.Document{ID: d.ID, Content: d.Content, Metadata: m})
		}
	}
	return again, remove, dimension
}
