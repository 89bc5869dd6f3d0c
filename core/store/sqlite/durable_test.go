package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/core/store/sqlite"
)

func TestSyncs(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	start := s.Syncs()
	for i := range 20 {
		must(t, s.Record(t.Context(), retrieval(fmt.Sprint(i), 1, names("text", 5)...)))
	}
	if n := s.Syncs() - start; n != 0 {
		t.Errorf("20 retrievals waited for the disk %d times", n)
	}
	for i := range 20 {
		must(t, s.Update(t.Context(), store.UpdateRequest{Receipt: retrieval(fmt.Sprint(i), 1).Receipt.ID}, count))
	}
	if n := s.Syncs() - start; n != 20 {
		t.Errorf("20 feedbacks waited for the disk %d times", n)
	}
}

// TestSharedSyncs holds the first sync until everybody else has written: they all
// share the next.
func TestSharedSyncs(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	const feedbacks = 20
	for i := range feedbacks {
		must(t, s.Record(t.Context(), retrieval(fmt.Sprint(i), 1, "a")))
	}
	all := s.Written() + feedbacks
	s.OnSync(func(sync func() error) error {
		for s.Written() < all {
			time.Sleep(time.Millisecond)
		}
		return sync()
	})
	start := s.Syncs()
	var wg sync.WaitGroup
	for i := range feedbacks {
		wg.Go(func() {
			if err := s.Update(t.Context(), store.UpdateRequest{Receipt: retrieval(fmt.Sprint(i), 1).Receipt.ID}, count); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := s.Syncs() - start; n > 2 {
		t.Errorf("%d feedbacks at once waited for the disk %d times, want 2 at most", feedbacks, n)
	}
}

// TestLostWrite has a disk that reports a lost write once, as Linux does: nothing is
// confirmed until everything was written anew.
func TestLostWrite(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	must(t, s.Record(t.Context(), retrieval("r", 1, "a")))
	feedback := func() error {
		return s.Update(t.Context(), store.UpdateRequest{Receipt: retrieval("r", 1).Receipt.ID}, count)
	}
	lost := errors.New("lost")
	s.OnSync(func(sync func() error) error {
		if err := lost; err != nil {
			lost = nil
			return err
		}
		return sync()
	})
	release := s.Reading(t) // the log cannot be emptied
	for range 3 {
		if err := feedback(); !errors.Is(err, sqlite.ErrUnconfirmed) {
			t.Errorf("after a lost write: %v", err)
		}
		s.WaitForCheckpoints()
	}
	release()
	_ = feedback()
	s.WaitForCheckpoints()
	must(t, feedback())
}

// TestErasedBytesWhileReading erases while somebody reads: what the log still holds
// goes with one of the next writes.
func TestErasedBytesWhileReading(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path)
	r := retrieval("r", 1, "a")
	r.Receipt.User, r.Receipt.Query = "u", "a very private question"
	must(t, s.Record(t.Context(), r))
	release := s.Reading(t)
	eraseUser(t, s)
	if !inFiles(t, path, "a very private") {
		t.Fatal("the reader did not keep the log")
	}
	release()
	for i := range 16 {
		must(t, s.Record(t.Context(), retrieval(fmt.Sprint(i), 2, "a")))
	}
	s.WaitForCheckpoints()
	if inFiles(t, path, "a very private") {
		t.Error("the log still holds an erased text after nobody read any more")
	}
}

// TestLogIsBounded writes many times the size at which the log is copied into the
// file and starts over.
func TestLogIsBounded(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	s.LimitLog(256 << 10)
	var longest int64
	for i := range 400 {
		must(t, s.PutBlob(t.Context(), "", store.Blob{Name: fmt.Sprint(i % 10), Data: make([]byte, 32<<10)}))
		longest = max(longest, s.LogLength())
	}
	if longest > 4<<20 {
		t.Errorf("the log grew to %d KiB while 12,800 KiB were written", longest>>10)
	}
}

// TestOtherStores writes to one file from two stores: neither shows what the
// other has replaced.
func TestOtherStores(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	a, b := open(t, path), open(t, path)
	stores := []store.Store{a, b}
	r := retrieval("r", 1, "text")
	must(t, a.Record(t.Context(), r))
	for i := range 40 {
		must(t, stores[i%2].Update(t.Context(), store.UpdateRequest{Receipt: r.Receipt.ID}, count))
		for _, s := range stores {
			l, err := s.Load(t.Context(), store.LoadRequest{Source: "src", IDs: []string{"text"}})
			must(t, err)
			if n := counted(l.Documents[hash("text")].Evidence); n != float32(i+1) {
				t.Fatalf("after %d updates a store counts %v", i+1, n)
			}
		}
	}
	moved := retrieval("moved", 2, "text")
	moved.Aliases[0].Hash = hash("other")
	must(t, b.Record(t.Context(), moved))
	l, err := a.Load(t.Context(), store.LoadRequest{Source: "src", IDs: []string{"text"}})
	must(t, err)
	if l.Aliases["text"].Hash != hash("other") {
		t.Error("an alias that another store has moved is shown as it was")
	}
}

// TestOtherExpiry removes receipts from another store: this one does not go on
// removing as if they were there.
func TestOtherExpiry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	a, b := open(t, path), open(t, path)
	const limit = 4_000
	must(t, a.Import(t.Context(), "", rows(limit)))
	record := func(i int) {
		t.Helper()
		r := retrieval(fmt.Sprint("new ", i), limit, "a")
		r.MaxReceipts = limit
		must(t, a.Record(t.Context(), r))
	}
	record(0)
	n, err := b.Expire(t.Context(), "", store.Bounds{Now: 999})
	must(t, err)
	if n != 1_000 {
		t.Fatalf("%d receipts expired, want 1,000", n)
	}
	for i := range 20 {
		record(1 + i)
	}
	left := 0
	for after := ""; ; {
		rows, err := a.Receipts(t.Context(), "", "", store.Page{After: after})
		must(t, err)
		if left += len(rows); len(rows) == 0 {
			break
		}
		after = string(rows[len(rows)-1].ID[:])
	}
	if left != limit-1_000+21 {
		t.Errorf("%d receipts are left, want %d", left, limit-1_000+21)
	}
}

// TestErasedBytes looks for an erased text in the file itself.
func TestErasedBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path)
	secret := strings.Repeat("a very private text ", 1_000)
	r := retrieval("r", 1, "a")
	r.Receipt.User, r.Receipt.Query = "u", "a very private question"
	r.Personal = []store.Personal{{Document: "d"}}
	r.Fold = func(int64, []store.Personal) ([]store.PersonalChange, error) {
		return []store.PersonalChange{{Personal: store.Personal{Document: "d", Text: secret}}}, nil
	}
	must(t, s.Record(t.Context(), r))
	if !inFiles(t, path, "a very private") {
		t.Fatal("the text is not found where it should be")
	}
	eraseUser(t, s)
	if inFiles(t, path, "a very private") {
		t.Error("an erased text is still in the file or the log")
	}
}

