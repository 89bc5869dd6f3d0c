package core

import (
	"context"
	"fmt"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/store"
)

// Accept takes a suggested document into the library, with a text that is served
// from then on. It is valid at any time and may be repeated. The text is the
// source's own (Loader); for a source that cannot say, it is the chunks that the
// suggestion's response showed; the entry's Origin tells. Errors besides those of
// Library: ErrGone and ErrForbidden, as the source says; lifecycle.ErrNoContent if
// there is no text at all, and the Loader's.
func (l *Library) Accept(ctx context.Context, s Suggestion) (Entry, error) {
	return l.take(ctx, lifecycle.Accept, s, "")
}

// Add is Accept for a document that was not suggested, by its id.
func (l *Library) Add(ctx context.Context, doc string) (Entry, error) {
	return l.take(ctx, lifecycle.Accept, of(doc), "")
}

// AddText is Add with a text to keep if the source cannot give its own. The entry
// is marked as the caller's text, and whatever shows it says so.
func (l *Library) AddText(ctx context.Context, doc, text string) (Entry, error) {
	return l.take(ctx, lifecycle.Accept, of(doc), text)
}

// Pin takes a document into the library for good: it is served first, whatever
// was asked, until Unpin, Remove or Block. It needs a text, as Accept does.
func (l *Library) Pin(ctx context.Context, doc string) (Entry, error) {
	return l.take(ctx, lifecycle.Pin, of(doc), "")
}

// PinShown is Pin for a document that a response shows (Response.Offer), whose
// chunks are kept if the source has no Loader.
func (l *Library) PinShown(ctx context.Context, s Suggestion) (Entry, error) {
	return l.take(ctx, lifecycle.Pin, s, "")
}

// Decline refuses a suggestion: the document is not suggested again for 30 days
// and until it has been used more often, unless the user is shown so many others
// (lifecycle.Options.MaxRecords) that this is forgotten. It is valid at any time;
// declining the same one again changes nothing.
func (l *Library) Decline(ctx context.Context, s Suggestion) (Entry, error) {
	d, err := l.answered(ctx, s)
	if err != nil {
		return Entry{}, err
	}
	return l.apply(ctx, d, lifecycle.Event{Kind: lifecycle.Decline, Suggestion: s.ID, Title: s.Title, Path: s.Path})
}

// Unpin takes a pin back. The document stays in the library.
func (l *Library) Unpin(ctx context.Context, doc string) (Entry, error) {
	return l.order(ctx, lifecycle.Unpin, doc)
}

// Block keeps a document out of every answer to this user, and drops its text.
func (l *Library) Block(ctx context.Context, doc string) (Entry, error) {
	return l.order(ctx, lifecycle.Block, doc)
}

// Unblock takes a block back.
func (l *Library) Unblock(ctx context.Context, doc string) (Entry, error) {
	return l.order(ctx, lifecycle.Unblock, doc)
}

// Remove takes a document out of the library and drops its text. Removing it again
// changes nothing.
func (l *Library) Remove(ctx context.Context, doc string) (Entry, error) {
	return l.order(ctx, lifecycle.Remove, doc)
}

func of(doc string) Suggestion { return Suggestion{Suggestion: lifecycle.Suggestion{Doc: doc}} }

// answered finds the document of a suggestion.
func (l *Library) answered(ctx context.Context, s Suggestion) (document, error) {
	if s.User != "" && s.User != l.user {
		return document{}, fmt.Errorf("core: %w: it was made to another user", lifecycle.ErrUnknownSuggestion)
	}
	return l.find(ctx, s.Doc, s.Source)
}

func (l *Library) order(ctx context.Context, kind lifecycle.Cause, doc string) (Entry, error) {
	d, err := l.find(ctx, doc, "")
	if err != nil {
		return Entry{}, err
	}
	return l.apply(ctx, d, lifecycle.Event{Kind: kind})
}

// take accepts or pins: it sees to the text first, unless there is one.
func (l *Library) take(ctx context.Context, kind lifecycle.Cause, s Suggestion, own string) (Entry, error) {
	d, err := l.answered(ctx, s)
	if err != nil {
		return Entry{}, err
	}
	event := lifecycle.Event{Kind: kind, Title: s.Title, Path: s.Path}
	if kind == lifecycle.Accept {
		event.Suggestion = s.ID
	}
	rec, _, err := l.row(ctx, d.key)
	if err != nil {
		return Entry{}, err
	}
	rec, _ = lifecycle.Evaluate(rec, l.now(), l.engine.opts.Lifecycle)
	if !rec.Serves() {
		if event.Claim, err = l.claim(ctx, d, s.shown, own); err != nil {
			return Entry{}, err
		}
	}
	return l.apply(ctx, d, event)
}

