package core

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/repute-go/repute/core/gate"
)

const (
	// maxCalibrations bounds the sources an engine knows the statistics of.
	maxCalibrations = 1000
	// restorePatience is how long the first retrieval of a source waits for its
	// statistics to be read back from the store.
	restorePatience = 250 * time.Millisecond
	// retryCalibration is how long a failed calibration rests; every further
	// failure doubles it, up to 64 times.
	retryCalibration = time.Minute
	// calibrationTimeout bounds a calibration in the background.
	calibrationTimeout = 15 * time.Minute
)

// Calibration says what the gate knows about a source.
type Calibration struct {
	// Source is the source's name.
	Source string
	// Ready is false until the source has been measured; its queries are
	// Uncalibrated until then.
	Ready bool
	// Chunks is the number of chunks the statistics rest on, Sampled says that
	// they are only those that searches brought up.
	Chunks  int
	Sampled bool
	// Scores says whether scores count, besides words.
	Scores bool
	// Running says that a measurement is going on.
	Running bool
	// Err is why the last measurement failed; nil if it did not.
	Err error
}

// Calibrate makes sure that the gate knows the source and returns once it does.
// What the engine or the store knows of it is used if it still fits: same embedder,
// which is asked to embed three texts, same kind of score and, for a source that
// lists its chunks, the same chunks. Otherwise the source is measured: by listing
// (Lister), which every later write then keeps up to date (Observable), else by
// asking it the bank's 256 generic questions, four at a time and without a filter.
// Without this call the first retrieval starts the same in the background. Bank
// scores that had to be asked for are asked for again, in the background, when a
// collection is seen to have doubled.
//
// It also finds the mean that query vectors are signed relative to. Where a source
// has too few chunks to tell, that takes 64 generic questions; until it is known
// queries are signed by their words. With gate.Off it does nothing at all.
//
// Errors: ErrInvalidSource, ErrClosed, the context's and those of the source.
func (e *Engine) Calibrate(ctx context.Context, src Source) error {
	if err := e.calibrate(ctx, src, restore); err != nil || e.opts.Gate.Needs() == (gate.Needs{}) {
		return err
	}
	return e.prepareSignatures(ctx, src)
}

// Recalibrate measures a source anew, whatever is known of it. It is for a source
// that neither announces its writes nor can be counted, after it has grown to
// twice its size or more. Errors are those of Calibrate.
func (e *Engine) Recalibrate(ctx context.Context, src Source) error {
	return e.calibrate(ctx, src, measure)
}

func (e *Engine) calibrate(ctx context.Context, src Source, how effort) error {
	if isNil(src) || src.Info().Name == "" {
		return fmt.Errorf("%w: nil or without a name", ErrInvalidSource)
	}
	if err := e.alive(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if e.opts.Gate.Needs() == (gate.Needs{}) {
		return nil
	}
	c := e.calibrations.get(src.Info().Name)
	if c == nil {
		return fmt.Errorf("%w: more than %d sources", ErrInvalidSource, maxCalibrations)
	}
	return c.ensure(ctx, src, how)
}

// Calibration reports on a source by name; ok is false if none of that name was
// asked or calibrated.
func (e *Engine) Calibration(source string) (status Calibration, ok bool) {
	e.calibrations.mu.Lock()
	c := e.calibrations.bySource[source]
	e.calibrations.mu.Unlock()
	if c == nil {
		return Calibration{}, false
	}
	return c.status(), true
}

// calibrations are what an engine knows of its sources, by name.
type calibrations struct {
	engine   *Engine
	mu       sync.Mutex
	bySource map[string]*calibration
	banks    []bank // of the embedders seen, the latest last
}

func newCalibrations(e *Engine) *calibrations {
	return &calibrations{engine: e, bySource: make(map[string]*calibration)}
}

// get returns the calibration of a source, nil if there are too many.
func (cs *calibrations) get(name string) *calibration {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.bySource[name]
	if c == nil && len(cs.bySource) < maxCalibrations {
		c = &calibration{engine: cs.engine, source: name, restored: make(chan struct{})}
		cs.bySource[name] = c
	}
	return c
}

// of returns the calibration that a retrieval is judged by, nil if there is none,
// and sees that one is made. src is nil where only hits are known.
func (cs *calibrations) of(ctx context.Context, src Source, name string) *calibration {
	if isNil(src) {
		cs.mu.Lock()
		defer cs.mu.Unlock()
		return cs.bySource[name]
	}
	c := cs.get(name)
	if c != nil {
		c.wake(ctx, src)
	}
	return c
}

func (cs *calibrations) all() []*calibration {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	out := make([]*calibration, 0, len(cs.bySource))
	for _, c := range cs.bySource {
		out = append(out, c)
	}
	return out
}

// close stops listening to the sources and saves what changed.
func (cs *calibrations) close() {
	ctx, cancel := within(context.Background(), storeTimeout)
	defer cancel()
	for _, c := range cs.all() {
		c.detach()
		c.save(ctx)
	}
}

// ensure returns once the source is calibrated. One calibration of a source runs
// at a time; a caller that finds one running waits for it.
func (c *calibration) ensure(ctx context.Context, src Source, how effort) error {
	for {
		c.mu.Lock()
		running := c.running
		if running == nil {
			c.begin()
			c.mu.Unlock()
			ctx, stop := c.bounded(ctx)
			defer stop()
			return c.finish(c.run(ctx, src, how))
		}
		c.mu.Unlock()
		select {
		case <-running:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// bounded ends a calibration with its caller or with the engine, whichever comes
// first.
func (c *calibration) bounded(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.engine.life, func() { cancel(ErrClosed) })
	return ctx, func() { stop(); cancel(nil) }
}

// resting reports whether the source failed a moment ago. The lock must be held.
func (c *calibration) resting() bool {
	if c.failures == 0 {
		return false
	}
	since := c.engine.now() - c.failed
	return since >= 0 && since < int64(retryCalibration)<<min(c.failures-1, 6)
}

// begin marks a calibration as running. The lock must be held.
func (c *calibration) begin() { c.running = make(chan struct{}) }

// finish marks it as ended.
func (c *calibration) finish(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.running)
	c.running = nil
	c.err = err
	switch {
	case err == nil:
		c.failures = 0
	case !errors.Is(err, context.Canceled): // giving up is not the source's failure
		c.failures++
		c.failed = c.engine.now()
	}
	c.released()
	return err
}

// background calibrates without anybody waiting, unless it is being done, was
// done, failed a moment ago or, for what is measured again, was done a moment ago.
func (c *calibration) background(src Source, how effort) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil || c.resting() || how == restore && c.model.Load() != nil || how == settle && !c.rested() {
		return
	}
	c.begin()
	running := c.running
	started := c.engine.start(func(ctx context.Context) {
		ctx, cancel := within(ctx, calibrationTimeout)
		defer cancel()
		if err := c.finish(c.run(ctx, src, how)); err != nil && !errors.Is(err, context.Canceled) {
			c.engine.opts.Logger.Warn("gate not calibrated", "source", c.source, "error", err)
		}
	})
	if !started {
		close(running)
		c.running = nil
		c.released()
	}
}
