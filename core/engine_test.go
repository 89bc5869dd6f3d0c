package core_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
)

// clock is a hand-moved clock. The engine may read it in the background.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock(t time.Time) *clock { return &clock{now: t} }

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

func newEngine(t testing.TB, opts core.Options) *core.Engine {
	t.Helper()
	eng, err := core.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := eng.Close(); err != nil {
			t.Error(err)
		}
	})
	return eng
}

// fixed is a source with the same candidates for every query.
func fixed(cands ...core.Candidate) core.Source {
	return core.SourceFunc{
		Description: core.SourceInfo{Name: "fixed", Kind: core.CosineSimilarity},
		Func: func(_ context.Context, _ core.Query, n int) (core.Hits, error) {
			return core.Hits{Candidates: cands[:min(n, len(cands))]}, nil
		},
	}
}

// letters returns n candidates a, b, c, ... of falling similarity.
func letters(n int) []core.Candidate {
	out := make([]core.Candidate, n)
	for i := range out {
		id := string(rune('a' + i))
		out[i] = core.Candidate{ID: id, DocID: "doc-" + id, Text: "text of " + id, Score: .9 - .02*float64(i)}
	}
	return out
}

func retrieve(t testing.TB, eng *core.Engine, src core.Source, q core.Query) *core.Response {
	t.Helper()
	resp, err := eng.Retrieve(context.Background(), src, q)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Unlearned != nil {
		t.Fatal(resp.Unlearned)
	}
	return resp
}

