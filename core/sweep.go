package core

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/store"
)

const (
	// sweepBatch is the number of rows that one update of a sweep locks.
	sweepBatch = 100
	// sweepUsers is the number of users listed, and swept under one lease, at a
	// time.
	sweepUsers = 200
	// maxSweepErrors bounds the errors that a sweep reports one by one.
	maxSweepErrors = 10
)

// Swept says what a sweep did.
type Swept struct {
	// Users and Rows were looked at, Moves of state were due, Deleted rows said no
	// more than their absence would.
	Users, Rows, Moves, Deleted int
	// Failed is the number of users that could not be swept.
	Failed int
	// Skipped says that another worker is sweeping, or has just done it. With
	// users looked at it says that another one took over what was left.
	Skipped bool
}

func (s *Swept) add(o Swept) {
	s.Users += o.Users
	s.Rows += o.Rows
	s.Moves += o.Moves
	s.Deleted += o.Deleted
	s.Failed += o.Failed
}

// Sweep makes the moves that time has caused in users' libraries: decay, earned
// pins, expired suggestions; it deletes rows that say nothing any more, and saved
// copies without a claim. Retrievals see all of that without a sweep, as of their
// own time; it is for lists and counts of users who ask nothing. Without users it
// sweeps everybody, unless another worker is at it. The error joins those of the
// users that failed, at most ten; the others are swept all the same.
func (e *Engine) Sweep(ctx context.Context, users ...string) (Swept, error) {
	if err := e.alive(); err != nil {
		return Swept{}, err
	}
	if len(users) > 0 {
		all, errs := e.sweepUsers(ctx, users)
		return all, errors.Join(append(errs, ctx.Err())...)
	}
	return e.sweepAll(ctx, 0)
}

// Run sweeps everybody every interval until ctx ends, and returns its error. It
// first sweeps at once. Several workers may run on one store: each round is done
// by one of them. Errors go to the Logger and stop nothing.
func (e *Engine) Run(ctx context.Context, interval time.Duration) error {
	if interval <= 0 {
		return fmt.Errorf("%w: interval %v", ErrInvalidOptions, interval)
	}
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		if err := e.alive(); err != nil {
			return err
		}
		if _, err := e.sweepAll(ctx, interval/2); err != nil && ctx.Err() == nil {
			e.opts.Logger.Warn("sweep incomplete", "error", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-e.life.Done():
			return ErrClosed
		case <-ticks.C:
		}
	}
}

// sweepAll sweeps every user, page by page, under the namespace's lease. It is
// skipped if a sweep ended within rest.
func (e *Engine) sweepAll(ctx context.Context, rest time.Duration) (Swept, error) {
	lease, err := e.takeLease(ctx, rest)
	if err != nil || lease == nil {
		return Swept{Skipped: lease == nil && err == nil}, err
	}
	all, done, errs := e.sweepPages(ctx, lease)
	return all, errors.Join(append(errs, lease.release(ctx, done))...)
}

// sweepPages sweeps the users page by page. done says that it got to all of them,
// also to those whose sweep failed: another worker would fail in the same way.
func (e *Engine) sweepPages(ctx context.Context, lease *lease) (all Swept, done bool, errs []error) {
	folders, err := e.saved.folders()
	if err != nil {
		errs = append(errs, fmt.Errorf("core: saved copies: %w", err))
	}
	for page := (store.Page{Limit: sweepUsers}); ; {
		users, err := e.store.Users(ctx, e.opts.Namespace, page)
		if err != nil {
			return all, false, append(errs, err)
		}
		swept, failed := e.sweepUsers(ctx, users)
		all.add(swept)
		errs = append(errs, failed[:min(len(failed), max(0, maxSweepErrors-len(errs)))]...)
		if err := ctx.Err(); err != nil {
			return all, false, append(errs, err)
		}
		for _, user := range users {
			delete(folders, e.saved.folder(user))
		}
		if len(users) < page.Rows() {
			return all, true, append(errs, e.removeOrphans(ctx, folders))
		}
		page.After = users[len(users)-1]
		if err := lease.renew(ctx); errors.Is(err, errLeaseLost) {
			all.Skipped = true // the rest is the other worker's
			return all, false, errs
		} else if err != nil {
			return all, false, append(errs, err)
		}
	}
}

