package core

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/repute-go/repute/core/lifecycle"
)

const (
	// maxQueuedSuggestions bounds what waits for OnSuggestion.
	maxQueuedSuggestions = 256
	// suggestionTimeout is how long one call of OnSuggestion may take.
	suggestionTimeout = 30 * time.Second
)

// Suggestion offers a document for a user's library; Library.Accept and
// Library.Decline answer it, also late, also after it expired. It is a plain
// value and survives JSON. Made by a Response it also remembers, in memory only,
// the chunks shown, which Accept keeps if the source has no Loader.
type Suggestion struct {
	lifecycle.Suggestion
	// User is whom it was made to, Source where the document comes from.
	User   string `json:"user,omitzero"`
	Source string `json:"source,omitzero"`

	shown []Candidate
}

// Offer makes a suggestion of any document that the response shows, for a user
// who wants it in the library unasked. It reports false if the response does not
// show it.
func (r *Response) Offer(doc string) (Suggestion, bool) {
	for _, s := range r.Suggestions {
		if s.Doc == doc {
			return s, true
		}
	}
	for _, it := range r.Items {
		if it.DocID == doc {
			s := lifecycle.Suggestion{Doc: doc, Title: it.Title, Path: it.Path}
			return Suggestion{Suggestion: s, User: r.User, Source: r.Source, shown: r.chunksOf(doc)}, true
		}
	}
	return Suggestion{}, false
}

// chunksOf returns the retriever's own chunks of a document that are shown.
func (r *Response) chunksOf(doc string) (out []Candidate) {
	for _, it := range r.Items {
		if it.DocID == doc && !it.FromLibrary {
			out = append(out, it.Candidate.clone())
		}
	}
	return out
}

// suggesting delivers suggestions to OnSuggestion.
type suggesting struct {
	once  sync.Once
	queue chan Suggestion
}

// announce hands new suggestions to OnSuggestion without waiting for it.
func (e *Engine) announce(list []Suggestion) {
	if e.opts.OnSuggestion == nil || len(list) == 0 {
		return
	}
	e.suggesting.once.Do(func() {
		e.suggesting.queue = make(chan Suggestion, maxQueuedSuggestions)
		e.start(e.deliver)
	})
	for _, s := range list {
		select {
		case e.suggesting.queue <- s:
		default:
			e.opts.Logger.Warn("suggestion not announced: OnSuggestion is too slow", "document", s.Doc)
		}
	}
}

func (e *Engine) deliver(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-e.suggesting.queue:
			err := isolated(ctx, suggestionTimeout, func(ctx context.Context) error {
				e.opts.OnSuggestion(ctx, s)
				return nil
			})
			if err != nil && e.life.Err() == nil {
				e.opts.Logger.Warn("OnSuggestion failed", "document", s.Doc, "error", err)
			}
		}
	}
}

// isolated runs a caller's function for at most d. Its panics become errors, and
// if it ignores the end of its context it is left behind.
func isolated(ctx context.Context, d time.Duration, f func(ctx context.Context) error) error {
	ctx, cancel := within(ctx, d)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("core: panic: %v", p)
			}
		}()
		done <- f(ctx)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
