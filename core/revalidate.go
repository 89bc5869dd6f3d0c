package core

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/repute-go/repute/core/lifecycle"
)

// maxLoads bounds the loaders of one engine that are at work, those left behind
// after their time included.
const maxLoads = 64

// maxNotes bounds Response.Library.
const maxNotes = 100

// LibraryNote says what became of a document of the user's library in one
// retrieval.
type LibraryNote struct {
	// Source, DocID and Title name the document.
	Source, DocID, Title string
	// Cause is ContentChanged, SourceGone or Forbidden, as the source's Loader
	// said, and 0 where nothing changed.
	Cause lifecycle.Cause
	// Served says whether a library text was shown all the same.
	Served bool
	// Reason says it in a sentence.
	Reason string
}

// noteLeft says of a text that it found no place: of one that is pinned, and of one
// of which a note says that it did.
func (r *retrieval) noteLeft(t *libraryText, why lifecycle.Reason) {
	reason := why.String()
	switch why {
	case lifecycle.OverBudget:
		reason = fmt.Sprintf("no room for its %d tokens beside the results", t.passage.Tokens)
	case lifecycle.Duplicate:
		reason = "the same text is there as another document's"
	}
	switch {
	case t.note > 0:
		n := &r.notes[t.note-1]
		n.Served, n.Reason = false, n.Reason+", but was not served: "+reason
	case t.record.State() == lifecycle.Pinned:
		r.note(t, 0, false, "not served: "+reason)
	}
}

// noteFiltered says that a pinned text is not there because of the query's filter.
func (r *retrieval) noteFiltered(key string, pinned bool) {
	if rec := r.personal.record(key); pinned && rec.State() == lifecycle.Pinned {
		t := &libraryText{key: key, record: rec, passage: lifecycle.PassageOf(r.personal.doc(key), rec)}
		r.note(t, 0, false, "not served: the query has a filter, and only the source can tell what passes it")
	}
}

func (r *retrieval) note(t *libraryText, cause lifecycle.Cause, served bool, reason string) {
	if len(r.notes) == maxNotes {
		return
	}
	r.notes = append(r.notes, LibraryNote{
		Source: r.hits.Source, DocID: t.passage.Doc, Title: t.record.Title,
		Cause: cause, Served: served, Reason: reason,
	})
	t.note = len(r.notes)
}

// revalidate reads texts and returns those that may be served, as they are now at
// their source. What the others have come to is noted, in the response and for
// their rows. Nobody's text is served on the word of an old permission: a loader
// that fails, or is late, means no.
func (r *retrieval) revalidate(ctx context.Context, texts []*libraryText) []*libraryText {
	if len(texts) == 0 {
		return nil
	}
	r.readTexts(ctx, texts)
	found := r.ask(ctx, texts)
	valid := texts[:0:0]
	for i, t := range texts {
		if r.settle(t, found[i]) {
			valid = append(valid, t)
		}
	}
	return valid
}

// readTexts reads the saved texts. One that cannot be read stays empty.
func (r *retrieval) readTexts(ctx context.Context, texts []*libraryText) {
	keys := make([]string, len(texts))
	for i, t := range texts {
		keys[i] = t.key
	}
	read, err := r.engine.store.Texts(ctx, r.engine.opts.Namespace, r.personal.user, keys)
	if err != nil {
		r.engine.opts.Logger.Warn("library texts not read", "error", err)
		return
	}
	for _, t := range texts {
		t.text = read[t.key]
	}
}

// answerOf is what a loader said of a document.
type answerOf struct {
	loaded Loaded
	err    error
}

// ask asks the source's loader about all texts at once.
func (r *retrieval) ask(ctx context.Context, texts []*libraryText) []answerOf {
	answers := make([]answerOf, len(texts))
	loader := r.engine.loaderOf(r.source, r.hits.Source)
	if loader == nil {
		for i := range answers {
			answers[i].err = ErrUnsupported
		}
		return answers
	}
	ctx, cancel := within(ctx, r.engine.opts.Library.Timeout)
	defer cancel()
	var wg sync.WaitGroup
	for i, t := range texts {
		wg.Go(func() {
			answers[i].loaded, answers[i].err = r.engine.loadDocument(ctx, loader, r.personal.user, t.passage.Doc)
		})
	}
	wg.Wait()
	return answers
}

// loadDocument asks a loader, for as long as ctx lasts. A loader that does not
// heed its context is left behind; maxLoads bounds how many can be.
func (e *Engine) loadDocument(ctx context.Context, loader Loader, user, doc string) (Loaded, error) {
	select {
	case e.loads <- struct{}{}:
	case <-ctx.Done():
		return Loaded{}, ctx.Err()
	}
	done := make(chan answerOf, 1)
	go func() {
		var a answerOf
		defer func() {
			if p := recover(); p != nil {
				a = answerOf{err: fmt.Errorf("core: loader: panic: %v", p)}
			}
			<-e.loads
			done <- a
		}()
		a.loaded, a.err = loader.LoadDocument(ctx, user, doc)
		a.loaded.Text = strings.ToValidUTF8(a.loaded.Text, "\uFFFD")
	}()
	select {
	case a := <-done:
		return a.loaded, a.err
	case <-ctx.Done():
		return Loaded{}, ctx.Err()
	}
}

