package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/lifecycle"
)

// Lists come in parts that add up, whatever the size of a part, and an export holds
// the same with the texts.
func TestListsAndExports(t *testing.T) {
	l := newLibrary(t, core.Options{}, nil)
	ctx, lib := context.Background(), l.Library("u\n1").In(fixed())
	const n = 75
	for i := range n {
		doc, err := fmt.Sprintf("d%02d", i), error(nil)
		if i%3 == 0 {
			err = lib.Up(ctx, doc)
		} else {
			_, err = lib.AddText(ctx, doc, "the text of "+doc)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, limit := range []int{0, 1, 7, n, n + 1} {
		for _, states := range [][]lifecycle.State{nil, {lifecycle.Claimed}, {lifecycle.Surfaced, lifecycle.Pinned}} {
			want, got, last := map[int]int{0: n, 1: n - n/3, 2: n / 3}[len(states)], 0, ""
			for page := (core.LibraryPage{Limit: limit, States: states}); ; {
				list, err := lib.List(ctx, page)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range list.Entries {
					if e.DocID <= last || e.Source != "fixed" || e.Text != "" {
						t.Fatalf("entry %+v after %q", e, last)
					}
					last = e.DocID
					got++
				}
				if page.After = list.Next; page.After == "" {
					break
				}
			}
			if got != want {
				t.Errorf("limit %d, states %v: %d entries, want %d", limit, states, got, want)
			}
		}
	}
	var dump bytes.Buffer
	if err := lib.Export(ctx, &dump); err != nil {
		t.Fatal(err)
	}
	var back struct {
		User      string
		Documents []core.Entry
	}
	if err := json.Unmarshal(dump.Bytes(), &back); err != nil || back.User != "u\n1" || len(back.Documents) != n {
		t.Fatalf("%d documents of %q, %v", len(back.Documents), back.User, err)
	}
	for i, e := range back.Documents {
		if (i%3 != 0) != (e.Text == "the text of "+e.DocID) {
			t.Errorf("exported %+v", e)
		}
	}
	full := errors.New("disk full")
	if err := lib.Export(ctx, failing{full}); !errors.Is(err, full) {
		t.Errorf("a writer that fails: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// A suggestion survives JSON, and is accepted by another engine on the same store.
func TestSuggestionsTravel(t *testing.T) {
	l := newLibrary(t, core.Options{}, policies)
	var resp *core.Response
	for range 3 {
		resp = l.ask("u1", "annual leave")
	}
	data, err := json.Marshal(resp.Suggestions)
	if err != nil {
		t.Fatal(err)
	}
	var back []core.Suggestion
	if err := json.Unmarshal(data, &back); err != nil || len(back) != 1 || back[0].Source != "shelf" || back[0].ID != 1 {
		t.Fatalf("%s: %+v, %v", data, back, err)
	}
	other := newEngine(t, core.Options{Store: l.Store(), Clock: l.clock.time})
	e, err := other.Library("u1").In(l.shelf).Accept(context.Background(), back[0])
	if err != nil || e.State != lifecycle.Claimed {
		t.Errorf("%+v, %v", e, err)
	}
}
