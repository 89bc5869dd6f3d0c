package gemini_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/repute-go/repute/judge"
	"github.com/repute-go/repute/judge/gemini"
)

func TestVerdict(t *testing.T) {
	s := serve(t, says(good))
	j, _ := newJudge(t, s)
	v, err := j.Judge(context.Background(), aCase())
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Validate(aCase()); err != nil {
		t.Fatal(err)
	}
	if v.Score != .8 || v.Support["doc-7"] != .9 || v.Support["doc-9"] != 0 || len(v.Support) != 2 || *v.Sufficiency != 1 {
		t.Errorf("grades: %+v", v)
	}
	if v.Rater != "judge:gemini-3.5-flash-lite" || v.ModelVersion != "gemini-3.5-flash-lite-001" || v.Fallback || v.Reason != "borne out" {
		t.Errorf("labels: %+v", v)
	}
	if u := j.Usage(); u != (gemini.Usage{Requests: 1, PromptTokens: 100, OutputTokens: 25}) {
		t.Errorf("usage: %+v", u)
	}
}

func TestRequest(t *testing.T) {
	s := serve(t, says(good))
	j, _ := newJudge(t, s)
	if _, err := j.Judge(context.Background(), aCase()); err != nil {
		t.Fatal(err)
	}
	r := s.requests()[0]
	if r.path != "/v1beta/models/gemini-3.5-flash-lite:generateContent" || r.key != key {
		t.Errorf("path %q, key %q", r.path, r.key)
	}
	config, _ := r.body["generationConfig"].(map[string]any)
	if config["responseMimeType"] != "application/json" || config["responseSchema"] == nil || config["maxOutputTokens"] != 4096.0 {
		t.Errorf("config %v", config)
	}
	for _, unasked := range []string{"temperature", "seed", "topP", "topK", "candidateCount", "thinkingConfig"} {
		if _, ok := config[unasked]; ok {
			t.Errorf("%s was sent unasked", unasked)
		}
	}
}

func TestRequestOptions(t *testing.T) {
	s := serve(t, says(good))
	j, _ := newJudge(t, s, func(o *gemini.Options) {
		o.Model, o.Rater = "gemini-3.8-flash", "judge:strict"
		o.Temperature, o.Seed = new(float32(0)), new(int32(7))
	})
	v, err := j.Judge(context.Background(), aCase())
	if err != nil || v.Rater != "judge:strict" {
		t.Fatalf("%+v, %v", v, err)
	}
	r := s.requests()[0]
	config, _ := r.body["generationConfig"].(map[string]any)
	if config["temperature"] != 0.0 || config["seed"] != 7.0 || !strings.Contains(r.path, "gemini-3.8-flash") {
		t.Errorf("path %s, config %v", r.path, config)
	}
}

func TestVertex(t *testing.T) {
	s := serve(t, says(good))
	j, _ := newJudge(t, s, func(o *gemini.Options) { o.APIKey, o.Project, o.Location = "", "p", "europe-west4" })
	if _, err := j.Judge(context.Background(), aCase()); err != nil {
		t.Fatal(err)
	}
	want := "/v1beta1/projects/p/locations/europe-west4/publishers/google/models/gemini-3.5-flash-lite:generateContent"
	if r := s.requests()[0]; r.path != want || r.key != "" {
		t.Errorf("path %q, key %q", r.path, r.key)
	}
}

