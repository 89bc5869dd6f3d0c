package core_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/store"
)

// outcomesOf is what the item of a document says of its outcomes.
func outcomesOf(t testing.TB, eng *core.Engine, src core.Source, id string) string {
	t.Helper()
	for _, it := range retrieve(t, eng, src, core.Query{Text: "the question", K: 9}).Items {
		if _, said, ok := strings.Cut(it.Reason, ": "); ok && it.ID == id {
			said, _, _ = strings.Cut(said, ", ")
			return said
		}
	}
	return ""
}

func wantOutcomes(t testing.TB, eng *core.Engine, src core.Source, id, want string) {
	t.Helper()
	if got := outcomesOf(t, eng, src, id); !strings.HasPrefix(got, want) || want == "" && strings.Contains(got, "good") {
		t.Errorf("outcomes of %s: %q, want %q", id, got, want)
	}
}

func TestErasingAUserTakesWhatTheySaid(t *testing.T) {
	onEveryStore(t, func(t *testing.T, st store.Store) {
		c := newClock(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
		eng := newEngine(t, core.Options{Gate: gate.Off{}, Clock: c.time, Store: st})
		src, ctx := fixed(letters(3)...), context.Background()
		q := core.Query{Text: "the question"}
		q.User = "mine"
		mine := retrieve(t, eng, src, q)
		q.User = "other"
		other := retrieve(t, eng, src, q)
		feed(t, eng, mine.Receipt, core.Verified(true).On("a"))
		feed(t, eng, other.Receipt, core.Verified(true).On("b"))
		wantOutcomes(t, eng, src, "a", "1.0 good")

		if _, err := eng.EraseUser(ctx, ""); !errors.Is(err, core.ErrUserRequired) {
			t.Errorf("nobody: %v", err)
		}
		if n, err := eng.EraseUser(ctx, "mine"); err != nil || n == 0 {
			t.Fatalf("%d rows, %v", n, err)
		}
		wantOutcomes(t, eng, src, "a", "")
		wantOutcomes(t, eng, src, "b", "1.0 good")
		if _, err := eng.Feedback(ctx, mine.Receipt, core.Verified(true).On("a")); !errors.Is(err, core.ErrUnknownReceipt) {
			t.Errorf("a late signal on a receipt of theirs: %v", err)
		}
		if _, err := eng.Feedback(ctx, other.Receipt, core.Rated("user:mine", core.Up)); !errors.Is(err, core.ErrErased) {
			t.Errorf("a late thumb of theirs: %v", err)
		}
		wantOutcomes(t, eng, src, "a", "")
		var dump bytes.Buffer
		if err := st.Export(ctx, "", &dump); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(dump.String(), "mine"); n > 1 { // the tombstone
			t.Errorf("the store still names the user %d times", n)
		}
		// A user of that name who comes later is somebody else.
		c.set(c.time().Add(time.Hour))
		q.User = "mine"
		feed(t, eng, retrieve(t, eng, src, q).Receipt, core.Rated("user:mine", core.Up).On("a"))
	})
}

func TestErasingARaterTakesWhatTheySaid(t *testing.T) {
	onEveryStore(t, func(t *testing.T, st store.Store) {
		c := newClock(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
		eng := newEngine(t, core.Options{Gate: gate.Off{}, Clock: c.time, Store: st})
		src, ctx := fixed(letters(3)...), context.Background()
		ask := func() *core.Response { return retrieve(t, eng, src, core.Query{Text: "the question"}) }
		first, second := ask(), ask()
		feed(t, eng, first.Receipt, core.Judged("judge:bought", 1).On("a"))
		feed(t, eng, second.Receipt, core.Verified(true).On("b"))
		if got := outcomesOf(t, eng, src, "a"); !strings.Contains(got, "good") || strings.HasPrefix(got, "0.0") {
			t.Fatalf("a judge's opinion left %q", got)
		}
		if n, err := eng.EraseRater(ctx, "judge:bought"); err != nil || n == 0 {
			t.Fatalf("%d rows, %v", n, err)
		}
		wantOutcomes(t, eng, src, "a", "")
		wantOutcomes(t, eng, src, "b", "1.0 good")
		for _, r := range []*core.Response{first, second} {
			if _, err := eng.Feedback(ctx, r.Receipt, core.Judged("judge:bought", 1)); !errors.Is(err, core.ErrErased) {
				t.Errorf("a late signal: %v", err)
			}
		}
		if _, err := eng.Feedback(ctx, first.Receipt, core.Judged("judge:honest", .9)); err != nil {
			t.Errorf("another judge: %v", err)
		}
		c.set(c.time().Add(time.Hour))
		feed(t, eng, ask().Receipt, core.Judged("judge:bought", 0))
		for _, name := range []string{"", "judge", "judge:", "verifier:x"} {
			if _, err := eng.EraseRater(ctx, name); !errors.Is(err, core.ErrInvalidSignal) {
				t.Errorf("rater %q: %v", name, err)
			}
		}
	})
}

func TestErasingADocumentTakesWhatWasSaidOfIt(t *testing.T) {
	onEveryStore(t, func(t *testing.T, st store.Store) {
		eng := newEngine(t, core.Options{Gate: gate.Off{}, Store: st})
		src, ctx := fixed(letters(3)...), context.Background()
		shown := retrieve(t, eng, src, core.Query{Text: "the question"})
		feed(t, eng, shown.Receipt, core.Verified(true))
		wantOutcomes(t, eng, src, "a", "1.0 good")
		hash := shown.Items[0].Hash
		if n, err := eng.EraseDocument(ctx, hash); err != nil || n == 0 {
			t.Fatalf("%d rows, %v", n, err)
		}
		docs, err := st.Documents(ctx, "", store.Page{})
		if err != nil || len(docs) != 2 {
			t.Errorf("documents %v, %v", docs, err)
		}
		// What is said late reaches the others alone.
		feed(t, eng, shown.Receipt, core.Verified(false))
		if docs, _ := st.Documents(ctx, "", store.Page{}); len(docs) != 2 {
			t.Error("a late signal brought an erased text back")
		}
		wantOutcomes(t, eng, src, "b", "0.0 good and 1.0 bad")
		wantOutcomes(t, eng, src, "a", "")
	})
}

func TestErasureNeedsAnOpenEngine(t *testing.T) {
	eng, err := core.New(core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	eng.Close()
	_, user := eng.EraseUser(context.Background(), "u")
	_, rater := eng.EraseRater(context.Background(), "judge:x")
	_, document := eng.EraseDocument(context.Background(), store.Hash{1})
	_, upkeep := eng.Upkeep(context.Background())
	for _, err := range []error{user, rater, document, upkeep} {
		if !errors.Is(err, core.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

// meanwhile is a store to which something happens right before the next write.
type meanwhile struct {
	store.Store
	next func()
}

func (s *meanwhile) happen() {
	if do := s.next; do != nil {
		s.next = nil
		do()
	}
}

func (s *meanwhile) Record(ctx context.Context, r store.Retrieval) error {
	s.happen()
	return s.Store.Record(ctx, r)
}

func (s *meanwhile) Update(ctx context.Context, req store.UpdateRequest, fold store.Fold) error {
	s.happen()
	return s.Store.Update(ctx, req, fold)
}

// TestErasingAUserWhileTheyAsk erases a user while a retrieval or an action of
// theirs is under way: it leaves nothing behind.
func TestErasingAUserWhileTheyAsk(t *testing.T) {
	onEveryStore(t, func(t *testing.T, st store.Store) {
		c := newClock(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
		slow := &meanwhile{Store: st}
		eng := newEngine(t, core.Options{Gate: gate.Off{}, Clock: c.time, Store: slow, KeepQueries: true})
		ctx := context.Background()
		erase := func() {
			c.set(c.time().Add(time.Second))
			if _, err := eng.EraseUser(ctx, "mine"); err != nil {
				t.Error(err)
			}
			c.set(c.time().Add(time.Second))
		}
		searching := core.SourceFunc{
			Description: core.SourceInfo{Name: "fixed", Kind: core.CosineSimilarity},
			Func: func(context.Context, core.Query, int) (core.Hits, error) {
				erase()
				return core.Hits{Candidates: letters(3)}, nil
			},
		}
		q := core.Query{Text: "a private question", User: "mine"}
		for name, ask := range map[string]func() error{
			"while the source searches": func() error {
				resp, err := eng.Retrieve(ctx, searching, q)
				if err != nil || len(resp.Items) != 3 {
					t.Errorf("got %+v, %v", resp, err)
				}
				return resp.Unlearned
			},
			"before the receipt": func() error {
				slow.next = erase
				resp, err := eng.Retrieve(ctx, fixed(letters(3)...), q)
				if err != nil || !resp.Receipt.IsZero() {
					t.Errorf("got %+v, %v", resp, err)
				}
				return resp.Unlearned
			},
			"before the library": func() error {
				slow.next = erase
				_, err := eng.Library("mine").In(fixed()).AddText(ctx, "doc-a", "a private text")
				return err
			},
		} {
			if err := ask(); !errors.Is(err, core.ErrErased) {
				t.Errorf("%s: %v", name, err)
			}
			var dump bytes.Buffer
			if err := st.Export(ctx, "", &dump); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(dump.String(), "mine"); n > 1 || strings.Contains(dump.String(), "private") { // the tombstone
				t.Errorf("%s: the store still names the user %d times", name, n)
			}
		}
		if resp := retrieve(t, eng, fixed(letters(3)...), q); resp.Receipt.IsZero() {
			t.Error("a later user of that name gets no receipt")
		}
	})
}
