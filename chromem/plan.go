package chromem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/philippgille/chromem-go"
	"golang.org/x/sync/errgroup"
)

// plan is what an ingestion has to do for one document.
type plan struct {
	doc    string
	chunks int
	isNew  bool
	insert []chromem.Document // without ID: a new one; without Embedding: to be embedded
	remove []string
	mute   int // chunks left out since they have no term to embed
	err    error
}

// plan cuts a document and compares its chunks with those the collection holds.
func (in *ingestion) plan(d Document) (plan, error) {
	if !utf8.ValidString(d.Text) || !utf8.ValidString(d.ID) {
		return plan{}, fmt.Errorf("%w: not valid UTF-8", ErrText)
	}
	old := in.c.chunksOf(d.ID)
	before := make([]earlier, len(old))
	for i, o := range old {
		before[i] = earlierOf(candidateOf(o))
	}
	s := newSplitter(normalText(d.Text))
	pieces := split(s, before)
	p := plan{doc: d.ID, chunks: len(pieces), isNew: len(old) == 0}
	kept := make([]bool, len(old))
	for i, piece := range pieces {
		doc := in.document(d, s, piece, i, len(pieces))
		if piece.old >= 0 {
			kept[piece.old] = true
			o := old[piece.old]
			doc.ID = o.ID
			if in.sameVector(o, doc) {
				if maps.Equal(o.Metadata, doc.Metadata) {
					continue
				}
				doc.Embedding = o.Embedding
			}
		}
		p.insert = append(p.insert, doc)
	}
	for i, o := range old {
		if !kept[i] {
			p.remove = append(p.remove, o.ID)
		}
	}
	return p, nil
}

// document makes the chromem document of a chunk.
func (in *ingestion) document(d Document, s *splitter, p piece, index, total int) chromem.Document {
	text := s.chunk(p)
	m := maps.Clone(d.Metadata)
	if m == nil {
		m = make(map[string]string, 8)
	}
	for _, key := range []string{KeyTitle, KeyPath, KeyModel, KeyOverlap} {
		delete(m, key)
	}
	m[KeyDocID], m[KeySet], m[KeyContentHash] = d.ID, in.opts.Set, contentHash(text)
	m[KeyChunkIndex], m[KeyTotalChunks] = strconv.Itoa(index), strconv.Itoa(total)
	for key, value := range map[string]string{KeyTitle: d.Title, KeyPath: d.Path, KeyModel: in.c.opts.Model} {
		if value != "" {
			m[key] = value
		}
	}
	if p.own > p.start {
		m[KeyOverlap] = strconv.Itoa(p.own - p.start)
	}
	return chromem.Document{Content: text, Metadata: m}
}

// sameVector reports whether a stored vector is the one that the chunk would
// get: the text is the same and so is the model, as far as it is known.
func (in *ingestion) sameVector(stored, wanted chromem.Document) bool {
	return stored.Content == wanted.Content && stored.Metadata[KeyModel] == wanted.Metadata[KeyModel]
}

// chunksOf returns copies of the chunks of a document, in order.
func (c *Collection) chunksOf(doc string) []chromem.Document {
	c.shelf.mu.RLock()
	defer c.shelf.mu.RUnlock()
	docs := c.shelf.present(c.shelf.documents[doc])
	index := func(d chromem.Document) int {
		n, _ := strconv.Atoi(d.Metadata[KeyChunkIndex])
		return n
	}
	slices.SortFunc(docs, func(a, b chromem.Document) int {
		return cmp.Or(cmp.Compare(index(a), index(b)), strings.Compare(a.ID, b.ID))
	})
	return docs
}

// embed fills in the missing vectors of a wave: each text once, and none that
// the collection holds already. A text without a term is left out of its document;
// one whose vector is unusable spoils its document only.
func (in *ingestion) embed(ctx context.Context, wave []plan) error {
	wanted := in.wanted(wave)
	texts := slices.Sorted(maps.Keys(wanted))
	vectors := make([][]float32, len(texts))
	errs := make([]error, len(texts))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(in.c.opts.Concurrency)
	for i, text := range texts {
		g.Go(func() error {
			vectors[i], errs[i] = in.c.embedUnit(gctx, text)
			if errors.Is(errs[i], ErrVector) {
				return nil
			}
			return errs[i]
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i, text := range texts {
		mute := errors.Is(errs[i], ErrNoTerms)
		if !mute {
			in.report.Embedded++
		}
		for _, at := range wanted[text] {
			if errs[i] != nil && !mute {
				wave[at.plan].err = errs[i]
			}
			wave[at.plan].insert[at.doc].Embedding = slices.Clone(vectors[i])
		}
	}
	for i := range wave {
		wave[i].leaveOut()
	}
	return ctx.Err()
}

// leaveOut leaves out the chunks that got no vector. One that had a place in the
// collection loses it.
func (p *plan) leaveOut() {
	p.insert = slices.DeleteFunc(p.insert, func(d chromem.Document) bool {
		if d.Embedding != nil {
			return false
		}
		p.mute++
		if d.ID != "" {
			p.remove = append(p.remove, d.ID)
		}
		return true
	})
}

// place is a chunk of a wave.
type place struct{ plan, doc int }

// wanted returns the texts to embed and where their vectors go.
func (in *ingestion) wanted(wave []plan) map[string][]place {
	texts := map[string][]place{}
	for i, p := range wave {
		for j, d := range p.insert {
			if d.Embedding != nil {
				continue
			}
			if v := in.lookup(d); v != nil {
				p.insert[j].Embedding = v
				continue
			}
			texts[d.Content] = append(texts[d.Content], place{i, j})
		}
	}
	return texts
}

// lookup returns the vector of a text that the collection holds under another
// id: a file was moved, a paragraph copied.
func (in *ingestion) lookup(d chromem.Document) []float32 {
	id, ok := in.known[d.Metadata[KeyContentHash]]
	if !ok {
		return nil
	}
	in.c.shelf.mu.RLock()
	defer in.c.shelf.mu.RUnlock()
	if old, ok := in.c.shelf.document(id); ok && in.sameVector(old, d) {
		return old.Embedding
	}
	return nil
}

// commitPlans gives new chunks their ids and writes them, all or none.
func (c *Collection) commitPlans(ctx context.Context, plans []plan) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.writing(); err != nil {
		return err
	}
	defer c.shelf.mu.Unlock()
	names := naming{shelf: c.shelf, ids: map[string]bool{}, files: map[uint32]bool{}, next: map[string]int{}}
	var insert []chromem.Document
	var remove []string
	for _, p := range plans {
		for i := range p.insert {
			if p.insert[i].ID == "" {
				p.insert[i].ID = names.take(p.doc)
			}
		}
		insert, remove = append(insert, p.insert...), append(remove, p.remove...)
	}
	if len(insert) == 0 && len(remove) == 0 {
		return nil
	}
	return c.change(insert, remove)
}

// naming finds free ids for the chunks of documents.
type naming struct {
	shelf *shelf
	ids   map[string]bool
	files map[uint32]bool
	next  map[string]int
}

// take returns the first free id of a document: free, too, of a file that it
// would share with another id.
func (n *naming) take(doc string) string {
	for {
		id := doc + "#" + strconv.Itoa(n.next[doc])
		n.next[doc]++
		_, taken := n.shelf.chunks[id]
		file := fileOf(id)
		_, shared := n.shelf.files[file]
		if taken || n.ids[id] || n.shelf.persistent && (file == 0 || shared || n.files[file]) {
			continue
		}
		n.ids[id], n.files[file] = true, true
		return id
	}
}
