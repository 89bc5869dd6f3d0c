package core_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
)

func TestTraceHoldsEveryResponse(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	src := fixed(letters(4)...)
	outer, parent := core.WithTrace(core.WithUser(context.Background(), "u1"))
	ctx, trace := core.WithTrace(core.WithQuestion(outer, "in the user's words"))
	for range 3 {
		if _, err := eng.Retrieve(ctx, src, core.Query{Text: "rephrased", K: 2}); err != nil {
			t.Fatal(err)
		}
	}
	if len(trace.All()) != 3 || len(parent.All()) != 0 || parent.Last() != nil {
		t.Fatalf("trace holds %d, its parent %d", len(trace.All()), len(parent.All()))
	}
	if last := trace.Last(); last.User != "u1" || last.Question != "in the user's words" || last.Query != "rephrased" {
		t.Errorf("last: %+v", last)
	}
	updates, err := trace.Feedback(ctx, core.Verified(true), core.Rated("user:u1", core.Down).On("a"))
	if err != nil || len(updates) != 3 {
		t.Errorf("feedback: %v, %v", updates, err)
	}
	if _, err := trace.Feedback(ctx, core.Verified(true).On("nobody")); !errors.Is(err, core.ErrUnknownDocument) {
		t.Errorf("feedback about a document that nothing shows: %v", err)
	}
}

// A signal of what the answer used goes where what it names was shown, like one On
// documents.
func TestTraceDeliversWhatWasUsed(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	ctx, trace := core.WithTrace(context.Background())
	for _, src := range []core.Source{fixed(letters(2)...), fixed(letters(4)[2:]...)} {
		if _, err := eng.Retrieve(ctx, src, core.Query{Text: "which letter"}); err != nil {
			t.Fatal(err)
		}
	}
	for name, s := range map[string]core.Signal{
		"used": core.Verified(true).Used(map[string]float64{"typo": 1}), "partly": core.Verified(true).UsedPartly(map[string]float64{"typo": 1}),
		"on none": core.Verified(true).On(),
	} {
		if u, err := trace.Feedback(ctx, s); !errors.Is(err, core.ErrUnknownDocument) || len(u) != 0 {
			t.Errorf("%s: a document that nobody showed: %v, %v", name, u, err)
		}
	}
	u, err := trace.Feedback(ctx, core.Verified(true).Used(map[string]float64{"c": 1}))
	if err != nil || len(u) != 1 || u[0].Receipt != trace.Last().Receipt {
		t.Errorf("%v, %v", u, err)
	}
	if u, err := trace.Feedback(ctx, core.Verified(true).Used(nil)); err != nil || len(u) != 2 {
		t.Errorf("nothing was used: %v, %v", u, err)
	}
}

func TestTraceIsSafeForConcurrentUse(t *testing.T) {
	eng := newEngine(t, core.Options{})
	src := fixed(letters(8)...)
	ctx, trace := core.WithTrace(context.Background())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				resp, err := eng.Retrieve(ctx, src, core.Query{Text: "q", K: 3})
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := eng.Feedback(ctx, resp.Receipt, core.Verified(true)); err != nil {
					t.Error(err)
				}
				trace.Last()
			}
		})
	}
	wg.Wait()
	if len(trace.All()) != 160 {
		t.Errorf("trace holds %d responses, want 160", len(trace.All()))
	}
}

func TestTraceIsBounded(t *testing.T) {
	eng := newEngine(t, core.Options{})
	ctx, trace := core.WithTrace(context.Background())
	src := fixed(letters(1)...)
	for range core.MaxTrace + 5 {
		if _, err := eng.Retrieve(ctx, src, core.Query{Text: "q", Mode: core.Off}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(trace.All()); n != core.MaxTrace {
		t.Errorf("trace holds %d responses", n)
	}
}

func TestVectorSlotKeepsTheFirst(t *testing.T) {
	ctx, slot := core.WithVectorSlot(context.Background())
	v := []float32{1, 2}
	core.VectorSlotFrom(ctx).Set("q", v)
	core.VectorSlotFrom(ctx).Set("other", []float32{3})
	v[0] = 9
	if got := slot.Get("q"); len(got) != 2 || got[0] != 1 {
		t.Errorf("slot holds %v", got)
	}
	if slot.Get("other") != nil {
		t.Error("the slot answers for a text it was not given")
	}
	core.VectorSlotFrom(context.Background()).Set("q", v) // no slot: nothing happens
}
