package core

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/store"
)

const (
	// gateBlobs is the prefix of the blobs that keep what the gate knows.
	gateBlobs = "gate/"
	// maxGateBlob bounds such a blob; larger statistics are measured again after
	// a restart.
	maxGateBlob = 32 << 20
	// settleFor is how long a source whose count does not fit may take to
	// announce what it is just writing.
	settleFor = 100 * time.Millisecond
	// rebuildEvery is the least time between two measurements in the background
	// of a source that is written to unannounced.
	rebuildEvery = time.Minute
	// lapsed is the offset of a model that is to be made again whatever the count.
	lapsed = math.MinInt64
)

// calibration is what the engine knows of one source for the gate. Retrievals
// read the model without a lock; a new measurement replaces it whole.
type calibration struct {
	engine *Engine
	source string
	model  atomic.Pointer[gate.Model]
	offset atomic.Int64 // the source's count less the model's that cannot be helped
	dirty  atomic.Bool  // the model changed since it was saved

	restored chan struct{} // closed once the store has been asked
	open     sync.Once     // closes restored

	mu         sync.Mutex
	running    chan struct{} // closed when the running calibration ends; nil = none runs
	err        error         // of the last calibration
	failures   int           // calibrations that failed in a row
	failed     int64         // when the last one did, Unix nanoseconds
	built      int64         // when the source was last measured
	waited     bool          // a retrieval waits for restored, or did
	listener   *listener     // nil = the source announces nothing
	saving     bool
	refreshing bool
	stamped    string // stamp of the source measured
	foreign    bool   // the stored state is a newer version's: leave it alone
}

func (c *calibration) current() *gate.Model {
	if c == nil {
		return nil
	}
	return c.model.Load()
}

func (c *calibration) released() { c.open.Do(func() { close(c.restored) }) }

func (c *calibration) status() Calibration {
	c.mu.Lock()
	s := Calibration{Source: c.source, Running: c.running != nil, Err: c.err}
	c.mu.Unlock()
	if m := c.model.Load(); m != nil {
		_, scores := m.Moments()
		s.Ready, s.Chunks, s.Sampled, s.Scores = true, m.Chunks(), m.Sampled(), scores
	}
	return s
}

// wake sees to it that a source is or will be calibrated, and notices writes that
// nobody announced. The first retrieval of a source waits a moment for what the
// store remembers of it.
func (c *calibration) wake(ctx context.Context, src Source) {
	if m := c.model.Load(); m != nil {
		switch {
		case c.drifted(src, m):
			c.background(src, settle)
		case m.Outgrown(c.engine.opts.Gate.Needs()):
			c.background(src, refresh)
		}
		return
	}
	c.background(src, restore)
	c.mu.Lock()
	first := !c.waited
	c.waited = true
	c.mu.Unlock()
	if !first {
		return
	}
	patience := time.NewTimer(restorePatience)
	defer patience.Stop()
	select {
	case <-c.restored:
	case <-patience.C:
	case <-ctx.Done():
	}
}

// drifted reports whether a source that can be counted holds another number of
// chunks than the model, or something was missed.
func (c *calibration) drifted(src Source, m *gate.Model) bool {
	offset := c.offset.Load()
	l, ok := src.(Lister)
	return offset == lapsed || ok && !m.Sampled() && int64(l.Count()-m.Chunks()) != offset
}

// rested reports whether the last measurement is long enough ago for another. The
// lock must be held.
func (c *calibration) rested() bool {
	since := c.engine.now() - c.built
	return since < 0 || since >= int64(rebuildEvery) // below 0 if the clock was set back
}

// effort says how a calibration may come by a model.
type effort uint8

const (
	restore effort = iota // as it is, or from the store, if that still fits
	measure               // from the source
	settle                // from the source, if it still does not fit after a moment
	refresh               // what has to be asked for is asked for again
)

// run makes a model and puts it in place.
func (c *calibration) run(ctx context.Context, src Source, how effort) error {
	current := c.model.Load()
	switch {
	case how == refresh && current != nil:
		return c.refreshScores(ctx, src, current)
	case how == restore && current != nil:
		if !c.drifted(src, current) && c.fits(ctx, src, current, c.stamp()) {
			return nil
		}
		how = measure
	case how == settle:
		select {
		case <-time.After(settleFor):
		case <-ctx.Done():
			return ctx.Err()
		}
		if m := c.model.Load(); m != nil && !c.drifted(src, m) {
			return nil
		}
	}
	l := c.attach(src)
	if how == restore {
		if m := c.remembered(ctx, src); m != nil {
			c.install(src, l, m)
			return nil
		}
		c.released()
	}
	m, err := c.measured(ctx, src)
	if err != nil {
		l.abandon()
		return err
	}
	c.install(src, l, m)
	c.save(ctx)
	return nil
}

// install puts a model in place, with everything that was announced while it was
// being made.
func (c *calibration) install(src Source, l *listener, m *gate.Model) {
	complete := l.replay(m)
	offset := 0
	if lister, ok := src.(Lister); ok {
		offset = lister.Count() - m.Chunks()
	}
	c.offset.Store(int64(offset))
	if !complete || l.lapsed() {
		c.offset.Store(lapsed)
	}
	c.model.Store(m)
	c.dirty.Store(true)
	c.mu.Lock()
	c.built, c.stamped = c.engine.now(), stamp(src.Info())
	c.mu.Unlock()
}

// blob names the model in the store. Gates that read different parts of a model
// keep different ones.
func (c *calibration) blob() string {
	needs := c.engine.opts.Gate.Needs()
	parts := []string{"gate", c.source}
	if needs != (gate.Evidence{}).Needs() {
		parts = append(parts, fmt.Sprint(needs))
	}
	return gateBlobs + digest(parts...).String()
}

