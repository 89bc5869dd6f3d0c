package gemini_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/repute-go/repute/judge"
	"github.com/repute-go/repute/judge/gemini"
)

func noEnvironment(t *testing.T) {
	for _, name := range []string{"GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_REGION"} {
		t.Setenv(name, "")
	}
}

func TestInvalidOptions(t *testing.T) {
	noEnvironment(t)
	for name, o := range map[string]gemini.Options{
		"no key":                 {},
		"key and project":        {APIKey: key, Project: "p"},
		"Vertex without project": {Vertex: true},
		"negative attempts":      {APIKey: key, Attempts: -1},
		"negative documents":     {APIKey: key, MaxDocuments: -1},
		"negative tokens":        {APIKey: key, MaxOutputTokens: -1},
		"negative failures":      {APIKey: key, Failures: -1},
		"negative timeout":       {APIKey: key, Timeout: -time.Second},
		"negative cooldown":      {APIKey: key, Cooldown: -time.Second},
		"tiny budget":            {APIKey: key, Budget: 10},
		"temperature 3":          {APIKey: key, Temperature: new(float32(3))},
		"rater without class":    {APIKey: key, Rater: "gemini"},
		"rater a verifier":       {APIKey: key, Rater: "verifier:gemini"},
		"model with a space":     {APIKey: key, Model: "gemini 3"},
	} {
		j, err := gemini.New(context.Background(), o)
		if !errors.Is(err, judge.ErrInvalidOptions) || j != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), key) {
			t.Errorf("%s: the key is in %v", name, err)
		}
	}
}

func TestKeyFromTheEnvironment(t *testing.T) {
	noEnvironment(t)
	t.Setenv("GEMINI_API_KEY", "from-the-environment")
	s := serve(t, says(good))
	j, _ := newJudge(t, s, func(o *gemini.Options) { o.APIKey = "" })
	if _, err := j.Judge(context.Background(), aCase()); err != nil || s.requests()[0].key != "from-the-environment" {
		t.Fatalf("key %q, %v", s.requests()[0].key, err)
	}
}

// The SDK prints its whole configuration, key included, when it does not like it.
func TestClientErrorsDoNotHoldTheKey(t *testing.T) {
	noEnvironment(t)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "/does/not/exist-"+key)
	_, err := gemini.New(context.Background(), gemini.Options{Project: "p"})
	if err == nil || strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "ClientConfig") {
		t.Fatalf("error %v", err)
	}
}

func TestNothingPrintsTheKey(t *testing.T) {
	var logged bytes.Buffer
	before := log.Writer()
	log.SetOutput(&logged)
	t.Cleanup(func() { log.SetOutput(before) })
	s := serve(t, failure(400, "INVALID_ARGUMENT", ""))
	opts := gemini.Options{APIKey: key, BaseURL: s.URL, HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	j, err := gemini.New(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	_, err = j.Judge(context.Background(), aCase())
	if !errors.Is(err, gemini.ErrRefused) {
		t.Fatal(err)
	}
	encoded, jsonErr := json.Marshal(struct{ Model, APIKey any }{opts.Model, err.Error()})
	if jsonErr != nil {
		t.Fatal(jsonErr)
	}
	slog.New(slog.NewTextHandler(&logged, nil)).Info("made", "options", opts, "judge", j, "error", err)
	printed := fmt.Sprintf("%v %+v %#v %s %d %q %x %+v %v %v %+v %s", opts, opts, opts, opts, opts, opts, opts, &opts, []any{opts}, j, j, encoded) + logged.String()
	if strings.Contains(printed, key) {
		t.Fatalf("the key is printed: %s", printed)
	}
	if !strings.Contains(err.Error(), "[key]") {
		t.Errorf("the server's echo of the key should show as such: %v", err)
	}
}