// Every answer a server was seen to give, and what becomes of it.
func TestServerAnswers(t *testing.T) {
	part := func(text string) map[string]any { return map[string]any{"text": text} }
	answer := func(finish string, parts ...any) reply {
		return candidates(map[string]any{"content": map[string]any{"parts": parts}, "finishReason": finish})
	}
	tests := []struct {
		name  string
		reply reply
		want  []error // none: a verdict
		asked int
	}{
		{"429 as Google writes it", failure(429, "RESOURCE_EXHAUSTED", ""), []error{gemini.ErrRateLimited, judge.ErrUnavailable}, 3},
		{"429 without a code", reply{status: 429, body: `{"error":{"message":"slow down"}}`}, []error{gemini.ErrRateLimited}, 3},
		{"503", failure(503, "UNAVAILABLE", ""), []error{gemini.ErrServer, judge.ErrUnavailable}, 3},
		{"500 text", reply{status: 500, body: "oops"}, []error{gemini.ErrServer}, 3},
		{"408", failure(408, "TIMEOUT", ""), []error{gemini.ErrServer}, 3},
		{"400 key not valid", failure(400, "INVALID_ARGUMENT", ""), []error{gemini.ErrRefused, judge.ErrUnavailable}, 1},
		{"403 key revoked", failure(403, "PERMISSION_DENIED", ""), []error{gemini.ErrRefused}, 1},
		{"404 no such model", failure(404, "NOT_FOUND", ""), []error{gemini.ErrRefused}, 1},
		{"200 HTML", reply{body: "<html>Sign in to the hotel's network</html>"}, []error{judge.ErrNoVerdict}, 3},
		{"200 {}", reply{body: "{}"}, []error{judge.ErrNoVerdict}, 3},
		{"200 and no body", reply{}, []error{judge.ErrNoVerdict}, 3},
		{"prompt blocked", reply{body: `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`}, []error{judge.ErrNoVerdict}, 1},
		{"SAFETY", candidates(map[string]any{"finishReason": "SAFETY"}), []error{judge.ErrNoVerdict}, 1},
		{"RECITATION with text", answer("RECITATION", part(good)), []error{judge.ErrNoVerdict}, 1},
		{"fenced", says("```json\n" + good + "\n```"), nil, 1},
		{"in a sentence", says("Sure! " + good), nil, 1},
		{"cut off at MAX_TOKENS", answer("MAX_TOKENS", part(`{"score":0.8,"verd`)), []error{judge.ErrNoVerdict}, 3},
		{"MAX_TOKENS though it looks whole", answer("MAX_TOKENS", part(good)), []error{judge.ErrNoVerdict}, 3},
		{"MAX_TOKENS without text", answer("MAX_TOKENS"), []error{judge.ErrNoVerdict}, 3},
		{"thoughts first, answer in two parts", answer("STOP", map[string]any{"text": "hm {", "thought": true}, part(good[:30]), part(good[30:])), nil, 1},
		{"null candidate", candidates(nil), []error{judge.ErrNoVerdict}, 3},
		{"candidates are text", reply{body: `{"candidates":"x"}`}, []error{judge.ErrNoVerdict}, 3},
		{"null part", answer("STOP", nil), []error{judge.ErrNoVerdict}, 3},
		{"null part beside the answer", answer("STOP", nil, part(good)), nil, 1},
		{"no parts", answer("STOP"), []error{judge.ErrNoVerdict}, 3},
		{"score 7", says(strings.Replace(good, "0.8", "7", 1)), []error{judge.ErrNoVerdict}, 3},
		{"score missing", says(strings.Replace(good, "score", "verdict", 1)), []error{judge.ErrNoVerdict}, 3},
		{"score NaN", says(strings.Replace(good, "0.8", "NaN", 1)), []error{judge.ErrNoVerdict}, 3},
		{"score in quotes", says(strings.Replace(good, "0.8", `"0.8"`, 1)), nil, 1},
		{"prose", says("The answer is very good."), []error{judge.ErrNoVerdict}, 3},
		{"endless body", reply{body: strings.Repeat(" ", 5<<20)}, []error{gemini.ErrServer}, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.reply)
			j, _ := newJudge(t, s)
			v, err := j.Judge(context.Background(), aCase())
			if tt.want == nil && (err != nil || v.Score != .8 || v.Support["doc-7"] != .9) {
				t.Errorf("%+v, %v", v, err)
			}
			for _, want := range tt.want {
				if !errors.Is(err, want) {
					t.Errorf("error %v is not %v", err, want)
				}
			}
			if tt.want != nil {
				checkError(t, err, tt.asked)
			}
			if n := len(s.requests()); n != tt.asked {
				t.Errorf("asked %d times, want %d", n, tt.asked)
			}
		})
	}
}

// checkError checks what holds for every error of Judge.
func checkError(t *testing.T, err error, attempts int) {
	t.Helper()
	var e *gemini.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %T %v", err, err)
	}
	if e.Attempts != attempts {
		t.Errorf("error after %d attempts, want %d", e.Attempts, attempts)
	}
	if s := fmt.Sprintf("%v %+v %#v", err, e, *e); strings.Contains(s, key) {
		t.Errorf("the key is in the error: %s", s)
	}
	if len([]rune(err.Error())) > 450 || strings.ContainsAny(err.Error(), "\n\x00") {
		t.Errorf("error text: %q", err)
	}
}

// A redirect would carry the key and the documents to another server.
func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := serve(t, says(good))
	s := serve(t, reply{status: 307, header: http.Header{"Location": {elsewhere.URL}}})
	j, _ := newJudge(t, s)
	_, err := j.Judge(context.Background(), aCase())
	if !errors.Is(err, gemini.ErrRefused) || len(elsewhere.requests()) != 0 || len(s.requests()) != 1 {
		t.Fatalf("%v, the other server was asked %d times", err, len(elsewhere.requests()))
	}
}

func TestEveryAttemptSendsTheSamePrompt(t *testing.T) {
	s := serve(t, candidates(map[string]any{"finishReason": "MAX_TOKENS"}))
	j, _ := newJudge(t, s)
	if _, err := j.Judge(context.Background(), aCase()); !errors.Is(err, judge.ErrNoVerdict) {
		t.Fatal(err)
	}
	first, _ := json.Marshal(s.requests()[0].body)
	for i, r := range s.requests() {
		if b, _ := json.Marshal(r.body); string(b) != string(first) {
			t.Errorf("request %d differs", i)
		}
	}
}