// apply folds a user's action into the row of a document.
func (l *Library) apply(ctx context.Context, d document, event lifecycle.Event) (Entry, error) {
	if err := l.room(ctx, d, event.Kind); err != nil {
		return Entry{}, err
	}
	now := l.now()
	var after lifecycle.Record
	changed := false
	err := l.engine.updateRows(ctx, l.user, []string{d.key}, d.asked, func(v store.View) (store.Changes, error) {
		row, exists := v.Personal[d.key]
		if !exists { // it made room for newer ones; the answer still is the user's word on the document
			row.Record.Suggestion.ID = event.Suggestion
		}
		rec, _, err := lifecycle.Apply(row.Record, event, now, l.engine.opts.Lifecycle)
		if err != nil {
			return store.Changes{}, fmt.Errorf("core: %v %.80q: %w", event.Kind, d.id, err)
		}
		after, changed = rec, versionOf(rec) != versionOf(row.Record)
		if !exists && rec.Forgettable(now, l.engine.opts.Lifecycle) {
			return store.Changes{}, nil
		}
		return store.Changes{Personal: []store.PersonalChange{personalChange(d.key, rec, now)}}, nil
	})
	if err != nil {
		return Entry{}, err
	}
	if changed {
		l.engine.copyChanged(l.user, []string{d.key})
	}
	return l.entry(d.key, after, now), nil
}

// updateRows folds rows of a user, unless they were erased since the action began.
func (e *Engine) updateRows(ctx context.Context, user string, keys []string, began int64, fold store.Fold) error {
	actor := store.UserActor(user)
	req := store.UpdateRequest{
		Namespace: e.opts.Namespace, User: user, Personal: keys, MaxPersonal: e.maxPersonal(), Actors: []string{actor},
	}
	return e.store.Update(ctx, req, func(v store.View) (store.Changes, error) {
		if store.ErasedSince(v.Erased, actor, began) {
			return store.Changes{}, ErrErased
		}
		return fold(v)
	})
}

// maxPersonal is the number of rows that a user may have.
func (e *Engine) maxPersonal() int { return e.opts.Lifecycle.WithDefaults().MaxRecords }

// room refuses actions that would make the user keep more documents than there
// may be rows. Rows that are not kept make room by themselves. Actions of one user
// at the same moment may pass the limit by their number.
func (l *Library) room(ctx context.Context, d document, kind lifecycle.Cause) error {
	if kind != lifecycle.Accept && kind != lifecycle.Pin && kind != lifecycle.Block {
		return nil
	}
	known, err := l.engine.store.Load(ctx, store.LoadRequest{Namespace: l.engine.opts.Namespace, User: l.user})
	if err != nil {
		return err
	}
	limit := l.engine.maxPersonal()
	if _, has := known.Personal[d.key]; !has && len(known.Personal) >= limit {
		return fmt.Errorf("core: %w: %d documents", lifecycle.ErrFull, limit)
	}
	return nil
}

// Up is the user's thumb up for a document: the signal Rated("user:...", Up) on
// the newest receipt of theirs that shows it, which also teaches the reputation
// that all users share. Where there is none it counts for this user's library
// alone. On one receipt a thumb counts once and may be changed.
func (l *Library) Up(ctx context.Context, doc string) error { return l.thumb(ctx, doc, Up) }

// Down is the user's thumb down, as Up.
func (l *Library) Down(ctx context.Context, doc string) error { return l.thumb(ctx, doc, Down) }

func (l *Library) thumb(ctx context.Context, doc string, t Thumb) error {
	d, err := l.find(ctx, doc, "")
	if err != nil {
		return err
	}
	signal := Rated(store.UserActor(l.user), t).On(doc)
	receipt, ok, err := l.newest(ctx, d)
	if err != nil {
		return err
	}
	if ok && signal.validate() == nil {
		_, err := l.engine.Feedback(WithUser(ctx, l.user), receipt, signal)
		if !unusable(err) {
			return err
		}
	}
	kind := lifecycle.Down
	if t == Up {
		kind = lifecycle.Up
	}
	_, err = l.apply(ctx, d, lifecycle.Event{Kind: kind})
	return err
}

// newest finds the user's newest receipt that shows a document and still takes
// signals.
func (l *Library) newest(ctx context.Context, d document) (id ReceiptID, ok bool, err error) {
	now, newest := l.engine.now(), int64(-1)
	for page := (store.Page{}); ; {
		receipts, err := l.engine.store.Receipts(ctx, l.engine.opts.Namespace, l.user, page)
		if err != nil {
			return id, false, err
		}
		for i := range receipts {
			rc := &receipts[i]
			page.After = string(rc.ID[:])
			if rc.Source == d.name && rc.Expires > now && rc.Evidence != nil && rc.Created > newest && shows(rc, d.id) {
				id, newest = rc.ID, rc.Created
			}
		}
		if len(receipts) < page.Rows() {
			return id, newest >= 0, nil
		}
	}
}

func shows(rc *store.Receipt, doc string) bool {
	for _, s := range rc.Shown {
		if s.Document == doc {
			return true
		}
	}
	return false
}
