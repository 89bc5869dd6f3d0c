package core_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/store"
)

// bad is a store that fails for one user.
type bad struct {
	store.Store
	user string
}

var errBad = errors.New("this user's rows are broken")

func (b *bad) Personal(ctx context.Context, namespace, user string, page store.Page) ([]store.Personal, error) {
	if user == b.user {
		return nil, errBad
	}
	return b.Store.Personal(ctx, namespace, user, page)
}

// users gives a claim and a seen document to many users.
func (l *library) users(n int) {
	for i := range n {
		user := fmt.Sprint("u", 1000+i)
		l.ask(user, "travel costs")
		l.claimed(user, "leave")
	}
}

func TestSweep(t *testing.T) {
	onEveryStore(t, func(t *testing.T, st store.Store) {
		l := newLibrary(t, core.Options{Store: &bad{Store: st, user: "u1001"}}, policies)
		l.users(5)
		ctx := context.Background()
		if s, err := l.Sweep(ctx); !errors.Is(err, errBad) || s.Users != 5 || s.Failed != 1 || s.Moves+s.Deleted != 0 {
			t.Errorf("nothing is due: %+v, %v", s, err)
		}
		l.pass(30 * day)
		s, err := l.Sweep(ctx)
		if !errors.Is(err, errBad) || s.Failed != 1 || s.Moves != 8 || s.Deleted != 4 {
			t.Errorf("after 30 days: %+v, %v; want a demoted claim and a forgotten row of four users", s, err)
		}
		if s, err := l.Sweep(ctx, "u1002", "u1003", ""); !errors.Is(err, core.ErrUserRequired) || s.Users != 3 || s.Failed != 1 || s.Moves != 0 {
			t.Errorf("again, some: %+v, %v", s, err)
		}
		if got := l.state("u1002", "leave"); got != lifecycle.Demoted {
			t.Errorf("the claim is %v", got)
		}
		l.pass(400 * day)
		if _, err := l.Sweep(ctx); !errors.Is(err, errBad) {
			t.Error(err)
		}
		left, err := st.Users(ctx, "", store.Page{})
		if err != nil || len(left) != 1 || left[0] != "u1001" {
			t.Errorf("users left: %v, %v", left, err)
		}
	})
}

// watched is a worker's own view of a store that it shares: how many libraries it
// read, and how often it looked who sweeps.
type watched struct {
	store.Store
	bad     string       // a user whose rows cannot be read
	reads   atomic.Int64 // of libraries
	rounds  atomic.Int64
	reading func() // called before a library is read
}

func (c *watched) Personal(ctx context.Context, namespace, user string, page store.Page) ([]store.Personal, error) {
	c.reads.Add(1)
	if c.reading != nil {
		c.reading()
	}
	if user == c.bad {
		return nil, errBad
	}
	return c.Store.Personal(ctx, namespace, user, page)
}

func (c *watched) Blob(ctx context.Context, namespace, name string) (store.Blob, bool, error) {
	if name == "sweep/lease" {
		c.rounds.Add(1)
	}
	return c.Store.Blob(ctx, namespace, name)
}

// Of workers that sweep at the same moment one does.
func TestWorkersShareTheSweep(t *testing.T) {
	onEveryStore(t, func(t *testing.T, st store.Store) {
		l := newLibrary(t, core.Options{Store: st}, policies)
		l.users(40)
		l.pass(30 * day)
		others := make(chan struct{}) // closed once the other workers are back
		var reads atomic.Int64
		results := make(chan core.Swept)
		const workers = 4
		for range workers {
			shared := &watched{Store: st, reading: func() { reads.Add(1); <-others }}
			eng := newEngine(t, core.Options{Store: shared, Gate: gate.Off{}, Clock: l.clock.time})
			go func() {
				s, err := eng.Sweep(context.Background())
				if err != nil {
					t.Error(err)
				}
				results <- s
			}()
		}
		for range workers - 1 {
			select {
			case s := <-results:
				if !s.Skipped || s.Users != 0 {
					t.Errorf("beside another worker: %+v", s)
				}
			case <-time.After(20 * time.Second):
				close(others)
				t.Fatal("several workers sweep")
			}
		}
		close(others)
		if s := <-results; s.Skipped || s.Users != 40 || s.Moves != 80 || s.Deleted != 40 || reads.Load() != 40 {
			t.Errorf("%d libraries read, %+v", reads.Load(), s)
		}
	})
}

// Workers that all see the lease free take it one after the other.
func TestTheLeaseIsExclusive(t *testing.T) {
	onEveryStore(t, func(t *testing.T, st store.Store) {
		slow := &interrupted{Store: st}
		l := newLibrary(t, core.Options{Store: slow}, policies)
		other := newEngine(t, core.Options{Store: st, Gate: gate.Off{}, Clock: l.clock.time})
		ctx := context.Background()
		l.users(3)
		for range 2 { // there is no lease yet, and one that is free
			slow.after("Blob", func() {
				if s, err := other.Sweep(ctx); err != nil || s.Skipped || s.Users != 3 {
					t.Errorf("the first to take it: %+v, %v", s, err)
				}
				l.pass(time.Second)
			})
			if s, err := l.Sweep(ctx); err != nil || !s.Skipped || s.Users != 0 {
				t.Errorf("the one that saw it free before: %+v, %v", s, err)
			}
			l.pass(time.Hour)
		}
	})
}

