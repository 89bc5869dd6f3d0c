package core_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/core/store/sqlite"
)

// expiring is a context that ends after it was looked at so many times.
type expiring struct {
	context.Context
	left atomic.Int64
}

func (c *expiring) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// cutShort is a store whose first erasure is cut short.
type cutShort struct {
	store.Store
	after int64
}

func (s *cutShort) Erase(ctx context.Context, namespace string, e store.Erasure) (int, error) {
	cut := &expiring{Context: ctx}
	cut.left.Store(s.after)
	if s.after = 1 << 40; cut.left.Load() == s.after {
		return s.Store.Erase(ctx, namespace, e)
	}
	return s.Store.Erase(cut, namespace, e)
}

// Wherever an erasure of a text was cut short, repeating it finishes it.
func TestErasingATextMayBeRepeated(t *testing.T) {
	ctx := context.Background()
	for after := range int64(10) {
		db, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "state.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		l := newLibrary(t, core.Options{Store: &cutShort{db, after}}, policies)
		hash := item(l.ask("", "annual leave"), "leave").Hash
		l.ask("u1", "annual leave")
		if rows, err := db.Personal(ctx, "", "u1", store.Page{}); err != nil || len(rows) == 0 {
			t.Fatal(rows, err)
		}
		_, first := l.EraseDocument(ctx, hash)
		if _, err := l.EraseDocument(ctx, hash); err != nil {
			t.Fatal(err)
		}
		rows, err := db.Personal(ctx, "", "u1", store.Page{})
		if err != nil || len(rows) != 0 {
			t.Errorf("cut short after %d looks (%v) and repeated: %d rows left, %v", after, first, len(rows), err)
		}
	}
}

// An erasure that the caller gave up just as the store was done takes the saved
// copies with it.
func TestErasingATextTakesItsCopies(t *testing.T) {
	st, dir := &interrupted{Store: store.NewMemory()}, t.TempDir()
	l := newLibrary(t, core.Options{Store: st, Library: core.LibraryOptions{Dir: dir}}, policies)
	hash := item(l.ask("", "annual leave"), "leave").Hash
	l.claimed("u1", "leave")
	ctx, cancel := context.WithCancel(context.Background())
	st.after("Erase", cancel)
	_, _ = l.EraseDocument(ctx, hash) // whether the caller is told is of no consequence here
	if copies, err := filepath.Glob(filepath.Join(dir, "*", "*")); err != nil || len(copies) != 0 {
		t.Errorf("left: %v, %v", copies, err)
	}
}

// unconfirmed is a store that writes a blob and cannot say so.
type unconfirmed struct {
	store.Store
	silent atomic.Bool
}

func (s *unconfirmed) PutBlob(ctx context.Context, namespace string, b store.Blob) error {
	err := s.Store.PutBlob(ctx, namespace, b)
	if err == nil && s.silent.Load() {
		return context.DeadlineExceeded
	}
	return err
}

// Statistics that were written without anybody knowing are not counted again, also
// when their engine would have begun a new blob by then.
func TestUnconfirmedStatisticsAreCountedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := store.NewMemory()
		defer mem.Close()
		st := &unconfirmed{Store: mem}
		eng := join(t, st)
		report(t, eng, 10, true)
		wait(time.Minute)
		wantStored(t, "at first", mem, 10)
		wait(230 * time.Second)
		st.silent.Store(true)
		report(t, eng, 50, true)
		wait(22 * time.Second)
		st.silent.Store(false)
		wait(time.Minute)
		wantStored(t, "in the end", mem, 60)
	})
}
