package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/core/store/sqlite"
)

// writes makes every kind of write and returns the errors.
func writes(ctx context.Context, s store.Store, id store.ReceiptID) map[string]error {
	errs := make(map[string]error)
	var texts []string
	for i := range 200 {
		texts = append(texts, fmt.Sprint("new ", i))
	}
	errs["Record"] = s.Record(ctx, retrieval("another", 2, texts...))
	errs["Update"] = s.Update(ctx, store.UpdateRequest{Receipt: id}, func(v store.View) (store.Changes, error) {
		ch, err := count(v)
		for i := range 500 {
			ch.Tallies = append(ch.Tallies, store.Tally{Name: fmt.Sprint("tally ", i), Values: []float64{1}})
		}
		return ch, err
	})
	errs["PutBlob"] = s.PutBlob(ctx, "", store.Blob{Name: "b", Data: make([]byte, 1<<16)})
	return errs
}

// checkUnwritable sees that writes fail whole and that reads go on.
func checkUnwritable(t *testing.T, s store.Store) {
	t.Helper()
	id := retrieval("r", 1).Receipt.ID
	for name, err := range writes(t.Context(), s, id) {
		if !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if tally, docs := counts(t, s); tally != 1 || len(docs) != 2 || docs[0] != 1 || docs[1] != 1 {
		t.Errorf("after failed writes: tally %v, documents %v", tally, docs)
	}
	l, err := s.Load(t.Context(), store.LoadRequest{Source: "src", IDs: []string{"a", "b", "new 1"}})
	must(t, err)
	if len(l.Aliases) != 2 || counted(l.Documents[hash("a")].Evidence) != 1 {
		t.Errorf("after failed writes: loaded %+v", l)
	}
	if rows, err := s.Receipts(t.Context(), "", "", store.Page{}); err != nil || len(rows) != 1 {
		t.Errorf("after failed writes: %d receipts, %v", len(rows), err)
	}
}

func inhabit(t *testing.T, s store.Store) {
	t.Helper()
	must(t, s.Record(t.Context(), retrieval("r", 1, "a", "b")))
	must(t, s.Update(t.Context(), store.UpdateRequest{Receipt: retrieval("r", 1).Receipt.ID}, count))
}

func TestFullDisk(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	inhabit(t, s)
	pages, err := s.Pages()
	must(t, err)
	must(t, s.LimitPages(pages+1))
	checkUnwritable(t, s)
	// With room again, everything goes on.
	must(t, s.LimitPages(0))
	for name, err := range writes(t.Context(), s, retrieval("r", 1).Receipt.ID) {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if tally, docs := counts(t, s); tally != 2 || len(docs) != 202 {
		t.Errorf("tally %v, %d documents", tally, len(docs))
	}
}

// TestFullDiskNames fills the disk after a write has given a number to a new
// source and looked it up: the number is not remembered.
func TestFullDiskNames(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	inhabit(t, s)
	r := retrieval("another", 2, names("text", 500)...)
	r.Receipt.Shown, r.Receipt.Evidence = r.Receipt.Shown[:2], nil // the aliases fill the disk
	for i := range r.Aliases {
		r.Aliases[i].Source = fmt.Sprint("source ", i%2)
	}
	pages, err := s.Pages()
	must(t, err)
	must(t, s.LimitPages(pages+1))
	if err := s.Record(t.Context(), r); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Record: %v", err)
	}
	must(t, s.LimitPages(0))
	must(t, s.PutBlob(t.Context(), "another namespace", store.Blob{Name: "b"}))
	must(t, s.Record(t.Context(), r))
	rows, err := s.Aliases(t.Context(), "", "source 1", store.Page{})
	must(t, err)
	if len(rows) != 250 {
		t.Errorf("%d aliases of the source, want 250", len(rows))
	}
}

func TestReadOnly(t *testing.T) {
	for name, closed := range map[string]bool{"after the writer": true, "next to the writer": false} {
		path := filepath.Join(t.TempDir(), "state.db")
		w := open(t, path)
		inhabit(t, w)
		if closed {
			must(t, w.Close())
		}
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{ReadOnly: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkUnwritable(t, s)
		must(t, s.Close())
	}
}

// TestUnconfirmed has a disk that fails when it is asked to keep what was written.
func TestUnconfirmed(t *testing.T) {
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), sqlite.Options{})
	must(t, err)
	inhabit(t, s)
	must(t, s.BreakSync())
	for range 2 {
		err = s.Update(t.Context(), store.UpdateRequest{Receipt: retrieval("r", 1).Receipt.ID}, count)
		if !errors.Is(err, sqlite.ErrUnconfirmed) {
			t.Errorf("Update: %v", err)
		}
	}
	must(t, s.Record(t.Context(), retrieval("another", 2, "a")))
	if tally, _ := counts(t, s); tally != 3 {
		t.Errorf("tally %v, want 3: what is not confirmed is there all the same", tally)
	}
	if err := s.Close(); err == nil {
		t.Error("Close did not report the broken log")
	}
}

// TestBusy holds the file's lock as another process would: writes end in
// ErrConflict or with their context, loads go on.
func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{BusyTimeout: 50 * time.Millisecond})
	must(t, err)
	defer s.Close()
	inhabit(t, s)
	db, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	defer db.Close()
	c, err := db.Conn(t.Context())
	must(t, err)
	_, err = c.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	must(t, err)
	for name, err := range writes(t.Context(), s, retrieval("r", 1).Receipt.ID) {
		if !errors.Is(err, store.ErrConflict) {
			t.Errorf("%s while another process writes: %v", name, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := s.Record(ctx, retrieval("another", 2, "a")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a write whose context ends: %v", err)
	}
	if l, err := s.Load(t.Context(), store.LoadRequest{Source: "src", IDs: []string{"a"}}); err != nil || len(l.Aliases) != 1 {
		t.Errorf("a load while another process writes: %v", err)
	}
	_, err = c.ExecContext(t.Context(), "ROLLBACK")
	must(t, err)
	must(t, s.Record(t.Context(), retrieval("another", 2, "a")))
}

// TestFoldsThatFail leaves the store as it was and usable.
func TestFoldsThatFail(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	inhabit(t, s)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic of a fold was swallowed")
			}
		}()
		_ = s.Update(t.Context(), store.UpdateRequest{Receipt: retrieval("r", 1).Receipt.ID}, func(store.View) (store.Changes, error) { panic("in the fold") })
	}()
	must(t, s.Update(t.Context(), store.UpdateRequest{Receipt: retrieval("r", 1).Receipt.ID}, count))
	if tally, _ := counts(t, s); tally != 2 {
		t.Errorf("tally %v, want 2", tally)
	}
	// A fold that takes its time does not keep loads waiting.
	held, release := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- s.Update(context.Background(), store.UpdateRequest{Receipt: retrieval("r", 1).Receipt.ID}, func(v store.View) (store.Changes, error) {
			close(held)
			<-release
			return count(v)
		})
	}()
	<-held
	l, err := s.Load(t.Context(), store.LoadRequest{Source: "src", IDs: []string{"a"}})
	if err != nil || counted(l.Documents[hash("a")].Evidence) != 2 {
		t.Errorf("a load beside a slow fold: %v, %+v", err, l)
	}
	close(release)
	must(t, <-done)
}
