package chromem

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/repute-go/repute/core"
)

// Document is a text to ingest.
type Document struct {
	// ID names the document in the collection, the same in every run. Its chunks
	// are ID#0, ID#1 and so on.
	ID string
	// Title and Path describe it to people. Path is never opened.
	Title, Path string
	// Text is cut into chunks. A blank text has none, and neither has one without
	// a word.
	Text string
	// Metadata is given to every chunk; the package's own keys win.
	Metadata map[string]string
}

// IngestOptions configures an ingestion. The zero value works.
type IngestOptions struct {
	// Set names what is ingested: documents of the same Set that an earlier run
	// brought and this one does not are removed. Empty means "files" for Ingest
	// and "documents" for IngestDocuments. Chunks added by Add belong to no set.
	Set string
	// Keep leaves documents that have vanished in the collection.
	Keep bool
	// Match says which files are read, by slash-separated path; nil means all
	// but those whose name, or a folder's on the way, begins with a dot.
	Match func(path string) bool
	// MaxSize is the size in bytes beyond which a document is reported and not
	// read; 0 means DefaultMaxSize.
	MaxSize int64
	// Progress is called after every document, one call at a time.
	Progress func(Progress)
}

// DefaultMaxSize is the largest document that is ingested, in bytes.
const DefaultMaxSize = 4 << 20

// Progress says how far an ingestion is.
type Progress struct {
	Done, Total int    // documents
	Chunks      int    // chunks of the documents done
	Embedded    int    // texts that had to be embedded
	Document    string // the document just done
}

// IngestReport says what an ingestion did.
type IngestReport struct {
	// Documents counts those that are in the collection now, Added, Updated and
	// Unchanged how. Removed counts those that had vanished.
	Documents, Added, Updated, Unchanged, Removed int
	// Chunks counts the chunks of the documents. Embedded counts the texts that
	// were embedded: neither chunks that stayed the same nor texts that the
	// collection already held are. Mute counts the chunks that were left out, since
	// they hold no word that could be embedded (ErrNoTerms): a row of asterisks. A
	// document may consist of such a chunk alone.
	Chunks, Embedded, Mute int
	// Problems says which documents were left out or left as they were, the
	// first MaxProblems; Failed counts all of them.
	Problems []Problem
	Failed   int
}

// MaxProblems bounds IngestReport.Problems.
const MaxProblems = 1000

// Problem is a document that could not be ingested. What the collection held of
// it is still there.
type Problem struct {
	Document string
	Err      error
}

// Reasons in Problem.Err, besides ErrText, ErrVector and those of the file
// system.
var (
	// ErrTooLarge says that a document is larger than IngestOptions.MaxSize.
	ErrTooLarge = errors.New("chromem: document too large")
	// ErrBinary says that a file holds no text.
	ErrBinary = errors.New("chromem: not a text file")
	// ErrIrregular says that a path is no regular file: a link, a device. Links
	// are not followed.
	ErrIrregular = errors.New("chromem: not a regular file")
	// ErrDuplicate says that one run brought two documents with one ID; the first
	// counts.
	ErrDuplicate = errors.New("chromem: document id twice")
	// ErrNoID says that a document has no ID.
	ErrNoID = errors.New("chromem: document without id")
)

// IngestDocuments brings the collection in step with documents: it cuts them
// into chunks of at most ChunkSize characters at the ends of paragraphs and
// sentences, embeds what is new, replaces what has changed, removes what has
// vanished. Chunks that an edit did not touch keep their id and their vector. A
// document changes as a whole. One that cannot be ingested is reported and does
// not stop the run; a failing embedding function, a full disk or a context that
// ends does: what was done until then stays, and the next run goes on from there.
// One ingestion of a collection runs at a time.
//
// Every chunk has the metadata keys KeyDocID, KeyTitle, KeyPath, KeyChunkIndex,
// KeyTotalChunks and KeyContentHash.
func (c *Collection) IngestDocuments(ctx context.Context, docs []Document, opts IngestOptions) (IngestReport, error) {
	if opts.Set == "" {
		opts.Set = "documents"
	}
	return c.ingest(ctx, len(docs), func(yield func(loaded) bool) {
		for _, d := range docs {
			if !yield(loaded{Document: d}) {
				return
			}
		}
	}, opts)
}

// loaded is a document or why there is none.
type loaded struct {
	Document
	err error
}

// ingestion is one run.
type ingestion struct {
	c      *Collection
	opts   IngestOptions
	report IngestReport
	seen   map[string]bool
	total  int
	done   int
	wave   []plan
	texts  int               // to embed in the wave
	known  map[string]string // chunk id by content hash
}

