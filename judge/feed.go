package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/repute-go/repute/core"
)

// Feed judges cases in the background and hands the verdicts to a sink. Submit never waits: what does not fit into the
// bounded queue is dropped and counted, so a judge that is slow or down costs a retrieval nothing. A panic of the judge or
// the sink is contained and counted. A judge that does not return when its context ends holds up its own worker and no
// other, and its case stays pending until it returns. Safe for concurrent use; Close it to stop its goroutines.
type Feed struct {
	opts  FeedOptions
	cache *cache
	jobs  chan job
	ended chan struct{} // closed when every worker has returned
	ctx   context.Context
	stop  context.CancelFunc

	mu     sync.Mutex
	idle   chan struct{} // closed while nothing is pending
	closed bool
	stats  FeedStats
}

type job struct {
	ctx     context.Context
	receipt core.ReceiptID
	c       Case
	size    int
}

// NewFeed starts a Feed. The error wraps ErrInvalidOptions.
func NewFeed(opts FeedOptions) (*Feed, error) {
	opts = opts.withDefaults()
	if err := opts.validate(); err != nil {
		return nil, err
	}
	f := &Feed{
		opts:  opts,
		cache: newCache(opts.Cache),
		jobs:  make(chan job, opts.Queue),
		ended: make(chan struct{}),
		idle:  make(chan struct{}),
	}
	close(f.idle)
	f.ctx, f.stop = context.WithCancel(context.Background())
	var workers sync.WaitGroup
	for range opts.Workers {
		workers.Go(f.work)
	}
	go func() { workers.Wait(); close(f.ended) }()
	return f, nil
}

// Submit queues a case whose verdict belongs to the retrieval with this receipt, and returns at once. Of ctx only the values
// are used: a request that ends does not end the judging. The case is copied as far as it could change.
//
// The error wraps ErrInvalidCase (also for the zero receipt), ErrQueueFull or ErrClosed. It may be ignored: the last two
// are counted as Dropped, and nothing can be learned from the first.
func (f *Feed) Submit(ctx context.Context, receipt core.ReceiptID, c Case) error {
	if receipt.IsZero() {
		return fmt.Errorf("%w: no receipt to report on", ErrInvalidCase)
	}
	if err := c.Validate(); err != nil {
		return err
	}
	c.Documents = slices.Clone(c.Documents)
	return f.enqueue(job{ctx: context.WithoutCancel(ctx), receipt: receipt, c: c, size: c.size()})
}

func (f *Feed) enqueue(j job) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		f.stats.Dropped++
		return ErrClosed
	}
	if bytes := f.stats.Bytes + j.size; bytes > f.opts.QueueBytes {
		f.stats.Dropped++
		return fmt.Errorf("%w: %d bytes of text would exceed %d", ErrQueueFull, bytes, f.opts.QueueBytes)
	}
	select {
	case f.jobs <- j:
	default:
		f.stats.Dropped++
		return fmt.Errorf("%w: %d cases wait", ErrQueueFull, cap(f.jobs))
	}
	if f.stats.Pending == 0 {
		f.idle = make(chan struct{})
	}
	f.stats.Submitted++
	f.stats.Pending++
	f.stats.Bytes += j.size
	return nil
}

// Stats returns the counters as they are now.
func (f *Feed) Stats() FeedStats {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stats
}

// Flush waits until nothing is pending, or for ctx, whose error it returns.
func (f *Feed) Flush(ctx context.Context) error {
	f.mu.Lock()
	idle := f.idle
	f.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close takes no more cases, waits until those that are pending are judged and delivered, and stops the workers. If ctx ends
// first, the waiting cases are abandoned, the running ones are cancelled, and the sink is not called any more; the error
// wraps ErrAbandoned and ctx's. Further calls wait in the same way, and return ErrAbandoned if a case was abandoned.
func (f *Feed) Close(ctx context.Context) error {
	f.mu.Lock()
	if !f.closed {
		f.closed = true
		close(f.jobs)
	}
	f.mu.Unlock()
	defer f.stop()
	select {
	case <-f.ended:
	case <-ctx.Done():
		select {
		case <-f.ended: // of two that are ready, either may be taken
		default:
			f.stop()
			f.work() // abandons what waits, even if no worker gets to it
			return fmt.Errorf("%w: %w", ErrAbandoned, ctx.Err())
		}
	}
	if n := f.Stats().Abandoned; n > 0 {
		return fmt.Errorf("%w: %d", ErrAbandoned, n)
	}
	return nil
}

func (f *Feed) work() {
	for j := range f.jobs {
		f.finish(j, f.run(j))
	}
}

// outcome is what became of a job.
type outcome struct {
	err              error
	judged           bool
	cached, fallback bool
}

// silent reports whether the judge was asked and had no verdict, rather than out of reach.
func (out outcome) silent() bool {
	return errors.Is(out.err, ErrNoVerdict) || errors.Is(out.err, ErrInvalidCase)
}

func (f *Feed) run(j job) outcome {
	if err := f.ctx.Err(); err != nil {
		return outcome{err: err}
	}
	v, cached, err := f.judge(j)
	out := outcome{err: err, judged: err == nil, cached: cached, fallback: v.Fallback}
	if err == nil {
		out.err = f.deliver(j, v)
	}
	return out
}

func (f *Feed) judge(j job) (v Verdict, cached bool, err error) {
	key := f.cache.key(j.c)
	if v, ok := f.cache.get(key); ok {
		return v, true, nil
	}
	ctx, cancel := f.bound(j.ctx, f.opts.Timeout)
	defer cancel()
	if v, err = ask(ctx, f.opts.Judge, j.c); err != nil {
		return Verdict{}, false, err
	}
	f.cache.add(key, v)
	return v, false, nil
}

func (f *Feed) deliver(j job, v Verdict) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %s", errPanicked, shorten(fmt.Sprint(r), 200))
		}
	}()
	if err := f.ctx.Err(); err != nil { // the judge did not listen when it was cancelled
		return err
	}
	ctx, cancel := f.bound(j.ctx, f.opts.SinkTimeout)
	defer cancel()
	return f.opts.Sink(ctx, j.receipt, v)
}

// bound limits ctx to d and to the life of the feed.
func (f *Feed) bound(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, d)
	unhook := context.AfterFunc(f.ctx, cancel)
	return ctx, func() { unhook(); cancel() }
}

func (f *Feed) finish(j job, out outcome) {
	stopped := f.ctx.Err() != nil
	f.log(out, stopped) // not under the lock: a slow handler would make Submit wait
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count(out, stopped)
	f.stats.Bytes -= j.size
	if f.stats.Pending--; f.stats.Pending == 0 {
		close(f.idle)
	}
}

func (f *Feed) count(out outcome, stopped bool) {
	if out.cached {
		f.stats.CacheHits++
	}
	if out.fallback {
		f.stats.Fallbacks++
	}
	switch {
	case out.err == nil:
		f.stats.Delivered++
	case stopped:
		f.stats.Abandoned++
	case out.judged:
		f.stats.SinkFailed++
	case out.silent():
		f.stats.NoVerdict++
	default:
		f.stats.Failed++
	}
}

func (f *Feed) log(out outcome, stopped bool) {
	switch {
	case out.err == nil || stopped:
	case out.judged:
		f.opts.Logger.Warn("judge: a verdict was not taken", "error", brief(out.err))
	case out.silent():
		f.opts.Logger.Info("judge: no verdict", "error", brief(out.err))
	default:
		f.opts.Logger.Warn("judge: the judge failed", "error", brief(out.err))
	}
}
