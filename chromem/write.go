package chromem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/philippgille/chromem-go"
	"golang.org/x/sync/errgroup"

	"github.com/repute-go/repute/core"
)

// Add inserts chunks or replaces those with the same ID, all or none: if one of
// them is unusable, an embedding fails or the context ends, nothing is added. It
// embeds the texts of chunks without a vector and returns the ids in order; a
// chunk without ID gets one derived from its text, so the same text twice is one
// chunk. Of two chunks with one ID the later counts. A process killed while it
// writes to a persistent collection may leave some of them.
//
// Errors: ErrText, ErrVector, core.ErrDimension, ErrCollision, ErrReplaced, the
// context's, and those of the embedding function and the disk.
func (c *Collection) Add(ctx context.Context, chunks []core.Candidate) ([]string, error) {
	docs, ids, err := c.embedded(ctx, chunks)
	if err != nil {
		return nil, err
	}
	if err := c.commit(ctx, docs, nil); err != nil {
		return nil, err
	}
	return ids, nil
}

// embedded makes documents with vectors of chunks, one for each id, and returns
// the ids of the chunks as well.
func (c *Collection) embedded(ctx context.Context, chunks []core.Candidate) (docs []chromem.Document, ids []string, err error) {
	ids = make([]string, len(chunks))
	docs = make([]chromem.Document, 0, len(chunks))
	at := make(map[string]int, len(chunks))
	for i, chunk := range chunks {
		doc, err := toDocument(chunk, c.opts.Model)
		if err != nil {
			return nil, nil, err
		}
		ids[i] = doc.ID
		if earlier, ok := at[doc.ID]; ok {
			docs[earlier] = doc
			continue
		}
		at[doc.ID] = len(docs)
		docs = append(docs, doc)
	}
	if err := c.embedAll(ctx, docs, nil); err != nil {
		return nil, nil, err
	}
	for _, d := range docs {
		if d.Embedding == nil {
			return nil, nil, fmt.Errorf("chunk %.80q: %w", d.ID, ErrNoTerms)
		}
	}
	return docs, ids, nil
}

