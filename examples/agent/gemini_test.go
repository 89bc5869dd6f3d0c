package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// testKey looks like a real one.
const testKey = "AIzaSyD-0123456789abcdefghijklmnopqrstu"

// asked is a request as the server sees it.
type asked struct {
	key, prompt string
	stop        []string
}

// serveGemini answers every request with a function, and returns a model that asks
// that server through the real client.
func serveGemini(t *testing.T, answer func(w http.ResponseWriter, q asked)) *gemini {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Contents         []struct{ Parts []struct{ Text string } }
			GenerationConfig struct{ StopSequences []string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Errorf("request: %v", err)
		}
		answer(w, asked{r.Header.Get("x-goog-api-key"), body.Contents[0].Parts[0].Text, body.GenerationConfig.StopSequences})
	}))
	t.Cleanup(server.Close)
	g, err := newGemini(context.Background(), testKey, "gemini-test", server.URL)
	if err != nil {
		t.Fatal(err)
	}
	g.pause = time.Millisecond
	return g
}

func reply(w http.ResponseWriter, text string) {
	type part struct {
		Text string `json:"text"`
	}
	type content struct {
		Parts []part `json:"parts"`
	}
	type candidate struct {
		Content content `json:"content"`
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"candidates": []candidate{{content{[]part{{text}}}}}})
}

func TestGemini(t *testing.T) {
	g := serveGemini(t, func(w http.ResponseWriter, q asked) {
		if q.key != testKey || q.prompt != "Question: q" || !slices.Equal(q.stop, []string{"\nObservation:"}) {
			t.Errorf("asked %+v", q)
		}
		reply(w, "Action: recall\nAction Input: x\nObservation: made up by the model")
	})
	got, err := g.Call(context.Background(), "Question: q", llms.WithStopWords([]string{"\nObservation:"}))
	if err != nil || got != "Action: recall\nAction Input: x" {
		t.Errorf("answer %q, %v", got, err)
	}
}

func TestGeminiFailures(t *testing.T) {
	for name, tt := range map[string]struct {
		status  int
		body    string
		calls   int32
		skipped bool
	}{
		"a bad key":       {400, `{"error":{"code":400,"message":"API key ` + testKey + ` is not valid","status":"INVALID_ARGUMENT"}}`, 1, false},
		"always busy":     {429, `{"error":{"code":429,"message":"quota of ` + testKey + `","status":"RESOURCE_EXHAUSTED"}}`, 5, false},
		"down":            {503, `the key was ` + testKey, 5, false},
		"null candidates": {200, `{"candidates":[null]}`, 1, true},
		"nothing":         {200, `{}`, 1, true},
		"blocked":         {200, `{"candidates":[{"finishReason":"SAFETY"}]}`, 1, true},
		"null part":       {200, `{"candidates":[{"content":{"parts":[null]}}]}`, 1, true},
	} {
		var calls atomic.Int32
		g := serveGemini(t, func(w http.ResponseWriter, _ asked) {
			calls.Add(1)
			w.WriteHeader(tt.status)
			_, _ = w.Write([]byte(tt.body))
		})
		got, err := g.Call(context.Background(), "q")
		if err == nil || got != "" || strings.Contains(err.Error(), testKey) || forgivable(err) != tt.skipped || calls.Load() != tt.calls {
			t.Errorf("%s: %q, %v, %d calls", name, got, err, calls.Load())
		}
	}
	if _, err := newGemini(context.Background(), "", "m", ""); err == nil || !errors.Is(err, errGemini) {
		t.Errorf("no key: %v", err)
	}
}

// A hiccup of the network or the server costs a second request, not the experiment.
func TestGeminiHiccups(t *testing.T) {
	for name, first := range map[string]http.HandlerFunc{
		"connection reset": func(w http.ResponseWriter, _ *http.Request) {
			if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
				c.Close()
			}
		},
		"429 without a code": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"error":{"message":"slow down"}}`))
		},
		"200 with HTML": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"half a reply":  func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"candidates":[`)) },
	} {
		var calls atomic.Int32
		g := serveGemini(t, func(w http.ResponseWriter, _ asked) {
			if calls.Add(1) == 1 {
				first(w, nil)
				return
			}
			reply(w, "fine")
		})
		if got, err := g.Call(context.Background(), "q"); err != nil || got != "fine" || calls.Load() != 2 {
			t.Errorf("%s: %q, %v, %d calls", name, got, err, calls.Load())
		}
	}
}

func TestGeminiWaitsAsLongAsItIsAskedTo(t *testing.T) {
	var calls atomic.Int32
	const delay = 200 * time.Millisecond
	g := serveGemini(t, func(w http.ResponseWriter, _ asked) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"0.2s"}]}}`))
			return
		}
		reply(w, "fine")
	})
	start := time.Now()
	got, err := g.Call(context.Background(), "q")
	if took := time.Since(start); err != nil || got != "fine" || took < delay {
		t.Errorf("%q, %v after %v", got, err, took)
	}
}

func TestGeminiIsAskedAgainAndStops(t *testing.T) {
	var calls atomic.Int32
	g := serveGemini(t, func(w http.ResponseWriter, _ asked) {
		if calls.Add(1) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		reply(w, "fine")
	})
	if got, err := g.Call(context.Background(), "q"); err != nil || got != "fine" {
		t.Errorf("after two failures: %q, %v", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	hung := serveGemini(t, func(http.ResponseWriter, asked) { cancel() })
	if _, err := hung.Call(ctx, "q"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// An agent with the real client, against a server that plays the scripted model.
func TestAgentOverGemini(t *testing.T) {
	g := serveGemini(t, func(w http.ResponseWriter, q asked) {
		if !slices.Contains(q.stop, "\nObservation:") {
			t.Errorf("stop words %q", q.stop)
		}
		step, err := next(q.prompt)
		if err != nil {
			t.Error(err)
		}
		reply(w, step+"\nObservation: all is well")
	})
	ctx := context.Background()
	m, err := newMemory(ctx, patterns[6:9], true, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	passed := false
	for range 3 {
		if passed, err = attempt(ctx, g, foretold(), m, divisions[0], divisions[0].reports[0]); err != nil {
			t.Fatal(err)
		}
	}
	if !passed {
		t.Error("the third attempt fails, though only two patterns are wrong")
	}
}
