package gemini

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/sony/gobreaker/v2"

	"github.com/repute-go/repute/judge"
)

const (
	firstDelay   = 500 * time.Millisecond // before the second attempt, where the server names none
	lastDelay    = 15 * time.Second       // no such delay grows beyond this
	longestPause = 10 * time.Minute       // however long a server wants to be left alone, it is then asked again, once
	fairChance   = time.Second            // a caller whose deadline left less time says nothing about the server
)

// persist asks until there is a verdict, the attempts are used up, or waiting would outlast ctx.
func (j *Judge) persist(ctx context.Context, p prompt) (judge.Verdict, error) {
	delays := newDelays()
	sent, before := 0, ""
	for {
		v, err := j.try(ctx, p, &sent)
		if err == nil {
			return v, nil
		}
		if err.Attempts = sent; errors.Is(err.Kind, ErrResting) {
			err.Detail = before
		}
		if sent >= j.opts.attempts || !err.again() {
			return judge.Verdict{}, err
		}
		before = err.Detail
		if ended := j.wait(ctx, max(err.RetryAfter, delays.NextBackOff())); errors.Is(ended, errNoTime) {
			return judge.Verdict{}, err
		} else if ended != nil {
			return judge.Verdict{}, &Error{Kind: ended, Attempts: sent, Status: err.Status, Detail: err.Detail}
		}
	}
}

func newDelays() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.Multiplier, b.MaxInterval = firstDelay, 2, lastDelay
	b.Reset()
	return b
}

// try sends one request, and counts it in sent, unless the server wants to be left alone or has failed too often.
func (j *Judge) try(ctx context.Context, p prompt, sent *int) (judge.Verdict, *Error) {
	if left := j.pause.left(j.now()); left > 0 {
		if ended := j.wait(ctx, left); errors.Is(ended, errNoTime) {
			return judge.Verdict{}, &Error{Kind: ErrRateLimited, RetryAfter: left, final: true}
		} else if ended != nil {
			return judge.Verdict{}, &Error{Kind: ended}
		}
	}
	if ended := ctx.Err(); ended != nil {
		return judge.Verdict{}, &Error{Kind: ended}
	}
	v, err := j.breaker.Execute(func() (judge.Verdict, error) {
		*sent++
		from := j.now()
		v, err := j.ask(ctx, p)
		if e, ok := err.(*Error); ok && errors.Is(e.Kind, context.DeadlineExceeded) {
			e.broken = j.now().Sub(from) >= fairChance
		}
		return v, err
	})
	var e *Error
	switch {
	case err == nil:
		return v, nil
	case errors.As(err, &e):
		if errors.Is(e.Kind, ErrRateLimited) {
			j.pause.until(j.now().Add(min(e.RetryAfter, longestPause)))
		}
		return judge.Verdict{}, e
	default: // of the breaker
		return judge.Verdict{}, &Error{Kind: ErrResting}
	}
}

// errNoTime: ctx would end before the wait.
var errNoTime = errors.New("no time to wait")

// wait sleeps for d. It returns errNoTime at once if ctx's deadline comes first, and ctx's error if ctx ends meanwhile.
func (j *Judge) wait(ctx context.Context, d time.Duration) error {
	if deadline, ok := ctx.Deadline(); ok && !j.now().Add(d).Before(deadline) {
		if err := ctx.Err(); err != nil {
			return err
		}
		return errNoTime
	}
	return j.sleep(ctx, d)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pause remembers until when the server wants no requests. Safe for concurrent use.
type pause struct {
	mu  sync.Mutex
	end time.Time
}

func (p *pause) until(end time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if end.After(p.end) {
		p.end = end
	}
}

func (p *pause) left(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return min(max(p.end.Sub(now), 0), longestPause) // bounded: a clock that jumps back must not silence the judge for years
}

func newBreaker(opts Options) *gobreaker.CircuitBreaker[judge.Verdict] {
	return gobreaker.NewCircuitBreaker[judge.Verdict](gobreaker.Settings{
		Name:         "gemini",
		Timeout:      opts.Cooldown,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= uint32(opts.Failures) },
		IsSuccessful: func(err error) bool { return !isFailure(err) },
		IsExcluded:   isCallersEnd,
	})
}

// isFailure reports whether an error speaks against the server. A model that was blocked or cut off has answered.
func isFailure(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return err != nil
	}
	return e.broken || !errors.Is(e.Kind, judge.ErrNoVerdict)
}

// isCallersEnd reports whether an attempt ended because its caller went away: that says nothing about the server.
func isCallersEnd(err error) bool {
	var e *Error
	if !errors.As(err, &e) || e.broken {
		return false
	}
	return errors.Is(e.Kind, context.Canceled) || errors.Is(e.Kind, context.DeadlineExceeded)
}
