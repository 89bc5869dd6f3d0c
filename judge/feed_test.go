package judge_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/judge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inbox is a sink that keeps what it gets.
type inbox struct {
	mu       sync.Mutex
	verdicts map[core.ReceiptID]judge.Verdict
	contexts []context.Context
	err      error
}

func (b *inbox) take(ctx context.Context, receipt core.ReceiptID, v judge.Verdict) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.verdicts == nil {
		b.verdicts = map[core.ReceiptID]judge.Verdict{}
	}
	b.verdicts[receipt] = v
	b.contexts = append(b.contexts, ctx)
	return b.err
}

func receipt(n byte) core.ReceiptID { return core.ReceiptID{n} }

func newFeed(t *testing.T, o judge.FeedOptions) *judge.Feed {
	t.Helper()
	f, err := judge.NewFeed(o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func closeFeed(t *testing.T, f *judge.Feed) {
	t.Helper()
	if err := f.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// caseOf is a case like no other.
func caseOf(n int) judge.Case {
	return judge.Case{Question: fmt.Sprint("question ", n), Answer: "apples", Documents: docs("apples grow")}
}

// held is a judge that says when it starts and waits until it is let go or its context ends.
type held struct {
	started chan struct{}
	letGo   chan struct{}
	running atomic.Int32
	most    atomic.Int32
}

func newHeld() *held { return &held{started: make(chan struct{}, 1000), letGo: make(chan struct{})} }

func (h *held) Judge(ctx context.Context, _ judge.Case) (judge.Verdict, error) {
	n := h.running.Add(1)
	defer h.running.Add(-1)
	for m := h.most.Load(); n > m && !h.most.CompareAndSwap(m, n); m = h.most.Load() {
	}
	h.started <- struct{}{}
	select {
	case <-h.letGo:
		return judge.Verdict{Score: 1, Rater: "judge:held"}, nil
	case <-ctx.Done():
		return judge.Verdict{}, ctx.Err()
	}
}

func TestFeedDeliversByReceipt(t *testing.T) {
	var box inbox
	f := newFeed(t, judge.FeedOptions{Judge: judge.Overlap{}, Sink: box.take})
	for n := range byte(20) {
		if err := f.Submit(context.Background(), receipt(n+1), caseOf(int(n))); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(box.verdicts) != 20 || box.verdicts[receipt(7)].Rater != judge.OverlapRater {
		t.Errorf("%d verdicts: %+v", len(box.verdicts), box.verdicts[receipt(7)])
	}
	if s := f.Stats(); s != (judge.FeedStats{Submitted: 20, Delivered: 20}) {
		t.Errorf("stats %+v", s)
	}
	closeFeed(t, f)
}

func TestFeedKeepsTheValuesOfTheRequestButNotItsEnd(t *testing.T) {
	var box inbox
	f := newFeed(t, judge.FeedOptions{Judge: judge.Overlap{}, Sink: box.take})
	ctx, cancel := context.WithCancel(core.WithUser(context.Background(), "u1"))
	cancel()
	if err := f.Submit(ctx, receipt(1), apples); err != nil {
		t.Fatal(err)
	}
	closeFeed(t, f)
	if len(box.contexts) != 1 || core.UserFrom(box.contexts[0]) != "u1" {
		t.Fatalf("contexts %v", box.contexts)
	}
}

func TestFeedNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		f := newFeed(t, judge.FeedOptions{Judge: h, Sink: new(inbox).take, Workers: 2, Queue: 3})
		start := time.Now()
		refused := 0
		for n := range 50 {
			if err := f.Submit(context.Background(), receipt(1), caseOf(n)); errors.Is(err, judge.ErrQueueFull) {
				refused++
			} else if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if time.Since(start) != 0 {
			t.Errorf("Submit took %v", time.Since(start))
		}
		if s := f.Stats(); refused != 45 || s.Dropped != 45 || s.Submitted != 5 || s.Pending != 5 || h.most.Load() != 2 {
			t.Errorf("refused %d, at once %d, stats %+v", refused, h.most.Load(), s)
		}
		close(h.letGo)
		closeFeed(t, f)
		if s := f.Stats(); s.Delivered != 5 || s.Pending != 0 || s.Bytes != 0 {
			t.Errorf("stats %+v", s)
		}
	})
}

func TestFeedBoundsTheTextItHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		f := newFeed(t, judge.FeedOptions{Judge: h, Sink: new(inbox).take, QueueBytes: 2500})
		big := judge.Case{Answer: strings.Repeat("x", 1000)}
		for _, want := range []error{nil, nil, judge.ErrQueueFull} {
			if err := f.Submit(context.Background(), receipt(1), big); !errors.Is(err, want) {
				t.Errorf("error %v, want %v", err, want)
			}
		}
		if s := f.Stats(); s.Bytes != 2000 {
			t.Errorf("stats %+v", s)
		}
		close(h.letGo)
		closeFeed(t, f)
	})
}