// TestErasedBytesBefore looks for what was already gone when its user was erased:
// texts and questions long enough to need pages of their own.
func TestErasedBytesBefore(t *testing.T) {
	secret := strings.Repeat("a very private text ", 3_000)
	for name, remove := range map[string]func(*testing.T, store.Store) error{
		"a text replaced": func(t *testing.T, s store.Store) error {
			return changeText(t, s, store.PersonalChange{Personal: store.Personal{Document: "d", Text: "short"}})
		},
		"a row deleted": func(t *testing.T, s store.Store) error {
			return changeText(t, s, store.PersonalChange{Personal: store.Personal{Document: "d"}, Delete: true})
		},
		"a receipt expired": func(t *testing.T, s store.Store) error {
			_, err := s.Expire(t.Context(), "", store.Bounds{Now: 1 << 40})
			return err
		},
		"a receipt too many": func(t *testing.T, s store.Store) error {
			r := retrieval("x", 2, "a")
			r.MaxReceipts = 1
			return s.Record(t.Context(), r)
		},
	} {
		path := filepath.Join(t.TempDir(), "state.db")
		s := open(t, path)
		r := retrieval("r", 1, "a")
		r.Receipt.User, r.Receipt.Query = "u", secret
		if name == "a text replaced" || name == "a row deleted" {
			r.Receipt.Query = ""
			r.Personal = []store.Personal{{Document: "d"}}
			r.Fold = func(int64, []store.Personal) ([]store.PersonalChange, error) {
				return []store.PersonalChange{{Personal: store.Personal{Document: "d", Text: secret}}}, nil
			}
		}
		must(t, s.Record(t.Context(), r))
		must(t, remove(t, s))
		eraseUser(t, s)
		if inFiles(t, path, "a very private") {
			t.Errorf("%s: the text is still in the file or the log after the user was erased", name)
		}
	}
}

