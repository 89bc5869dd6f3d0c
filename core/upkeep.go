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
// engine in use does it by itself every UpkeepEvery. The time of it is kept in a store
// that was given, so that programs that run for a moment do it too, one after the
// other. It returns the number of rows removed.
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

// upkeepBlob says when the engines of a namespace last did upkeep.
const upkeepBlob = "upkeep"

// resumeTimeout is how long the upkeep of a program that ends may go on.
const resumeTimeout = time.Second

// tidy starts upkeep in the background when it is due. It removes what had expired
// when it was last due: a clock that jumps ahead and comes back within UpkeepEvery
// costs nothing.
func (e *Engine) tidy() {
	if !e.owned && e.resumed.CompareAndSwap(false, true) {
		e.start(e.resume)
	}
	now := e.now()
	last := e.tidied.Load()
	if now-last < int64(UpkeepEvery) && now >= last || !e.tidied.CompareAndSwap(last, now) {
		return
	}
	e.start(func(ctx context.Context) {
		ctx, cancel := within(ctx, storeTimeout)
		defer cancel()
		e.tend(ctx, min(now, last), now)
	})
}

// resume does the upkeep that engines before this one left undone because they ended
// too soon. It goes on while this one ends, but not for long.
func (e *Engine) resume(ctx context.Context) {
	ctx, cancel := within(context.WithoutCancel(ctx), resumeTimeout)
	defer cancel()
	now := e.now()
	switch last, ok, err := e.store.Blob(ctx, e.opts.Namespace, upkeepBlob); {
	case err != nil: // retrievals say so
	case !ok || last.Updated > now:
		e.tended(ctx, now)
	case now-last.Updated >= int64(UpkeepEvery):
		e.tend(ctx, last.Updated, now)
	}
}

// tend removes what had expired then.
func (e *Engine) tend(ctx context.Context, then, now int64) {
	if _, err := e.upkeep(ctx, then); err != nil {
		if ctx.Err() == nil {
			e.opts.Logger.Warn("upkeep failed", "error", err)
		}
		return
	}
	e.tended(ctx, now)
}

// tended keeps the time of an upkeep, for the engines that come after. Without it
// they do it again.
func (e *Engine) tended(ctx context.Context, now int64) {
	if e.owned {
		return
	}
	if err := e.store.PutBlob(ctx, e.opts.Namespace, store.Blob{Name: upkeepBlob, Updated: now}); err != nil {
		e.opts.Logger.Debug("time of upkeep not kept", "error", err)
	}
}
