package core

import (
	"context"
	"encoding/hex"
	"errors"
	"time"

	"github.com/repute-go/repute/core/store"
)

// sweepLease is how long a worker that does not report back keeps the others away.
const sweepLease = 10 * time.Minute

// leaseBlob is the blob by which the workers of a namespace agree on who sweeps.
// Its fingerprint is the worker, empty once the sweep is over; its time is when the
// worker last reported, or the sweep ended.
const leaseBlob = "sweep/lease"

// errLeaseLost says that a worker was silent for so long that another one took its
// lease.
var errLeaseLost = errors.New("core: another worker has taken over the sweep")

// lease is a worker's right to sweep a namespace. At any time one worker has it: it
// is passed on by replacing the blob that was read, which the store lets one do.
type lease struct {
	engine *Engine
	holder string
	blob   *store.Blob // as it is stored; nil if there is none
}

// takeLease returns nil if another worker holds the lease or a sweep ended within
// rest.
func (e *Engine) takeLease(ctx context.Context, rest time.Duration) (*lease, error) {
	b, ok, err := e.store.Blob(ctx, e.opts.Namespace, leaseBlob)
	if err != nil {
		return nil, err
	}
	limit := rest
	if b.Fingerprint != "" {
		limit = sweepLease
	}
	if age := time.Duration(e.now() - b.Updated); ok && age >= 0 && age < limit {
		return nil, nil
	}
	id := e.random.bytes()
	l := &lease{engine: e, holder: hex.EncodeToString(id[:])}
	if ok {
		l.blob = &b
	}
	err = l.renew(ctx)
	if errors.Is(err, errLeaseLost) { // to another worker that saw it free
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// renew reports to the other workers that the sweep goes on.
func (l *lease) renew(ctx context.Context) error { return l.write(ctx, l.holder, l.engine.now()) }

// release says that the sweep is over. After one that did not get to every user the
// next may come at once. A lease that was lost is left alone.
func (l *lease) release(ctx context.Context, done bool) error {
	ctx, cancel := within(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	var ended int64
	if done {
		ended = l.engine.now()
	}
	if err := l.write(ctx, "", ended); !errors.Is(err, errLeaseLost) {
		return err
	}
	return nil
}

func (l *lease) write(ctx context.Context, fingerprint string, updated int64) error {
	b := store.Blob{Name: leaseBlob, Fingerprint: fingerprint, Updated: updated}
	swapped, err := l.engine.store.SwapBlob(ctx, l.engine.opts.Namespace, l.blob, b)
	if err != nil {
		return err
	}
	if !swapped {
		return errLeaseLost
	}
	l.blob = &b
	return nil
}