// The SDK would go on by itself, with requests nobody counts.
func TestNoRequestOfTheSDKsOwn(t *testing.T) {
	s := serve(t, candidates(map[string]any{
		"content":           map[string]any{"parts": []any{map[string]any{"text": good[:20]}}},
		"finishReason":      "CONTINUATION",
		"continuationToken": "QUJD",
	}))
	j, _ := newJudge(t, s, func(o *gemini.Options) { o.Attempts = 1 })
	_, err := j.Judge(context.Background(), aCase())
	if !errors.Is(err, judge.ErrNoVerdict) || len(s.requests()) != 1 || j.Usage().Requests != 1 {
		t.Fatalf("%v after %d requests", err, len(s.requests()))
	}
}

func TestConcurrentUse(t *testing.T) {
	s := serve(t, says(good))
	j, _ := newJudge(t, s)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if v, err := j.Judge(context.Background(), aCase()); err != nil || v.Score != .8 {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
	wg.Wait()
}

func TestInvalidCasesAreNotSent(t *testing.T) {
	s := serve(t, says(good))
	j, _ := newJudge(t, s)
	for name, tt := range map[string]struct {
		c    judge.Case
		want error
	}{
		"empty answer":        {judge.Case{Documents: aCase().Documents}, judge.ErrInvalidCase},
		"blank answer":        {judge.Case{Answer: " \n", Documents: aCase().Documents}, judge.ErrInvalidCase},
		"nothing to judge by": {judge.Case{Answer: "x"}, judge.ErrNoVerdict},
	} {
		if _, err := j.Judge(context.Background(), tt.c); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(s.requests()) != 0 {
		t.Error("a request was sent")
	}
}

func TestReferenceAlone(t *testing.T) {
	s := serve(t, says(`{"reason":"same","support":[],"sufficiency":0,"score":1}`))
	j, _ := newJudge(t, s)
	v, err := j.Judge(context.Background(), judge.Case{Question: "q", Answer: "France", Reference: "France"})
	if err != nil || v.Score != 1 || v.Sufficiency != nil || len(v.Support) != 0 {
		t.Fatalf("%+v, %v", v, err)
	}
}

func TestCancelledHalfWay(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := serve(t, reply{hang: true, then: cancel})
	j, _ := newJudge(t, s)
	_, err := j.Judge(ctx, aCase())
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	checkError(t, err, 1)
}

func TestDeadlineOfTheCaller(t *testing.T) {
	s := serve(t, reply{hang: true})
	j, _ := newJudge(t, s)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := j.Judge(ctx, aCase()); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("error %v", err)
	}
}

func TestHangingServerIsAServerFailure(t *testing.T) {
	s := serve(t, reply{hang: true}, says(good))
	j, _ := newJudge(t, s, func(o *gemini.Options) { o.AttemptTimeout = 200 * time.Millisecond })
	if v, err := j.Judge(context.Background(), aCase()); err != nil || v.Score != .8 {
		t.Fatalf("second attempt: %+v, %v", v, err)
	}
	s = serve(t, reply{hang: true})
	j, _ = newJudge(t, s, func(o *gemini.Options) { o.AttemptTimeout, o.Attempts = 50*time.Millisecond, 1 })
	if _, err := j.Judge(context.Background(), aCase()); !errors.Is(err, gemini.ErrServer) {
		t.Fatalf("error %v", err)
	}
}

func TestJudgeThatWasNotMade(t *testing.T) {
	j, err := gemini.New(context.Background(), gemini.Options{APIKey: key, Attempts: -1})
	if err == nil {
		t.Fatal("made")
	}
	if _, err := j.Judge(context.Background(), aCase()); !errors.Is(err, judge.ErrUnavailable) {
		t.Errorf("error %v", err)
	}
	v, err := judge.Fallback(j, judge.Overlap{}).Judge(context.Background(), aCase())
	if err != nil || !v.Fallback {
		t.Errorf("fallback: %+v, %v", v, err)
	}
}

func TestServerGone(t *testing.T) {
	s := serve(t, says(good))
	s.Close()
	j, _ := newJudge(t, s)
	_, err := j.Judge(context.Background(), aCase())
	if !errors.Is(err, gemini.ErrServer) || !errors.Is(err, judge.ErrUnavailable) {
		t.Fatalf("error %v", err)
	}
	v, err := judge.Fallback(j, judge.Overlap{}).Judge(context.Background(), aCase())
	if err != nil || !v.Fallback || v.Rater != judge.OverlapRater {
		t.Fatalf("fallback: %+v, %v", v, err)
	}
}
