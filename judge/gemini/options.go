package gemini

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"os"
	"time"

	"github.com/repute-go/repute/judge"
)

// Defaults of Options.
const (
	DefaultModel           = "gemini-3.5-flash-lite"
	DefaultLocation        = "global"
	DefaultTimeout         = 60 * time.Second
	DefaultAttemptTimeout  = 20 * time.Second
	DefaultAttempts        = 3
	DefaultMaxDocuments    = 20
	DefaultBudget          = 24_000
	DefaultMaxOutputTokens = 4096
	DefaultFailures        = 5
	DefaultCooldown        = time.Minute
)

// smallestBudget is enough for a question, an answer and the gist of one document.
const smallestBudget = 500

// Options configures a Judge. The zero value uses the Gemini API with the key in the environment variable GOOGLE_API_KEY or,
// where that is not set, GEMINI_API_KEY.
type Options struct {
	// Model to ask. "": DefaultModel.
	Model string
	// APIKey of the Gemini API or, with Vertex, of its express mode. No method here shows it, and no verb of fmt; but in an unexported
	// field of another struct fmt asks no method, so do not print such a struct.
	APIKey string `json:"-"`
	// Vertex asks Vertex AI instead of the Gemini API; Project implies it. Without an APIKey the application default
	// credentials are used, or whatever HTTPClient adds to its requests.
	Vertex bool
	// Project and Location name the Google Cloud project and region for Vertex AI. Location "": DefaultLocation.
	Project, Location string
	// BaseURL replaces the server's address, for a proxy or a test.
	BaseURL string
	// HTTPClient makes the requests. Nil: a new one. It is copied; redirects are not followed, since they would carry the
	// key and the documents to another server.
	HTTPClient *http.Client

	// Temperature and Seed are sent only if set: Gemini 3 models are made for their own defaults.
	Temperature *float32
	Seed        *int32
	// MaxOutputTokens bounds an answer, thoughts included. 0: DefaultMaxOutputTokens.
	MaxOutputTokens int32

	// Timeout bounds a call of Judge, with all attempts and waits, whose ctx has no deadline. A deadline is respected as it
	// is. 0: DefaultTimeout.
	Timeout time.Duration
	// AttemptTimeout bounds one request. 0: DefaultAttemptTimeout.
	AttemptTimeout time.Duration
	// Attempts is how often one prompt is sent at most. 0: DefaultAttempts.
	Attempts int
	// Failures in a row open the circuit breaker: for Cooldown no request is sent, then a single one decides. 0:
	// DefaultFailures, DefaultCooldown.
	Failures int
	Cooldown time.Duration

	// MaxDocuments is how many documents, from the first, the model is shown; of the others the verdict says nothing, so
	// nothing is learned of them. 0: DefaultMaxDocuments.
	MaxDocuments int
	// Budget is how many code points of question, answer, reference and documents the model is shown in all; longer texts
	// are cut at the end and marked as cut. 0: DefaultBudget; at least 500.
	Budget int

	// Rater names the judge in its verdicts, "class:id". "": "judge:" and the model.
	Rater string
}

func (o Options) withDefaults() Options {
	o.Vertex = o.Vertex || o.Project != "" || o.Location != ""
	if !o.Vertex {
		o.APIKey = cmp.Or(o.APIKey, os.Getenv("GOOGLE_API_KEY"), os.Getenv("GEMINI_API_KEY"))
	} else if o.Project != "" {
		o.Location = cmp.Or(o.Location, DefaultLocation)
	}
	o.Model = cmp.Or(o.Model, DefaultModel)
	o.MaxOutputTokens = cmp.Or(o.MaxOutputTokens, DefaultMaxOutputTokens)
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.AttemptTimeout = cmp.Or(o.AttemptTimeout, DefaultAttemptTimeout)
	o.Attempts = cmp.Or(o.Attempts, DefaultAttempts)
	o.Failures = cmp.Or(o.Failures, DefaultFailures)
	o.Cooldown = cmp.Or(o.Cooldown, DefaultCooldown)
	o.MaxDocuments = cmp.Or(o.MaxDocuments, DefaultMaxDocuments)
	o.Budget = cmp.Or(o.Budget, DefaultBudget)
	o.Rater = cmp.Or(o.Rater, "judge:"+o.Model)
	return o
}

func (o Options) validate() error {
	invalid := func(format string, args ...any) error {
		return fmt.Errorf("gemini: %w: %s", judge.ErrInvalidOptions, fmt.Sprintf(format, args...))
	}
	switch {
	case !o.Vertex && o.APIKey == "":
		return invalid("no API key: set APIKey, GOOGLE_API_KEY or GEMINI_API_KEY, or use Vertex AI")
	case o.Project != "" && o.APIKey != "":
		return invalid("APIKey and Project exclude each other")
	case o.Vertex && o.Project == "" && o.APIKey == "" && o.BaseURL == "":
		return invalid("Vertex AI needs a Project, an APIKey or a BaseURL")
	case o.MaxOutputTokens < 0 || o.Attempts < 0 || o.Failures < 0 || int64(o.Failures) > math.MaxUint32 || o.MaxDocuments < 0:
		return invalid("counts must not be negative")
	case o.Timeout < 0 || o.AttemptTimeout < 0 || o.Cooldown < 0:
		return invalid("durations must not be negative")
	case o.Budget < smallestBudget:
		return invalid("Budget %d is under %d", o.Budget, smallestBudget)
	case o.Temperature != nil && !(*o.Temperature >= 0 && *o.Temperature <= 2):
		return invalid("Temperature %v is not in [0,2]", *o.Temperature)
	}
	if err := (judge.Verdict{Rater: o.Rater}).Validate(judge.Case{}); err != nil {
		return invalid("Rater %q is not of the form class:id", o.Rater)
	}
	return nil
}

// String describes the options without the key.
func (o Options) String() string {
	backend := "Gemini API"
	if o.Vertex || o.Project != "" {
		backend = "Vertex AI"
	}
	return fmt.Sprintf("gemini.Options{%s, model %q}", backend, cmp.Or(o.Model, DefaultModel))
}

// Format is what fmt prints with any verb: String.
func (o Options) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, o.String()) }

// LogValue is what slog prints: String.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }
