package core_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/store"
)

// broken is a store whose operations fail on demand; the rest is real.
type broken struct {
	store.Store
	load, record, update error
}

func (b *broken) Load(ctx context.Context, req store.LoadRequest) (*store.Loaded, error) {
	if b.load != nil {
		return nil, b.load
	}
	return b.Store.Load(ctx, req)
}

func (b *broken) Record(ctx context.Context, r store.Retrieval) error {
	if b.record != nil {
		return b.record
	}
	return b.Store.Record(ctx, r)
}

func (b *broken) Update(ctx context.Context, req store.UpdateRequest, f store.Fold) error {
	if b.update != nil {
		return b.update
	}
	return b.Store.Update(ctx, req, f)
}

func TestAFailingStoreNeverFailsARetrieval(t *testing.T) {
	down := errors.New("connection refused")
	for name, b := range map[string]*broken{
		"load": {load: down}, "record": {record: store.ErrReadOnly}, "both": {load: down, record: down},
	} {
		t.Run(name, func(t *testing.T) {
			mem := store.NewMemory()
			defer mem.Close()
			b.Store = mem
			eng := newEngine(t, core.Options{Store: b})
			resp, err := eng.Retrieve(context.Background(), fixed(letters(3)...), core.Query{Text: "q"})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(resp.IDs(), []string{"a", "b", "c"}) || !resp.Receipt.IsZero() {
				t.Errorf("items %v, receipt %v", resp.IDs(), resp.Receipt)
			}
			if !errors.Is(resp.Unlearned, down) && !errors.Is(resp.Unlearned, store.ErrReadOnly) {
				t.Errorf("Unlearned is %v", resp.Unlearned)
			}
		})
	}
}

func TestFailedFeedbackCanBeRepeated(t *testing.T) {
	mem := store.NewMemory()
	defer mem.Close()
	b := &broken{Store: mem, update: store.ErrConflict}
	eng := newEngine(t, core.Options{Store: b})
	resp := retrieve(t, eng, fixed(letters(3)...), core.Query{Text: "q"})
	if _, err := eng.Feedback(context.Background(), resp.Receipt, core.Verified(true)); !errors.Is(err, store.ErrConflict) {
		t.Fatalf("feedback: %v", err)
	}
	b.update = nil
	if u := feed(t, eng, resp.Receipt, core.Verified(true)); u.Duplicate || len(u.Documents) != 3 {
		t.Errorf("repeated: %+v", u)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := eng.Feedback(ctx, resp.Receipt, core.Verified(false)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if u := feed(t, eng, resp.Receipt, core.Verified(true)); !u.Duplicate {
		t.Errorf("a cancelled revision left a trace: %+v", u)
	}
}

func TestClosedEngine(t *testing.T) {
	eng, err := core.New(core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := eng.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := eng.Retrieve(context.Background(), fixed(letters(1)...), core.Query{Text: "q"}); !errors.Is(err, core.ErrClosed) {
		t.Errorf("retrieve: %v", err)
	}
	if _, err := eng.Feedback(context.Background(), core.ReceiptID{1}, core.Verified(true)); !errors.Is(err, core.ErrClosed) {
		t.Errorf("feedback: %v", err)
	}
}

func TestInvalidOptionsAndQueries(t *testing.T) {
	for _, o := range []core.Options{{Mode: 9}, {ReceiptTTL: -1}, {MaxReceipts: -1}} {
		if _, err := core.New(o); !errors.Is(err, core.ErrInvalidOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	eng := newEngine(t, core.Options{})
	nan := math.NaN()
	for _, q := range []core.Query{
		{Text: "q", K: -1}, {Text: "q", Depth: -1}, {Text: "q", Alpha: 1}, {Text: "q", Alpha: -.1}, {Text: "q", Alpha: nan},
		{Text: "q", MinRelevance: 1.1}, {Text: "q", Mode: 7}, {Text: "q", Vector: []float32{0, 0}}, {Vector: []float32{1, float32(nan)}},
	} {
		if _, err := eng.Retrieve(context.Background(), fixed(letters(1)...), q); !errors.Is(err, core.ErrInvalidQuery) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}
