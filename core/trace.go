package core

import (
	"context"
	"errors"
	"slices"
	"sync"
)

type (
	userKey     struct{}
	sessionKey  struct{}
	questionKey struct{}
	traceKey    struct{}
	vectorKey   struct{}
)

// WithUser returns a context whose retrievals and feedback belong to a user.
func WithUser(ctx context.Context, user string) context.Context {
	return context.WithValue(ctx, userKey{}, user)
}

// UserFrom returns the user of WithUser, or "".
func UserFrom(ctx context.Context) string { return stringFrom(ctx, userKey{}) }

// WithSession returns a context whose retrievals belong to a session.
func WithSession(ctx context.Context, session string) context.Context {
	return context.WithValue(ctx, sessionKey{}, session)
}

// SessionFrom returns the session of WithSession, or "".
func SessionFrom(ctx context.Context) string { return stringFrom(ctx, sessionKey{}) }

// WithQuestion keeps the user's own words where a chain asks the retriever
// something rephrased. Judges read it; the search uses the rephrased text.
func WithQuestion(ctx context.Context, question string) context.Context {
	return context.WithValue(ctx, questionKey{}, question)
}

// QuestionFrom returns the question of WithQuestion, or "".
func QuestionFrom(ctx context.Context) string { return stringFrom(ctx, questionKey{}) }

func stringFrom(ctx context.Context, key any) string {
	s, _ := ctx.Value(key).(string)
	return s
}

// Trace collects the responses of every retrieval made under its context; an
// agent run makes several. It is safe for concurrent use. It keeps at most
// MaxTrace responses, the newest.
type Trace struct {
	mu        sync.Mutex
	responses []*Response
}

// MaxTrace is the number of responses that a Trace keeps.
const MaxTrace = 1000

// WithTrace returns a context with a new trace. A child trace shadows its
// parent: retrievals under the child are not seen by the parent.
func WithTrace(ctx context.Context) (context.Context, *Trace) {
	t := &Trace{}
	return context.WithValue(ctx, traceKey{}, t), t
}

// TraceFrom returns the trace of ctx, or nil.
func TraceFrom(ctx context.Context) *Trace {
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return t
}

// Last returns the newest response, or nil. The response is shared: do not
// modify it.
func (t *Trace) Last() *Response {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.responses) == 0 {
		return nil
	}
	return t.responses[len(t.responses)-1]
}

// All returns the responses in the order in which they were made. They are
// shared: do not modify them.
func (t *Trace) All() []*Response {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.responses)
}

// Feedback gives the signals to every response of the trace that has a receipt,
// each through the engine that made it. A signal that names documents (On, Used)
// goes only to the responses that show one of them; one that no response shows is
// ErrUnknownDocument. It tries all and joins the errors.
func (t *Trace) Feedback(ctx context.Context, signals ...Signal) ([]Update, error) {
	var updates []Update
	var errs []error
	delivered := make([]bool, len(signals))
	for _, r := range t.All() {
		if r.Receipt.IsZero() || r.engine == nil {
			continue
		}
		mine, which := r.about(signals)
		for _, i := range which {
			delivered[i] = true
		}
		if len(mine) == 0 {
			continue
		}
		u, err := r.engine.Feedback(ctx, r.Receipt, mine...)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		updates = append(updates, u)
	}
	for i, s := range signals {
		if !delivered[i] && s.names() {
			errs = append(errs, ErrUnknownDocument)
		}
	}
	return updates, errors.Join(errs...)
}

// Add adds a response, for wrappers that run something under a trace of their
// own and pass on what it retrieved. A nil trace or response is ignored.
func (t *Trace) Add(r *Response) {
	if t == nil || r == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.responses) == MaxTrace {
		t.responses = append(t.responses[:0], t.responses[1:]...)
	}
	t.responses = append(t.responses, r)
}

// VectorSlot carries the query vector that an embedder computed inside a
// retriever out to the engine. It is safe for concurrent use.
type VectorSlot struct {
	mu     sync.Mutex
	text   string
	vector []float32
}

// WithVectorSlot returns a context with a new slot.
func WithVectorSlot(ctx context.Context) (context.Context, *VectorSlot) {
	s := &VectorSlot{}
	return context.WithValue(ctx, vectorKey{}, s), s
}

// VectorSlotFrom returns the slot of ctx, or nil. A nil slot ignores Set.
func VectorSlotFrom(ctx context.Context) *VectorSlot {
	s, _ := ctx.Value(vectorKey{}).(*VectorSlot)
	return s
}

// Set keeps a copy of the vector of a query text; the first text wins.
func (s *VectorSlot) Set(text string, vector []float32) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.vector == nil {
		s.text, s.vector = text, slices.Clone(vector)
	}
}

// Get returns the vector kept for a query text, or nil.
func (s *VectorSlot) Get(text string) []float32 {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text != text {
		return nil
	}
	return slices.Clone(s.vector)
}
