package core_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/lifecycle"
)

// A document is suggested, accepted, served, changes at its source, is pinned,
// and is let go again.
func TestALifeInTheLibrary(t *testing.T) {
	l := newLibrary(t, core.Options{}, policies)
	ctx, lib := context.Background(), l.Library("u1")
	var resp *core.Response
	for range 3 {
		resp = l.ask("u1", "annual leave")
	}
	if len(resp.Suggestions) != 1 || resp.Suggestions[0].Doc != "leave" || resp.Suggestions[0].Uses != 3 {
		t.Fatalf("suggestions after three uses: %+v", resp.Suggestions)
	}
	if it := item(resp, "leave"); it.State != lifecycle.Suggested || it.Uses != 3 || it.FromLibrary {
		t.Errorf("item %+v", it)
	}
	for range 2 { // accepting again changes nothing
		e, err := lib.Accept(ctx, resp.Suggestions[0])
		if err != nil || e.State != lifecycle.Claimed || e.Origin != lifecycle.FromLoader {
			t.Fatalf("accepted: %+v, %v", e, err)
		}
	}
	resp = l.ask("u1", "annual leave")
	if it := item(resp, "leave"); !it.FromLibrary || it.State != lifecycle.Claimed || it.ID != "leave#0" || len(resp.Items) != 1 {
		t.Fatalf("claimed: %+v", resp.Items)
	}
	if len(resp.Suggestions) != 0 {
		t.Errorf("still suggested: %+v", resp.Suggestions)
	}

	l.shelf.put("leave", "annual leave is thirty days now")
	resp = l.ask("u1", "annual leave")
	if it := item(resp, "leave"); !strings.Contains(it.Text, "thirty") || len(resp.Library) != 1 || resp.Library[0].Cause != lifecycle.ContentChanged {
		t.Fatalf("after a change: %+v, %+v", resp.Items, resp.Library)
	}
	if e, ok, err := lib.Get(ctx, "leave"); err != nil || !ok || !strings.Contains(e.Text, "thirty") {
		t.Errorf("the row keeps %q, %v, %v", e.Text, ok, err)
	}
	if resp = l.ask("u1", "annual leave"); len(resp.Library) != 0 {
		t.Errorf("the change is told twice: %+v", resp.Library)
	}

	if _, err := lib.Pin(ctx, "leave"); err != nil {
		t.Fatal(err)
	}
	resp = l.ask("u1", "travel costs")
	if it := &resp.Items[0]; it.DocID != "leave" || !it.Pinned || !it.FromLibrary || it.BaseRank != -1 || len(resp.Items) != 2 {
		t.Fatalf("pinned: %+v", resp.Items)
	}
	if got := resp.Provenance().Text(); !strings.Contains(got, "PINNED") || !strings.Contains(got, "from your library") {
		t.Errorf("provenance:\n%s", got)
	}
	if _, err := lib.Remove(ctx, "leave"); err != nil {
		t.Fatal(err)
	}
	if resp = l.ask("u1", "travel costs"); item(resp, "leave") != nil {
		t.Errorf("removed and still served: %+v", resp.Items)
	}
	if e, _, err := lib.Get(ctx, "leave"); err != nil || e.Text != "" || e.State != lifecycle.Demoted {
		t.Errorf("removed: %+v, %v", e, err)
	}
}

func TestWhatTheSourceSaysBeforeServing(t *testing.T) {
	broken := errors.New("database is down")
	tests := []struct {
		name   string
		change func(s *cabinet)
		state  lifecycle.State
		note   string
		cause  lifecycle.Cause
		found  bool // by the retriever itself
	}{
		{"gone", func(s *cabinet) { s.remove("leave") }, lifecycle.Surfaced, "no longer has", lifecycle.SourceGone, false},
		{"forbidden", func(s *cabinet) { s.forbidden["leave"] = "u1" }, lifecycle.Surfaced, "may no longer", lifecycle.Forbidden, true},
		{"emptied", func(s *cabinet) { s.put("leave", "") }, lifecycle.Surfaced, "cannot be kept", lifecycle.ContentChanged, false},
		{"down", func(s *cabinet) { s.broken = broken }, lifecycle.Pinned, "does not say", 0, true},
		{"slow", func(s *cabinet) { s.slow = 200 * time.Millisecond }, lifecycle.Pinned, "does not say", 0, true},
	}
	for _, tt := range tests {
		for _, question := range []string{"annual leave", "travel costs", "nothing here matches"} {
			t.Run(tt.name+"/"+question, func(t *testing.T) {
				opts := core.Options{}
				if tt.name == "slow" {
					opts.Library.Timeout = 50 * time.Millisecond
				}
				l := newLibrary(t, opts, policies)
				l.claimed("u1", "leave")
				if _, err := l.Library("u1").In(l.shelf).Pin(context.Background(), "leave"); err != nil {
					t.Fatal(err)
				}
				tt.change(l.shelf)
				resp := l.ask("u1", question)
				it := item(resp, "leave")
				if it != nil && it.FromLibrary {
					t.Errorf("a text that may not be served is: %+v", it)
				}
				if found := tt.found && question == "annual leave"; (it != nil) != found {
					t.Errorf("the retriever's own hit: %+v", resp.Items)
				}
				if len(resp.Library) != 1 || !strings.Contains(resp.Library[0].Reason, tt.note) || resp.Library[0].Cause != tt.cause {
					t.Errorf("notes %+v", resp.Library)
				}
				if got, _, _ := l.Library("u1").Get(context.Background(), "leave"); tt.cause != 0 && got.Text != "" {
					t.Errorf("the text is kept: %+v", got)
				}
			})
		}
	}
}