// waveSize is the number of chunks written in one go.
const waveSize = 128

func (c *Collection) ingest(ctx context.Context, total int, docs iter.Seq[loaded], opts IngestOptions) (IngestReport, error) {
	if opts.MaxSize < 0 {
		return IngestReport{}, fmt.Errorf("%w: MaxSize %d is negative", core.ErrInvalidOptions, opts.MaxSize)
	}
	if opts.MaxSize == 0 {
		opts.MaxSize = DefaultMaxSize
	}
	c.shelf.ingesting.Lock()
	defer c.shelf.ingesting.Unlock()
	in := &ingestion{c: c, opts: opts, total: total, seen: make(map[string]bool, total)}
	if err := in.begin(); err != nil {
		return in.report, err
	}
	for d := range docs {
		if err := in.take(ctx, d); err != nil {
			return in.report, err
		}
	}
	if err := in.flush(ctx); err != nil {
		return in.report, err
	}
	return in.report, in.sweep(ctx)
}

// begin learns which texts the collection holds.
func (in *ingestion) begin() error {
	if err := in.c.reading(); err != nil {
		return err
	}
	defer in.c.shelf.mu.RUnlock()
	in.known = make(map[string]string, len(in.c.shelf.chunks))
	for id, e := range in.c.shelf.chunks {
		in.known[e.hash] = id
	}
	return nil
}

// take plans a document and, when enough has come together, writes.
func (in *ingestion) take(ctx context.Context, d loaded) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	again := in.seen[d.ID]
	in.seen[d.ID] = true
	switch {
	case d.err != nil:
	case d.ID == "":
		d.err = ErrNoID
	case again:
		d.err = ErrDuplicate
	case int64(len(d.Text)) > in.opts.MaxSize:
		d.err = ErrTooLarge
	default:
		var p plan
		if p, d.err = in.plan(d.Document); d.err == nil {
			in.wave = append(in.wave, p)
			in.texts += len(p.insert)
		}
	}
	if d.err != nil {
		in.problem(d.ID, d.err)
		in.progress(d.ID)
		return nil
	}
	if in.texts < waveSize && len(in.wave) < waveSize {
		return nil
	}
	return in.flush(ctx)
}

// flush embeds and writes what was planned.
func (in *ingestion) flush(ctx context.Context) error {
	wave := in.wave
	in.wave, in.texts = nil, 0
	if err := in.embed(ctx, wave); err != nil {
		return err
	}
	good := slices.DeleteFunc(slices.Clone(wave), func(p plan) bool { return p.err != nil })
	if err := in.c.commitPlans(ctx, good); err != nil {
		return err
	}
	for _, p := range wave {
		if p.err != nil {
			in.problem(p.doc, p.err)
		} else {
			in.count(p)
		}
		in.progress(p.doc)
	}
	return nil
}

func (in *ingestion) count(p plan) {
	r := &in.report
	r.Chunks += p.chunks - p.mute
	r.Mute += p.mute
	for _, d := range p.insert {
		in.known[d.Metadata[KeyContentHash]] = d.ID
	}
	switch {
	case len(p.insert) == 0 && len(p.remove) == 0:
		r.Unchanged++
	case p.isNew:
		r.Added++
	default:
		r.Updated++
	}
	r.Documents++
}

func (in *ingestion) problem(id string, err error) {
	in.report.Failed++
	if len(in.report.Problems) < MaxProblems {
		in.report.Problems = append(in.report.Problems, Problem{id, err})
	}
}

func (in *ingestion) progress(id string) {
	in.done++
	if in.opts.Progress != nil {
		in.opts.Progress(Progress{Done: in.done, Total: max(in.total, in.done), Chunks: in.report.Chunks, Embedded: in.report.Embedded, Document: id})
	}
}

// sweep removes the documents of the set that have vanished.
func (in *ingestion) sweep(ctx context.Context) error {
	if in.opts.Keep {
		return nil
	}
	if err := in.c.reading(); err != nil {
		return err
	}
	var ids []string
	s := in.c.shelf
	for _, doc := range slices.Sorted(maps.Keys(s.documents)) {
		chunks := s.documents[doc]
		if !in.seen[doc] && s.chunks[chunks[0]].set == in.opts.Set {
			ids = append(ids, chunks...)
			in.report.Removed++
		}
	}
	s.mu.RUnlock()
	return in.c.commit(ctx, nil, ids)
}
