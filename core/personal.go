package core

import (
	"slices"
	"strings"
	"time"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// personal is the user's side of one retrieval: the rows of the documents it may
// touch, and what there is to tell them. Only rows of the retrieval's own source
// take part: what a document is now and who may see it is known to its source.
type personal struct {
	user, source string
	prefix       string // of the keys of the source's rows
	now          time.Time
	opts         lifecycle.Options

	keys    []string // of the candidates' documents, aligned with the candidates
	loaded  map[string]store.Personal
	rows    map[string]lifecycle.Record // those looked at, as of now
	blocked map[string]bool             // keys
	texts   []string                    // keys of rows of the source that had a text to serve
	lost    []string                    // keys of its rows that are pinned and have none

	events  map[string][]lifecycle.Event
	touched []string // keys with events, in order

	after     map[string]lifecycle.Record // what the last fold made of the rows
	moves     map[string][]lifecycle.Move
	reclaimed []string // keys of rows that claim another text than before, or none
}

// newPersonal returns nil for a retrieval without a user.
func (e *Engine) newPersonal(user, source string, now int64) *personal {
	if user == "" {
		return nil
	}
	return &personal{
		user: user, source: source, prefix: store.PersonalKey(source, ""), now: time.Unix(0, now),
		opts: e.opts.Lifecycle, rows: make(map[string]lifecycle.Record), events: make(map[string][]lifecycle.Event),
	}
}

func (p *personal) key(doc string) string { return store.PersonalKey(p.source, doc) }

// doc undoes key.
func (p *personal) doc(key string) string { return key[len(p.prefix):] }

// name gives every candidate the key of its document's row and returns the keys,
// each once, and those of the twins.
func (p *personal) name(cands, twins []candidate) []string {
	p.keys = make([]string, len(cands))
	keys := make([]string, 0, len(cands)+len(twins))
	byDoc := make(map[string]string, len(cands))
	keyOf := func(doc string) string {
		key, known := byDoc[doc]
		if !known {
			key = p.key(doc)
			byDoc[doc] = key
			keys = append(keys, key)
		}
		return key
	}
	for i := range cands {
		p.keys[i] = keyOf(cands[i].DocID)
	}
	for i := range twins {
		keyOf(twins[i].DocID)
	}
	return keys
}

// record returns a row as of now. Without a row, or without a user, it is the
// zero record.
func (p *personal) record(key string) lifecycle.Record {
	if p == nil {
		return lifecycle.Record{}
	}
	if rec, ok := p.rows[key]; ok {
		return rec
	}
	row, ok := p.loaded[key]
	if !ok {
		return lifecycle.Record{}
	}
	rec, _ := lifecycle.Evaluate(row.Record, p.now, p.opts)
	p.rows[key] = rec
	return rec
}

// of is record for a document of the source.
func (p *personal) of(doc string) lifecycle.Record {
	if p == nil {
		return lifecycle.Record{}
	}
	return p.record(p.key(doc))
}

// take keeps what was loaded.
func (p *personal) take(loaded map[string]store.Personal) {
	p.loaded = loaded
	for key, row := range loaded {
		switch {
		case row.Record.Blocked():
			if p.blocked == nil {
				p.blocked = make(map[string]bool)
			}
			p.blocked[key] = true
		case !row.Active || !strings.HasPrefix(key, p.prefix):
		case row.Record.Serves():
			p.texts = append(p.texts, key)
		case row.Record.State() == lifecycle.Pinned:
			p.lost = append(p.lost, key)
		}
	}
}

// tell notes an event for the row of a document.
func (p *personal) tell(key string, e lifecycle.Event) {
	if p.events[key] == nil {
		p.touched = append(p.touched, key)
	}
	p.events[key] = append(p.events[key], e)
}

// requested returns the rows that the events are for, as they were loaded.
func (p *personal) requested() []store.Personal {
	rows := make([]store.Personal, len(p.touched))
	for i, key := range p.touched {
		rows[i] = p.loaded[key]
		rows[i].Document = key
	}
	return rows
}

// fold tells the rows what happened. It may run more than once; what it leaves
// behind is that of the last run. An event that a row does not take leaves that
// row as it was.
func (p *personal) fold(sequence int64, rows []store.Personal) ([]store.PersonalChange, error) {
	p.after = make(map[string]lifecycle.Record, len(rows))
	p.moves = make(map[string][]lifecycle.Move)
	p.reclaimed = nil
	changes := make([]store.PersonalChange, 0, len(rows))
	for _, row := range rows {
		rec := row.Record
		for _, e := range p.events[row.Document] {
			if fromSource(e.Kind) && rec.Claim.Hash != p.loaded[row.Document].Record.Claim.Hash {
				continue // it speaks of a text that has been replaced meanwhile
			}
			if uses(e.Kind) || e.Kind == lifecycle.Missed {
				e.Query = sequence
			}
			next, moves, err := lifecycle.Apply(rec, e, p.now, p.opts)
			if err != nil {
				continue
			}
			rec = next
			p.moves[row.Document] = append(p.moves[row.Document], moves...)
		}
		if versionOf(rec) != versionOf(row.Record) {
			p.reclaimed = append(p.reclaimed, row.Document)
		}
		p.after[row.Document], _ = rec.Detach()
		changes = append(changes, personalChange(row.Document, rec, p.now))
	}
	return changes, nil
}

func fromSource(c lifecycle.Cause) bool {
	return c == lifecycle.ContentChanged || c == lifecycle.SourceGone || c == lifecycle.Forbidden
}

func uses(c lifecycle.Cause) bool { return c == lifecycle.Fetched || c == lifecycle.Served }

// personalChange is the row that a record makes. A text in the record is a new
// one; without one the stored text stays as long as the record claims it.
func personalChange(key string, rec lifecycle.Record, now time.Time) store.PersonalChange {
	rec, text := rec.Detach()
	return store.PersonalChange{
		Personal: store.Personal{
			Document: key, Record: rec, Active: rec.Kept(), Updated: now.UnixNano(), Text: text,
		},
		KeepText: text == "" && rec.Claim.Size > 0,
	}
}

// foldUpdate runs fold inside an update that belongs to no retrieval.
func (p *personal) foldUpdate(v store.View) (store.Changes, error) {
	rows := make([]store.Personal, 0, len(p.touched))
	for _, key := range p.touched {
		if row, ok := v.Personal[key]; ok {
			rows = append(rows, row)
		}
	}
	changes, err := p.fold(0, rows)
	return store.Changes{Personal: changes}, err
}

// suggested returns the documents that the last fold newly suggested, and all
// those touched that wait for an answer.
func (p *personal) suggestions() (fresh, pending []Suggestion) {
	for _, key := range p.touched {
		s, ok := p.after[key].Pending(p.doc(key), p.now, p.opts)
		if !ok {
			continue
		}
		offer := Suggestion{Suggestion: s, User: p.user, Source: p.source}
		pending = append(pending, offer)
		if slices.ContainsFunc(p.moves[key], func(m lifecycle.Move) bool { return m.To == lifecycle.Suggested }) {
			fresh = append(fresh, offer)
		}
	}
	return fresh, pending
}

// overall is what outcomes say about a document, from the records of its chunks
// at hand; zero where they say nothing.
func overall(now int64, base float64, c reputation.Constants, records []*reputation.Record) lifecycle.Posterior {
	if !slices.ContainsFunc(records, func(r *reputation.Record) bool { return !r.Empty() }) {
		return lifecycle.Posterior{}
	}
	e := reputation.Overall(now, base, c, records...)
	return lifecycle.Posterior{Mean: e.Mean, Mass: e.Mass, Base: base}
}
