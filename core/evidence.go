package core

import (
	"context"
	"fmt"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// load reads the evidence of all candidates, and the user's rows, in one call. A
// store that fails leaves the retrieval without evidence: the retriever's order,
// marked unlearned.
func (r *retrieval) load(ctx context.Context) {
	if len(r.candidates) == 0 && r.personal == nil {
		return
	}
	req := store.LoadRequest{
		Namespace: r.engine.opts.Namespace, Source: r.hits.Source,
		IDs: room(&r.work.ids, len(r.candidates)), Hashes: room(&r.work.hashes, len(r.candidates)),
		Into: r.work.loaded,
	}
	for i := range r.candidates {
		req.IDs[i], req.Hashes[i] = r.candidates[i].ID, r.candidates[i].hash
	}
	if r.personal != nil {
		req.User, req.Personal = r.personal.user, r.personal.name(r.candidates, r.work.twins)
		for i := range r.work.twins {
			req.IDs, req.Hashes = append(req.IDs, r.work.twins[i].ID), append(req.Hashes, r.work.twins[i].hash)
		}
	}
	known, err := r.engine.store.Load(ctx, req)
	if err != nil {
		// A store that gave up may have left somebody behind who still uses these.
		r.work.ids, r.work.hashes, r.work.loaded = nil, nil, nil
		r.fail(fmt.Errorf("core: load: %w", err))
		return
	}
	if r.personal != nil {
		r.personal.take(known.Personal)
		r.promoteTwins()
	}
	for i := range r.candidates {
		c := &r.candidates[i]
		c.inherit(known)
		c.record = r.engine.summarized(c.record)
	}
	r.work.loaded = known
}

// summarized gives evidence the summary that the ranker keeps, if another ranker
// was in charge when it came in.
func (e *Engine) summarized(rec *reputation.Record) *reputation.Record {
	s, ok := e.opts.Ranker.(reputation.Summarizer)
	if !ok || rec.Empty() || rec.Ranker == e.opts.Ranker.Name() {
		return rec
	}
	return reputation.Summarize(rec, e.opts.Ranker.Name(), s)
}

// inherit finds the evidence of a candidate: that of its text, else a share of
// that of the text its id had before.
func (c *candidate) inherit(known *store.Loaded) {
	c.alias = known.Aliases[c.ID]
	if c.alias.Hash == c.hash {
		c.previous = c.alias.Previous
	} else if !c.alias.Hash.IsZero() {
		// A text that was changed before anybody spoke of it passes on what it
		// would have inherited itself.
		c.previous = c.alias.Hash
		if known.Documents[c.alias.Hash].Evidence == nil && !c.alias.Previous.IsZero() {
			c.previous = c.alias.Previous
		}
	}
	if c.previous == c.hash {
		c.previous = store.Hash{}
	}
	c.record = evidenceOf(known.Documents, c.hash, c.previous)
}

// evidenceOf returns the record of a text, else what it inherits, else nil.
func evidenceOf(docs map[store.Hash]store.Document, hash, previous store.Hash) *reputation.Record {
	if own := docs[hash].Evidence; own != nil {
		return own
	}
	if previous.IsZero() {
		return nil
	}
	return reputation.Carry(docs[previous].Evidence, CarryShare)
}

// fail marks the retrieval as unlearned and tells the log, once.
func (r *retrieval) fail(err error) {
	if r.unlearned == nil {
		r.unlearned = err
		r.engine.opts.Logger.Warn("retrieval not recorded", "source", r.hits.Source, "error", err)
	}
}
