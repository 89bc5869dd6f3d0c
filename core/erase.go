package core

import (
	"context"
	"fmt"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// EraseUser removes everything a user left behind: receipts, library, texts and
// their saved copies,
// every event they took part in, their ratings. A late signal for one of their
// receipts is refused. It returns the number of rows changed or removed.
func (e *Engine) EraseUser(ctx context.Context, user string) (int, error) {
	if user == "" {
		return 0, ErrUserRequired
	}
	n, err := e.eraseActor(ctx, store.Erasure{User: user}, store.UserActor(user))
	if err != nil {
		return n, err
	}
	return n, e.saved.removeUser(user)
}

// EraseRater removes every opinion of a rater ("class:id") and every event it
// took part in. A late signal of theirs on a receipt made before is refused. It
// returns the number of rows changed or removed.
func (e *Engine) EraseRater(ctx context.Context, rater string) (int, error) {
	if err := opinion(rater, 0).validate(); err != nil {
		return 0, fmt.Errorf("core: erase: %w", err)
	}
	return e.eraseActor(ctx, store.Erasure{Rater: rater}, rater)
}

// EraseDocument removes the evidence, aliases and library entries of a text, by
// the Hash of its Item. It returns the number of rows changed or removed.
func (e *Engine) EraseDocument(ctx context.Context, hash store.Hash) (int, error) {
	if err := e.alive(); err != nil {
		return 0, err
	}
	return e.store.Erase(ctx, e.opts.Namespace, store.Erasure{Document: hash, Now: e.now()})
}

func (e *Engine) eraseActor(ctx context.Context, what store.Erasure, actor string) (int, error) {
	if err := e.alive(); err != nil {
		return 0, err
	}
	tag := reputation.ActorTag(actor)
	what.Now = e.now()
	what.Rewrite = func(r *reputation.Record) (*reputation.Record, int) { return r.Erase(tag) }
	what.RewriteReceipt = func(r *reputation.Receipt) (*reputation.Receipt, int) { return r.Erase(actor) }
	what.Tallies = []string{reputation.RaterTally + actor}
	return e.store.Erase(ctx, e.opts.Namespace, what)
}
