package core

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// Feedback folds signals into the documents of a receipt, in one transaction.
// Signals may come late, in any order, more than once (which changes nothing)
// or revised (the newest value of a rater counts). A cancelled context or an
// error changes nothing, and the call can be repeated. The exception is a store that
// wrote and cannot confirm it (sqlite.ErrUnconfirmed): the outcome counts for its
// documents, though not for the statistics of the namespace. Errors:
// ErrInvalidSignal, ErrUnknownReceipt, ErrExpiredReceipt, ErrForeignReceipt (the
// receipt and the context name different users), ErrUnknownDocument, ErrErased, ErrClosed, and
// those of the store.
func (e *Engine) Feedback(ctx context.Context, id ReceiptID, signals ...Signal) (Update, error) {
	if err := e.alive(); err != nil {
		return Update{}, err
	}
	if len(signals) == 0 {
		return Update{}, fmt.Errorf("%w: none given", ErrInvalidSignal)
	}
	for _, s := range signals {
		if err := s.validate(); err != nil {
			return Update{}, err
		}
	}
	if id.IsZero() {
		return Update{}, fmt.Errorf("%w: the zero receipt", ErrUnknownReceipt)
	}
	known := e.known(ctx)
	f := &feedback{engine: e, id: id, user: UserFrom(ctx), signals: signals, now: e.now(), stats: &known.stats}
	f.raters = known.ratersAt(f.now)
	req := store.UpdateRequest{Namespace: e.opts.Namespace, Receipt: id, Actors: f.actors(), MaxPersonal: e.maxPersonal()}
	if err := e.store.Update(ctx, req, f.fold); err != nil {
		if errors.Is(err, store.ErrUnknownReceipt) {
			err = fmt.Errorf("%w: %w", ErrUnknownReceipt, err)
		}
		return Update{}, err
	}
	e.learned.apply(e, &f.folded)
	e.copyChanged(f.owner, f.reclaimed)
	return f.update, nil
}

// feedback is one call of Feedback. fold may run more than once; the last run
// counts.
type feedback struct {
	engine  *Engine
	id      ReceiptID
	user    string
	signals []Signal
	now     int64
	raters  reputation.Raters
	stats   *reputation.Statistics

	folded    reputation.Folded
	update    Update
	owner     string   // the receipt's user
	reclaimed []string // keys of rows that claim another text than before, or none
}

// actors names everyone whose tombstone would refuse a signal.
func (f *feedback) actors() []string {
	names := make([]string, len(f.signals))
	for i := range f.signals {
		names[i] = f.signals[i].rater
	}
	return names
}

func (f *feedback) fold(v store.View) (store.Changes, error) {
	if err := f.admit(v); err != nil {
		return store.Changes{}, err
	}
	opinions, err := f.opinions(v.Receipt)
	if err != nil {
		return store.Changes{}, err
	}
	records := make([]*reputation.Record, len(v.Receipt.Shown))
	for i := range records {
		s := &v.Receipt.Shown[i]
		records[i] = evidenceOf(v.Documents, s.Hash, s.Previous)
	}
	f.folded, err = reputation.Fold(v.Receipt.Evidence, opinions, records, f.raters, f.engine.constants())
	if err != nil {
		return store.Changes{}, fmt.Errorf("%w: %w", ErrInvalidSignal, err)
	}
	if s, ok := f.engine.opts.Ranker.(reputation.Summarizer); ok {
		f.folded.Summarize(f.engine.opts.Ranker.Name(), s)
	}
	f.describe(v.Receipt)
	f.owner, f.reclaimed = v.Receipt.User, nil
	ch := f.changes(v.Receipt, records)
	if !f.folded.Duplicate {
		ch.Personal = f.personal(v, records)
		for _, c := range ch.Personal {
			if versionOf(c.Record) != versionOf(v.Personal[c.Document].Record) {
				f.reclaimed = append(f.reclaimed, c.Document)
			}
		}
	}
	return ch, nil
}

// admit refuses receipts that take no signals from this caller.
func (f *feedback) admit(v store.View) error {
	switch rc := v.Receipt; {
	case rc == nil || rc.Evidence == nil:
		return ErrUnknownReceipt
	case f.now >= rc.Expires:
		return ErrExpiredReceipt
	case f.user != "" && rc.User != "" && f.user != rc.User:
		return ErrForeignReceipt
	}
	for name := range v.Erased {
		if store.ErasedSince(v.Erased, name, v.Receipt.Created) {
			return fmt.Errorf("%w: %.40q", ErrErased, name)
		}
	}
	return nil
}

// opinions turns signals into the fold's form: ids become positions.
func (f *feedback) opinions(rc *store.Receipt) ([]reputation.Opinion, error) {
	out := make([]reputation.Opinion, 0, len(f.signals))
	for _, s := range f.signals {
		o := reputation.Opinion{Rater: s.rater, Verified: s.verified, Value: s.value}
		for _, id := range s.on {
			at := positions(rc, id)
			if len(at) == 0 {
				return nil, fmt.Errorf("%w: %.80q", ErrUnknownDocument, id)
			}
			o.On = append(o.On, at...)
		}
		if s.used != nil {
			var err error
			if o.Used, err = s.use(rc); err != nil {
				return nil, err
			}
		}
		out = append(out, o)
	}
	return out, nil
}

// use is what the signal says of each document shown; NaN where it says nothing.
func (s *Signal) use(rc *store.Receipt) ([]float32, error) {
	used := make([]float32, len(rc.Shown))
	if s.partly {
		for i := range used {
			used[i] = float32(math.NaN())
		}
	}
	for id, x := range s.used {
		at := positions(rc, id)
		if len(at) == 0 {
			return nil, fmt.Errorf("%w: %.80q", ErrUnknownDocument, id)
		}
		for _, i := range at {
			if !(used[i] >= float32(x)) { // the largest, or the first
				used[i] = float32(x)
			}
		}
	}
	return used, nil
}

// positions returns where a chunk id is shown, else the chunks of a document.
func positions(rc *store.Receipt, id string) (at []int) {
	for i := range rc.Shown {
		s := &rc.Shown[i]
		if s.ID == id {
			return []int{i}
		}
		if s.Document == id {
			at = append(at, i)
		}
	}
	return at
}

func (f *feedback) changes(rc *store.Receipt, before []*reputation.Record) store.Changes {
	if f.folded.Duplicate {
		return store.Changes{}
	}
	ch := store.Changes{Receipt: f.folded.Receipt, Documents: make(map[store.Hash]*reputation.Record, len(before))}
	for i, rec := range f.folded.Records {
		if rec != before[i] {
			ch.Documents[rc.Shown[i].Hash] = rec
		}
	}
	for _, t := range f.folded.Tallies {
		ch.Tallies = append(ch.Tallies, store.Tally{Name: t.Name, Values: t.Values})
	}
	return ch
}

// describe fills the update that the caller gets.
func (f *feedback) describe(rc *store.Receipt) {
	f.update = Update{
		Receipt: f.id, Duplicate: f.folded.Duplicate, TooLate: f.folded.TooLate,
		Outcome: f.folded.Y, Weight: f.folded.W,
	}
	if f.folded.Duplicate {
		return
	}
	f.update.Documents = make([]DocumentUpdate, 0, len(rc.Shown))
	for i := range rc.Shown {
		s := &rc.Shown[i]
		if pos, neg := f.folded.Delta(i); pos != 0 || neg != 0 {
			f.update.Documents = append(f.update.Documents, DocumentUpdate{ID: s.ID, DocID: s.Document, Pos: pos, Neg: neg})
		}
	}
}
