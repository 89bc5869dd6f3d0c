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
)

// Upkeep removes expired receipts, aliases and documents without evidence that
// were not seen for half a year, and tallies of raters beyond their number. An
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
		MaxTallies:      map[string]int{reputation.RaterTally: maxRaterTallies},
	})
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
