package gemini_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/repute-go/repute/judge"
	"github.com/repute-go/repute/judge/gemini"
)

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestDelayOfTheServerIsHonoured(t *testing.T) {
	limited := failure(429, "RESOURCE_EXHAUSTED", "34s")
	s := serve(t, limited, limited, says(good))
	j, c := newJudge(t, s)
	v, err := j.Judge(within(t, 100*time.Second), aCase())
	if err != nil || v.Score != .8 {
		t.Fatalf("%+v, %v", v, err)
	}
	if len(c.slept) != 2 || c.slept[0] != 34*time.Second || c.slept[1] != 34*time.Second {
		t.Errorf("slept %v", c.slept)
	}
}

func TestDelayBeyondTheDeadlineFailsAtOnce(t *testing.T) {
	limited := failure(429, "RESOURCE_EXHAUSTED", "34s")
	for _, tt := range []struct {
		deadline     time.Duration
		asked, slept int
	}{{50 * time.Second, 2, 1}, {10 * time.Second, 1, 0}} {
		s := serve(t, limited)
		j, c := newJudge(t, s)
		_, err := j.Judge(within(t, tt.deadline), aCase())
		var e *gemini.Error
		if !errors.Is(err, gemini.ErrRateLimited) || !errors.As(err, &e) || e.RetryAfter != 34*time.Second {
			t.Errorf("deadline %v: error %v", tt.deadline, err)
		}
		if n := len(s.requests()); n != tt.asked || len(c.slept) != tt.slept {
			t.Errorf("deadline %v: asked %d times, slept %v", tt.deadline, n, c.slept)
		}
		v, err := judge.Fallback(j, judge.Overlap{}).Judge(within(t, tt.deadline), aCase())
		if err != nil || !v.Fallback {
			t.Errorf("fallback: %+v, %v", v, err)
		}
	}
}

func TestOthersLeaveALimitedServerAlone(t *testing.T) {
	s := serve(t, failure(429, "RESOURCE_EXHAUSTED", "34s"), says(good))
	j, c := newJudge(t, s)
	if _, err := j.Judge(within(t, 10*time.Second), aCase()); !errors.Is(err, gemini.ErrRateLimited) {
		t.Fatal(err)
	}
	_, err := j.Judge(within(t, 10*time.Second), aCase())
	if !errors.Is(err, gemini.ErrRateLimited) || len(s.requests()) != 1 {
		t.Errorf("second caller: %v after %d requests", err, len(s.requests()))
	}
	checkError(t, err, 0)
	if v, err := j.Judge(within(t, time.Minute), aCase()); err != nil || v.Score != .8 {
		t.Errorf("one with time to wait: %+v, %v", v, err)
	}
	if len(c.slept) != 1 || c.slept[0] < 33*time.Second {
		t.Errorf("slept %v", c.slept)
	}
}

func TestRetryAfterHeader(t *testing.T) {
	for _, tt := range []struct {
		header string
		want   time.Duration // -1: our own delay
	}{
		{"7", 7 * time.Second},
		{"-7", -1},
		{"soon", -1},
		{"99999999999999999999", -1},
		{time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), -1},
		{time.Now().Add(20 * time.Second).UTC().Format(http.TimeFormat), 19 * time.Second},
	} {
		s := serve(t, reply{status: 503, header: http.Header{"Retry-After": {tt.header}}, body: "busy"}, says(good))
		j, c := newJudge(t, s)
		if _, err := j.Judge(context.Background(), aCase()); err != nil {
			t.Errorf("%q: %v", tt.header, err)
			continue
		}
		own := tt.want < 0 && c.slept[0] > 0 && c.slept[0] < time.Second
		if !own && (c.slept[0]-tt.want).Abs() > time.Second {
			t.Errorf("%q: slept %v, want %v", tt.header, c.slept, tt.want)
		}
	}
}

func TestDelaysGrow(t *testing.T) {
	s := serve(t, reply{status: 500})
	j, c := newJudge(t, s, func(o *gemini.Options) { o.Attempts, o.Failures = 4, 100 })
	if _, err := j.Judge(context.Background(), aCase()); !errors.Is(err, gemini.ErrServer) {
		t.Fatal(err)
	}
	if len(c.slept) != 3 || c.slept[2] <= c.slept[0] {
		t.Errorf("slept %v", c.slept)
	}
}

func TestBreakerStopsAskingADeadServer(t *testing.T) {
	for name, r := range map[string]reply{
		"down":        {status: 503, body: "down"},
		"key revoked": failure(403, "PERMISSION_DENIED", ""),
		"HTML":        {body: "<html>"},
		"always 429":  failure(429, "RESOURCE_EXHAUSTED", ""),
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, r)
			j, _ := newJudge(t, s)
			for range 20 {
				if _, err := j.Judge(context.Background(), aCase()); err == nil {
					t.Fatal("a verdict")
				}
			}
			if n := len(s.requests()); n != gemini.DefaultFailures {
				t.Errorf("%d requests, want %d", n, gemini.DefaultFailures)
			}
			_, err := j.Judge(context.Background(), aCase())
			if !errors.Is(err, gemini.ErrResting) || !errors.Is(err, judge.ErrUnavailable) {
				t.Errorf("error %v", err)
			}
			checkError(t, err, 0)
		})
	}
}

func TestBreakerClosesWhenTheServerIsBack(t *testing.T) {
	const cooldown = 50 * time.Millisecond
	s := serve(t, reply{status: 503}, says(good))
	j, _ := newJudge(t, s, func(o *gemini.Options) { o.Failures, o.Attempts, o.Cooldown = 1, 1, cooldown })
	opened := time.Now()
	if _, err := j.Judge(context.Background(), aCase()); !errors.Is(err, gemini.ErrServer) {
		t.Fatal(err)
	}
	if _, err := j.Judge(context.Background(), aCase()); !errors.Is(err, gemini.ErrResting) && time.Since(opened) < cooldown {
		t.Fatal(err)
	}
	time.Sleep(cooldown)
	for range 2 {
		if _, err := j.Judge(context.Background(), aCase()); err != nil {
			t.Fatal(err)
		}
	}
}

// What is the caller's doing or the model's right must not open the breaker.
func TestBreakerCountsOnlyFailuresOfTheServer(t *testing.T) {
	blocked := reply{body: `{"promptFeedback":{"blockReason":"SAFETY"}}`}
	s := serve(t, blocked)
	j, _ := newJudge(t, s, func(o *gemini.Options) { o.Failures = 1 })
	for range 3 {
		if _, err := j.Judge(context.Background(), aCase()); errors.Is(err, gemini.ErrResting) {
			t.Fatal("a blocked prompt opened the breaker")
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	s = serve(t, reply{hang: true, then: cancel})
	j, _ = newJudge(t, s, func(o *gemini.Options) { o.Failures = 1 })
	if _, err := j.Judge(ctx, aCase()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := j.Judge(within(t, 10*time.Millisecond), aCase()); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	s.play(says(good))
	if _, err := j.Judge(context.Background(), aCase()); err != nil {
		t.Fatalf("a caller that went away opened the breaker: %v", err)
	}
}
