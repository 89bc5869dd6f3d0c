package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/tmc/langchaingo/llms"
	"google.golang.org/genai"
)

// gemini is a Gemini model as langchaingo's llms.Model.
type gemini struct {
	client *genai.Client
	model  string
	key    string
	pause  time.Duration // before a call is repeated the first time
}

var _ llms.Model = (*gemini)(nil)

var (
	// errGemini hides what the SDK says of a bad configuration: it prints the key.
	errGemini = errors.New("the Gemini client cannot be set up with this key")
	// errSilent says that the model was blocked or answered nothing.
	errSilent = errors.New("the model gave no answer")
)

const (
	callTimeout = 2 * time.Minute // bounds one call of the model
	callTries   = 5               // sent at most, for one answer
	longestWait = 5 * time.Minute // between them, whatever the server asks for
)

// newGemini makes a model; an empty url means Google's.
func newGemini(ctx context.Context, key, model, url string) (*gemini, error) {
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: key, Backend: genai.BackendGeminiAPI,
		HTTPOptions: genai.HTTPOptions{BaseURL: url},
	})
	if err != nil {
		return nil, errGemini
	}
	return &gemini{client, model, key, 2 * time.Second}, nil
}

// GenerateContent sends the texts of the messages as one prompt. The reply ends
// before the first stop word, even if the server goes on: the agent would else read
// observations that the model made up.
func (g *gemini) GenerateContent(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, opt := range opts {
		opt(&o)
	}
	text, err := g.ask(ctx, promptOf(messages), o.StopWords)
	if err != nil {
		return nil, err
	}
	for _, stop := range o.StopWords {
		text, _, _ = strings.Cut(text, stop)
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: text}}}, nil
}

// ask calls the model, and again where that may help, after the delay that the
// server asks for or else a growing one. Errors hold no key.
func (g *gemini) ask(ctx context.Context, prompt string, stop []string) (string, error) {
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval = g.pause
	for try := 1; ; try++ {
		text, err := g.once(ctx, prompt, stop)
		if err != nil && ctx.Err() != nil {
			return "", ctx.Err() // whatever came back in the meantime
		}
		if err == nil || try == callTries || !passing(err) {
			return text, err
		}
		select {
		case <-time.After(min(max(wait.NextBackOff(), askedDelay(err)), longestWait)):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// passing reports whether the same call may succeed later: where the server was
// busy or out of reach, or answered what is no answer of the API. A model that said
// nothing has answered, and a request that was refused will be again.
func passing(err error) bool {
	var api genai.APIError
	switch {
	case errors.Is(err, errSilent):
		return false
	case !errors.As(err, &api):
		return true
	}
	return api.Code < 400 || api.Code >= 500 || api.Code == http.StatusTooManyRequests || api.Code == http.StatusRequestTimeout
}

// askedDelay is the delay that a server asks for in a google.rpc.RetryInfo, else 0.
func askedDelay(err error) time.Duration {
	var api genai.APIError
	if !errors.As(err, &api) {
		return 0
	}
	for _, d := range api.Details {
		if text, ok := d["retryDelay"].(string); ok {
			delay, _ := time.ParseDuration(text)
			return delay
		}
	}
	return 0
}

// once calls the model once. A panic of the SDK (it has some on odd replies) is an
// error.
func (g *gemini) once(ctx context.Context, prompt string, stop []string) (text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			text, err = "", fmt.Errorf("gemini: %w: %s", errSilent, g.redacted(fmt.Sprint(p)))
		}
	}()
	resp, err := g.client.Models.GenerateContent(ctx, g.model, genai.Text(prompt), &genai.GenerateContentConfig{StopSequences: stop})
	if err != nil {
		return "", &callError{"gemini: " + g.redacted(err.Error()), err}
	}
	if text = resp.Text(); strings.TrimSpace(text) == "" {
		return "", fmt.Errorf("gemini: %w", errSilent)
	}
	return text, nil
}

// callError is an error with a text of its own.
type callError struct {
	text  string
	cause error
}

func (e *callError) Error() string { return e.text }

// Unwrap returns the cause, whose own text may hold the key: it is for errors.Is
// and errors.As.
func (e *callError) Unwrap() error { return e.cause }

func (g *gemini) redacted(s string) string { return strings.ReplaceAll(s, g.key, "[key]") }

// Call answers a bare prompt.
func (g *gemini) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, g, prompt, opts...)
}