// Update replaces chunks that are there, all or none; a chunk whose text stays
// the same keeps its vector unless it brings one. Errors: ErrUnknownChunk and
// those of Add.
func (c *Collection) Update(ctx context.Context, chunks ...core.Candidate) error {
	chunks = slices.Clone(chunks)
	for i := range chunks {
		old, ok := c.shelf.document(chunks[i].ID)
		if !ok {
			return fmt.Errorf("%w: %.80q", ErrUnknownChunk, chunks[i].ID)
		}
		if len(chunks[i].Vector) == 0 && chunks[i].Text == old.Content {
			chunks[i].Vector = old.Embedding
		}
	}
	docs, _, err := c.embedded(ctx, chunks)
	if err != nil || len(docs) == 0 {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.writing(); err != nil {
		return err
	}
	defer c.shelf.mu.Unlock()
	for _, d := range docs { // one may have been deleted while texts were embedded
		if _, ok := c.shelf.chunks[d.ID]; !ok {
			return fmt.Errorf("%w: %.80q", ErrUnknownChunk, d.ID)
		}
	}
	return c.change(docs, nil)
}

// Delete removes chunks by ID. Unknown ids are no error; no ids delete nothing.
func (c *Collection) Delete(ctx context.Context, ids ...string) error {
	return c.commit(ctx, nil, ids)
}

// DeleteWhere removes the chunks that a filter selects and returns how many. A
// filter without conditions is ErrFilter: chromem would delete everything.
func (c *Collection) DeleteWhere(ctx context.Context, where Where) (int, error) {
	if where.empty() {
		return 0, fmt.Errorf("%w: it selects everything", ErrFilter)
	}
	if _, err := whereOf(where); err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := c.writing(); err != nil {
		return 0, err
	}
	defer c.shelf.mu.Unlock()
	var ids []string
	keep := c.shelf.keep(where)
	for _, id := range c.shelf.order() {
		if keep(id) {
			ids = append(ids, id)
		}
	}
	return len(ids), c.change(nil, ids)
}

// embedAll fills in missing embeddings, some at a time. A text without a term
// stays without one.
func (c *Collection) embedAll(ctx context.Context, docs []chromem.Document, progress func(done, total int)) error {
	var counting sync.Mutex
	done := 0
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(c.opts.Concurrency)
	for i := range docs {
		if docs[i].Embedding != nil {
			continue
		}
		if gctx.Err() != nil {
			break
		}
		g.Go(func() (err error) {
			docs[i].Embedding, err = c.embedUnit(gctx, docs[i].Content)
			if err != nil && !errors.Is(err, ErrNoTerms) {
				return err
			}
			if progress != nil {
				counting.Lock()
				defer counting.Unlock()
				done++
				progress(done, len(docs))
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// commit deletes and inserts, all or none.
func (c *Collection) commit(ctx context.Context, insert []chromem.Document, remove []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(insert) == 0 && len(remove) == 0 {
		return nil
	}
	if err := c.writing(); err != nil {
		return err
	}
	defer c.shelf.mu.Unlock()
	return c.change(insert, remove)
}

// change deletes and inserts under the shelf's lock. From here on the context
// counts no more: half a change would be worse than a late one.
func (c *Collection) change(insert []chromem.Document, remove []string) error {
	s := c.shelf
	if now := c.db.GetCollection(s.name, c.embed); now != s.collection {
		return fmt.Errorf("%w: %.80q", ErrReplaced, s.name)
	}
	gone := s.present(remove)
	if err := s.admit(insert, gone); err != nil {
		return err
	}
	replaced := s.present(idsOf(insert))
	before := append(slices.Clone(gone), replaced...)
	if err := s.apply(insert, gone); err != nil {
		s.read = false // whatever is there now
		return errors.Join(err, s.restore(insert, before))
	}
	for _, d := range gone {
		s.forget(d.ID)
	}
	if len(s.chunks) == 0 {
		s.dimension = 0
	}
	for _, d := range insert {
		s.note(d)
	}
	s.announce(before, insert)
	return nil
}

func idsOf(docs []chromem.Document) []string {
	ids := make([]string, len(docs))
	for i, d := range docs {
		ids[i] = d.ID
	}
	return ids
}

// present returns copies of those of the ids that are there.
func (s *shelf) present(ids []string) []chromem.Document {
	var docs []chromem.Document
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		if d, ok := s.document(id); ok {
			docs = append(docs, d)
		}
	}
	return docs
}

// admit refuses documents that cannot join the collection once gone has left it.
func (s *shelf) admit(insert, gone []chromem.Document) error {
	dimension := s.dimension
	if len(gone) == len(s.chunks) {
		dimension = 0
	}
	files := make(map[uint32]string, len(insert))
	left := make(map[string]bool, len(gone))
	for _, d := range gone {
		left[d.ID] = true
	}
	for _, d := range insert {
		if err := sameDimension(len(d.Embedding), dimension); err != nil {
			return fmt.Errorf("chunk %.80q: %w", d.ID, err)
		}
		dimension = len(d.Embedding)
		if !s.persistent {
			continue
		}
		file := fileOf(d.ID)
		other, taken := files[file]
		if !taken {
			other, taken = s.files[file]
			taken = taken && !left[other]
		}
		switch {
		case file == 0:
			return fmt.Errorf("%w: %.80q and the collection itself", ErrCollision, d.ID)
		case taken && other != d.ID:
			return fmt.Errorf("%w: %.80q and %.80q", ErrCollision, d.ID, other)
		}
		files[file] = d.ID
	}
	return nil
}

// apply makes chromem delete and insert. It is given copies to keep.
func (s *shelf) apply(insert, gone []chromem.Document) error {
	ctx := context.Background()
	if len(gone) > 0 {
		if err := s.collection.Delete(ctx, nil, nil, idsOf(gone)...); err != nil {
			return fmt.Errorf("chromem: delete from %.80q: %w", s.name, err)
		}
	}
	if len(insert) == 0 {
		return nil
	}
	if err := s.collection.AddDocuments(ctx, insert, writers); err != nil {
		return fmt.Errorf("chromem: add to %.80q: %w", s.name, err)
	}
	return nil
}

// writers is the number of documents written to disk at a time.
const writers = 4

// restore undoes a change that failed half way, as far as the disk lets it.
func (s *shelf) restore(insert, before []chromem.Document) error {
	ctx := context.Background()
	var errs []error
	for _, id := range idsOf(insert) {
		errs = append(errs, s.collection.Delete(ctx, nil, nil, id))
	}
	for _, d := range before {
		errs = append(errs, s.collection.AddDocument(ctx, d))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("chromem: undo: %w", err)
	}
	return nil
}
