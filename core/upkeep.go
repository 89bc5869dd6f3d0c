package core

import (
	"context"
	"time"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// Bounds of what nobody asks for any more.
const (
	// UpkeepEvery is how often an engine that is in use clears what expired.
	UpkeepEvery = time.Hour
	// AliasTTL is how long an id is remembered that no retrieval showed.
	AliasTTL = 180 * 24 * time.Hour
	// DocumentTTL is how long a document without evidence is remembered that no
	// retrieval showed.
	DocumentTTL = 180 * 24 * time.Hour
	// EvidenceTTL is how long the evidence of a text is remembered that no id has
	// any more and no retrieval showed.
	EvidenceTTL = 365 * 24 * time.Hour
	// UserTTL is how long a user is remembered who asked nothing and has nothing in
	// their library, nothing pinned and nothing blocked.
	UserTTL = 365 * 24 * time.Hour
	// TombstoneTTL is how long an erasure is remembered.
	TombstoneTTL = 365 * 24 * time.Hour
)

// Upkeep removes what nobody asks for any more: expired receipts; aliases after
// AliasTTL; documents that no alias names after DocumentTTL, those with evidence
// after EvidenceTTL; users after UserTTL, tombstones after TombstoneTTL; and tallies
// of raters beyond their number. The last three times are never shorter than
// Options.ReceiptTTL, so that every receipt that may get a signal finds what it needs. An
// engine in use does it by itself every UpkeepEvery; a program that makes engines
// for single calls should call it now and then. It returns the number of rows
// removed.
func (e *Engine) Upkeep(ctx context.Context) (int, error) {
	if err := e.alive(); err != nil {
		return 0, err
	}
	return e.upkeep(ctx, e.now())
}

func (e *Engine) upkeep(ctx context.Context, now int64) (int, error) {
	return e.store.Expire(ctx, e.opts.Namespace, store.Bounds{
		Now:             now,
		AliasesBefore:   max(now-int64(AliasTTL), 0),
		DocumentsBefore: max(now-int64(DocumentTTL), 0),
		EvidenceBefore:  e.outlived(now, EvidenceTTL), UsersBefore: e.outlived(now, UserTTL),
		TombstonesBefore: e.outlived(now, TombstoneTTL),
		MaxTallies:       map[string]int{reputation.RaterTally: maxRaterTallies},
	})
}

// outlived is the time before which nothing is needed any more that is kept for so
// long and at least for the life of a receipt; 0 if there is no such time.
func (e *Engine) outlived(now int64, ttl time.Duration) int64 {
	return max(now-int64(max(ttl, e.opts.ReceiptTTL)), 0)
}

// maxRaterTallies bounds the raters of all classes together.
const maxRaterTallies = 10 * reputation.MaxRaters

// tidy starts upkeep in the background when it is due. It removes what had expired
// when it was last due: a clock that jumps ahead and comes back within UpkeepEvery
// costs nothing.
func (e *Engine) tidy() {
	now := e.now()
	last := e.tidied.Load()
	if now-last < int64(UpkeepEvery) && now >= last || !e.tidied.CompareAndSwap(last, now) {
		return
	}
	then := min(now, last)
	e.start(func(ctx context.Context) {
		ctx, cancel := within(ctx, storeTimeout)
		defer cancel()
		if _, err := e.upkeep(ctx, then); err != nil && ctx.Err() == nil {
			e.opts.Logger.Warn("upkeep failed", "error", err)
		}
	})
}
