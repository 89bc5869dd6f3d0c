package judge

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/repute-go/repute/core"
)

// Defaults of FeedOptions.
const (
	DefaultWorkers     = 2
	DefaultQueue       = 256
	DefaultQueueBytes  = 32 << 20
	DefaultTimeout     = 60 * time.Second
	DefaultSinkTimeout = 10 * time.Second
	DefaultCache       = 1024
)

// Bounds of FeedOptions.
const (
	MaxWorkers = 1024
	MaxQueue   = 1 << 20
)

// A Sink takes a verdict that a Feed has reached about the retrieval with this receipt; EngineSink is the usual one. The
// context carries the values of the one given to Submit (user, session) but not its end. A Sink must be safe for
// concurrent use and return soon after ctx ends.
type Sink func(ctx context.Context, receipt core.ReceiptID, v Verdict) error

// FeedOptions configures a Feed. Judge and Sink are required; everything else has a default.
type FeedOptions struct {
	// Judge to ask. Required.
	Judge Judge
	// Sink that takes the verdicts. Required.
	Sink Sink
	// Workers is how many cases are judged at once, at most MaxWorkers. 0: DefaultWorkers.
	Workers int
	// Queue is how many cases may wait, at most MaxQueue. 0: DefaultQueue.
	Queue int
	// QueueBytes is how many bytes of text waiting and running cases may hold together. 0: DefaultQueueBytes.
	QueueBytes int
	// Timeout is how long the judge may take over a case, from when it starts. 0: DefaultTimeout.
	Timeout time.Duration
	// SinkTimeout is how long the sink may take over a verdict. 0: DefaultSinkTimeout.
	SinkTimeout time.Duration
	// Cache is how many verdicts are kept for cases with equal content. Stand-in verdicts are not. 0: DefaultCache;
	// negative: none.
	Cache int
	// Logger hears of failures: of which kind they are, in words of this package and of the judge's, never with a text of
	// a case, an ID or what an error quotes. For more, wrap Judge and Sink. Nil: nobody hears; FeedStats counts them anyway.
	Logger *slog.Logger
}

func (o FeedOptions) withDefaults() FeedOptions {
	o.Workers = orDefault(o.Workers, DefaultWorkers)
	o.Queue = orDefault(o.Queue, DefaultQueue)
	o.QueueBytes = orDefault(o.QueueBytes, DefaultQueueBytes)
	o.Timeout = orDefault(o.Timeout, DefaultTimeout)
	o.SinkTimeout = orDefault(o.SinkTimeout, DefaultSinkTimeout)
	o.Cache = orDefault(o.Cache, DefaultCache)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

func orDefault[T int | time.Duration](x, def T) T {
	if x == 0 {
		return def
	}
	return x
}

func (o FeedOptions) validate() error {
	switch {
	case o.Judge == nil:
		return fmt.Errorf("%w: FeedOptions.Judge is required", ErrInvalidOptions)
	case o.Sink == nil:
		return fmt.Errorf("%w: FeedOptions.Sink is required", ErrInvalidOptions)
	case o.Workers < 0 || o.Queue < 0 || o.QueueBytes < 0:
		return fmt.Errorf("%w: FeedOptions: Workers, Queue and QueueBytes must not be negative", ErrInvalidOptions)
	case o.Workers > MaxWorkers || o.Queue > MaxQueue:
		return fmt.Errorf("%w: FeedOptions: over %d workers or %d cases waiting", ErrInvalidOptions, MaxWorkers, MaxQueue)
	case o.Timeout < 0 || o.SinkTimeout < 0:
		return fmt.Errorf("%w: FeedOptions: timeouts must not be negative", ErrInvalidOptions)
	}
	return nil
}

// FeedStats counts what became of the cases given to a Feed since it was made. Submitted is the sum of Delivered, NoVerdict,
// Failed, SinkFailed, Abandoned and Pending; a case that was refused is in Dropped alone.
type FeedStats struct {
	// Submitted cases were taken into the queue.
	Submitted uint64
	// Dropped cases were refused: the queue was full or the feed closed.
	Dropped uint64
	// Delivered cases were judged, and the sink took the verdict.
	Delivered uint64
	// NoVerdict counts cases on which the judge had no usable verdict (ErrNoVerdict, ErrInvalidCase).
	NoVerdict uint64
	// Failed counts cases for which the judge could not be asked, failed, panicked or was out of time.
	Failed uint64
	// SinkFailed cases were judged, but the sink refused the verdict.
	SinkFailed uint64
	// Abandoned cases still waited or ran when Close ran out of time.
	Abandoned uint64
	// CacheHits are verdicts that were known already, wherever else they are counted.
	CacheHits uint64
	// Fallbacks are verdicts with Fallback set, wherever else they are counted.
	Fallbacks uint64
	// Pending cases wait or run now, and hold Bytes bytes of text.
	Pending, Bytes int
}
