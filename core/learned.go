package core

import (
	"context"
	"encoding/hex"
	"sync"
	"sync/atomic"
	"time"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

const (
	// refreshEvery is how old an engine's view of the other engines may get.
	refreshEvery = 20 * time.Second
	// storeTimeout bounds background calls of the store.
	storeTimeout = 10 * time.Second
)

// learned is what an engine knows of its namespace beyond the documents: the
// slow statistics and the raters. Ranking reads a view, which is replaced and
// never modified, so no retrieval waits for another.
type learned struct {
	id   string        // of this engine
	full chan struct{} // says that enough outcomes wait to be saved
	view atomic.Pointer[knowledge]

	mu         sync.Mutex
	blobs      int                    // blobs that this engine has begun
	own        reputation.Statistics  // of this engine's own feedback, since it began its blob
	stored     reputation.Statistics  // the part of it that the blob holds
	storedAt   int64                  // when that was written, Unix nanoseconds; 0 = never
	fresh      reputation.Statistics  // the part of it that came after
	late       *reputation.Statistics // the part of that which came while it was being saved; nil = it is not
	unsure     bool                   // the last save failed, and may have been written all the same
	others     []*reputation.Statistics
	unsaved    int // outcomes since the statistics were written
	saving     bool
	refreshing bool
}

// knowledge is what ranking and folding read.
type knowledge struct {
	stats  reputation.Statistics // of all engines
	raters reputation.Raters
	read   int64 // when the other engines' part was read, Unix nanoseconds; 0 = never
}

func newLearned(id [16]byte) *learned {
	l := &learned{id: hex.EncodeToString(id[:]), full: make(chan struct{}, 1)}
	l.view.Store(&knowledge{})
	return l
}

// known returns a view of what the namespace has taught.
func (e *Engine) known(ctx context.Context) *knowledge {
	e.refresh(ctx)
	return e.learned.view.Load()
}

// statistics returns a snapshot of the namespace's statistics.
func (e *Engine) statistics(ctx context.Context) *reputation.Statistics { return &e.known(ctx).stats }

// ratersAt returns what is known of the raters, as of a time.
func (k *knowledge) ratersAt(now int64) reputation.Raters {
	r := k.raters
	r.At = now
	return r
}

// apply takes in what one feedback taught and sees that it gets saved.
func (l *learned) apply(e *Engine, f *reputation.Folded) {
	if f.Duplicate {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.own.Apply(f.Stats)
	l.fresh.Apply(f.Stats)
	if l.late != nil {
		l.late.Apply(f.Stats)
	}
	view := l.view.Load()
	l.merge(view.raters, view.read)
	l.unsaved++
	if !l.saving {
		l.saving = e.start(e.saveSoon)
	}
	if l.unsaved >= saveEvery {
		select {
		case l.full <- struct{}{}:
		default:
		}
	}
}

// merge makes the view that ranking reads anew. The lock must be held.
func (l *learned) merge(raters reputation.Raters, read int64) {
	v := &knowledge{stats: l.own, raters: raters, read: read}
	if len(l.others) > 0 {
		v.stats = reputation.MergeStatistics(append(l.others[:len(l.others):len(l.others)], &l.own)...)
	}
	l.view.Store(v)
}

// refresh brings in what other engines learned: at once the first time, in the
// background whenever the view got old.
func (e *Engine) refresh(ctx context.Context) {
	l, now := e.learned, e.now()
	read := l.view.Load().read
	if age := now - read; read != 0 && age >= 0 && age < int64(refreshEvery) {
		return
	}
	l.mu.Lock()
	busy := l.refreshing
	l.refreshing = true
	l.mu.Unlock()
	if busy {
		return
	}
	if read == 0 {
		_ = e.readLearned(ctx) // logged
		return
	}
	started := e.start(func(ctx context.Context) {
		ctx, cancel := within(ctx, storeTimeout)
		defer cancel()
		_ = e.readLearned(ctx) // logged
	})
	if !started {
		l.mu.Lock()
		l.refreshing = false
		l.mu.Unlock()
	}
}

// readLearned reads the statistics of all engines and the raters. What cannot
// be read stays as it was until the next refresh.
func (e *Engine) readLearned(ctx context.Context) error {
	l := e.learned
	l.mu.Lock()
	blob, stored := l.blob(), l.storedAt != 0
	l.mu.Unlock()
	others, gone, err := e.otherStatistics(ctx, blob)
	var raters reputation.Raters
	if err == nil {
		raters, err = e.readRaters(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refreshing = false
	view, now := l.view.Load(), max(e.now(), 1)
	if err != nil {
		e.opts.Logger.Warn("statistics not read", "error", err)
		if view.read == 0 && ctx.Err() != nil {
			return err // the caller gave up: the next one reads
		}
		l.merge(view.raters, now)
		return err
	}
	if blob != l.blob() { // a new one was begun meanwhile; the next reading sees the old one
		l.merge(raters, now)
		return nil
	}
	if stored && gone {
		l.begin() // what was saved is in a merged blob now
	}
	l.others = others
	l.merge(raters, now)
	return nil
}

func (e *Engine) readRaters(ctx context.Context) (reputation.Raters, error) {
	sums := make(map[string][]float64)
	for _, prefix := range []string{reputation.RaterTally, reputation.ClassTally} {
		for page := (store.Page{}); ; {
			tallies, err := e.store.Tallies(ctx, e.opts.Namespace, prefix, page)
			if err != nil {
				return reputation.Raters{}, err
			}
			for _, t := range tallies {
				sums[t.Name] = t.Values
				page.After = t.Name
			}
			if len(tallies) < page.Rows() {
				break
			}
		}
	}
	return reputation.NewRaters(e.now(), sums, e.constants()), nil
}

// constants are those that the ranker works with.
func (e *Engine) constants() reputation.Constants {
	if r, ok := e.opts.Ranker.(interface{ FoldConstants() reputation.Constants }); ok {
		return r.FoldConstants()
	}
	return reputation.DefaultConstants()
}
