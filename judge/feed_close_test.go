package judge_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/judge"
)

// deaf is a judge that does not hear when it is cancelled.
func deaf(letGo chan struct{}) judge.Judge {
	return judge.Func(func(context.Context, judge.Case) (judge.Verdict, error) {
		<-letGo
		return judge.Verdict{Score: 1, Rater: "judge:deaf"}, nil
	})
}

func TestFeedCloseWithAJudgeThatDoesNotListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		letGo := make(chan struct{})
		var box inbox
		f := newFeed(t, judge.FeedOptions{Judge: deaf(letGo), Sink: box.take, Workers: 1})
		for n := range 4 {
			f.Submit(context.Background(), receipt(byte(n+1)), caseOf(n))
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := f.Close(ctx); !errors.Is(err, judge.ErrAbandoned) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if s := f.Stats(); s.Abandoned != 3 || s.Pending != 1 {
			t.Errorf("while it judges: %+v", s)
		}
		close(letGo)
		synctest.Wait()
		if s := f.Stats(); s.Abandoned != 4 || s.Pending != 0 || s.Bytes != 0 || len(box.verdicts) != 0 {
			t.Errorf("then %+v, %d delivered", s, len(box.verdicts))
		}
	})
}

// Whoever waits for the end learns that there was none, also if it was another who had no patience.
func TestFeedClosedByTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed(t, judge.FeedOptions{Judge: newHeld(), Sink: new(inbox).take, Workers: 1, Timeout: time.Hour})
		for n := range 4 {
			f.Submit(context.Background(), receipt(byte(n+1)), caseOf(n))
		}
		patient := make(chan error, 1)
		go func() { patient <- f.Close(context.Background()) }()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := f.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the impatient one: %v", err)
		}
		if err := <-patient; !errors.Is(err, judge.ErrAbandoned) {
			t.Errorf("the patient one: %v", err)
		}
	})
}

// A judge that is down for an hour costs the cases of that hour, most of them without being asked, and nothing else.
func TestFeedOutlastsAJudgeThatIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		down := judge.Func(func(ctx context.Context, _ judge.Case) (judge.Verdict, error) {
			if time.Since(start) < time.Hour+30*time.Second {
				<-ctx.Done() // until the feed has had enough
				return judge.Verdict{}, fmt.Errorf("%w: %w", judge.ErrUnavailable, ctx.Err())
			}
			return judge.Verdict{Score: 1, Rater: "judge:x"}, nil
		})
		var box inbox
		f := newFeed(t, judge.FeedOptions{Judge: down, Sink: box.take, Workers: 2, Queue: 10, Timeout: time.Minute})
		refused := 0
		for n := range 720 { // a case every five seconds
			before := time.Now()
			err := f.Submit(context.Background(), receipt(1), caseOf(n))
			if err != nil && !errors.Is(err, judge.ErrQueueFull) || !time.Now().Equal(before) {
				t.Fatalf("case %d: %v", n, err)
			}
			if err != nil {
				refused++
			}
			time.Sleep(5 * time.Second)
		}
		s := f.Stats()
		if s.Delivered != 0 || s.Dropped != uint64(refused) || s.Submitted+s.Dropped != 720 || s.Pending > 12 || s.Failed < 116 || s.Failed > 120 {
			t.Errorf("after an hour: %d refused, %+v", refused, s)
		}
		time.Sleep(2 * time.Minute) // for those that still waited
		before := f.Stats()
		for n := range 5 {
			if err := f.Submit(context.Background(), receipt(byte(n+2)), caseOf(1000+n)); err != nil {
				t.Error(err)
			}
		}
		closeFeed(t, f)
		if s := f.Stats(); s.Delivered != before.Delivered+5 || s.Failed != before.Failed || s.Pending != 0 || len(box.verdicts) != 6 {
			t.Errorf("then %+v, %d verdicts", s, len(box.verdicts))
		}
	})
}

// quoting is an error that repeats what it was given.
type quoting struct{ text string }

func (q quoting) Error() string        { return q.text }
func (q quoting) Is(target error) bool { return target == judge.ErrNoVerdict }

func TestNothingOfACaseReachesTheLog(t *testing.T) {
	c := judge.Case{Answer: "Jane Roe", Documents: []judge.Document{{ID: "Jane Roe", Text: "Jane Roe"}}}
	quote := func(context.Context, core.ReceiptID, judge.Verdict) error { return quoting{c.Answer} }
	panics := judge.Func(func(_ context.Context, c judge.Case) (judge.Verdict, error) { panic(c.Answer) })
	strangers := says(judge.Verdict{Score: 1, Rater: "judge:x", Support: map[string]float64{"Jane Roe's file": 1}})
	for name, o := range map[string]judge.FeedOptions{
		"the judge's error": {Judge: fails(quoting{c.Answer})},
		"another error":     {Judge: fails(errors.New(c.Answer))},
		"the judge's panic": {Judge: panics},
		"a document's ID":   {Judge: strangers},
		"the sink's error":  {Judge: says(judge.Verdict{Score: 1, Rater: "judge:x"}), Sink: quote},
		"the sink's panic":  {Judge: says(judge.Verdict{Score: 1, Rater: "judge:x"}), Sink: func(context.Context, core.ReceiptID, judge.Verdict) error { panic(c.Answer) }},
	} {
		var logged bytes.Buffer
		if o.Sink == nil {
			o.Sink = new(inbox).take
		}
		o.Logger = slog.New(slog.NewTextHandler(&logged, nil))
		f := newFeed(t, o)
		f.Submit(context.Background(), receipt(1), c)
		closeFeed(t, f)
		if logged.Len() == 0 || strings.Contains(logged.String(), "Jane") {
			t.Errorf("%s: logged %q", name, logged.String())
		}
		if v, err := judge.Fallback(o.Judge, judge.Overlap{}).Judge(context.Background(), c); err != nil || strings.Contains(v.Reason, "Jane") {
			t.Errorf("%s: reason %q, %v", name, v.Reason, err)
		}
	}
}

// Once everything is delivered, a context that has ended abandons nothing.
func TestFeedClosedAgainAbandonsNothing(t *testing.T) {
	for range 50 {
		f := newFeed(t, judge.FeedOptions{Judge: judge.Overlap{}, Sink: new(inbox).take})
		over, cancel := context.WithCancel(context.Background())
		cancel()
		if err := errors.Join(f.Close(context.Background()), f.Close(over)); err != nil {
			t.Fatal(err)
		}
	}
}