func feed(t testing.TB, eng *core.Engine, id core.ReceiptID, signals ...core.Signal) core.Update {
	t.Helper()
	u, err := eng.Feedback(context.Background(), id, signals...)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestOutcomesChangeTheNextRanking(t *testing.T) {
	eng := newEngine(t, core.Options{})
	src := fixed(letters(4)...)
	q := core.Query{Text: "which letter", K: 3}
	first := retrieve(t, eng, src, q)
	if got := first.IDs(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Fatalf("without evidence: %v, want the retriever's order", got)
	}
	for range 4 {
		r := retrieve(t, eng, src, q)
		for _, id := range r.IDs() {
			feed(t, eng, r.Receipt, core.Verified(id == "b").On("doc-"+id))
		}
	}
	after := retrieve(t, eng, src, q)
	if after.Items[0].ID != "b" || after.Items[len(after.Items)-1].ID == "b" {
		t.Fatalf("after outcomes: %v, want b first", after.IDs())
	}
	if it := after.Items[0]; it.Posterior.Mean <= .5 || it.Posterior.Mass <= 2 || it.Reason == "" {
		t.Errorf("item does not explain itself: %+v", it)
	}
}

func TestReceiptsAreCheckedBeforeAnythingChanges(t *testing.T) {
	c := newClock(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	eng := newEngine(t, core.Options{Clock: c.time, ReceiptTTL: time.Hour})
	src := fixed(letters(3)...)
	mine := retrieve(t, eng, src, core.Query{Text: "q", User: "u1"})
	other := newEngine(t, core.Options{Store: eng.Store(), Namespace: "other", Clock: c.time})
	nan := math.NaN()
	tests := []struct {
		name    string
		eng     *core.Engine
		ctx     context.Context
		id      core.ReceiptID
		signals []core.Signal
		want    error
	}{
		{"zero receipt", eng, nil, core.ReceiptID{}, []core.Signal{core.Verified(true)}, core.ErrUnknownReceipt},
		{"unknown receipt", eng, nil, core.ReceiptID{1}, []core.Signal{core.Verified(true)}, core.ErrUnknownReceipt},
		{"another namespace", other, nil, mine.Receipt, []core.Signal{core.Verified(true)}, core.ErrUnknownReceipt},
		{"another user", eng, core.WithUser(context.Background(), "u2"), mine.Receipt, []core.Signal{core.Verified(true)}, core.ErrForeignReceipt},
		{"no signal", eng, nil, mine.Receipt, nil, core.ErrInvalidSignal},
		{"zero signal", eng, nil, mine.Receipt, []core.Signal{{}}, core.ErrInvalidSignal},
		{"not a number", eng, nil, mine.Receipt, []core.Signal{core.Judged("judge:x", nan)}, core.ErrInvalidSignal},
		{"out of range", eng, nil, mine.Receipt, []core.Signal{core.VerifiedBy("x", 1.01)}, core.ErrInvalidSignal},
		{"negative", eng, nil, mine.Receipt, []core.Signal{core.Behaved("behaviour:x", -.1)}, core.ErrInvalidSignal},
		{"no class", eng, nil, mine.Receipt, []core.Signal{core.Judged("x", 1)}, core.ErrInvalidSignal},
		{"opinion posing as verifier", eng, nil, mine.Receipt, []core.Signal{core.Judged("verifier:x", 1)}, core.ErrInvalidSignal},
		{"used out of range", eng, nil, mine.Receipt, []core.Signal{core.Verified(true).Used(map[string]float64{"a": 2})}, core.ErrInvalidSignal},
		{"on nothing", eng, nil, mine.Receipt, []core.Signal{core.Verified(true).On()}, core.ErrInvalidSignal},
		{"on and used", eng, nil, mine.Receipt, []core.Signal{core.Verified(true).On("a").Used(map[string]float64{"a": 1})}, core.ErrInvalidSignal},
		{"check without a name", eng, nil, mine.Receipt, []core.Signal{core.VerifiedBy("", 1)}, core.ErrInvalidSignal},
		{"a name too long", eng, nil, mine.Receipt, []core.Signal{core.Judged("judge:"+strings.Repeat("x", 300), 1)}, core.ErrInvalidSignal},
		{"a name of no text", eng, nil, mine.Receipt, []core.Signal{core.Judged("judge:\xff", 1)}, core.ErrInvalidSignal},
		{"on a stranger", eng, nil, mine.Receipt, []core.Signal{core.Verified(true).On("a", "zzz")}, core.ErrUnknownDocument},
		{"used partly nothing", eng, nil, mine.Receipt, []core.Signal{core.Judged("judge:x", 1).UsedPartly(nil)}, core.ErrInvalidSignal},
		{"used a stranger", eng, nil, mine.Receipt, []core.Signal{core.Verified(true).Used(map[string]float64{"zzz": 1})}, core.ErrUnknownDocument},
		{"one good, one bad", eng, nil, mine.Receipt, []core.Signal{core.Verified(false).On("a"), core.Judged("judge:x", 7)}, core.ErrInvalidSignal},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx := tt.ctx
			if ctx == nil {
				ctx = context.Background()
			}
			if _, err := tt.eng.Feedback(ctx, tt.id, tt.signals...); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
	for i, it := range retrieve(t, eng, src, core.Query{Text: "q"}).Items {
		if it.Posterior != mine.Items[i].Posterior {
			t.Errorf("%s: %+v after refused signals", it.ID, it.Posterior)
		}
	}
	c.set(c.time().Add(2 * time.Hour))
	if _, err := eng.Feedback(context.Background(), mine.Receipt, core.Verified(true)); !errors.Is(err, core.ErrExpiredReceipt) && !errors.Is(err, core.ErrUnknownReceipt) {
		t.Errorf("expired receipt: %v", err)
	}
}

// A receipt of no user in particular takes signals from everybody who holds it.
func TestReceiptsOfNobodyTakeSignals(t *testing.T) {
	eng := newEngine(t, core.Options{})
	r := retrieve(t, eng, fixed(letters(3)...), core.Query{Text: "q"})
	u, err := eng.Feedback(core.WithUser(context.Background(), "u1"), r.Receipt, core.Rated("user:u1", core.Up).On("a"))
	if err != nil || len(u.Documents) != 1 {
		t.Errorf("%+v, %v", u, err)
	}
	mine, err := eng.Retrieve(core.WithUser(context.Background(), "u1"), fixed(letters(3)...), core.Query{Text: "q"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := eng.Feedback(context.Background(), mine.Receipt, core.Verified(true)); err != nil {
		t.Errorf("code that speaks for no user: %v", err)
	}
}

func TestRepeatedSignalCountsOnce(t *testing.T) {
	eng := newEngine(t, core.Options{})
	src := fixed(letters(3)...)
	r := retrieve(t, eng, src, core.Query{Text: "q"})
	if u := feed(t, eng, r.Receipt, core.Verified(true)); u.Duplicate || u.Outcome != 1 || u.Weight != 1 || len(u.Documents) != 3 {
		t.Errorf("first: %+v", u)
	}
	mass := retrieve(t, eng, src, core.Query{Text: "q"}).Items[0].Posterior.Mass
	if u := feed(t, eng, r.Receipt, core.Verified(true)); !u.Duplicate {
		t.Errorf("second: %+v", u)
	}
	if again := retrieve(t, eng, src, core.Query{Text: "q"}).Items[0].Posterior.Mass; again != mass {
		t.Errorf("mass %v, then %v", mass, again)
	}
}

func TestModes(t *testing.T) {
	src := fixed(letters(4)...)
	eng := newEngine(t, core.Options{})
	q := core.Query{Text: "q", K: 3}
	for range 3 {
		r := retrieve(t, eng, src, q)
		feed(t, eng, r.Receipt, core.Verified(false).On(r.IDs()[0]))
	}
	on := retrieve(t, eng, src, q).IDs()
	q.Mode = core.Shadow
	shadow := retrieve(t, eng, src, q)
	var proposed []string
	for _, it := range shadow.Proposed {
		proposed = append(proposed, it.ID)
	}
	if !slices.Equal(shadow.IDs(), []string{"a", "b", "c"}) || !slices.Equal(proposed, on) || shadow.Receipt.IsZero() {
		t.Errorf("shadow shows %v, proposes %v; on shows %v", shadow.IDs(), proposed, on)
	}
	feed(t, eng, shadow.Receipt, core.Verified(false).On("a")) // shadow learns
	q.Mode = core.Off
	off := retrieve(t, eng, src, q)
	if !slices.Equal(off.IDs(), []string{"a", "b", "c"}) || !off.Receipt.IsZero() || !off.HasEvidence() {
		t.Errorf("off shows %v, receipt %v", off.IDs(), off.Receipt)
	}
}

func TestEmptyQueriesAskNobody(t *testing.T) {
	var asked atomic.Int64 // calibration asks in the background once the engine is used
	src := core.SourceFunc{Description: core.SourceInfo{Name: "s"}, Func: func(context.Context, core.Query, int) (core.Hits, error) {
		asked.Add(1)
		return core.Hits{}, nil
	}}
	eng := newEngine(t, core.Options{})
	for _, text := range []string{"", "   ", "\n\t"} {
		if _, err := eng.Retrieve(context.Background(), src, core.Query{Text: text}); !errors.Is(err, core.ErrEmptyQuery) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the source was asked %d times", n)
	}
	resp, err := eng.Retrieve(context.Background(), src, core.Query{Text: "q"})
	if err != nil || resp.Verdict != core.Empty || resp.HasEvidence() || !resp.Receipt.IsZero() || resp.Context(0) != "" {
		t.Errorf("nothing found: %+v, %v", resp, err)
	}
}

func TestSourceErrorsKeepTheirIdentity(t *testing.T) {
	boom := errors.New("boom")
	eng := newEngine(t, core.Options{})
	bad := core.SourceFunc{Description: core.SourceInfo{Name: "s"}, Func: func(context.Context, core.Query, int) (core.Hits, error) {
		return core.Hits{}, fmt.Errorf("inner: %w", boom)
	}}
	if _, err := eng.Retrieve(context.Background(), bad, core.Query{Text: "q"}); !errors.Is(err, boom) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cut := core.SourceFunc{Description: core.SourceInfo{Name: "s"}, Func: func(context.Context, core.Query, int) (core.Hits, error) {
		cancel() // a source that returns nothing, and no error, when cancelled
		return core.Hits{}, nil
	}}
	if _, err := eng.Retrieve(ctx, cut, core.Query{Text: "q"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled search: %v", err)
	}
	var typedNil *core.SourceFunc
	for _, src := range []core.Source{nil, typedNil, core.SourceFunc{}} {
		if _, err := eng.Retrieve(context.Background(), src, core.Query{Text: "q"}); !errors.Is(err, core.ErrInvalidSource) {
			t.Errorf("source %#v: %v", src, err)
		}
	}
}
