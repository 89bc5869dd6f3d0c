package core_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/store"
)

// Everything at once: users ask, answer, rate, sweep and erase on shared rows while
// documents change. Nobody ever sees another's text, and nothing is left broken.
func TestEverythingAtOnce(t *testing.T) {
	onEveryStore(t, func(t *testing.T, st store.Store) {
		l := newLibrary(t, core.Options{Store: st, Library: core.LibraryOptions{Dir: t.TempDir()}}, policies)
		own := vectors("", nil, core.Candidate{ID: "diary", Text: "nothing", Score: .5})
		var wg sync.WaitGroup
		for w := range 6 {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(uint64(w), 1))
				for range 25 {
					busy(t, l, own, fmt.Sprint("u", random.IntN(3)), random)
				}
			})
		}
		wg.Wait()
		for i := range 3 {
			user := fmt.Sprint("u", i)
			if _, err := l.Library(user).Erase(context.Background()); err != nil {
				t.Error(err)
			}
		}
		if left, err := st.Users(context.Background(), "", store.Page{}); err != nil || len(left) != 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	})
}

// busy does one thing at random. Refusals are part of the game.
func busy(t *testing.T, l *library, own core.Source, user string, random *rand.Rand) {
	ctx, lib := context.Background(), l.Library(user).In(l.shelf)
	doc := []string{"leave", "travel", "oncall"}[random.IntN(3)]
	switch random.IntN(12) {
	case 0:
		_, _ = lib.Pin(ctx, doc)
	case 1:
		_, _ = lib.Add(ctx, doc)
	case 2:
		_, _ = lib.Remove(ctx, doc)
	case 3:
		_, _ = lib.Block(ctx, doc)
	case 4:
		_, _ = lib.Unblock(ctx, doc)
	case 5:
		_ = lib.Up(ctx, doc)
	case 6:
		l.shelf.put(doc, fmt.Sprintf("%s, edition %d", policies[doc], random.IntN(5)))
	case 7:
		_, _ = l.Sweep(ctx)
	case 8:
		_, _ = lib.Erase(ctx)
	case 9:
		_, _ = lib.In(own).AddText(ctx, "diary", "the diary of "+user)
	default:
		l.pass(day)
		for _, src := range []core.Source{l.shelf, own} {
			resp, err := l.Retrieve(ctx, src, core.Query{Text: "annual is costs", User: user, K: 2})
			if err != nil || resp.Unlearned != nil && !errors.Is(resp.Unlearned, core.ErrErased) {
				t.Errorf("retrieve: %v, %v", err, resp)
				return
			}
			for _, it := range resp.Items {
				if strings.HasPrefix(it.Text, "the diary") && it.Text != "the diary of "+user {
					t.Errorf("%s reads %q", user, it.Text)
				}
			}
			if len(resp.Items) > 0 {
				_, _ = l.Feedback(ctx, resp.Receipt, core.Rated("user:"+user, core.Up).On(resp.Items[0].ID), core.Verified(random.IntN(2) == 0))
			}
		}
	}
}
