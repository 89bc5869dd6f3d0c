package core_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/core/store/sqlite"
)

// onEveryStore runs a test on an empty store of every kind that needs no server.
func onEveryStore(t *testing.T, f func(t *testing.T, st store.Store)) {
	t.Run("memory", func(t *testing.T) {
		st := store.NewMemory()
		t.Cleanup(func() { _ = st.Close() })
		f(t, st)
	})
	t.Run("sqlite", func(t *testing.T) {
		st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := st.Close(); err != nil {
				t.Error(err)
			}
		})
		f(t, st)
	})
}

// Eight goroutines with an engine each use one document 300 times; nothing is
// lost.
func TestConcurrentUsesAllCount(t *testing.T) {
	onEveryStore(t, func(t *testing.T, st store.Store) {
		const workers, each = 8, 300
		c := newClock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
		opts := core.Options{Store: st, Gate: gate.Off{}, Clock: c.time, Lifecycle: lifecycle.Options{FrequencyCap: 1e6}}
		var wg sync.WaitGroup
		for range workers {
			eng := newEngine(t, opts)
			wg.Go(func() {
				for range each {
					resp, err := eng.Retrieve(context.Background(), fixed(letters(1)...), core.Query{Text: "q", User: "u1"})
					if err != nil || resp.Unlearned != nil {
						t.Errorf("retrieve: %v, %v", err, resp.Unlearned)
						return
					}
				}
			})
		}
		wg.Wait()
		e, _, err := newEngine(t, opts).Library("u1").In(fixed()).Get(context.Background(), "doc-a")
		if err != nil || e.Uses != workers*each || e.Record.Query != workers*each {
			t.Errorf("%d uses, query %d, %v; want %d", e.Uses, e.Record.Query, err, workers*each)
		}
	})
}

// names are ids that a careless key, path or pattern would mix up.
var names = []string{
	"a", "b", "a:b", "1:a", "3:a:b", "a/b", "../a", "..", "a\x00b", "a\nb", "%", "_", "*", "A", "user:a", "\xff",
	"a\u202eb", strings.Repeat("x", 300),
}

// No user ever gets another one's text, whatever users, sources and documents are
// called.
func TestHostileNamesNeverMeet(t *testing.T) {
	onEveryStore(t, func(t *testing.T, st store.Store) {
		ctx, dir := context.Background(), t.TempDir()
		eng := newEngine(t, core.Options{Store: st, Gate: gate.Off{}, Library: core.LibraryOptions{Dir: dir}})
		sources, docs := []string{"a", "a:b"}, []string{"b", "b:b", "a"} // joined by a colon, two pairs would be one
		secret := func(user, source, doc string) string { return fmt.Sprintf("secret %q %q %q.", user, source, doc) }
		source := func(name string) core.Source {
			return core.SourceFunc{Description: core.SourceInfo{Name: name}, Func: func(_ context.Context, q core.Query, _ int) (core.Hits, error) {
				var h core.Hits
				for i, doc := range docs {
					h.Candidates = append(h.Candidates, core.Candidate{ID: doc, Text: "public " + doc + " of " + name})
					if q.Text == "secret" { // chunks with hostile names of their own
						h.Candidates[i] = core.Candidate{ID: q.User + doc, DocID: doc, Text: secret(q.User, name, doc)}
					}
				}
				return h, nil
			}}
		}
		for i, user := range names {
			for _, src := range sources {
				lib := eng.Library(user).In(source(src))
				shown := retrieve(t, eng, source(src), core.Query{Text: "secret", User: user, K: 10})
				for _, doc := range docs {
					offer, ok := shown.Offer(doc)
					origin, add := lifecycle.FromChunks, func() (core.Entry, error) { return lib.Accept(ctx, offer) }
					if i%2 == 0 {
						origin, add = lifecycle.FromCaller, func() (core.Entry, error) { return lib.AddText(ctx, doc, secret(user, src, doc)) }
					}
					if e, err := add(); err != nil || !ok || e.Origin != origin {
						t.Fatalf("user %q: %+v, %v", user, e, err)
					}
				}
			}
		}
		for _, user := range names {
			for _, src := range sources {
				resp := retrieve(t, eng, source(src), core.Query{Text: "public", User: user, K: 10})
				served := 0
				for _, it := range resp.Items {
					if it.FromLibrary {
						served++
					}
					if strings.HasPrefix(it.Text, "secret") && it.Text != secret(user, src, it.DocID) {
						t.Fatalf("user %q got %q for %q", user, it.Text, it.DocID)
					}
				}
				if served == 0 {
					t.Errorf("user %q is served nothing from %q", user, src)
				}
				e, ok, err := eng.Library(user).In(source(src)).Get(ctx, "b:b")
				if err != nil || !ok || e.Text != secret(user, src, "b:b") {
					t.Errorf("user %q: %q, %v, %v", user, e.Text, ok, err)
				}
			}
		}
		folders, err := os.ReadDir(dir)
		if err != nil || len(folders) != len(names) {
			t.Errorf("%d folders of saved texts, %v", len(folders), err)
		}
	})
}