func TestFeedTimesOutAJudge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var box inbox
		f := newFeed(t, judge.FeedOptions{Judge: newHeld(), Sink: box.take, Timeout: 30 * time.Second})
		start := time.Now()
		f.Submit(context.Background(), receipt(1), apples)
		closeFeed(t, f)
		if d := time.Since(start); d != 30*time.Second {
			t.Errorf("took %v", d)
		}
		if s := f.Stats(); s.Failed != 1 || len(box.verdicts) != 0 {
			t.Errorf("stats %+v", s)
		}
	})
}

func TestFeedTimesOutASink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := func(ctx context.Context, _ core.ReceiptID, _ judge.Verdict) error { <-ctx.Done(); return ctx.Err() }
		f := newFeed(t, judge.FeedOptions{Judge: judge.Overlap{}, Sink: hangs})
		start := time.Now()
		f.Submit(context.Background(), receipt(1), apples)
		closeFeed(t, f)
		if s := f.Stats(); s.SinkFailed != 1 || time.Since(start) != judge.DefaultSinkTimeout {
			t.Errorf("after %v: %+v", time.Since(start), s)
		}
	})
}

func TestFeedCloseRunsOutOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		f := newFeed(t, judge.FeedOptions{Judge: h, Sink: new(inbox).take, Workers: 1, Timeout: time.Hour})
		for n := range 4 {
			f.Submit(context.Background(), receipt(1), caseOf(n))
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := f.Close(ctx); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, judge.ErrAbandoned) {
			t.Errorf("error %v", err)
		}
		synctest.Wait()
		if s := f.Stats(); s.Abandoned != 4 || s.Pending != 0 || len(h.started) != 1 {
			t.Errorf("started %d, stats %+v", len(h.started), s)
		}
		if err := f.Submit(context.Background(), receipt(1), apples); !errors.Is(err, judge.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
		if err := f.Close(context.Background()); !errors.Is(err, judge.ErrAbandoned) {
			t.Errorf("again: %v", err)
		}
	})
}

