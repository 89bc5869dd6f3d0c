package core_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/store"
)

// TestNothingStaysForEver has users who come once, texts that change and erasures.
// When the longest of all times has passed, nothing is left of them but what somebody
// wanted kept.
func TestNothingStaysForEver(t *testing.T) {
	onEveryStore(t, func(t *testing.T, st store.Store) {
		c := newClock(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
		eng := newEngine(t, core.Options{Gate: gate.Off{}, Clock: c.time, Store: st})
		ctx := context.Background()
		for i := range 20 {
			user := fmt.Sprint("anonymous ", i)
			src := fixed(core.Candidate{ID: "a", DocID: "doc-a", Text: fmt.Sprint("edition ", i), Score: .9})
			resp := retrieve(t, eng, src, core.Query{Text: "the question", User: user})
			feed(t, eng, resp.Receipt, core.Verified(true))
			if i%2 == 0 {
				if _, err := eng.EraseUser(ctx, user); err != nil {
					t.Fatal(err)
				}
			}
			c.set(c.time().Add(time.Minute))
		}
		if _, err := eng.Library("reader").In(fixed()).AddText(ctx, "doc-a", "a text to keep"); err != nil {
			t.Fatal(err)
		}
		for days, want := range []map[string]int{
			40: {"Document": 20, "Alias": 1, "Entry": 11, "Sequence": 10, "Tombstone": 10},
			// All but the first text, erased with its user, have evidence: they took it over.
			200: {"Document": 19, "Entry": 11, "Sequence": 10, "Tombstone": 10},
			366: {"Entry": 1},
		} {
			if want == nil {
				continue
			}
			c.set(time.Date(2026, 3, 1+days, 1, 0, 0, 0, time.UTC))
			if _, err := eng.Upkeep(ctx); err != nil {
				t.Fatal(err)
			}
			got := kept(t, st)
			for _, kind := range []string{"Document", "Alias", "Receipt", "Entry", "Sequence", "Tombstone"} {
				if got[kind] != want[kind] {
					t.Errorf("after %d days %d rows of kind %s are left, want %d", days, got[kind], kind, want[kind])
				}
			}
		}
	})
}

// kept counts the rows of every kind.
func kept(t *testing.T, st store.Store) map[string]int {
	t.Helper()
	var dump bytes.Buffer
	if err := st.Export(context.Background(), "", &dump); err != nil {
		t.Fatal(err)
	}
	in, err := store.NewReader(&dump)
	if err != nil {
		t.Fatal(err)
	}
	kinds := make(map[string]int)
	for {
		row, err := in.Next()
		if err != nil {
			return kinds
		}
		kinds[fmt.Sprintf("%T", row)[len("store."):]]++
	}
}

// TestShortProgramsClearUp has programs that ask one question and end.
func TestShortProgramsClearUp(t *testing.T) {
	onEveryStore(t, func(t *testing.T, st store.Store) {
		c := newClock(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
		ask := func() {
			eng, err := core.New(core.Options{Gate: gate.Off{}, Clock: c.time, Store: st, ReceiptTTL: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			retrieve(t, eng, fixed(letters(3)...), core.Query{Text: "the question"})
			if err := eng.Close(); err != nil {
				t.Error(err)
			}
		}
		for range 5 {
			ask()
			c.set(c.time().Add(24 * time.Hour))
			if n := kept(t, st)["Receipt"]; n > 2 {
				t.Fatalf("%d receipts of an hour's life are left, want those of today and yesterday", n)
			}
		}
	})
}