// eraseUser erases u, in whose evidence there is nothing to rewrite.
func eraseUser(t *testing.T, s store.Store) {
	t.Helper()
	_, err := s.Erase(t.Context(), "", store.Erasure{
		User: "u", Now: 1,
		Rewrite:        func(r *reputation.Record) (*reputation.Record, int) { return r, 0 },
		RewriteReceipt: func(r *reputation.Receipt) (*reputation.Receipt, int) { return r, 0 },
	})
	must(t, err)
}

func changeText(t *testing.T, s store.Store, c store.PersonalChange) error {
	return s.Update(t.Context(), store.UpdateRequest{User: "u", Personal: []string{"d"}}, func(store.View) (store.Changes, error) {
		return store.Changes{Personal: []store.PersonalChange{c}}, nil
	})
}

// TestPlans sees that no call of the engine reads a whole table or sorts, so that
// its cost does not grow with the state.
func TestPlans(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	ctx := t.Context()
	for i := range 3 {
		r := retrieval(fmt.Sprint(i), int64(i), names("text", 5)...)
		r.Receipt.User, r.MaxReceipts, r.MaxPersonal = "u", 1, 1
		r.Personal = []store.Personal{{Document: fmt.Sprint("d", i)}}
		r.Fold = func(_ int64, rows []store.Personal) ([]store.PersonalChange, error) {
			rows[0].Text = "text"
			return []store.PersonalChange{{Personal: rows[0]}}, nil
		}
		must(t, s.Record(ctx, r))
		must(t, s.Update(ctx, store.UpdateRequest{Receipt: r.Receipt.ID, Personal: []string{"d2"}, Actors: []string{"user:u"}}, count))
	}
	must(t, s.Update(ctx, store.UpdateRequest{User: "u", Personal: []string{"d2"}}, func(v store.View) (store.Changes, error) {
		return store.Changes{Personal: []store.PersonalChange{{Personal: v.Personal["d2"], Delete: true}}}, nil
	}))
	must(t, s.PutBlob(ctx, "", store.Blob{Name: "b"}))
	_, _, err := s.Blob(ctx, "", "b")
	must(t, err)
	must(t, s.DeleteBlob(ctx, "", "b"))
	_, err = s.Load(ctx, store.LoadRequest{Source: "src", IDs: []string{"x"}, Hashes: []store.Hash{hash("x")}, User: "u", Personal: []string{"d2"}})
	must(t, err)
	_, err = s.Texts(ctx, "", "u", []string{"d2"})
	must(t, err)
	must(t, s.Export(ctx, "", io.Discard)) // pages through every listing
	_, err = s.Receipts(ctx, "", "u", store.Page{})
	must(t, err)
	_, err = s.Tallies(ctx, "", "n", store.Page{})
	must(t, err)
	_, err = s.Users(ctx, "", store.Page{})
	must(t, err)
	scans, err := s.Scans()
	must(t, err)
	for _, q := range scans {
		t.Error(q)
	}
}

// inFiles looks for a text in the file and its log.
func inFiles(t *testing.T, path, text string) bool {
	t.Helper()
	for _, name := range []string{path, path + "-wal"} {
		// A copy by another process: to open and close the file here would drop
		// the locks that the store holds on it.
		b, err := exec.Command("cat", name).Output()
		must(t, err)
		if bytes.Contains(b, []byte(text)) {
			return true
		}
	}
	return false
}
