package core_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/store"
)

// A retrieval waits no longer than it is told for loaders that hang, however many
// do, and serves again once they answer.
func TestHangingLoaders(t *testing.T) {
	l := newLibrary(t, core.Options{Library: core.LibraryOptions{Timeout: 5 * time.Millisecond}}, policies)
	src := &hanging{cabinet: l.shelf, until: make(chan struct{})}
	l.claimed("u1", "leave")
	for range 100 {
		resp := retrieve(t, l.Engine, src, core.Query{Text: "annual leave", User: "u1"})
		if len(resp.Items) != 1 || resp.Items[0].FromLibrary {
			t.Fatalf("items %+v", resp.Items)
		}
	}
	close(src.until)
	for range 1000 {
		if resp := retrieve(t, l.Engine, src, core.Query{Text: "annual leave", User: "u1"}); resp.Items[0].FromLibrary {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("never served again")
}

type hanging struct {
	*cabinet
	until chan struct{}
}

func (h *hanging) LoadDocument(ctx context.Context, user, doc string) (core.Loaded, error) {
	<-h.until // whatever the context says
	return h.cabinet.LoadDocument(ctx, user, doc)
}

// Only its source can tell what passes a filter, so the library adds nothing that
// was not found.
func TestFiltersHoldForTheLibrary(t *testing.T) {
	l := newLibrary(t, core.Options{}, policies)
	for _, doc := range []string{"leave", "oncall"} {
		if _, err := l.Library("u1").In(l.shelf).Pin(context.Background(), doc); err != nil {
			t.Fatal(err)
		}
	}
	l.claimed("u1", "travel")
	resp := retrieve(t, l.Engine, l.shelf, core.Query{Text: "annual leave", User: "u1", Filter: "team: hr"})
	if len(resp.Items) != 1 || resp.Items[0].DocID != "leave" || !resp.Items[0].FromLibrary {
		t.Errorf("items %+v", resp.Items)
	}
	if len(resp.Library) != 1 || resp.Library[0].DocID != "oncall" {
		t.Errorf("notes %+v", resp.Library)
	}
}

// What the library may add is bounded; what does not fit is told of.
func TestTheLibraryHasABudget(t *testing.T) {
	l := newLibrary(t, core.Options{Library: core.LibraryOptions{Items: 1, Tokens: 50}}, nil)
	l.shelf.put("long", strings.Repeat("a long text about anything ", 20))
	l.shelf.put("short", "a short text")
	l.shelf.put("other", "another short text")
	for _, doc := range []string{"long", "short", "other"} {
		if _, err := l.Library("u1").In(l.shelf).Pin(context.Background(), doc); err != nil {
			t.Fatal(err)
		}
		l.pass(time.Minute)
	}
	resp := l.ask("u1", "nothing matches")
	if len(resp.Items) != 1 || resp.Items[0].DocID != "short" || len(resp.Library) != 2 {
		t.Errorf("items %+v, notes %+v", resp.Items, resp.Library)
	}
	resp = l.ask("u1", "long anything") // found, so its chunk is shown whatever its length
	if it := resp.Items[0]; len(resp.Items) != 2 || it.DocID != "long" || !it.FromLibrary || !it.Pinned {
		t.Errorf("items %+v", resp.Items)
	}
}

// A document too large to be kept whole is kept as the chunks shown, and dropped
// when it changes.
func TestLargeDocuments(t *testing.T) {
	l := newLibrary(t, core.Options{}, nil)
	l.shelf.put("book", "preface "+strings.Repeat("x", lifecycle.MaxText))
	ctx, lib := context.Background(), l.Library("u1").In(l.shelf)
	if _, err := lib.Add(ctx, "book"); !errors.Is(err, lifecycle.ErrTooLarge) {
		t.Errorf("the whole book: %v", err)
	}
	excerpt := &hanging{cabinet: newCabinet("shelf", map[string]string{"book": "preface and more"}), until: make(chan struct{})}
	offer, _ := retrieve(t, l.Engine, excerpt, core.Query{Text: "preface", User: "u1"}).Offer("book")
	if e, err := lib.Accept(ctx, offer); err != nil || e.Origin != lifecycle.FromChunks {
		t.Fatalf("%+v, %v", e, err)
	}
	finder := &excerpts{cabinet: l.shelf, chunks: excerpt.docs}
	resp := retrieve(t, l.Engine, finder, core.Query{Text: "preface", User: "u1"})
	if len(resp.Items) != 1 || !resp.Items[0].FromLibrary || len(resp.Library) != 0 {
		t.Errorf("unchanged: %+v, %+v", resp.Items, resp.Library)
	}
	l.shelf.put("book", "another preface "+strings.Repeat("y", lifecycle.MaxText))
	resp = retrieve(t, l.Engine, finder, core.Query{Text: "preface", User: "u1"})
	if len(resp.Items) != 1 || resp.Items[0].FromLibrary || len(resp.Library) != 1 {
		t.Errorf("changed: %+v, %+v", resp.Items, resp.Library)
	}
}

// excerpts finds given chunks and loads whole documents.
type excerpts struct {
	*cabinet
	chunks []core.Candidate
}

func (e *excerpts) Search(context.Context, core.Query, int) (core.Hits, error) {
	return core.Hits{Candidates: slices.Clone(e.chunks)}, nil
}

// A user has no more rows than there may be, however they come about.
func TestRowsAreBounded(t *testing.T) {
	ctx := context.Background()
	for name, act := range map[string]func(l *library, lib *core.Library, doc string) error{
		"up": func(_ *library, lib *core.Library, doc string) error { return lib.Up(ctx, doc) },
		"decline": func(_ *library, lib *core.Library, doc string) error {
			_, err := lib.Decline(ctx, core.Suggestion{Suggestion: lifecycle.Suggestion{Doc: doc}})
			return err
		},
		"block and take back": func(_ *library, lib *core.Library, doc string) error {
			if _, err := lib.Block(ctx, doc); err != nil {
				return err
			}
			_, err := lib.Unblock(ctx, doc)
			return err
		},
		"a late thumb": func(l *library, _ *core.Library, doc string) error {
			src := vectors("", nil, core.Candidate{ID: doc, Text: doc, Score: .9})
			late := retrieve(l.t, l.Engine, src, core.Query{Text: "q", User: "u1"})
			for i := range 12 { // which make the row go
				src := vectors("", nil, core.Candidate{ID: fmt.Sprint(doc, ".", i), Text: "another", Score: .9})
				retrieve(l.t, l.Engine, src, core.Query{Text: "q", User: "u1"})
				l.pass(time.Second)
			}
			_, err := l.Feedback(ctx, late.Receipt, core.Rated("user:u1", core.Up).On(doc))
			return err
		},
	} {
		onEveryStore(t, func(t *testing.T, st store.Store) {
			l := newLibrary(t, core.Options{Store: st, Lifecycle: lifecycle.Options{MaxRecords: 10}}, policies)
			lib := l.Library("u1").In(l.shelf)
			l.claimed("u1", "leave")
			for i := range 30 {
				if err := act(l, lib, fmt.Sprint("doc", i)); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				l.pass(time.Minute)
			}
			rows, err := st.Personal(ctx, "", "u1", store.Page{})
			if err != nil || len(rows) != 10 {
				t.Errorf("%s: %d rows of at most 10, %v", name, len(rows), err)
			}
			if e, _, err := lib.Get(ctx, "leave"); err != nil || e.State != lifecycle.Claimed {
				t.Errorf("%s: what the user keeps is %v, %v", name, e.State, err)
			}
		})
	}
}
