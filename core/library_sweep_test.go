package core_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
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

// However many workers sweep, every move is made once, and a round is one worker's.
func TestWorkersShareTheSweep(t *testing.T) {
	onEveryStore(t, func(t *testing.T, st store.Store) {
		l := newLibrary(t, core.Options{Store: st}, policies)
		l.users(40)
		l.pass(30 * day)
		var mu sync.Mutex
		var total core.Swept
		var wg sync.WaitGroup
		for range 4 {
			eng := newEngine(t, core.Options{Store: st, Gate: gate.Off{}, Clock: l.clock.time})
			wg.Go(func() {
				s, err := eng.Sweep(context.Background())
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				total.Moves += s.Moves
				total.Deleted += s.Deleted
			})
		}
		wg.Wait()
		if total.Moves != 80 || total.Deleted != 40 {
			t.Errorf("all together: %+v", total)
		}
	})
}

// Of the workers that run, one does each round; one that died blocks the others for
// a while only.
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
