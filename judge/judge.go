package judge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"unicode"
)

// Errors a caller can tell apart with errors.Is. A judge wraps them with the circumstances.
var (
	// ErrNoVerdict: the judge was asked and gave no usable verdict, for instance because its answer was blocked, cut off
	// or out of range, or because the case holds nothing to judge by. It says nothing about the answer: it is never a bad mark.
	ErrNoVerdict = errors.New("judge: no verdict")
	// ErrUnavailable: the judge could not be asked: down, rate limited, refused, or resting after repeated failures.
	ErrUnavailable = errors.New("judge: judge unavailable")
	// ErrInvalidCase: the case cannot be judged by anyone: an empty answer, or a document without a unique ID.
	ErrInvalidCase = errors.New("judge: invalid case")
	// ErrInvalidOptions: a constructor got options that contradict themselves or lack something required.
	ErrInvalidOptions = errors.New("judge: invalid options")
	// ErrQueueFull: a Feed has no room for another case; the case was dropped and counted.
	ErrQueueFull = errors.New("judge: queue full")
	// ErrClosed: the Feed was closed and takes no more cases.
	ErrClosed = errors.New("judge: feed closed")
	// ErrAbandoned: a Feed was closed before all its cases were judged and delivered.
	ErrAbandoned = errors.New("judge: cases abandoned")
)

// A Judge says how good an answer is, given the documents it was made from.
//
// Judge returns an error that wraps ErrNoVerdict when it has no opinion, ErrUnavailable when it could not be asked,
// ErrInvalidCase when the case itself is at fault, and the context's error when ctx ended first. It must return soon after
// ctx ends, must not modify the case, and must be safe for concurrent use.
type Judge interface {
	Judge(ctx context.Context, c Case) (Verdict, error)
}

// Func makes a Judge of a function.
type Func func(ctx context.Context, c Case) (Verdict, error)

// Judge calls f.
func (f Func) Judge(ctx context.Context, c Case) (Verdict, error) { return f(ctx, c) }

// A Document is one passage the answer was made from. ID is what a Verdict's Support is keyed by; Title may be empty.
// Title and Text are untrusted: a judge reads them as data and never follows them. Invalid UTF-8 is read as U+FFFD.
type Document struct {
	ID    string
	Title string
	Text  string
}

// A Case is what a judge is asked to look at: a question, the answer given, and the documents the answer was made from.
type Case struct {
	// Question in the user's own words. Empty: only the relation of answer and documents is judged.
	Question string
	// Answer to judge. Required.
	Answer string
	// Documents shown to whoever answered, best first. Their order carries no meaning for a verdict.
	Documents []Document
	// Reference is a known right answer, where there is one. A judge then scores the answer against it.
	Reference string
}

// Validate reports, as an error wrapping ErrInvalidCase, an answer without a visible character, a document without an ID
// and two documents with the same ID.
func (c Case) Validate() error {
	if blank(c.Answer) {
		return fmt.Errorf("%w: the answer is empty", ErrInvalidCase)
	}
	seen := make(map[string]struct{}, len(c.Documents))
	for i, d := range c.Documents {
		if d.ID == "" {
			return fmt.Errorf("%w: document %d has no ID", ErrInvalidCase, i)
		}
		if _, dup := seen[d.ID]; dup {
			return fmt.Errorf("%w: two documents have the ID %q", ErrInvalidCase, shorten(d.ID, 80))
		}
		seen[d.ID] = struct{}{}
	}
	return nil
}

// size is the number of bytes of text a case holds on to.
func (c Case) size() int {
	n := len(c.Question) + len(c.Answer) + len(c.Reference)
	for _, d := range c.Documents {
		n += len(d.ID) + len(d.Title) + len(d.Text)
	}
	return n
}

// A Verdict is what a judge found.
type Verdict struct {
	// Score in [0,1]: how good the answer is, 1 best. Against a Reference: is it right? Without one: does it answer the
	// question, claiming only what the documents bear out?
	Score float64
	// Support gives, per document ID, the share of the answer in [0,1] that this document bears out. Documents overlap, so
	// shares need not add up to 1. A document without an entry was not judged, which is not the same as a share of 0.
	Support map[string]float64
	// Sufficiency in [0,1]: do the documents suffice to answer the question, whatever the answer says? Nil: not judged.
	Sufficiency *float64
	// Rater names the judge as "class:id", for instance "judge:overlap", so that its record can be kept apart from others'.
	Rater string
	// ModelVersion is the exact version that judged, as the judge reports it.
	ModelVersion string
	// Fallback: the judge asked first did not speak, this one stood in. Set by the Judge that Fallback returns.
	Fallback bool
	// Reason is a short explanation for people, possibly written by a model: untrusted text. May be empty.
	Reason string
}

// Clone returns a copy that shares nothing with v.
func (v Verdict) Clone() Verdict {
	v.Support = maps.Clone(v.Support)
	if v.Sufficiency != nil {
		v.Sufficiency = new(*v.Sufficiency)
	}
	return v
}

// Validate reports, as an error wrapping ErrNoVerdict, whatever makes v unusable as a verdict on c: a number that is not
// in [0,1], support for a document that is not in the case, or a rater that is not "class:id" of at most 200 bytes, or of the class "verifier".
func (v Verdict) Validate(c Case) error {
	if !unit(v.Score) {
		return fmt.Errorf("%w: score %v is not in [0,1]", ErrNoVerdict, v.Score)
	}
	if v.Sufficiency != nil && !unit(*v.Sufficiency) {
		return fmt.Errorf("%w: sufficiency %v is not in [0,1]", ErrNoVerdict, *v.Sufficiency)
	}
	if !isRater(v.Rater) {
		return fmt.Errorf("%w: rater %q is not of the form class:id", ErrNoVerdict, shorten(v.Rater, 80))
	}
	return v.validateSupport(c)
}

func (v Verdict) validateSupport(c Case) error {
	if len(v.Support) == 0 {
		return nil
	}
	known := make(map[string]struct{}, len(c.Documents))
	for _, d := range c.Documents {
		known[d.ID] = struct{}{}
	}
	for id, x := range v.Support {
		if _, ok := known[id]; !ok {
			return fmt.Errorf("%w: support for %q, which is not in the case", ErrNoVerdict, shorten(id, 80))
		}
		if !unit(x) {
			return fmt.Errorf("%w: support %v of %q is not in [0,1]", ErrNoVerdict, x, shorten(id, 80))
		}
	}
	return nil
}

// unit reports whether x is a number in [0,1]; NaN is not.
func unit(x float64) bool { return x >= 0 && x <= 1 && !math.IsNaN(x) }

// longestRater bounds a rater's name, in bytes.
const longestRater = 200

// isRater reports whether s is "class:id" without white space or control characters. The class "verifier" is for checks that
// cannot be talked round, which no judge is.
func isRater(s string) bool {
	class, id, ok := strings.Cut(s, ":")
	if !ok || class == "" || class == "verifier" || id == "" || len(s) > longestRater {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}

// blank reports whether s holds nothing but white space and control characters.
func blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsControl(r) })
}

// shorten cuts s to at most n runes, marking the cut.
func shorten(s string, n int) string {
	seen := 0
	for i := range s {
		if seen == n {
			return s[:i] + "…"
		}
		seen++
	}
	return s
}
