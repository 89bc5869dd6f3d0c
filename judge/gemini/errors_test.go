package gemini_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/judge"
	"github.com/repute-go/repute/judge/gemini"
)

// An error tells whoever asks what the model answered; a log only what kind it is, with status and attempts.
func TestNothingOfACaseReachesTheLog(t *testing.T) {
	s := serve(t, says("The patient Jane Roe was admitted."))
	j, _ := newJudge(t, s, func(o *gemini.Options) { o.Failures = 100 })
	_, err := j.Judge(context.Background(), aCase())
	var e *gemini.Error
	if !errors.As(err, &e) || !strings.Contains(e.Detail, "Jane Roe") {
		t.Errorf("error %v", err)
	}
	var logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, nil))
	log.Info("asked", "error", e)
	for _, next := range []reply{says("The patient Jane Roe was admitted."), failure(503, "Jane Roe", ""), failure(400, "Jane Roe", "")} {
		s.play(next)
		f, err := judge.NewFeed(judge.FeedOptions{Judge: j, Logger: log,
			Sink: func(context.Context, core.ReceiptID, judge.Verdict) error { return nil }})
		if err != nil {
			t.Fatal(err)
		}
		f.Submit(context.Background(), core.ReceiptID{1}, aCase())
		f.Close(context.Background())
	}
	for _, want := range []string{"judge: no verdict after 3 attempts", "gemini: server failure (HTTP 503) after 3 attempts", "gemini: request refused (HTTP 400)"} {
		if !strings.Contains(logged.String(), want) {
			t.Errorf("%q is not in the log", want)
		}
	}
	if strings.Contains(logged.String(), "Jane") || strings.Count(logged.String(), "\n") != 4 {
		t.Errorf("logged %s", logged.String())
	}
}

// A server that wants to be left alone for a day is asked again after a while, in one request.
func TestADayOfRestIsCut(t *testing.T) {
	s := serve(t, failure(429, "RESOURCE_EXHAUSTED", "86400s"))
	j, clock := newJudge(t, s)
	ask := func() error {
		_, err := j.Judge(context.Background(), aCase())
		return err
	}
	for range 3 {
		if err := ask(); !errors.Is(err, gemini.ErrRateLimited) {
			t.Fatal(err)
		}
	}
	if n := len(s.requests()); n != 1 {
		t.Errorf("%d requests at once", n)
	}
	s.play(says(good))
	clock.mu.Lock()
	clock.total += 11 * time.Minute
	clock.mu.Unlock()
	if err := ask(); err != nil {
		t.Errorf("later: %v", err)
	}
}
