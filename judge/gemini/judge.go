package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
	"google.golang.org/genai"

	"github.com/repute-go/repute/judge"
)

// Judge asks a Gemini model for verdicts. It implements judge.Judge and is safe for concurrent use. It keeps no goroutine and
// needs no closing.
type Judge struct {
	opts    settings
	client  *genai.Client
	breaker *gobreaker.CircuitBreaker[judge.Verdict]
	redact  func(string) string
	pause   pause

	requests, promptTokens, outputTokens atomic.Int64

	now   func() time.Time
	sleep func(context.Context, time.Duration) error
}

var _ judge.Judge = (*Judge)(nil)

// settings are the options a Judge keeps: all but the key.
type settings struct {
	model, rater                   string
	temperature                    *float32
	seed                           *int32
	maxOutputTokens                int32
	timeout, attemptTimeout        time.Duration
	attempts, maxDocuments, budget int
}

// Usage counts what a Judge has used up since it was made.
type Usage struct {
	// Requests sent, failed ones included.
	Requests int64
	// PromptTokens and OutputTokens (thoughts included) as the server counted them; failed requests count none.
	PromptTokens, OutputTokens int64
}

// New makes a Judge. It sends no request, so a wrong key shows with the first verdict. The error wraps
// judge.ErrInvalidOptions where the options are at fault, and never holds the key.
func New(ctx context.Context, opts Options) (*Judge, error) {
	opts = opts.withDefaults()
	if err := opts.validate(); err != nil {
		return nil, err
	}
	j := &Judge{
		opts:   settingsOf(opts),
		redact: redactor(opts.APIKey, os.Getenv("GOOGLE_API_KEY"), os.Getenv("GEMINI_API_KEY")),
		now:    time.Now,
		sleep:  sleep,
	}
	client, err := newClient(ctx, opts, func() time.Time { return j.now() })
	if err != nil {
		// What the SDK says quotes the whole configuration, key and all.
		said, _, _ := strings.Cut(err.Error(), "ClientConfig:")
		return nil, fmt.Errorf("gemini: no client: %s", j.redact(said))
	}
	j.client = client
	j.breaker = newBreaker(opts)
	return j, nil
}

func settingsOf(o Options) settings {
	s := settings{
		model: o.Model, rater: o.Rater,
		maxOutputTokens: o.MaxOutputTokens,
		timeout:         o.Timeout, attemptTimeout: o.AttemptTimeout,
		attempts: o.Attempts, maxDocuments: o.MaxDocuments, budget: o.Budget,
	}
	if o.Temperature != nil {
		s.temperature = new(*o.Temperature)
	}
	if o.Seed != nil {
		s.seed = new(*o.Seed)
	}
	return s
}

func newClient(ctx context.Context, opts Options, now func() time.Time) (*genai.Client, error) {
	cc := &genai.ClientConfig{
		APIKey:      opts.APIKey,
		Backend:     genai.BackendGeminiAPI,
		Project:     opts.Project,
		Location:    opts.Location,
		HTTPOptions: genai.HTTPOptions{BaseURL: opts.BaseURL},
	}
	if opts.Vertex {
		cc.Backend = genai.BackendVertexAI
	}
	if opts.HTTPClient != nil {
		cc.HTTPClient = guarded(opts.HTTPClient, now)
	}
	client, err := genai.NewClient(ctx, cc)
	if err != nil {
		return nil, err
	}
	if opts.HTTPClient == nil {
		// The SDK made this one for us, with the credentials in its transport.
		made := client.ClientConfig().HTTPClient
		*made = *guarded(made, now)
	}
	return client, nil
}

// Usage returns the counters as they are now.
func (j *Judge) Usage() Usage {
	return Usage{
		Requests:     j.requests.Load(),
		PromptTokens: j.promptTokens.Load(),
		OutputTokens: j.outputTokens.Load(),
	}
}

// Judge implements judge.Judge. Where it gives no verdict the error is an *Error, except that an invalid case is a plain
// judge.ErrInvalidCase. It wraps the context's error if ctx ended.
//
// A failed request is sent again, at most Options.Attempts times in all, after the delay the server asks for or else a growing
// random one. If that delay would not end before ctx's deadline, Judge returns at once, so that somebody else can be asked.
// While the server wants to be left alone, for ten minutes at most, other calls wait or return in the same way. A nil Judge, as New returns it with an
// error, is one that is never available.
func (j *Judge) Judge(ctx context.Context, c judge.Case) (judge.Verdict, error) {
	if j == nil {
		return judge.Verdict{}, fmt.Errorf("gemini: %w: it was not made", judge.ErrUnavailable)
	}
	if err := c.Validate(); err != nil {
		return judge.Verdict{}, err
	}
	if len(c.Documents) == 0 && strings.TrimSpace(c.Reference) == "" {
		return judge.Verdict{}, &Error{Kind: judge.ErrNoVerdict, Detail: "neither documents nor a reference to judge by"}
	}
	p, err := newPrompt(c, j.opts.maxDocuments, j.opts.budget)
	if err != nil {
		return judge.Verdict{}, err
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, j.opts.timeout)
		defer cancel()
	}
	return j.persist(ctx, p)
}