// stamp tells sources with other scores apart, and those whose embedder cannot be
// asked.
func stamp(info SourceInfo) string { return info.Model + "/" + info.Kind.String() }

// stamp returns that of the source measured.
func (c *calibration) stamp() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stamped
}

// remembered returns the model that the store keeps if it still fits the source,
// else nil.
func (c *calibration) remembered(ctx context.Context, src Source) *gate.Model {
	b, ok, err := c.engine.store.Blob(ctx, c.engine.opts.Namespace, c.blob())
	if err != nil || !ok {
		return nil
	}
	m, err := gate.Decode(b.Data)
	if err != nil {
		c.mu.Lock()
		c.foreign = errors.Is(err, gate.ErrVersion)
		c.mu.Unlock()
		c.engine.opts.Logger.Warn("gate state passed over", "source", c.source, "error", err)
		return nil
	}
	c.engine.calibrations.keepBank(m.Fingerprint(), m.Bank()) // good for a new model even where this one is not
	if !c.fits(ctx, src, m, b.Fingerprint) || !c.sameChunks(ctx, src, m) {
		return nil
	}
	return m
}

// fits reports whether a model has what the gate reads and was made with the
// source's embedder and scores.
func (c *calibration) fits(ctx context.Context, src Source, m *gate.Model, stamped string) bool {
	if stamped != stamp(src.Info()) || !c.sufficient(m) {
		return false
	}
	emb, now, err := embedderOf(ctx, src)
	switch {
	case err != nil:
		return false
	case emb == nil:
		return m.Fingerprint().IsZero()
	}
	return now.Matches(m.Fingerprint())
}

// sufficient reports whether a model has what the gate reads. One without any
// chunk or score may belong to a source that was empty then.
func (c *calibration) sufficient(m *gate.Model) bool {
	needs := c.engine.opts.Gate.Needs()
	_, floor := m.Floor()
	_, scores := m.Moments()
	known := m.Chunks() > 0 || m.HasBank() || scores
	return (!needs.Words || known) && (!needs.Vectors || floor) && (!needs.Bank || m.HasBankEvidence() || m.Chunks() == 0)
}

// embedderOf returns the embedder of a source and what tells it from others; nil
// if the source cannot embed.
func embedderOf(ctx context.Context, src Source) (Embedder, gate.Fingerprint, error) {
	emb, ok := src.(Embedder)
	if !ok {
		return nil, gate.Fingerprint{}, nil
	}
	vectors, err := embedAll(ctx, emb, gate.ProbeTexts())
	if errors.Is(err, ErrUnsupported) {
		return nil, gate.Fingerprint{}, nil
	}
	if err != nil {
		return nil, gate.Fingerprint{}, err
	}
	f, err := gate.NewFingerprint(vectors)
	return emb, f, err
}

// listerOf returns the lister of a source; nil if the source cannot list.
func listerOf(ctx context.Context, src Source) Lister {
	l, ok := src.(Lister)
	if !ok {
		return nil
	}
	for _, err := range l.Chunks(ctx) {
		if errors.Is(err, ErrUnsupported) {
			return nil
		}
		break
	}
	return l
}

// sameChunks reports whether the model counts exactly the chunks that the source
// lists. Of a source that cannot list them nothing is known, and nothing is said
// against a sample.
func (c *calibration) sameChunks(ctx context.Context, src Source, m *gate.Model) bool {
	if !c.engine.opts.Gate.Needs().Words {
		return true
	}
	l := listerOf(ctx, src)
	switch {
	case (l == nil) != m.Sampled(): // measured in another way than it would be today
		return false
	case l == nil:
		return true
	case l.Count() != m.Chunks():
		return false
	}
	n := 0
	for chunk, err := range l.Chunks(ctx) {
		if err != nil || !m.Contains(c.chunkKey(chunk)) {
			return false
		}
		n++
	}
	return n == m.Chunks()
}

// chunkKey names a chunk with its present text to the gate's model.
func (c *calibration) chunkKey(chunk Candidate) uint64 {
	id, _, _, err := c.engine.opts.identify(c.source, &chunk)
	if err != nil {
		return 0
	}
	h := digest("chunk", id, chunk.Text)
	return binary.LittleEndian.Uint64(h[:8])
}

// changed sees to it that a changed model is saved before long.
func (c *calibration) changed() {
	c.dirty.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.saving {
		return
	}
	c.saving = c.engine.start(func(ctx context.Context) {
		t := time.NewTimer(saveWithin)
		defer t.Stop()
		select {
		case <-t.C:
			ctx, cancel := within(ctx, storeTimeout)
			defer cancel()
			c.save(ctx)
		case <-ctx.Done(): // Close saves
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.saving = false
	})
}

// save writes the model to the store if it changed. What cannot be saved is
// measured again after a restart.
func (c *calibration) save(ctx context.Context) {
	m := c.model.Load()
	c.mu.Lock()
	foreign, stamped := c.foreign, c.stamped
	c.mu.Unlock()
	if m == nil || foreign || !c.dirty.Swap(false) {
		return
	}
	data, err := m.MarshalBinary()
	if err == nil && len(data) > maxGateBlob {
		err = fmt.Errorf("core: %d bytes of gate state are too many to keep", len(data))
	}
	if err == nil {
		b := store.Blob{Name: c.blob(), Fingerprint: stamped, Data: data, Updated: c.engine.now()}
		err = c.engine.store.PutBlob(ctx, c.engine.opts.Namespace, b)
	}
	if err != nil {
		c.dirty.Store(true)
		c.engine.opts.Logger.Warn("gate state not saved", "source", c.source, "error", err)
	}
}
