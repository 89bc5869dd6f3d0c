package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

const (
	// statisticsBlobs is the prefix of the blobs that hold each engine's
	// statistics.
	statisticsBlobs = "statistics/"
	// saveEvery is the number of outcomes after which an engine writes its
	// statistics at once, saveWithin the time within which it writes them
	// anyway.
	saveEvery  = 100
	saveWithin = 20 * time.Second
	// refreshEvery is how old an engine's view of the other engines may get.
	refreshEvery = 20 * time.Second
	// storeTimeout bounds background calls of the store.
	storeTimeout = 10 * time.Second
	// maxStatistics bounds the statistics blobs of a namespace: beyond it those
	// that nobody wrote for retiredAfter are merged into one.
	maxStatistics = 16
	retiredAfter  = 10 * time.Minute
)

// learned is what an engine knows of its namespace beyond the documents: the
// slow statistics and the raters. Ranking reads a view, which is replaced and
// never modified, so no retrieval waits for another.
type learned struct {
	blob string        // name of this engine's statistics in the store
	full chan struct{} // says that enough outcomes wait to be saved
	view atomic.Pointer[knowledge]

	mu         sync.Mutex
	own        reputation.Statistics // of this engine's own feedback
	fresh      reputation.Statistics // the part of it that came after the last save
	others     []*reputation.Statistics
	unsaved    int // outcomes since the statistics were written
	saving     bool
	saved      bool // the store has this engine's statistics
	refreshing bool
}

// knowledge is what ranking and folding read.
type knowledge struct {
	stats  reputation.Statistics // of all engines
	raters reputation.Raters
	read   int64 // when the other engines' part was read, Unix nanoseconds; 0 = never
}

func newLearned(id [16]byte) *learned {
	l := &learned{blob: statisticsBlobs + hex.EncodeToString(id[:]), full: make(chan struct{}, 1)}
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

// saveSoon writes this engine's statistics once enough has come together, or after
// a while.
func (e *Engine) saveSoon(ctx context.Context) {
	t := time.NewTimer(saveWithin)
	defer t.Stop()
	select {
	case <-t.C:
	case <-e.learned.full:
	case <-ctx.Done():
		return // Close saves
	}
	e.saveStatistics(ctx)
}

// merge makes the view that ranking reads anew. The lock must be held.
func (l *learned) merge(raters reputation.Raters, read int64) {
	v := &knowledge{stats: l.own, raters: raters, read: read}
	if len(l.others) > 0 {
		v.stats = reputation.MergeStatistics(append(l.others[:len(l.others):len(l.others)], &l.own)...)
	}
	l.view.Store(v)
}

// saveStatistics writes this engine's statistics if they changed.
func (e *Engine) saveStatistics(ctx context.Context) {
	l := e.learned
	l.mu.Lock()
	own, n := l.own, l.unsaved
	l.unsaved, l.saving, l.fresh = 0, false, reputation.Statistics{}
	l.mu.Unlock()
	if n == 0 {
		return
	}
	ctx, cancel := within(ctx, storeTimeout)
	defer cancel()
	data, err := own.AppendBinary(nil)
	if err == nil {
		err = e.store.PutBlob(ctx, e.opts.Namespace, store.Blob{Name: l.blob, Data: data, Updated: e.now()})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		e.opts.Logger.Warn("statistics not saved", "error", err)
		l.unsaved += n
		return
	}
	l.saved = true
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
		e.readLearned(ctx)
		return
	}
	started := e.start(func(ctx context.Context) {
		ctx, cancel := within(ctx, storeTimeout)
		defer cancel()
		e.readLearned(ctx)
	})
	if !started {
		l.mu.Lock()
		l.refreshing = false
		l.mu.Unlock()
	}
}

// readLearned reads the statistics of all engines and the raters. What cannot
// be read stays as it was until the next refresh.
func (e *Engine) readLearned(ctx context.Context) {
	l := e.learned
	l.mu.Lock()
	saved := l.saved
	l.mu.Unlock()
	others, missing, err := e.otherStatistics(ctx)
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
			return // the caller gave up: the next one reads
		}
		l.merge(view.raters, now)
		return
	}
	if saved && missing {
		// Others took this engine for gone: what it saved is in theirs now.
		l.own, l.saved = l.fresh, false
	}
	l.others = others
	l.merge(raters, now)
}

// otherStatistics returns the statistics of the other engines, and whether this
// engine's own are missing among the stored ones.
func (e *Engine) otherStatistics(ctx context.Context) (others []*reputation.Statistics, missing bool, err error) {
	page := store.Page{}
	blobs, err := e.store.Blobs(ctx, e.opts.Namespace, statisticsBlobs, page)
	if err != nil {
		return nil, false, err
	}
	missing = len(blobs) < page.Rows()
	var retired []store.Blob
	var theirs []*reputation.Statistics
	for _, b := range blobs {
		var s reputation.Statistics
		if b.Name == e.learned.blob {
			missing = false
			continue
		}
		if err := s.UnmarshalBinary(b.Data); err != nil {
			e.opts.Logger.Warn("statistics of another engine passed over", "blob", b.Name, "error", err)
			continue
		}
		others = append(others, &s)
		if e.now()-b.Updated >= int64(retiredAfter) {
			retired, theirs = append(retired, b), append(theirs, &s)
		}
	}
	if len(blobs) > maxStatistics && len(retired) > 1 {
		e.replaceStatistics(ctx, retired, reputation.MergeStatistics(theirs...))
	}
	return others, missing, nil
}

// replaceStatistics writes one blob in the place of several. Its name is that of no
// engine: the one whose name it had would take the sum for its own part and write
// over it. The name follows from what is replaced, so that two engines that do this
// at the same time write the same blob.
func (e *Engine) replaceStatistics(ctx context.Context, old []store.Blob, sum reputation.Statistics) {
	names := sha256.New()
	for _, o := range old {
		io.WriteString(names, o.Name+"\n")
	}
	name := statisticsBlobs + hex.EncodeToString(names.Sum(nil)[:16])
	data, err := sum.AppendBinary(nil)
	if err == nil {
		err = e.store.PutBlob(ctx, e.opts.Namespace, store.Blob{Name: name, Data: data, Updated: e.now()})
	}
	for _, o := range old {
		if err == nil {
			err = e.store.DeleteBlob(ctx, e.opts.Namespace, o.Name)
		}
	}
	if err != nil {
		e.opts.Logger.Warn("old statistics not merged", "error", err)
	}
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
