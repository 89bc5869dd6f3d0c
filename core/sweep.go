package core

import (
	"context"
	"encoding/hex"
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
	// sweepLease is how long a worker that does not report back keeps the others
	// away.
	sweepLease = 10 * time.Minute
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
	// Skipped says that another worker is sweeping, or has just done it.
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
		return e.sweepUsers(ctx, users)
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
	var all Swept
	var errs []error
	for page := (store.Page{Limit: sweepUsers}); ; {
		users, err := e.store.Users(ctx, e.opts.Namespace, page)
		if err != nil {
			errs = append(errs, err)
			break
		}
		swept, err := e.sweepUsers(ctx, users)
		all.add(swept)
		if err != nil && len(errs) < maxSweepErrors {
			errs = append(errs, err)
		}
		if len(users) < page.Rows() || ctx.Err() != nil {
			break
		}
		page.After = users[len(users)-1]
		if err := lease.renew(ctx); err != nil {
			errs = append(errs, err)
			break
		}
	}
	return all, errors.Join(append(errs, lease.release(ctx, len(errs) == 0))...)
}

func (e *Engine) sweepUsers(ctx context.Context, users []string) (Swept, error) {
	var all Swept
	var errs []error
	for _, user := range users {
		if err := ctx.Err(); err != nil {
			return all, errors.Join(append(errs, err)...)
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
	return all, errors.Join(errs...)
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
	return s.swept, e.saved.prune(user, s.claims)
}

// sweep is the sweep of one user.
type sweep struct {
	engine *Engine
	user   string
	now    time.Time
	due    []string // keys of rows with something to do
	claims []string // keys of rows with a text
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
	rec, moves, forget := s.evaluate(row)
	if moves > 0 || forget {
		s.due = append(s.due, row.Document)
	}
	if rec.Claim.Size > 0 {
		s.claims = append(s.claims, row.Document)
	}
}

// flush makes what is due.
func (s *sweep) flush(ctx context.Context) error {
	if len(s.due) == 0 {
		return nil
	}
	var moves, deleted int
	req := store.UpdateRequest{Namespace: s.engine.opts.Namespace, User: s.user, Personal: s.due}
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

// leaseBlob is the blob by which the workers of a namespace agree on who sweeps.
// Its fingerprint is the worker, empty once the sweep is done.
const leaseBlob = "sweep/lease"

// lease is a worker's right to sweep a namespace. It keeps workers from doing the
// same work twice; that they do no harm if they should is up to the rows.
type lease struct {
	engine *Engine
	holder string
}

// takeLease returns nil if another worker holds the lease or a sweep ended within
// rest.
func (e *Engine) takeLease(ctx context.Context, rest time.Duration) (*lease, error) {
	b, ok, err := e.store.Blob(ctx, e.opts.Namespace, leaseBlob)
	if err != nil {
		return nil, err
	}
	age := time.Duration(e.now() - b.Updated)
	held, limit := b.Fingerprint != "", rest
	if held {
		limit = sweepLease
	}
	if ok && age >= 0 && age < limit {
		return nil, nil
	}
	id := e.random.bytes()
	l := &lease{engine: e, holder: hex.EncodeToString(id[:])}
	if err := l.renew(ctx); err != nil {
		return nil, err
	}
	// Of workers that saw it free at the same moment the last one to write has it.
	b, ok, err = e.store.Blob(ctx, e.opts.Namespace, leaseBlob)
	if err != nil || !ok || b.Fingerprint != l.holder {
		return nil, err
	}
	return l, nil
}

func (l *lease) renew(ctx context.Context) error { return l.write(ctx, l.holder) }

// release says that the sweep is done; after one that failed, the next may come at
// once.
func (l *lease) release(ctx context.Context, done bool) error {
	if !done {
		ctx, cancel := within(context.WithoutCancel(ctx), storeTimeout)
		defer cancel()
		return l.engine.store.DeleteBlob(ctx, l.engine.opts.Namespace, leaseBlob)
	}
	return l.write(ctx, "")
}

func (l *lease) write(ctx context.Context, fingerprint string) error {
	return l.engine.store.PutBlob(ctx, l.engine.opts.Namespace,
		store.Blob{Name: leaseBlob, Fingerprint: fingerprint, Updated: l.engine.now()})
}
