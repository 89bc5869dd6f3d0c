package core_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/lifecycle"
)

const day = 24 * time.Hour

func TestAnswersToSuggestions(t *testing.T) {
	l := newLibrary(t, core.Options{}, policies)
	ctx, lib := context.Background(), l.Library("u1")
	suggested := func() core.Suggestion {
		t.Helper()
		for range 40 {
			if s := l.ask("u1", "annual leave").Suggestions; len(s) > 0 {
				return s[0]
			}
		}
		t.Fatal("never suggested")
		return core.Suggestion{}
	}
	first := suggested()
	if again := l.ask("u1", "annual leave").Suggestions; len(again) != 1 || again[0].ID != first.ID {
		t.Errorf("a pending suggestion is not shown again: %+v", again)
	}
	if list, err := lib.Suggestions(ctx); err != nil || len(list) != 1 || list[0].ID != first.ID || list[0].Source != "shelf" {
		t.Errorf("pending: %+v, %v", list, err)
	}
	for range 2 {
		e, err := lib.Decline(ctx, first)
		if err != nil || e.State != lifecycle.Surfaced || e.Record.Intent.Declines != 1 {
			t.Fatalf("declined: %+v, %v", e, err)
		}
	}
	for range 10 {
		if s := l.ask("u1", "annual leave").Suggestions; len(s) > 0 {
			t.Fatal("suggested again within 30 days")
		}
	}
	l.pass(31 * day)
	second := suggested()
	if second.ID != first.ID+1 {
		t.Errorf("suggestion %d after %d", second.ID, first.ID)
	}
	l.pass(15 * day)
	if list, err := lib.Suggestions(ctx); err != nil || len(list) != 0 {
		t.Errorf("pending after it expired: %+v, %v", list, err)
	}
	if e, err := lib.Accept(ctx, second); err != nil || e.State != lifecycle.Claimed {
		t.Fatalf("accepted late: %+v, %v", e, err)
	}
	if _, err := lib.Decline(ctx, core.Suggestion{Suggestion: lifecycle.Suggestion{Doc: "leave"}}); !errors.Is(err, lifecycle.ErrClaimed) {
		t.Errorf("declining what is in the library: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	l := newLibrary(t, core.Options{Lifecycle: lifecycle.Options{MaxRecords: 2}}, policies)
	ctx, lib := context.Background(), l.Library("u1")
	shown := l.ask("u1", "annual leave")
	offer, ok := shown.Offer("leave")
	if _, unknown := shown.Offer("zzz"); !ok || unknown {
		t.Fatal("offers are of what is shown")
	}
	never := offer
	never.ID = 7
	l.shelf.forbidden["oncall"] = "u1"
	second := newCabinet("second", policies)
	retrieve(t, l.Engine, second, core.Query{Text: "annual", User: "u2"})
	tests := []struct {
		name string
		do   func() (core.Entry, error)
		want error
	}{
		{"no user", func() (core.Entry, error) { return l.Library("").Pin(ctx, "leave") }, core.ErrUserRequired},
		{"no document", func() (core.Entry, error) { return lib.Pin(ctx, "") }, core.ErrDocumentRequired},
		{"which source", func() (core.Entry, error) { return lib.Pin(ctx, "travel") }, core.ErrSourceRequired},
		{"another user's", func() (core.Entry, error) { return l.Library("u2").Accept(ctx, offer) }, lifecycle.ErrUnknownSuggestion},
		{"never made", func() (core.Entry, error) { return lib.Accept(ctx, never) }, lifecycle.ErrUnknownSuggestion},
		{"gone", func() (core.Entry, error) { return lib.In(l.shelf).Add(ctx, "zzz") }, core.ErrGone},
		{"forbidden", func() (core.Entry, error) { return lib.In(l.shelf).Add(ctx, "oncall") }, core.ErrForbidden},
		{"not claimed", func() (core.Entry, error) { return lib.Remove(ctx, "leave") }, lifecycle.ErrNotClaimed},
		{"no text", func() (core.Entry, error) { return lib.In(fixed()).Add(ctx, "zzz") }, lifecycle.ErrNoContent},
		{"not UTF-8", func() (core.Entry, error) { return lib.In(fixed()).AddText(ctx, "z", "\xff") }, lifecycle.ErrInvalidText},
		{"too large", func() (core.Entry, error) {
			return lib.In(fixed()).AddText(ctx, "z", strings.Repeat("x", lifecycle.MaxText+1))
		}, lifecycle.ErrTooLarge},
	}
	for _, tt := range tests {
		if _, err := tt.do(); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", tt.name, err, tt.want)
		}
	}
	list, err := lib.List(ctx, core.LibraryPage{})
	if err != nil || len(list.Entries) != 1 || list.Entries[0].State != lifecycle.Surfaced {
		t.Errorf("refused and yet: %+v, %v", list.Entries, err)
	}
	for _, doc := range []string{"leave", "travel"} {
		l.claimed("u1", doc)
	}
	if _, err := lib.In(fixed()).AddText(ctx, "z", "text"); !errors.Is(err, lifecycle.ErrFull) {
		t.Errorf("a full library: %v", err)
	}
	if _, err := lib.Unpin(ctx, "leave"); err != nil {
		t.Errorf("the only document of that name: %v", err)
	}
}

// A thumb is a signal on the newest receipt that shows the document, counts once,
// and may be changed; without a receipt it counts for the user alone.
func TestThumbs(t *testing.T) {
	l := newLibrary(t, core.Options{ReceiptTTL: 10 * day}, policies)
	ctx, lib := context.Background(), l.Library("u1")
	l.ask("u1", "is annual")
	shown := l.ask("u1", "is annual")
	opinion := func() lifecycle.Opinion {
		t.Helper()
		e, _, err := lib.Get(ctx, "leave")
		if err != nil {
			t.Fatal(err)
		}
		return e.Record.Opinion
	}
	for range 3 {
		if err := lib.Up(ctx, "leave"); err != nil {
			t.Fatal(err)
		}
	}
	if o := opinion(); o.Up != 1 || o.Down != 0 || o.Posterior.Mass <= 2 {
		t.Errorf("after a thumb up, three times: %+v", o)
	}
	if u := feed(t, l.Engine, shown.Receipt, core.Rated("user:u1", core.Up).On("leave#0")); !u.Duplicate {
		t.Errorf("the thumb is not on the newest receipt: %+v", u)
	}
	feed(t, l.Engine, shown.Receipt, core.Rated("user:u1", core.Down).On("leave"))
	if o := opinion(); math.Abs(o.Up) > 1e-9 || math.Abs(o.Down-1) > 1e-9 {
		t.Errorf("after a change of mind: %+v", o)
	}
	feed(t, l.Engine, shown.Receipt, core.Rated("user:u2", core.Down).On("leave"), core.Judged("judge:x", 0))
	if o := opinion(); math.Abs(o.Down-1) > 1e-9 {
		t.Errorf("others' opinions are taken for the user's: %+v", o)
	}
	l.pass(11 * day) // no receipt takes signals any more
	if err := lib.Down(ctx, "leave"); err != nil {
		t.Fatal(err)
	}
	if o := opinion(); o.Down < 1.9 || o.Down > 2 {
		t.Errorf("without a receipt: %+v", o)
	}
	if err := lib.Up(ctx, "never shown"); err != nil {
		t.Fatal(err)
	}
	if e, ok, err := lib.Get(ctx, "never shown"); err != nil || !ok || e.Record.Opinion.Up != 1 {
		t.Errorf("a thumb without any history: %+v, %v", e, err)
	}
}

// Bad outcomes, whoever reports them, take a place away and prevent a suggestion;
// what the user pinned stays.
func TestBadOutcomesTakeThePlace(t *testing.T) {
	l := newLibrary(t, core.Options{}, policies)
	ctx := context.Background()
	l.claimed("claimer", "leave")
	l.claimed("pinner", "leave")
	if _, err := l.Library("pinner").In(l.shelf).Pin(ctx, "leave"); err != nil {
		t.Fatal(err)
	}
	l.ask("claimer", "annual leave")
	for range 12 {
		resp := l.ask("stranger", "annual leave")
		if len(resp.Suggestions) > 0 && len(resp.Items) == 0 {
			t.Fatal("a suggestion of nothing")
		}
		feed(t, l.Engine, resp.Receipt, core.Verified(false).On("leave"))
	}
	if got := l.state("stranger", "leave"); got != lifecycle.Surfaced {
		t.Errorf("a bad document is %v to who saw it fail", got)
	}
	l.ask("claimer", "annual leave") // learns of it now
	if got := l.state("claimer", "leave"); got != lifecycle.Demoted {
		t.Errorf("claimed and bad: %v", got)
	}
	l.ask("pinner", "annual leave")
	if got := l.state("pinner", "leave"); got != lifecycle.Pinned {
		t.Errorf("pinned by the user and bad: %v", got)
	}
	for range 5 {
		if s := l.ask("newcomer", "annual leave").Suggestions; len(s) > 0 {
			t.Fatalf("a bad document is suggested: %+v", s)
		}
	}
}

// A suggestion may be answered long after it was made: a sweep in between does not
// take what it was about away, nor do more documents than a user may have rows for.
func TestSuggestionsAreAnsweredLate(t *testing.T) {
	ctx := context.Background()
	offered := func(l *library) core.Suggestion {
		t.Helper()
		for range 5 {
			for _, s := range l.ask("u1", "annual leave").Suggestions {
				return s
			}
		}
		t.Fatal("never suggested")
		return core.Suggestion{}
	}
	for name, answer := range map[string]func(*core.Library, core.Suggestion) (core.Entry, error){
		"accepted": func(lib *core.Library, s core.Suggestion) (core.Entry, error) { return lib.Accept(ctx, s) },
		"declined": func(lib *core.Library, s core.Suggestion) (core.Entry, error) { return lib.Decline(ctx, s) },
	} {
		l := newLibrary(t, core.Options{}, policies)
		s := offered(l)
		l.pass(200 * day)
		if _, err := l.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if e, err := answer(l.Library("u1"), s); err != nil || (e.State == lifecycle.Claimed) != (name == "accepted") {
				t.Errorf("%s after 200 days: %v, %v", name, e.State, err)
			}
		}

		l = newLibrary(t, core.Options{Lifecycle: lifecycle.Options{MaxRecords: 2}}, policies)
		s = offered(l)
		for range 3 {
			l.pass(day)
			l.ask("u1", "travel")
			l.ask("u1", "dials")
		}
		if _, kept, err := l.Library("u1").Get(ctx, s.Doc); err != nil || kept {
			t.Fatalf("the row should have made room: %v", err)
		}
		for range 2 {
			if e, err := answer(l.Library("u1"), s); err != nil || (e.State == lifecycle.Claimed) != (name == "accepted") {
				t.Errorf("%s after others took its place: %v, %v", name, e.State, err)
			}
		}
	}
}
