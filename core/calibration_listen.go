package core

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/internal/lexical"
)

const (
	// maxWaiting bounds what a listener keeps while a model is being made.
	maxWaiting = 20_000
	// rescoreTries bounds how often the bank's best chunks are looked for in a row.
	rescoreTries = 5
)

// announcement is one write to a source.
type announcement struct {
	gone   bool
	key    uint64
	words  lexical.Set
	vector []float32
}

// listener hears the writes of a source and passes them on to the model. While a
// model is being made it keeps them for it as well: what was listed may have
// changed since. It is called with the source locked, so it never calls the
// source with its own lock held.
type listener struct {
	calibration *calibration
	source      Source
	cancel      func()

	mu      sync.Mutex
	making  bool // a model is being made
	waiting []announcement
	missed  bool // more was written than was kept, or unannounced
}

var _ WriteObserver = (*listener)(nil)

// attach begins to keep the writes of a source for the model about to be made. It
// returns nil where the source announces nothing.
func (c *calibration) attach(src Source) *listener {
	o, ok := src.(Observable)
	if !ok || !c.engine.opts.Gate.Needs().Words {
		c.detach()
		return nil
	}
	l := &listener{calibration: c, source: src, making: true}
	l.cancel = o.Observe(l)
	c.mu.Lock()
	before := c.listener
	c.listener = l
	c.mu.Unlock()
	before.stop()
	return l
}

// detach stops listening.
func (c *calibration) detach() {
	c.mu.Lock()
	before := c.listener
	c.listener = nil
	c.mu.Unlock()
	before.stop()
}

func (l *listener) stop() {
	if l != nil && l.cancel != nil {
		l.cancel()
	}
}

// abandon gives up the model that was to be made.
func (l *listener) abandon() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.making, l.waiting, l.missed = false, nil, false
}

// replay brings a new model up to date and from now on passes writes to it. It
// reports whether the model is complete; if not, the next retrieval notices.
func (l *listener) replay(m *gate.Model) (complete bool) {
	if l == nil {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	complete = !l.missed
	for _, a := range l.waiting {
		complete = a.apply(m) && complete
	}
	l.making, l.waiting, l.missed = false, nil, false
	l.calibration.model.Store(m) // under the lock, so that no write falls between
	return complete
}

// apply folds a write into a model. It reports false where the model cannot take
// the chunk.
func (a announcement) apply(m *gate.Model) bool {
	if a.gone {
		m.Delete(a.key, a.words)
		return true
	}
	_, err := m.Insert(a.key, a.words, a.vector)
	return err == nil
}

// Inserted counts new chunks.
func (l *listener) Inserted(chunks []Candidate) { l.announce(chunks, false) }

// Deleted takes chunks out.
func (l *listener) Deleted(chunks []Candidate) {
	l.announce(chunks, true)
	if m := l.calibration.model.Load(); m != nil && len(m.Stale()) > 0 {
		l.calibration.searchBest(l.source)
	}
}

// Missed has the source measured again: now, or if that was done a moment ago, at a
// later retrieval.
func (l *listener) Missed() {
	l.mu.Lock()
	l.missed = true
	l.mu.Unlock()
	l.calibration.offset.Store(lapsed)
	l.calibration.background(l.source, settle)
}

// lapsed reports whether something was written unannounced since the model was
// made.
func (l *listener) lapsed() bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.missed
}

func (l *listener) announce(chunks []Candidate, gone bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.calibration.model.Load()
	if m == nil && !l.making {
		return
	}
	for _, chunk := range chunks {
		a := announcement{gone: gone, key: l.calibration.chunkKey(chunk), words: lexical.NewSet(chunk.Text), vector: chunk.Vector}
		if m != nil {
			a.apply(m) // what it cannot take shows in its count
		}
		switch {
		case l.making && len(l.waiting) < maxWaiting:
			a.vector = slices.Clone(a.vector)
			l.waiting = append(l.waiting, a)
		case l.making:
			l.missed = true
		}
	}
	l.calibration.changed()
}

// searchBest finds, in the background, the best chunks of the bank questions whose
// best was deleted.
func (c *calibration) searchBest(src Source) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refreshing {
		return
	}
	c.refreshing = c.engine.start(func(ctx context.Context) {
		ctx, cancel := within(ctx, calibrationTimeout)
		defer cancel()
		var err error
		for range rescoreTries { // deletions may go on meanwhile
			if m := c.model.Load(); err == nil && m != nil && len(m.Stale()) > 0 {
				err = c.rescore(ctx, src, m)
			}
		}
		c.mu.Lock()
		c.refreshing = false
		c.mu.Unlock()
		if err != nil && !errors.Is(err, context.Canceled) {
			c.engine.opts.Logger.Warn("gate's bank scores not refreshed", "source", c.source, "error", err)
		}
	})
}

func (c *calibration) rescore(ctx context.Context, src Source, m *gate.Model) error {
	l := listerOf(ctx, src)
	if l == nil {
		return ErrUnsupported
	}
	return m.Rescore(func(each func(uint64, []float32)) error {
		for chunk, err := range l.Chunks(ctx) {
			if err != nil {
				return err
			}
			each(c.chunkKey(chunk), chunk.Vector)
		}
		return ctx.Err()
	})
}

// observe lets a model that knows only part of a collection learn from what a
// retrieval brought up.
func (c *calibration) observe(r *retrieval, cands []gate.Candidate) {
	m := c.current()
	if m == nil || !m.Sampled() || m.Chunks() >= gate.SampleLimit {
		return
	}
	learned := false
	for i := range cands {
		if cands[i].Words.Len() > 0 {
			fresh, _ := m.Insert(textKey(r.candidates[i].hash), cands[i].Words, nil) // without a bank it takes everything
			learned = learned || fresh
		}
	}
	if learned {
		c.changed()
	}
}

// textKey names a text to the gate's model.
func textKey(h store.Hash) uint64 { return binary.LittleEndian.Uint64(h[:8]) }