// A worker that was silent for too long leaves the rest to the one that took over,
// and does not end its lease.
func TestALostLease(t *testing.T) {
	st := store.NewMemory()
	slow := &interrupted{Store: st}
	l := newLibrary(t, core.Options{Store: slow}, policies)
	l.users(250)
	ctx := context.Background()
	worker := func(reading func()) *core.Engine {
		return newEngine(t, core.Options{Store: &watched{Store: st, reading: reading}, Gate: gate.Off{}, Clock: l.clock.time})
	}
	others := make(chan struct{})
	done := make(chan core.Swept)
	slow.after("Personal", func() {
		l.pass(11 * time.Minute)
		started := make(chan struct{}, 250)
		second := worker(func() { started <- struct{}{}; <-others })
		go func() {
			s, err := second.Sweep(ctx)
			if err != nil {
				t.Error(err)
			}
			done <- s
		}()
		<-started
	})
	if s, err := l.Sweep(ctx); err != nil || !s.Skipped || s.Users != 200 {
		t.Errorf("the silent one: %+v, %v", s, err)
	}
	if s, err := worker(nil).Sweep(ctx); err != nil || !s.Skipped || s.Users != 0 {
		t.Errorf("a third one: %+v, %v", s, err)
	}
	close(others)
	if s := <-done; s.Skipped || s.Users != 250 {
		t.Errorf("the one that took over: %+v", s)
	}
}

// A sweep that was broken off leaves its lease to the next.
func TestABrokenSweep(t *testing.T) {
	st := &interrupted{Store: store.NewMemory()}
	l := newLibrary(t, core.Options{Store: st}, policies)
	l.users(3)
	ctx, cancel := context.WithCancel(context.Background())
	st.after("Personal", cancel)
	if s, err := l.Sweep(ctx); !errors.Is(err, context.Canceled) || s.Skipped || s.Users != 1 {
		t.Errorf("broken off: %+v, %v", s, err)
	}
	if s, err := l.Sweep(context.Background()); err != nil || s.Skipped || s.Users != 3 {
		t.Errorf("the next: %+v, %v", s, err)
	}
}

// Of the workers that run, one does each round, whether or not every user can be
// swept.
func TestWorkersShareTheRounds(t *testing.T) {
	for _, bad := range []string{"", "u1001"} {
		st := store.NewMemory()
		l := newLibrary(t, core.Options{Store: st}, policies)
		l.users(20)
		ctx, cancel := context.WithCancel(context.Background())
		views := make([]*watched, 4)
		var running sync.WaitGroup
		for i := range views {
			views[i] = &watched{Store: st, bad: bad}
			eng := newEngine(t, core.Options{Store: views[i], Gate: gate.Off{}, Clock: l.clock.time})
			running.Go(func() { _ = eng.Run(ctx, time.Millisecond) })
		}
		for round := range 3 {
			reads := int64(0)
			for _, v := range views {
				// Whoever looks the third time has been through a whole round.
				for seen := v.rounds.Load(); v.rounds.Load() < seen+3; {
					time.Sleep(time.Millisecond)
				}
			}
			for _, v := range views {
				reads += v.reads.Load()
			}
			if want := int64(20 * (round + 1)); reads != want {
				t.Errorf("bad user %q: %d libraries read in %d rounds of four workers, want %d", bad, reads, round+1, want)
			}
			l.pass(time.Hour) // until now the last sweep has just been
		}
		cancel()
		running.Wait()
	}
}

// Run sweeps until it is told to end; a worker that died blocks the others for a
// while only.
func TestRun(t *testing.T) {
	l := newLibrary(t, core.Options{}, policies)
	l.users(3)
	l.pass(30 * day)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx, time.Hour) }()
	for range 1000 {
		if e, _, err := l.Library("u1002").Get(ctx, "leave"); err == nil && len(e.Record.Moves) > 0 {
			if rows, _ := l.Store().Personal(ctx, "", "u1002", store.Page{}); len(rows) == 1 {
				break
			}
		}
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Run ended with %v", err)
	}
	ctx = context.Background()
	if err := l.Run(ctx, 0); !errors.Is(err, core.ErrInvalidOptions) {
		t.Errorf("no interval: %v", err)
	}
	lease := store.Blob{Name: "sweep/lease", Fingerprint: "a worker that died", Updated: l.clock.time().UnixNano()}
	if err := l.Store().PutBlob(ctx, "", lease); err != nil {
		t.Fatal(err)
	}
	if s, err := l.Sweep(ctx); err != nil || !s.Skipped || s.Users != 0 {
		t.Errorf("beside another worker: %+v, %v", s, err)
	}
	l.pass(time.Hour)
	if s, err := l.Sweep(ctx); err != nil || s.Skipped {
		t.Errorf("after it died: %+v, %v", s, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Run(ctx, time.Hour); !errors.Is(err, core.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// Callbacks come after the fact, and neither panics nor slowness reach a retrieval
// or the end of the engine.
func TestOnSuggestion(t *testing.T) {
	got := make(chan core.Suggestion, 10)
	var l *library
	release := make(chan struct{})
	defer close(release)
	calls := 0
	l = newLibrary(t, core.Options{OnSuggestion: func(ctx context.Context, s core.Suggestion) {
		if pending, err := l.Library(s.User).Suggestions(ctx); err != nil || len(pending) == 0 {
			t.Errorf("told of a suggestion that is not stored: %+v, %v", pending, err)
		}
		got <- s
		switch calls++; calls {
		case 1:
			panic("a bad callback")
		case 3:
			<-release // never returns while the engine lives
		}
	}}, policies)
	for _, user := range []string{"u1", "u2", "u3"} {
		for range 4 {
			l.ask(user, "annual leave")
		}
		select {
		case s := <-got:
			if s.User != user || s.Doc != "leave" || s.Source != "shelf" {
				t.Errorf("told %+v", s)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("not told")
		}
	}
	if len(got) != 0 {
		t.Error("told twice")
	}
	l.ask("u4", "annual leave")
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