// sweepUsers sweeps users until ctx ends. Of the errors it returns at most
// maxSweepErrors.
func (e *Engine) sweepUsers(ctx context.Context, users []string) (all Swept, errs []error) {
	for _, user := range users {
		if ctx.Err() != nil {
			break
		}
		swept, err := e.sweepUser(ctx, user)
		if err != nil {
			swept.Failed = 1
			if len(errs) < maxSweepErrors {
				errs = append(errs, fmt.Errorf("core: sweep of %.40q: %w", user, err))
			}
		}
		all.add(swept)
	}
	return all, errs
}

// sweepUser goes through a user's rows. What is due is found on a copy and made on
// the row itself, in one transaction: rows that another worker has done, or that
// were used meanwhile, come out right and are counted once.
func (e *Engine) sweepUser(ctx context.Context, user string) (Swept, error) {
	s := sweep{engine: e, user: user, now: time.Unix(0, e.now()), swept: Swept{Users: 1}}
	if user == "" {
		return s.swept, ErrUserRequired
	}
	for page := (store.Page{}); ; {
		rows, err := e.store.Personal(ctx, e.opts.Namespace, user, page)
		if err != nil {
			return s.swept, err
		}
		for _, row := range rows {
			page.After = row.Document
			s.look(row)
			if len(s.due) == sweepBatch {
				if err := s.flush(ctx); err != nil {
					return s.swept, err
				}
			}
		}
		if len(rows) < page.Rows() {
			break
		}
	}
	if err := s.flush(ctx); err != nil {
		return s.swept, err
	}
	return s.swept, e.copyAll(ctx, user)
}

// sweep is the sweep of one user.
type sweep struct {
	engine *Engine
	user   string
	now    time.Time
	due    []string // keys of rows with something to do
	swept  Swept
}

// evaluate is a row as of now: moved and forget say whether to write or to delete
// it.
func (s *sweep) evaluate(row store.Personal) (rec lifecycle.Record, moves int, forget bool) {
	o := s.engine.opts.Lifecycle
	rec, moved := lifecycle.Evaluate(row.Record, s.now, o)
	return rec, len(moved), rec.Forgettable(s.now, o)
}

func (s *sweep) look(row store.Personal) {
	s.swept.Rows++
	if _, moves, forget := s.evaluate(row); moves > 0 || forget {
		s.due = append(s.due, row.Document)
	}
}

// flush makes what is due.
func (s *sweep) flush(ctx context.Context) error {
	if len(s.due) == 0 {
		return nil
	}
	var moves, deleted int
	req := store.UpdateRequest{Namespace: s.engine.opts.Namespace, User: s.user, Personal: s.due, MaxPersonal: s.engine.maxPersonal()}
	err := s.engine.store.Update(ctx, req, func(v store.View) (store.Changes, error) {
		moves, deleted = 0, 0
		var ch store.Changes
		for _, key := range s.due {
			row, ok := v.Personal[key]
			if !ok {
				continue
			}
			rec, moved, forget := s.evaluate(row)
			moves += moved
			switch {
			case forget:
				deleted++
				ch.Personal = append(ch.Personal, store.PersonalChange{Personal: store.Personal{Document: key}, Delete: true})
			case moved > 0:
				ch.Personal = append(ch.Personal, personalChange(key, rec, s.now))
			}
		}
		return ch, nil
	})
	if err == nil {
		s.swept.Moves += moves
		s.swept.Deleted += deleted
		s.due = s.due[:0]
	}
	return err
}
