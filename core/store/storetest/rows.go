package storetest

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// hash is the hash of a text.
func hash(text string) store.Hash {
	sum := sha256.Sum256([]byte(text))
	return store.Hash(sum[:16])
}

// receiptID is the id of a receipt with a name.
func receiptID(name string) store.ReceiptID { return store.ReceiptID(hash("receipt " + name)) }

// event is evidence of one receipt with these raters.
func event(time int64, actors ...string) reputation.Event {
	e := reputation.Event{Signature: reputation.Signature{1, 2}, Receipt: uint64(time), Time: time, Pos: 1, Attribution: .5}
	for i, a := range actors {
		e.Actors[i] = reputation.ActorTag(a)
	}
	return e
}

// record holds events in their order.
func record(events ...reputation.Event) *reputation.Record {
	return &reputation.Record{Space: 7, Local: 1<<len(events) - 1, Events: events}
}

// counter is evidence that counts: see counted.
func counter(n float32) *reputation.Record {
	e := event(1)
	e.Pos = n
	return record(e)
}

// counted reads a counter; no evidence counts 0.
func counted(r *reputation.Record) float32 {
	if r == nil {
		return 0
	}
	return r.Events[0].Pos
}

// judgement is the evidence of a receipt on which these raters spoke.
func judgement(shown int, raters ...string) *reputation.Receipt {
	rc := &reputation.Receipt{Tag: 1, Time: 2, Space: 7, Shown: make([]reputation.Shown, shown)}
	for _, r := range slices.Sorted(slices.Values(raters)) {
		rc.Opinions = append(rc.Opinions, reputation.Opinion{Rater: r, Value: .5})
		rc.Calibrations = append(rc.Calibrations, reputation.Calibration{Rater: r, TPR: .8, FPR: .3, DocFPR: make([]float32, shown)})
	}
	return rc
}

// receipt is a receipt that shows texts of source "src" under their own names.
func receipt(name string, created int64, texts ...string) store.Receipt {
	rc := store.Receipt{
		ID: receiptID(name), Source: "src", Created: created, Expires: created + 1_000,
		Evidence: judgement(len(texts)),
	}
	for _, text := range texts {
		rc.Shown = append(rc.Shown, store.Shown{ID: text, Document: "of " + text, Hash: hash(text)})
	}
	return rc
}

// ofUser makes a receipt a user's.
func ofUser(rc store.Receipt, user string) store.Receipt {
	rc.User = user
	return rc
}

// aliases are those of texts under their own names.
func aliases(seen int64, texts ...string) (out []store.Alias) {
	for _, text := range texts {
		out = append(out, store.Alias{Source: "src", ID: text, Hash: hash(text), Seen: seen})
	}
	return out
}

// personal is a row with a number of uses.
func personal(document string, uses float64, updated int64) store.Personal {
	return store.Personal{
		Document: document, Updated: updated,
		Record: lifecycle.Record{Uses: lifecycle.Counter{Value: uses}, Title: "Title of a document"},
	}
}

// write is a personal change that replaces a row and its text.
func write(p store.Personal, text string) store.PersonalChange {
	p.Text = text
	return store.PersonalChange{Personal: p}
}

// put is a retrieval that writes personal rows as given.
func put(rc store.Receipt, changes ...store.PersonalChange) store.Retrieval {
	r := store.Retrieval{Receipt: rc}
	for _, c := range changes {
		r.Personal = append(r.Personal, store.Personal{Document: c.Document})
	}
	if len(changes) > 0 {
		r.Fold = func(int64, []store.Personal) ([]store.PersonalChange, error) { return changes, nil }
	}
	return r
}

// evidence is an update of a receipt that replaces the evidence of texts.
func evidence(rec *reputation.Record, texts ...string) store.Fold {
	return func(store.View) (store.Changes, error) {
		ch := store.Changes{Documents: make(map[store.Hash]*reputation.Record)}
		for _, text := range texts {
			ch.Documents[hash(text)] = rec
		}
		return ch, nil
	}
}

// names returns n distinct names.
func names(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s%04d", prefix, i)
	}
	return out
}
