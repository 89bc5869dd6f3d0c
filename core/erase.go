package core

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

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
	return n, e.eraseCopies(user)
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

// EraseDocument removes the evidence and aliases of a text, by the Hash of its Item,
// and the library entries, of every user, of the documents that receipts show with
// it or whose saved text it is. It returns the number of rows changed or removed.
// To find them it goes through all receipts and libraries of the namespace.
func (e *Engine) EraseDocument(ctx context.Context, hash store.Hash) (int, error) {
	if err := e.alive(); err != nil {
		return 0, err
	}
	what := store.Erasure{Document: hash, Now: e.now()}
	keys, err := e.documentsWith(ctx, hash)
	if err != nil {
		return 0, err
	}
	copies := make(map[string]bool) // users
	err = e.eachRow(ctx, func(user string, row store.Personal) {
		if row.Record.Claim.Hash == hash.String() {
			keys[row.Document] = true
		}
		if keys[row.Document] && row.Record.Claim.Size > 0 {
			copies[user] = true
		}
	})
	if err != nil {
		return 0, err
	}
	what.Personal = slices.Sorted(maps.Keys(keys))
	n, err := e.store.Erase(ctx, e.opts.Namespace, what)
	forgetText(hash)
	e.words.sets.Remove(hash)
	// Whatever came of it, the copies follow the rows that are left: when this is
	// repeated, nothing may tell any more whose they were.
	ctx, cancel := within(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	for user := range copies {
		err = errors.Join(err, e.copyAll(ctx, user))
	}
	return n, err
}

// documentsWith returns the keys of the documents that receipts show with a text.
func (e *Engine) documentsWith(ctx context.Context, hash store.Hash) (map[string]bool, error) {
	keys := make(map[string]bool)
	for page := (store.Page{}); ; {
		receipts, err := e.store.Receipts(ctx, e.opts.Namespace, "", page)
		if err != nil {
			return nil, err
		}
		for _, rc := range receipts {
			page.After = string(rc.ID[:])
			for _, s := range rc.Shown {
				if s.Hash == hash || s.Previous == hash {
					keys[store.PersonalKey(rc.Source, s.Document)] = true
				}
			}
		}
		if len(receipts) < page.Rows() {
			return keys, nil
		}
	}
}

// eachRow calls f for every personal row of the namespace.
func (e *Engine) eachRow(ctx context.Context, f func(user string, row store.Personal)) error {
	return e.eachUser(ctx, func(user string) error {
		return e.Library(user).rows(ctx, store.Page{}, func(row store.Personal) bool {
			f(user, row)
			return true
		})
	})
}

// eachUser calls f for every user of the namespace with personal rows.
func (e *Engine) eachUser(ctx context.Context, f func(user string) error) error {
	for users := (store.Page{}); ; {
		names, err := e.store.Users(ctx, e.opts.Namespace, users)
		if err != nil {
			return err
		}
		for _, user := range names {
			users.After = user
			if err := f(user); err != nil {
				return err
			}
		}
		if len(names) < users.Rows() {
			return nil
		}
	}
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
