package core

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/repute-go/repute/core/store"
)

// Engine orders the steps of retrieval and feedback. It is safe for concurrent
// use; several engines may share a store. Make one with New.
type Engine struct {
	opts   Options
	store  store.Store
	owned  bool // the engine made the store and closes it
	random *randomness

	learned *learned
	signers *signers
	tidied  atomic.Int64 // time of the last upkeep, Unix nanoseconds
	resumed atomic.Bool  // looked whether the engines before left upkeep undone

	words        wordCache
	calibrations *calibrations
	sources      *sources
	loads        chan struct{} // loaders at work
	workspaces   sync.Pool
	suggesting   suggesting
	saved        saved

	background sync.WaitGroup
	life       context.Context // ends with Close; background work runs under it
	end        context.CancelFunc
	closing    sync.Mutex // keeps background.Add and Close apart
	closed     atomic.Bool
}

// New makes an engine. It starts no goroutine and reads no store until it is
// asked something.
func New(opts Options) (*Engine, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	e := &Engine{owned: opts.Store == nil, random: newRandomness(opts.Rand)}
	e.opts = opts.withDefaults()
	e.store = e.opts.Store
	e.learned = newLearned(e.random.bytes())
	e.tidied.Store(e.now())
	e.signers = newSigners()
	e.words, e.calibrations = newWordCache(cachedWords), newCalibrations(e)
	e.sources, e.loads = newSources(), make(chan struct{}, maxLoads)
	e.saved = saved{dir: e.opts.Library.Dir, namespace: e.opts.Namespace}
	e.life, e.end = context.WithCancel(context.Background())
	return e, nil
}

// Close ends background work and waits for it, writes what the engine still holds
// and closes the store if the engine made it. Calls after it return ErrClosed; a
// second Close does nothing. Of calls that still run meanwhile, what they add to
// the statistics may be lost, nothing else. It returns the store's error.
func (e *Engine) Close() error {
	e.closing.Lock()
	before := e.closed.Swap(true)
	e.closing.Unlock()
	if before {
		return nil
	}
	e.end()
	e.background.Wait()
	e.saveStatistics(context.Background())
	e.calibrations.close()
	if e.owned {
		return e.store.Close()
	}
	return nil
}

// Namespace returns the tenant of the engine, as Options say.
func (e *Engine) Namespace() string { return e.opts.Namespace }

// Store returns the store of the engine, for listing, export and erasure.
func (e *Engine) Store() store.Store { return e.store }

func (e *Engine) alive() error {
	if e.closed.Load() {
		return ErrClosed
	}
	return nil
}

// start runs f in the background unless the engine is closed, and reports
// whether it does. Close waits for it.
func (e *Engine) start(f func(ctx context.Context)) bool {
	e.closing.Lock()
	defer e.closing.Unlock()
	if e.closed.Load() {
		return false
	}
	e.background.Go(func() { f(e.life) })
	return true
}

// now returns the time in Unix nanoseconds, never before 1970.
func (e *Engine) now() int64 { return max(e.opts.Clock().UnixNano(), 0) }

// within bounds background work in time as well as by Close.
func within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

// randomness makes unpredictable ids, or repeatable ones from a given source.
type randomness struct {
	mu  sync.Mutex
	src rand.Source
}

func newRandomness(src rand.Source) *randomness { return &randomness{src: src} }

func (r *randomness) bytes() (b [16]byte) {
	if r.src == nil {
		_, _ = crand.Read(b[:]) // documented never to fail
		return b
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	binary.LittleEndian.PutUint64(b[:8], r.src.Uint64())
	binary.LittleEndian.PutUint64(b[8:], r.src.Uint64())
	return b
}

// ParseReceipt reads the hexadecimal form of a receipt id, as its String writes it.
// Anything else is ErrUnknownReceipt.
func ParseReceipt(s string) (ReceiptID, error) {
	var id ReceiptID
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(id) {
		return id, fmt.Errorf("%w: %.40q is not 32 hexadecimal digits", ErrUnknownReceipt, s)
	}
	copy(id[:], b)
	return id, nil
}
