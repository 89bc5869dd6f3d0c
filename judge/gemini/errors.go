package gemini

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"github.com/repute-go/repute/judge"
)

// Why a Judge has no verdict, to be told apart with errors.Is. Besides, judge.ErrUnavailable holds for all of these, and
// judge.ErrNoVerdict where the model was asked but was blocked, cut off or unusable.
var (
	// ErrRateLimited: the server refuses more requests for now (429). Error.RetryAfter says for how long, if it told.
	ErrRateLimited = errors.New("gemini: rate limited")
	// ErrServer: the server failed, could not be reached or did not answer in time.
	ErrServer = errors.New("gemini: server failure")
	// ErrRefused: the server refuses this key, model or request (other 4xx). Asking again would not help.
	ErrRefused = errors.New("gemini: request refused")
	// ErrResting: too many failures in a row; no request was sent, and none will be for a while (circuit breaker).
	ErrResting = errors.New("gemini: resting after repeated failures")
)

// Error says why there is no verdict. Get it with errors.As.
type Error struct {
	// Kind is ErrRateLimited, ErrServer, ErrRefused, ErrResting, judge.ErrNoVerdict or the error of the context.
	Kind error
	// Status is the HTTP status of the last response, 0 if there was none.
	Status int
	// RetryAfter is how long the server asked to wait, 0 if it did not.
	RetryAfter time.Duration
	// Attempts is how many requests were sent.
	Attempts int
	// Detail is what was wrong, shortened and without the key. It may quote the server or the model: untrusted text.
	Detail string

	// broken: the response makes no sense, so the server counts as failing although it answered.
	broken bool
	// final: asking again with the same prompt would not help.
	final bool
}

// Error implements error.
func (e *Error) Error() string {
	if e.Detail == "" {
		return e.brief()
	}
	return e.brief() + ": " + e.Detail
}

// LogValue is what slog prints: the error without its Detail, which may quote what is none of a log's business.
func (e *Error) LogValue() slog.Value { return slog.StringValue(e.brief()) }

// brief is the error without its Detail.
func (e *Error) brief() string {
	var b strings.Builder
	b.WriteString(e.Kind.Error())
	if !strings.HasPrefix(b.String(), "gemini: ") {
		b.Reset()
		fmt.Fprintf(&b, "gemini: %v", e.Kind)
	}
	if e.Status != 0 && e.Status != 200 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&b, " after %d attempts", e.Attempts)
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, ", wait %v", e.RetryAfter.Round(time.Millisecond))
	}
	return b.String()
}

// Unwrap returns Kind and, where the judge could not be asked, judge.ErrUnavailable.
func (e *Error) Unwrap() []error {
	switch e.Kind {
	case ErrRateLimited, ErrServer, ErrRefused, ErrResting:
		return []error{e.Kind, judge.ErrUnavailable}
	}
	return []error{e.Kind}
}

// again reports whether the same prompt may have better luck.
func (e *Error) again() bool {
	if e.final {
		return false
	}
	return errors.Is(e.Kind, ErrRateLimited) || errors.Is(e.Kind, ErrServer) || errors.Is(e.Kind, judge.ErrNoVerdict)
}

// longestDetail bounds Error.Detail, in code points.
const longestDetail = 300

// secret matches what Google's keys and access tokens look like.
var secret = regexp.MustCompile(`AIza[0-9A-Za-z_-]{20,}|AQ\.[0-9A-Za-z_-]{20,}|ya29\.[0-9A-Za-z_.-]+`)

// redactor returns a function that takes keys and everything like one out of a text, makes it one line and shortens it.
func redactor(keys ...string) func(string) string {
	return func(s string) string {
		for _, key := range keys {
			if key != "" {
				s = strings.ReplaceAll(s, key, "[key]")
			}
		}
		s = secret.ReplaceAllString(s, "[key]")
		return clean(s, longestDetail)
	}
}

// clean cuts a text to n code points, one line, valid UTF-8, without control characters.
func clean(s string, n int) string {
	head, cut := truncate(s, n)
	head = strings.Join(strings.FieldsFunc(head, func(r rune) bool { return r < ' ' || r == 0x7f || r == ' ' }), " ")
	if cut {
		head += "…"
	}
	return strings.ToValidUTF8(head, "\uFFFD")
}