// ask sends one request and reads the answer. The error is an *Error.
func (j *Judge) ask(ctx context.Context, p prompt) (v judge.Verdict, err error) {
	defer func() {
		if r := recover(); r != nil { // googleapis/go-genai#899: a null candidate panics inside the SDK
			v, err = judge.Verdict{}, j.broken("the SDK panicked: "+fmt.Sprint(r))
		}
	}()
	attempt, cancel := context.WithTimeout(ctx, j.opts.attemptTimeout)
	defer cancel()
	attempt, seen := watched(attempt)
	j.requests.Add(1)
	resp, err := j.client.Models.GenerateContent(attempt, j.opts.model, genai.Text(p.user), j.config(p))
	if err != nil {
		return judge.Verdict{}, j.classify(ctx, err, seen)
	}
	j.count(resp)
	return j.read(resp, p)
}

// config is made anew for every request, since the SDK writes into it.
func (j *Judge) config(p prompt) *genai.GenerateContentConfig {
	return &genai.GenerateContentConfig{
		SystemInstruction:     genai.NewContentFromText(p.system, genai.RoleUser),
		Temperature:           j.opts.temperature,
		Seed:                  j.opts.seed,
		MaxOutputTokens:       j.opts.maxOutputTokens,
		ResponseMIMEType:      "application/json",
		ResponseSchema:        schema(len(p.documents)),
		AutomaticContinuation: new(false), // would send and bill requests of its own
	}
}

func (j *Judge) count(resp *genai.GenerateContentResponse) {
	if u := resp.UsageMetadata; u != nil {
		j.promptTokens.Add(int64(u.PromptTokenCount))
		j.outputTokens.Add(int64(u.CandidatesTokenCount) + int64(u.ThoughtsTokenCount))
	}
}

// read makes a verdict of a response, or says why there is none.
func (j *Judge) read(resp *genai.GenerateContentResponse, p prompt) (judge.Verdict, error) {
	text, err := j.text(resp)
	if err != nil {
		return judge.Verdict{}, err
	}
	g, err := parseGrade(text, len(p.documents))
	if err != nil {
		return judge.Verdict{}, j.broken(fmt.Sprintf("unusable answer: %v in %q", err, clean(text, 160)))
	}
	v := judge.Verdict{
		Score:        g.score,
		Rater:        j.opts.rater,
		ModelVersion: j.opts.model,
		Reason:       g.reason,
	}
	if resp.ModelVersion != "" {
		v.ModelVersion = clean(resp.ModelVersion, 100)
	}
	if len(p.documents) > 0 {
		v.Sufficiency = new(g.sufficiency)
		v.Support = make(map[string]float64, len(g.support))
		for place, x := range g.support {
			v.Support[p.documents[place].ID] = x
		}
	}
	return v, nil
}

// text returns what the model answered, thoughts left out. genai's own Text panics on a null part.
func (j *Judge) text(resp *genai.GenerateContentResponse) (string, error) {
	if f := resp.PromptFeedback; f != nil && f.BlockReason != "" {
		return "", j.withheld("the prompt was blocked: " + string(f.BlockReason))
	}
	if len(resp.Candidates) == 0 || resp.Candidates[0] == nil {
		return "", j.broken("the response holds no answer")
	}
	candidate := resp.Candidates[0]
	switch candidate.FinishReason {
	case genai.FinishReasonStop, genai.FinishReasonUnspecified, "":
	case genai.FinishReasonMaxTokens, genai.FinishReasonContinuation:
		return "", &Error{Kind: judge.ErrNoVerdict, Detail: "the answer was cut off: " + j.redact(string(candidate.FinishReason))}
	default:
		return "", j.withheld("the answer was withheld: " + string(candidate.FinishReason))
	}
	var b strings.Builder
	if candidate.Content != nil {
		for _, part := range candidate.Content.Parts {
			if part != nil && !part.Thought {
				b.WriteString(part.Text)
			}
		}
	}
	if b.Len() == 0 {
		return "", j.broken("the answer is empty")
	}
	return b.String(), nil
}

// withheld says that the server would not have this case judged: its right, and no failure.
func (j *Judge) withheld(why string) *Error {
	return &Error{Kind: judge.ErrNoVerdict, Detail: j.redact(why), final: true}
}

// broken says that a response makes no sense.
func (j *Judge) broken(why string) *Error {
	return &Error{Kind: judge.ErrNoVerdict, Detail: j.redact(why), broken: true}
}

// classify says what an error of the SDK means. ctx is the caller's.
func (j *Judge) classify(ctx context.Context, err error, seen *exchange) *Error {
	if ended := ctx.Err(); ended != nil {
		return &Error{Kind: ended, Status: seen.status}
	}
	e := &Error{Kind: ErrServer, Status: seen.status, RetryAfter: seen.retryAfter, Detail: j.redact(err.Error())}
	var api genai.APIError
	if errors.As(err, &api) {
		e.RetryAfter = max(e.RetryAfter, retryInfo(api.Details))
		e.Detail = j.redact(strings.TrimSpace(api.Status + " " + api.Message))
	}
	switch {
	case e.Status == 429:
		e.Kind = ErrRateLimited
	case e.Status >= 300 && e.Status < 500 && e.Status != 408:
		e.Kind = ErrRefused
	case isMalformed(err):
		e.Kind, e.broken = judge.ErrNoVerdict, true
	}
	return e
}

// isMalformed reports whether the response was complete but no JSON of the right shape.
func isMalformed(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}

// retryInfo returns the delay in a google.rpc.RetryInfo among the details of an error, 0 if there is none.
func retryInfo(details []map[string]any) time.Duration {
	for _, d := range details {
		if kind, _ := d["@type"].(string); !strings.HasSuffix(kind, "google.rpc.RetryInfo") {
			continue
		}
		delay, _ := d["retryDelay"].(string)
		if d, err := time.ParseDuration(delay); err == nil {
			return boundDelay(d)
		}
	}
	return 0
}