// tracesOf counts how often a store's export says something.
func tracesOf(t *testing.T, st store.Store, text string) int {
	t.Helper()
	var dump bytes.Buffer
	if err := st.Export(context.Background(), "", &dump); err != nil {
		t.Fatal(err)
	}
	return bytes.Count(dump.Bytes(), []byte(text))
}

// What a user leaves behind goes with them, to the last file.
func TestEraseLeavesNothing(t *testing.T) {
	onEveryStore(t, func(t *testing.T, st store.Store) {
		dir, ctx := t.TempDir(), context.Background()
		l := newLibrary(t, core.Options{Store: st, Library: core.LibraryOptions{Dir: dir}, KeepQueries: true}, policies)
		var last *core.Response
		for range 3 {
			last = l.ask("erika", "annual leave")
		}
		if _, err := l.Library("erika").Accept(ctx, last.Suggestions[0]); err != nil {
			t.Fatal(err)
		}
		if err := l.Library("erika").Up(ctx, "leave"); err != nil {
			t.Fatal(err)
		}
		if err := l.Library("erika").Down(ctx, "travel"); err != nil {
			t.Fatal(err)
		}
		l.claimed("other", "travel")
		if traces := tracesOf(t, st, "annual leave"); traces < 4 {
			t.Fatalf("%d traces of the user before", traces) // three questions and a text
		}
		if n, err := l.Library("erika").Erase(ctx); err != nil || n == 0 {
			t.Fatalf("erased %d rows, %v", n, err)
		}
		if traces := tracesOf(t, st, "annual leave"); traces > 0 {
			t.Errorf("the store still says %d times what the user asked or kept", traces)
		}
		if list, err := l.Library("erika").List(ctx, core.LibraryPage{}); err != nil || len(list.Entries) != 0 {
			t.Errorf("entries %v, %v", list.Entries, err)
		}
		if folders, err := os.ReadDir(dir); err != nil || len(folders) != 1 {
			t.Errorf("folders %v, %v; want the other user's", folders, err)
		}
		if l.state("other", "travel") != lifecycle.Claimed {
			t.Error("another user's library went with it")
		}
		// An answer that was under way brings nobody back.
		if _, err := l.Library("erika").Accept(ctx, last.Suggestions[0]); err == nil {
			t.Error("a suggestion from before was accepted")
		}
		if _, err := l.Feedback(ctx, last.Receipt, core.Rated("user:erika", core.Up).On("leave")); err == nil {
			t.Error("a signal from before was taken")
		}
	})
}

// A text that is erased goes out of every library.
func TestErasedTextsLeaveTheLibraries(t *testing.T) {
	onEveryStore(t, func(t *testing.T, st store.Store) {
		dir, ctx := t.TempDir(), context.Background()
		l := newLibrary(t, core.Options{Store: st, Library: core.LibraryOptions{Dir: dir}}, policies)
		hash := item(l.ask("", "annual leave"), "leave").Hash
		for _, user := range []string{"u1", "u2"} {
			l.claimed(user, "leave")
			l.claimed(user, "travel")
		}
		if n, err := l.EraseDocument(ctx, hash); err != nil || n < 3 {
			t.Fatalf("%d rows, %v", n, err)
		}
		for _, user := range []string{"u1", "u2"} {
			list, err := l.Library(user).List(ctx, core.LibraryPage{})
			if err != nil || len(list.Entries) != 1 || list.Entries[0].DocID != "travel" {
				t.Errorf("%s: %+v, %v", user, list.Entries, err)
			}
		}
		if n := tracesOf(t, st, "annual leave"); n != 0 {
			t.Errorf("%d traces", n)
		}
		copies, err := filepath.Glob(filepath.Join(dir, "*", "*"))
		if err != nil || len(copies) != 2 {
			t.Errorf("copies %v, %v", copies, err)
		}
	})
}