func TestFeedCountsWhatGoesWrong(t *testing.T) {
	boom := judge.Func(func(context.Context, judge.Case) (judge.Verdict, error) { panic("boom") })
	failing := func(context.Context, core.ReceiptID, judge.Verdict) error { return errors.New("disk full") }
	panicking := func(context.Context, core.ReceiptID, judge.Verdict) error { panic("boom") }
	taking := new(inbox).take
	good := says(judge.Verdict{Score: 1, Rater: "judge:x"})
	for name, tt := range map[string]struct {
		judge judge.Judge
		sink  judge.Sink
		want  judge.FeedStats
	}{
		"no verdict":       {fails(judge.ErrNoVerdict), taking, judge.FeedStats{NoVerdict: 1}},
		"unavailable":      {fails(judge.ErrUnavailable), taking, judge.FeedStats{Failed: 1}},
		"panic":            {boom, taking, judge.FeedStats{Failed: 1}},
		"out of range":     {says(judge.Verdict{Score: 2, Rater: "judge:x"}), taking, judge.FeedStats{NoVerdict: 1}},
		"sink fails":       {good, failing, judge.FeedStats{SinkFailed: 1}},
		"sink panics":      {good, panicking, judge.FeedStats{SinkFailed: 1}},
		"stand-in":         {judge.Fallback(boom, good), taking, judge.FeedStats{Delivered: 1, Fallbacks: 1}},
		"all in order":     {good, taking, judge.FeedStats{Delivered: 1}},
		"stand-in refused": {judge.Fallback(nil, good), failing, judge.FeedStats{SinkFailed: 1, Fallbacks: 1}},
	} {
		var logged bytes.Buffer
		f := newFeed(t, judge.FeedOptions{Judge: tt.judge, Sink: tt.sink, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
		if err := f.Submit(context.Background(), receipt(1), apples); err != nil {
			t.Fatal(err)
		}
		closeFeed(t, f)
		tt.want.Submitted = 1
		if s := f.Stats(); s != tt.want {
			t.Errorf("%s: stats %+v, want %+v", name, s, tt.want)
		}
		if (logged.Len() > 0) != (tt.want.Delivered == 0) || strings.Contains(logged.String(), "apples") || strings.Contains(logged.String(), "boom") ||
			strings.Contains(logged.String(), "level=WARN") != (tt.want.Failed+tt.want.SinkFailed > 0) {
			t.Errorf("%s: logged %q", name, logged.String())
		}
	}
}

func TestFeedRefusesWhatCannotBeJudged(t *testing.T) {
	f := newFeed(t, judge.FeedOptions{Judge: judge.Overlap{}, Sink: new(inbox).take})
	defer closeFeed(t, f)
	if err := f.Submit(context.Background(), receipt(1), judge.Case{}); !errors.Is(err, judge.ErrInvalidCase) {
		t.Errorf("empty case: %v", err)
	}
	if err := f.Submit(context.Background(), core.ReceiptID{}, apples); !errors.Is(err, judge.ErrInvalidCase) {
		t.Errorf("no receipt: %v", err)
	}
}

func TestFeedOptionsAreChecked(t *testing.T) {
	sink := new(inbox).take
	for name, o := range map[string]judge.FeedOptions{
		"nothing":          {},
		"no judge":         {Sink: sink},
		"no sink":          {Judge: judge.Overlap{}},
		"negative workers": {Judge: judge.Overlap{}, Sink: sink, Workers: -1},
		"negative queue":   {Judge: judge.Overlap{}, Sink: sink, Queue: -1},
		"negative bytes":   {Judge: judge.Overlap{}, Sink: sink, QueueBytes: -1},
		"negative timeout": {Judge: judge.Overlap{}, Sink: sink, Timeout: -1},
		"huge queue":       {Judge: judge.Overlap{}, Sink: sink, Queue: math.MaxInt},
		"too many workers": {Judge: judge.Overlap{}, Sink: sink, Workers: math.MaxInt},
	} {
		if f, err := judge.NewFeed(o); !errors.Is(err, judge.ErrInvalidOptions) || f != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFeedSubmitCopies(t *testing.T) {
	h := newHeld()
	var got judge.Case
	sees := judge.Func(func(ctx context.Context, c judge.Case) (judge.Verdict, error) {
		v, err := h.Judge(ctx, c)
		got = c
		return v, err
	})
	f := newFeed(t, judge.FeedOptions{Judge: sees, Sink: new(inbox).take, Cache: -1})
	c := judge.Case{Answer: "x", Documents: docs("one", "two")}
	f.Submit(context.Background(), receipt(1), c)
	<-h.started
	c.Documents[0].Text = "changed"
	close(h.letGo)
	closeFeed(t, f)
	if got.Documents[0].Text != "one" {
		t.Error("the caller changed a queued case")
	}
}

func TestFeedIsSafeForConcurrentUse(t *testing.T) {
	var box inbox
	f := newFeed(t, judge.FeedOptions{Judge: judge.Fallback(fails(judge.ErrUnavailable), judge.Overlap{}), Sink: box.take, Workers: 4, Queue: 10})
	var taken, full, closed atomic.Uint64
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for n := range 50 {
				switch err := f.Submit(context.Background(), receipt(byte(g+1)), caseOf(g*100+n)); {
				case err == nil:
					taken.Add(1)
				case errors.Is(err, judge.ErrQueueFull):
					full.Add(1)
				case errors.Is(err, judge.ErrClosed):
					closed.Add(1)
				}
				f.Stats()
				if g == 0 && n == 40 {
					f.Close(context.Background())
				}
			}
		})
	}
	wg.Wait()
	closeFeed(t, f)
	s := f.Stats()
	if s.Submitted != taken.Load() || s.Dropped != full.Load()+closed.Load() || s.Submitted != s.Delivered || s.Pending != 0 || s.Bytes != 0 {
		t.Errorf("taken %d, full %d, closed %d, stats %+v", taken.Load(), full.Load(), closed.Load(), s)
	}
}

func TestFlushWaitsForWhatIsPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		f := newFeed(t, judge.FeedOptions{Judge: h, Sink: new(inbox).take})
		if err := f.Flush(context.Background()); err != nil {
			t.Errorf("nothing pending: %v", err)
		}
		f.Submit(context.Background(), receipt(1), apples)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := f.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a case is running: %v", err)
		}
		close(h.letGo)
		if err := f.Flush(context.Background()); err != nil {
			t.Error(err)
		}
		closeFeed(t, f)
	})
}
