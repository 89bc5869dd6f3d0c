package core

import (
	"context"
	"encoding/hex"
	"sync"
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
)

// learned is what an engine knows of its namespace beyond the documents: the
// slow statistics and the raters. Ranking reads snapshots, which are replaced and
// never modified, so no retrieval waits for another.
type learned struct {
	blob string // name of this engine's statistics in the store

	mu         sync.Mutex
	own        reputation.Statistics // of this engine's own feedback
	others     []*reputation.Statistics
	merged     *reputation.Statistics
	raters     reputation.Raters
	unsaved    int // outcomes since the statistics were written
	saving     bool
	refreshing bool
	read       int64 // time of the last refresh, Unix nanoseconds; 0 = never
}

func newLearned(id [16]byte) *learned {
	return &learned{blob: statisticsBlobs + hex.EncodeToString(id[:]), merged: &reputation.Statistics{}}
}

// statistics returns a snapshot of the namespace's statistics.
func (e *Engine) statistics(ctx context.Context) *reputation.Statistics {
	e.refresh(ctx)
	l := e.learned
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.merged
}

// raters returns a snapshot of what is known of the raters, as of now.
func (e *Engine) raters(ctx context.Context) reputation.Raters {
	e.refresh(ctx)
	l := e.learned
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.raters
	r.At = e.now()
	return r
}

// apply takes in what one feedback taught and sees that it gets saved.
func (l *learned) apply(e *Engine, f reputation.Folded) {
	if f.Duplicate {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.own.Apply(f.Stats)
	l.merge()
	l.unsaved++
	if l.saving {
		return
	}
	l.saving = true
	wait := saveWithin
	if l.unsaved >= saveEvery {
		wait = 0
	}
	e.start(func(ctx context.Context) {
		t := time.NewTimer(wait)
		defer t.Stop()
		select {
		case <-t.C:
			e.saveStatistics(ctx)
		case <-ctx.Done(): // Close saves
		}
	})
}

// merge makes the snapshot that ranking reads anew. The lock must be held.
func (l *learned) merge() {
	own := l.own
	m := reputation.MergeStatistics(append([]*reputation.Statistics{&own}, l.others...)...)
	l.merged = &m
}

// saveStatistics writes this engine's statistics if they changed.
func (e *Engine) saveStatistics(ctx context.Context) {
	l := e.learned
	l.mu.Lock()
	own, n := l.own, l.unsaved
	l.unsaved, l.saving = 0, false
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
	if err != nil {
		e.opts.Logger.Warn("statistics not saved", "error", err)
		l.mu.Lock()
		l.unsaved += n
		l.mu.Unlock()
	}
}

// refresh brings in what other engines learned: at once the first time, in the
// background whenever the view got old.
func (e *Engine) refresh(ctx context.Context) {
	l, now := e.learned, e.now()
	l.mu.Lock()
	first := l.read == 0
	old := now-l.read >= int64(refreshEvery) || now < l.read
	if l.refreshing || !first && !old {
		l.mu.Unlock()
		return
	}
	l.refreshing = true
	l.mu.Unlock()
	if first {
		e.readLearned(ctx)
		return
	}
	e.start(func(ctx context.Context) {
		ctx, cancel := within(ctx, storeTimeout)
		defer cancel()
		e.readLearned(ctx)
	})
}

// readLearned reads the statistics of all engines and the raters. What cannot
// be read stays as it was until the next refresh.
func (e *Engine) readLearned(ctx context.Context) {
	others, err := e.otherStatistics(ctx)
	var raters reputation.Raters
	if err == nil {
		raters, err = e.readRaters(ctx)
	}
	l := e.learned
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refreshing = false
	l.read = max(e.now(), 1)
	if err != nil {
		e.opts.Logger.Warn("statistics not read", "error", err)
		return
	}
	l.others, l.raters = others, raters
	l.merge()
}

func (e *Engine) otherStatistics(ctx context.Context) ([]*reputation.Statistics, error) {
	var out []*reputation.Statistics
	blobs, err := e.statisticsBlobs(ctx)
	for _, b := range blobs {
		var s reputation.Statistics
		if b.Name == e.learned.blob {
			continue
		}
		if err := s.UnmarshalBinary(b.Data); err != nil {
			e.opts.Logger.Warn("statistics of another engine passed over", "blob", b.Name, "error", err)
			continue
		}
		out = append(out, &s)
	}
	return out, err
}

// maxStatistics bounds the statistics blobs of a namespace: beyond it the ones
// of engines long gone are merged into one.
const maxStatistics = 16

// statisticsBlobs lists the blobs and keeps their number bounded.
func (e *Engine) statisticsBlobs(ctx context.Context) ([]store.Blob, error) {
	blobs, err := e.store.Blobs(ctx, e.opts.Namespace, statisticsBlobs, store.Page{})
	if err != nil || len(blobs) <= maxStatistics {
		return blobs, err
	}
	var old []store.Blob
	var merged []*reputation.Statistics
	kept := blobs[:0]
	for _, b := range blobs {
		var s reputation.Statistics
		if e.now()-b.Updated < int64(24*time.Hour) || b.Name == e.learned.blob || s.UnmarshalBinary(b.Data) != nil {
			kept = append(kept, b)
			continue
		}
		old, merged = append(old, b), append(merged, &s)
	}
	if len(old) < 2 {
		return append(kept, old...), nil
	}
	sum, err := e.replaceStatistics(ctx, old, merged)
	return append(kept, sum), err
}

// replaceStatistics writes one blob in the place of several.
func (e *Engine) replaceStatistics(ctx context.Context, old []store.Blob, all []*reputation.Statistics) (store.Blob, error) {
	sum := reputation.MergeStatistics(all...)
	data, err := sum.AppendBinary(nil)
	if err != nil {
		return store.Blob{}, err
	}
	b := store.Blob{Name: old[0].Name, Data: data, Updated: e.now()}
	if err := e.store.PutBlob(ctx, e.opts.Namespace, b); err != nil {
		return b, err
	}
	for _, o := range old[1:] {
		if err := e.store.DeleteBlob(ctx, e.opts.Namespace, o.Name); err != nil {
			return b, err
		}
	}
	return b, nil
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
