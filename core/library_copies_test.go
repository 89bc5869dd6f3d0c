package core_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// interrupted is a store that lets something happen once, just after a call.
type interrupted struct {
	store.Store
	mu   sync.Mutex
	call string
	do   func()
}

func (s *interrupted) after(call string, do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.call, s.do = call, do
}

func (s *interrupted) done(call string) {
	s.mu.Lock()
	var do func()
	if call == s.call {
		do, s.do = s.do, nil
	}
	s.mu.Unlock()
	if do != nil {
		do()
	}
}

func (s *interrupted) Record(ctx context.Context, r store.Retrieval) error {
	defer s.done("Record")
	return s.Store.Record(ctx, r)
}

func (s *interrupted) Update(ctx context.Context, req store.UpdateRequest, fold store.Fold) error {
	defer s.done("Update")
	return s.Store.Update(ctx, req, fold)
}

func (s *interrupted) Personal(ctx context.Context, namespace, user string, page store.Page) ([]store.Personal, error) {
	defer s.done("Personal")
	return s.Store.Personal(ctx, namespace, user, page)
}

func (s *interrupted) Texts(ctx context.Context, namespace, user string, documents []string) (map[string]string, error) {
	defer s.done("Texts")
	return s.Store.Texts(ctx, namespace, user, documents)
}

func (s *interrupted) Users(ctx context.Context, namespace string, page store.Page) ([]string, error) {
	defer s.done("Users")
	return s.Store.Users(ctx, namespace, page)
}

func (s *interrupted) Erase(ctx context.Context, namespace string, e store.Erasure) (int, error) {
	defer s.done("Erase")
	return s.Store.Erase(ctx, namespace, e)
}

func (s *interrupted) Blob(ctx context.Context, namespace, name string) (store.Blob, bool, error) {
	if name == "sweep/lease" {
		defer s.done("Blob")
	}
	return s.Store.Blob(ctx, namespace, name)
}

// files are the contents of all files below a folder by their paths in it.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			path, err = filepath.Rel(dir, path)
			out[path] = string(text)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sameCopies checks that the files are the claimed texts of the users, no more and
// no fewer.
func (l *library) sameCopies(dir, when string, users ...string) {
	l.t.Helper()
	left := files(l.t, dir)
	for _, user := range users {
		list, err := l.Library(user).List(context.Background(), core.LibraryPage{})
		if err != nil {
			l.t.Fatal(err)
		}
		for _, e := range list.Entries {
			e, _, err := l.Library(user).In(l.shelf).Get(context.Background(), e.DocID)
			if err != nil {
				l.t.Fatal(err)
			}
			found := false
			for path, text := range left {
				if e.Size > 0 && !found && strings.HasSuffix(text, "\n\n"+e.Text) && strings.Contains(text, "Document: "+e.DocID+"\n") {
					delete(left, path)
					found = true
				}
			}
			if e.Size > 0 && !found {
				l.t.Errorf("%s: no copy of %s's %s %q", when, user, e.DocID, e.Text)
			}
		}
	}
	for path, text := range left {
		l.t.Errorf("%s: %s is nobody's: %q", when, path, text)
	}
}

// Whatever happens between a row and its file, the file says what the row says in
// the end.
func TestCopiesFollowRows(t *testing.T) {
	ctx := context.Background()
	calls := map[string]func(l *library, lib *core.Library){
		"Record":   func(l *library, _ *core.Library) { l.ask("u1", "annual leave") },
		"Update":   func(_ *library, lib *core.Library) { _, _ = lib.Add(ctx, "travel") },
		"Personal": func(l *library, _ *core.Library) { _, _ = l.Sweep(ctx) },
		"Texts":    func(_ *library, lib *core.Library) { _, _ = lib.Add(ctx, "travel") },
		"Users":    func(l *library, _ *core.Library) { _, _ = l.Sweep(ctx) },
		"Erase":    func(_ *library, lib *core.Library) { _, _ = lib.Erase(ctx) },
	}
	meanwhile := map[string]func(l *library, lib *core.Library){
		"erased":  func(_ *library, lib *core.Library) { _, _ = lib.Erase(ctx) },
		"removed": func(_ *library, lib *core.Library) { _, _ = lib.Remove(ctx, "leave"); _, _ = lib.Remove(ctx, "travel") },
		"claimed": func(_ *library, lib *core.Library) { _, _ = lib.Add(ctx, "oncall") },
		"claimed again": func(l *library, lib *core.Library) {
			_, _ = lib.Remove(ctx, "leave")
			l.shelf.put("leave", "annual leave is a third text")
			_, _ = lib.Add(ctx, "leave")
		},
		"claimed by another": func(l *library, _ *core.Library) { l.claimed("u2", "leave") },
	}
	for call, work := range calls {
		for what, act := range meanwhile {
			t.Run(call+", "+what, func(t *testing.T) {
				dir := t.TempDir()
				st := &interrupted{Store: store.NewMemory()}
				l := newLibrary(t, core.Options{Store: st, Library: core.LibraryOptions{Dir: dir}}, policies)
				lib := l.Library("u1").In(l.shelf)
				l.claimed("u1", "leave")
				l.shelf.put("leave", "annual leave is another text") // which the next retrieval finds out
				happened := false
				st.after(call, func() { act(l, lib); happened = true })
				work(l, lib)
				if !happened {
					t.Fatal("nothing happened meanwhile")
				}
				l.sameCopies(dir, "then", "u1", "u2")
				if _, err := l.Sweep(ctx); err != nil {
					t.Error(err)
				}
				l.sameCopies(dir, "after a sweep", "u1", "u2")
			})
		}
	}
}

