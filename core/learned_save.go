package core

import (
	"context"
	"fmt"
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
	// restedAfter is the time after which an engine writes to a blob no more, but
	// begins another: well before others may merge the old one.
	restedAfter = retiredAfter / 2
)

// blob is the name of this engine's statistics in the store. The lock must be held.
func (l *learned) blob() string {
	if l.blobs == 0 {
		return statisticsBlobs + l.id
	}
	return fmt.Sprintf("%s%s-%d", statisticsBlobs, l.id, l.blobs)
}

// begin lets the engine begin a new blob: what the old one holds is that of another
// engine from now on. The lock must be held.
func (l *learned) begin() {
	l.blobs++
	l.own, l.stored, l.storedAt = l.fresh, reputation.Statistics{}, 0
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

// saveStatistics writes this engine's statistics if they changed. What cannot be
// written stays fresh and is tried again after a while.
func (e *Engine) saveStatistics(ctx context.Context) {
	name, own, n := e.learned.startSaving(e.now())
	if n == 0 {
		return
	}
	ctx, cancel := within(ctx, storeTimeout)
	defer cancel()
	now := e.now()
	data, err := own.AppendBinary(nil)
	if err == nil {
		err = e.store.PutBlob(ctx, e.opts.Namespace, store.Blob{Name: name, Data: data, Updated: now})
	}
	if err != nil {
		e.opts.Logger.Warn("statistics not saved", "error", err)
	}
	l := e.learned
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unsure = err != nil
	late := *l.late
	l.late = nil
	switch {
	case err != nil:
		l.unsaved += n
	case name != l.blob(): // merged meanwhile, and this with it nowhere
		l.unsaved += n
	default:
		l.fresh, l.stored, l.storedAt = late, own, max(now, 1)
	}
	l.saving = l.unsaved > 0 && e.start(e.saveSoon)
}

// startSaving returns what is to be saved under which name, and how many outcomes of
// it are new; 0 means that there is nothing to save.
func (l *learned) startSaving(now int64) (name string, own reputation.Statistics, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unsaved == 0 {
		l.saving = false
		return "", own, 0
	}
	rest := restedAfter
	if l.unsure {
		// What could not be confirmed may be in the blob all the same: only there it
		// is not counted twice.
		rest = retiredAfter - 3*saveWithin
	}
	if age := now - l.storedAt; l.storedAt != 0 && (age < 0 || age >= int64(rest)) {
		stored := l.stored
		l.others = append(l.others[:len(l.others):len(l.others)], &stored)
		l.begin()
	}
	n, l.unsaved = l.unsaved, 0
	l.late = new(reputation.Statistics)
	return l.blob(), l.own, n
}
