package core

import (
	"context"
	"slices"
	"time"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/store"
)

// Library is the personal library of one user in the engine's namespace: the
// documents the user was shown, those accepted and pinned with their texts, and
// those declined and blocked. It holds no state of its own, may be made for every
// call, and is safe for concurrent use. Every method returns ErrUserRequired for
// the empty user and ErrClosed after the engine was closed; errors of the rules
// (lifecycle.ErrNoContent, ErrClaimed, ErrNotClaimed, ErrUnknownSuggestion,
// ErrTooLarge, ErrFull) and of the store keep their identity.
type Library struct {
	engine *Engine
	user   string
	bound  Source
}

// Library returns the library of a user.
func (e *Engine) Library(user string) *Library { return &Library{engine: e, user: user} }

// In returns the library as seen from a source: documents are named by their id
// there, and its Loader and Embedder are asked. Without it a document's source is
// the one its suggestion names, else the only one the engine was used with, else
// the only one of which the user has a document with that id; if none of these
// tells, the error is ErrSourceRequired.
func (l *Library) In(src Source) *Library {
	return &Library{engine: l.engine, user: l.user, bound: src}
}

// Entry is one document in a user's library.
type Entry struct {
	// Source and DocID name the document.
	Source string `json:"source"`
	DocID  string `json:"doc_id"`
	// Title and Path are as untrusted as the document.
	Title string `json:"doc_title,omitzero"`
	Path  string `json:"doc_path,omitzero"`
	// State is where the document stands, Blocked that the user never wants to
	// see it.
	State   lifecycle.State `json:"state"`
	Blocked bool            `json:"blocked,omitzero"`
	// Score is the decay score in [0,1], Uses the decayed number of uses.
	Score float64 `json:"score"`
	Uses  int     `json:"uses"`
	// Origin says where the saved text came from, Size how many bytes it has; 0
	// means that there is none.
	Origin lifecycle.Origin `json:"origin,omitzero"`
	Size   int              `json:"size,omitzero"`
	// Text is the saved text. Get and Export fill it.
	Text string `json:"text,omitzero"`
	// Record is everything that is known, with its audit trail.
	Record lifecycle.Record `json:"record"`
}

// entry describes a row as of now.
func (l *Library) entry(key string, rec lifecycle.Record, now time.Time) Entry {
	rec, _ = lifecycle.Evaluate(rec, now, l.engine.opts.Lifecycle)
	rec, _ = rec.Detach()
	source, doc, _ := store.SplitPersonalKey(key)
	return Entry{
		Source: source, DocID: doc, Title: rec.Title, Path: rec.Path,
		State: rec.State(), Blocked: rec.Blocked(),
		Score: rec.Score(now, l.engine.opts.Lifecycle), Uses: rec.UseCount(now, l.engine.opts.Lifecycle),
		Origin: rec.Claim.Origin, Size: rec.Claim.Size, Record: rec,
	}
}

func (l *Library) now() time.Time { return time.Unix(0, l.engine.now()) }

// ready refuses what no operation can work on.
func (l *Library) ready() error {
	if l.user == "" {
		return ErrUserRequired
	}
	return l.engine.alive()
}

// LibraryPage asks for a part of a library.
type LibraryPage struct {
	// After is the Next of the previous part; empty means from the start.
	After string
	// Limit is the number of entries wanted; 0 means 100.
	Limit int
	// States lists the states wanted; nil means all.
	States []lifecycle.State
}

// LibraryList is a part of a library, ordered by source and document.
type LibraryList struct {
	Entries []Entry
	// Next goes into LibraryPage.After; empty at the end.
	Next string
}

// List returns a part of the library, without texts.
func (l *Library) List(ctx context.Context, page LibraryPage) (LibraryList, error) {
	if page.Limit <= 0 {
		page.Limit = 100
	}
	var out LibraryList
	rows := store.Page{After: page.After, Limit: page.Limit + 1}
	err := l.each(ctx, rows, func(e Entry) bool {
		if len(out.Entries) == page.Limit {
			last := out.Entries[len(out.Entries)-1]
			out.Next = store.PersonalKey(last.Source, last.DocID)
			return false
		}
		if page.States == nil || slices.Contains(page.States, e.State) {
			out.Entries = append(out.Entries, e)
		}
		return true
	})
	return out, err
}