// eraseRows is an erasure that ends before the files are removed.
func eraseRows(t *testing.T, st store.Store, user string) {
	t.Helper()
	_, err := st.Erase(context.Background(), "", store.Erasure{
		User: user, Now: 1,
		Rewrite:        func(r *reputation.Record) (*reputation.Record, int) { return r, 0 },
		RewriteReceipt: func(r *reputation.Receipt) (*reputation.Receipt, int) { return r, 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A document that is claimed again just when its old copy is found to be nobody's
// keeps the new one.
func TestCopiesClaimedAgain(t *testing.T) {
	ctx := context.Background()
	for call, work := range map[string]func(l *library) error{
		"Personal": func(l *library) error { _, err := l.Library("u1").In(l.shelf).Add(ctx, "travel"); return err },
		"Users":    func(l *library) error { _, err := l.Sweep(ctx); return err },
	} {
		dir := t.TempDir()
		st := &interrupted{Store: store.NewMemory()}
		l := newLibrary(t, core.Options{Store: st, Library: core.LibraryOptions{Dir: dir}}, policies)
		l.claimed("u1", "leave")
		eraseRows(t, st, "u1")
		l.pass(time.Minute)
		st.after(call, func() { l.claimed("u1", "leave") })
		if err := work(l); err != nil {
			t.Error(err)
		}
		l.sameCopies(dir, call, "u1")
		if n := len(files(t, dir)); n == 0 {
			t.Errorf("%s: no copy at all", call)
		}
	}
}

// Several processes on one store and folder are in nobody's way.
func TestCopiesOfManyWorkers(t *testing.T) {
	dir, st := t.TempDir(), store.NewMemory()
	l := newLibrary(t, core.Options{Store: st, Library: core.LibraryOptions{Dir: dir}}, policies)
	ctx := context.Background()
	var wg sync.WaitGroup
	for w := range 4 {
		eng := newEngine(t, core.Options{
			Store: st, Gate: gate.Off{}, Clock: l.clock.time,
			Library: core.LibraryOptions{Dir: dir, Timeout: time.Minute},
		})
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 1))
			for range 60 {
				lib := eng.Library(fmt.Sprint("u", random.IntN(2))).In(l.shelf)
				doc := []string{"leave", "travel"}[random.IntN(2)]
				switch random.IntN(6) {
				case 0, 1:
					_, _ = lib.Add(ctx, doc)
				case 2:
					_, _ = lib.Remove(ctx, doc)
				case 3:
					_, _ = lib.Erase(ctx)
				case 4:
					_, _ = eng.Sweep(ctx)
				case 5:
					l.shelf.put(doc, fmt.Sprintf("%s, edition %d", policies[doc], random.IntN(5)))
					if _, err := eng.Retrieve(ctx, l.shelf, core.Query{Text: "annual costs", User: "u0"}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	l.sameCopies(dir, "in the end", "u0", "u1")
}

// A sweep puts right what a process left that was killed at any point, and touches
// nothing else.
func TestSweepPutsCopiesRight(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	st := store.NewMemory()
	l := newLibrary(t, core.Options{Store: st, Library: core.LibraryOptions{Dir: dir}}, policies)
	other := newLibrary(t, core.Options{Store: st, Namespace: "other", Library: core.LibraryOptions{Dir: dir}}, policies)
	write := func(path string, age time.Duration) {
		t.Helper()
		if err := os.WriteFile(path, []byte("private"), 0o600); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	l.claimed("u1", "leave")
	before := files(t, dir)
	var mine string
	for path := range before {
		mine = filepath.Join(dir, filepath.Dir(path))
	}
	// One that died while it wrote, and one that writes just now.
	write(filepath.Join(mine, "new-ABANDONED"), 2*time.Hour)
	write(filepath.Join(mine, "new-YOUNG"), time.Minute)
	// One that died after it had removed the claim.
	write(filepath.Join(mine, strings.Repeat("0", 32)+".txt"), 0)
	// Files that are none of ours.
	write(filepath.Join(mine, "notes"), 48*time.Hour)
	write(filepath.Join(dir, "notes.txt"), 48*time.Hour)
	// One that died while it erased the user.
	l.claimed("u2", "travel")
	eraseRows(t, st, "u2")
	other.claimed("u3", "travel")
	if n := len(files(t, dir)); n != 8 {
		t.Fatalf("%d files to begin with", n)
	}
	// One that died between row and file.
	for path := range before {
		if err := os.Remove(filepath.Join(dir, path)); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := l.Sweep(ctx); err != nil || s.Users != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	after := files(t, dir)
	for path, text := range before {
		if after[path] != text {
			t.Errorf("the missing copy is %q", after[path])
		}
		delete(after, path)
	}
	want := map[string]bool{"new-YOUNG": true, "notes": true, "notes.txt": true}
	others := 0
	for path, text := range after {
		switch {
		case strings.Contains(text, policies["travel"]):
			others++
		case !want[filepath.Base(path)]:
			t.Errorf("left: %s", path)
		}
	}
	if len(after) != 4 || others != 1 {
		t.Errorf("left: %q; want one that is being written, the other namespace's, and two of somebody else", after)
	}
	if folders, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(folders) != 3 {
		t.Errorf("folders %q, %v", folders, err)
	}
}
