package core

import (
	"errors"
	"slices"
	"time"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// unusable reports whether a receipt takes no signals after all.
func unusable(err error) bool {
	return errors.Is(err, ErrUnknownReceipt) || errors.Is(err, ErrExpiredReceipt) ||
		errors.Is(err, ErrErased) || errors.Is(err, ErrUnknownDocument)
}

// personal tells the rows of the receipt's user what the feedback came to: the
// new posterior of their documents, and the user's own thumbs.
func (f *feedback) personal(v store.View, records []*reputation.Record) (changes []store.PersonalChange) {
	rc := v.Receipt
	if rc.User == "" {
		return nil
	}
	now := time.Unix(0, f.now)
	base := f.stats.Health(f.engine.constants()).ColdRate
	var done []string
	for i, s := range rc.Shown {
		if slices.Contains(done, s.Document) {
			continue
		}
		done = append(done, s.Document)
		key := store.PersonalKey(rc.Source, s.Document)
		row, exists := v.Personal[key]
		events := f.events(rc, i, records, base)
		if len(events) == 0 || !exists && events[0].Kind == lifecycle.Outcome {
			continue
		}
		rec := row.Record
		for _, e := range events {
			if next, _, err := lifecycle.Apply(rec, e, now, f.engine.opts.Lifecycle); err == nil {
				rec = next
			}
		}
		changes = append(changes, personalChange(key, rec, now))
	}
	return changes
}

// events are what there is to tell the row of the document at a position: the
// user's thumb first, because a row may be made for it.
func (f *feedback) events(rc *store.Receipt, position int, before []*reputation.Record, base float64) (events []lifecycle.Event) {
	var chunks []int
	changed := false
	for i, s := range rc.Shown {
		if s.Document == rc.Shown[position].Document {
			chunks = append(chunks, i)
			changed = changed || f.folded.Records[i] != before[i] && !s.Hash.IsZero()
		}
	}
	rater := store.UserActor(rc.User)
	was, is := thumbOn(rc.Evidence, rater, chunks), thumbOn(f.folded.Receipt, rater, chunks)
	if is != was && is != 0 {
		events = append(events, lifecycle.Event{Kind: is, Instead: was, At: time.Unix(0, rc.Created)})
	}
	if changed {
		records := make([]*reputation.Record, len(chunks))
		for i, j := range chunks {
			records[i] = f.folded.Records[j]
		}
		post := overall(f.now, base, f.engine.constants(), records)
		events = append(events, lifecycle.Event{Kind: lifecycle.Outcome, Posterior: post})
	}
	return events
}

// thumbOn is what a rater says on a receipt about a document by its positions: Up,
// Down, or 0 for nothing. What is said about the whole answer is said about no
// document in particular, unless it is the only one.
func thumbOn(rc *reputation.Receipt, rater string, positions []int) lifecycle.Cause {
	sum, n := 0.0, 0
	for i := range rc.Opinions {
		o := &rc.Opinions[i]
		about := len(o.On) == 1 && slices.Contains(positions, o.On[0]) || o.On == nil && len(rc.Shown) == 1
		if o.Rater == rater && !o.Verified && about {
			sum += o.Value
			n++
		}
	}
	switch {
	case n > 0 && sum > float64(n)/2:
		return lifecycle.Up
	case n > 0 && sum < float64(n)/2:
		return lifecycle.Down
	}
	return 0
}