// each calls yield for every row from a page on, as of now, until it returns false.
func (l *Library) each(ctx context.Context, page store.Page, yield func(e Entry) bool) error {
	now := l.now()
	return l.rows(ctx, page, func(row store.Personal) bool {
		return yield(l.entry(row.Document, row.Record, now))
	})
}

// rows calls yield for every row from a page on until it returns false.
func (l *Library) rows(ctx context.Context, page store.Page, yield func(row store.Personal) bool) error {
	if err := l.ready(); err != nil {
		return err
	}
	for {
		rows, err := l.engine.store.Personal(ctx, l.engine.opts.Namespace, l.user, page)
		if err != nil {
			return err
		}
		for _, row := range rows {
			page.After = row.Document
			if !yield(row) {
				return nil
			}
		}
		if len(rows) < page.Rows() {
			return nil
		}
	}
}

// Get returns one document with its text; ok is false if the user has no history
// with it.
func (l *Library) Get(ctx context.Context, doc string) (e Entry, ok bool, err error) {
	d, err := l.find(ctx, doc, "")
	if err != nil {
		return Entry{}, false, err
	}
	rec, ok, err := l.row(ctx, d.key)
	if err != nil || !ok {
		return Entry{}, false, err
	}
	e = l.entry(d.key, rec, l.now())
	if e.Size > 0 {
		texts, err := l.engine.store.Texts(ctx, l.engine.opts.Namespace, l.user, []string{d.key})
		if err != nil {
			return Entry{}, false, err
		}
		e.Text = texts[d.key]
	}
	return e, true, nil
}

// row reads one row.
func (l *Library) row(ctx context.Context, key string) (lifecycle.Record, bool, error) {
	known, err := l.engine.store.Load(ctx, store.LoadRequest{
		Namespace: l.engine.opts.Namespace, User: l.user, Personal: []string{key},
	})
	if err != nil {
		return lifecycle.Record{}, false, err
	}
	row, ok := known.Personal[key]
	return row.Record, ok, nil
}

// Suggestions lists every suggestion that waits for an answer.
func (l *Library) Suggestions(ctx context.Context) ([]Suggestion, error) {
	var out []Suggestion
	now := l.now()
	err := l.each(ctx, store.Page{}, func(e Entry) bool {
		if s, ok := e.Record.Pending(e.DocID, now, l.engine.opts.Lifecycle); ok {
			out = append(out, Suggestion{Suggestion: s, User: l.user, Source: e.Source})
		}
		return true
	})
	return out, err
}

// Erase removes everything the user left behind in the namespace, as
// Engine.EraseUser does, and returns the number of rows changed or removed.
func (l *Library) Erase(ctx context.Context) (int, error) {
	return l.engine.EraseUser(ctx, l.user)
}

// document is a document of a source, as the library names it.
type document struct {
	key, id, name string // row, id, name of the source
	source        Source // nil if it is not at hand
	asked         int64  // when the user named it, Unix nanoseconds
}

// find tells which source's document is meant. hint is the source that a
// suggestion names.
func (l *Library) find(ctx context.Context, doc, hint string) (document, error) {
	if err := l.ready(); err != nil {
		return document{}, err
	}
	if doc == "" {
		return document{}, ErrDocumentRequired
	}
	asked := l.engine.now()
	name, ok := hint, hint != ""
	if !ok && !isNil(l.bound) {
		name, ok = l.bound.Info().Name, true
	}
	if !ok {
		name, ok = l.engine.sources.only()
	}
	if !ok {
		var err error
		if name, err = l.sourceOf(ctx, doc); err != nil {
			return document{}, err
		}
	}
	d := document{key: store.PersonalKey(name, doc), id: doc, name: name, source: l.engine.sources.get(name), asked: asked}
	if !isNil(l.bound) && l.bound.Info().Name == name {
		d.source = l.bound
	}
	return d, nil
}

// sourceOf returns the only source of which the user has a document with an id.
func (l *Library) sourceOf(ctx context.Context, doc string) (string, error) {
	name, n := "", 0
	err := l.each(ctx, store.Page{}, func(e Entry) bool {
		if e.DocID == doc {
			name = e.Source
			n++
		}
		return n < 2
	})
	if err == nil && n != 1 {
		err = ErrSourceRequired
	}
	return name, err
}