// settle decides whether a text may be served, and what its row has to learn.
func (r *retrieval) settle(t *libraryText, a answerOf) bool {
	claim := &t.record.Claim
	switch {
	case claim.Size == 0:
		return r.restore(t, a)
	case t.text == "":
		r.note(t, 0, false, "not served: the saved text could not be read")
	case errors.Is(a.err, ErrUnsupported):
		return r.compare(t)
	case a.err != nil:
		r.engine.opts.Logger.Warn("library text not served", "source", r.hits.Source, "error", a.err)
		r.note(t, 0, false, "not served: its source does not say whether it still holds")
	case !a.loaded.Exists:
		r.drop(t, lifecycle.SourceGone, "its source no longer has the document")
	case !a.loaded.Allowed:
		r.drop(t, lifecycle.Forbidden, "the user may no longer read the document")
	case a.loaded.Text == "" && !saidBySource(claim, t.text):
		return r.compare(t)
	case contentHash(a.loaded.Text).String() == claim.Hash:
		return true
	case claim.Origin == lifecycle.FromCaller:
		t.changed = true // the user's own text; nobody said that it is the source's
		return true
	default:
		return r.refresh(t, lifecycle.Claim{Text: a.loaded.Text, Origin: lifecycle.FromLoader})
	}
	return false
}

// saidBySource reports whether the source gave a text of its own for a claim. One
// that only tells who may read what gives none.
func saidBySource(c *lifecycle.Claim, text string) bool {
	return c.Origin == lifecycle.FromLoader || c.Hash != contentHash(text).String()
}

// restore gives a pin that lost its text to its source the text that the source has
// now, if it has one that the user may read. While it has none, nothing is said: the
// loss was.
func (r *retrieval) restore(t *libraryText, a answerOf) bool {
	text := a.loaded.Text
	if a.err != nil || !a.loaded.Exists || !a.loaded.Allowed || text == "" || len(text) > lifecycle.MaxText {
		return false
	}
	r.replace(t, lifecycle.Claim{Text: text, Origin: lifecycle.FromLoader})
	r.note(t, lifecycle.ContentChanged, true, "its source has a text of it again")
	return true
}

// drop notes that a text is not to be served again.
func (r *retrieval) drop(t *libraryText, cause lifecycle.Cause, reason string) {
	r.personal.tell(t.key, lifecycle.Event{Kind: cause})
	r.note(t, cause, false, "taken out of the library: "+reason)
}

// refresh puts the source's present text in the place of the saved one.
func (r *retrieval) refresh(t *libraryText, claim lifecycle.Claim) bool {
	if claim.Text == "" || len(claim.Text) > lifecycle.MaxText {
		r.drop(t, lifecycle.ContentChanged, "its text changed at the source and cannot be kept")
		return false
	}
	r.replace(t, claim)
	r.note(t, lifecycle.ContentChanged, true, "its text changed at the source; the new one took its place")
	return true
}

// replace puts a text into the place of the one before.
func (r *retrieval) replace(t *libraryText, claim lifecycle.Claim) {
	claim.Size, claim.Hash, claim.Source = len(claim.Text), contentHash(claim.Text).String(), storable(r.hits.Source)
	r.vectorAnew(t, &claim)
	r.personal.tell(t.key, lifecycle.Event{Kind: lifecycle.ContentChanged, Claim: claim})
	t.text, t.record.Claim = claim.Text, claim
}

// compare looks, for a source that cannot be asked for texts, whether the chunks it
// just found contradict the saved one. Another white space does not.
func (r *retrieval) compare(t *libraryText) bool {
	if t.record.Claim.Origin == lifecycle.FromCaller {
		return true
	}
	whole := container{text: t.text}
	for i := range r.candidates {
		c := &r.candidates[i]
		name := storable(c.ID)
		if c.DocID != t.passage.Doc || c.Text == "" || !claims(&t.record.Claim, name) {
			continue
		}
		switch chunks := t.record.Claim.Chunks; {
		case whole.holds(c.Text):
		case len(chunks) == 1 && chunks[0] == name:
			text := strings.ToValidUTF8(c.Text, "\uFFFD")
			return r.refresh(t, lifecycle.Claim{Text: text, Origin: lifecycle.FromChunks, Chunks: chunks})
		default:
			r.drop(t, lifecycle.ContentChanged, "its text changed at the source")
			return false
		}
	}
	return true
}

// claims reports whether a claimed text consists, among others, of a chunk.
func claims(c *lifecycle.Claim, chunk string) bool {
	for _, id := range c.Chunks {
		if id == chunk {
			return true
		}
	}
	return c.Origin == lifecycle.FromLoader
}
