package chain

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/schema"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/judge"
	replc "github.com/repute-go/repute/langchaingo"
)

// Defaults of GuardOptions.
const (
	// NoEvidenceAnswer is what Guard answers if nothing else is said.
	NoEvidenceAnswer = "I found nothing in the documents that answers this."
	// DefaultTimeout is how long a judge of sufficiency may hold up an answer.
	DefaultTimeout = 10 * time.Second
)

// GuardOptions configures a Guard. The zero value works.
type GuardOptions struct {
	// Answer is the fixed answer; empty means NoEvidenceAnswer.
	Answer string
	// Sufficiency, if not nil, is asked whether the documents suffice to answer;
	// below MinSufficiency the fixed answer is given too. The gate says that
	// documents are about the question; only reading them says whether they
	// answer it. A judge that fails, panics, takes longer than Timeout, or has no
	// opinion or no usable verdict lets the chain run. judge.Overlap has no
	// opinion on it.
	Sufficiency judge.Judge
	// Timeout is how long that judge may take; 0 means DefaultTimeout.
	Timeout time.Duration
	// MinSufficiency is in [0,1]; 0 means .5.
	MinSufficiency float64
}

func (o GuardOptions) validate() error {
	if !(o.MinSufficiency >= 0 && o.MinSufficiency <= 1) {
		return fmt.Errorf("%w: MinSufficiency %v is not in [0,1]", core.ErrInvalidOptions, o.MinSufficiency)
	}
	if o.Timeout < 0 {
		return fmt.Errorf("%w: Timeout %v is negative", core.ErrInvalidOptions, o.Timeout)
	}
	return nil
}

// Guard runs a chain and gives a fixed answer where the chain's retriever (a
// replc.Retriever, with either setting of NoEvidence) finds no evidence: the
// answering model is not called. The answer stands under the first output key;
// other output keys of the chain are then empty. It is not streamed. Of a chain
// that retrieves several times, an agent for instance, the first retrieval without
// evidence ends the run. A conversational chain has its model rephrase the question
// before it retrieves; that call is made. Guard is safe for concurrent use if the
// chain is.
type Guard struct {
	inner chains.Chain
	opts  GuardOptions
}

var (
	_ chains.Chain           = (*Guard)(nil)
	_ callbacks.HandlerHaver = (*Guard)(nil)
)

// NewGuard wraps a chain. Errors: core.ErrInvalidOptions.
func NewGuard(inner chains.Chain, opts GuardOptions) (*Guard, error) {
	if isNil(inner) {
		return nil, fmt.Errorf("%w: no chain", core.ErrInvalidOptions)
	}
	if err := opts.validate(); err != nil {
		return nil, err
	}
	if opts.Answer == "" {
		opts.Answer = NoEvidenceAnswer
	}
	if opts.MinSufficiency == 0 {
		opts.MinSufficiency = .5
	}
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	if opts.Sufficiency != nil {
		opts.Sufficiency = judge.Fallback(opts.Sufficiency, nil) // contains panics and unusable verdicts
	}
	return &Guard{inner, opts}, nil
}

// Call implements chains.Chain.
func (g *Guard) Call(ctx context.Context, inputs map[string]any, options ...chains.ChainCallOption) (map[string]any, error) {
	out, err := g.inner.Call(replc.WithCheck(ctx, g.check), inputs, options...)
	if errors.Is(err, core.ErrNoEvidence) && ctx.Err() == nil {
		refused(ctx)
		return g.refusal(), nil
	}
	return out, err
}

// check ends the chain where there is nothing to answer from.
func (g *Guard) check(ctx context.Context, resp *core.Response) error {
	if !resp.HasEvidence() {
		return core.ErrNoEvidence
	}
	if g.opts.Sufficiency == nil {
		return nil
	}
	asking, cancel := context.WithTimeout(ctx, g.opts.Timeout)
	defer cancel()
	v, err := g.opts.Sufficiency.Judge(asking, judge.NewCase(resp, noAnswerYet))
	if err != nil || v.Sufficiency == nil || *v.Sufficiency >= g.opts.MinSufficiency {
		return ctx.Err()
	}
	return fmt.Errorf("%w: the documents suffice to %.2f", core.ErrNoEvidence, *v.Sufficiency)
}

type refusalKey struct{}

// withRefusal returns a context under which a Guard notes that it refused.
func withRefusal(ctx context.Context) (context.Context, *atomic.Bool) {
	seen := new(atomic.Bool)
	return context.WithValue(ctx, refusalKey{}, seen), seen
}

func refused(ctx context.Context) {
	if seen, ok := ctx.Value(refusalKey{}).(*atomic.Bool); ok {
		seen.Store(true)
	}
}

// noAnswerYet stands for the answer in a case of which only the sufficiency is
// read.
const noAnswerYet = "(no answer has been written yet)"

// refusal fills the output keys: the first is the answer.
func (g *Guard) refusal() map[string]any {
	out := make(map[string]any)
	for i, key := range g.inner.GetOutputKeys() {
		switch {
		case i == 0:
			out[key] = g.opts.Answer
		case key == "source_documents":
			out[key] = []schema.Document{}
		default:
			out[key] = ""
		}
	}
	return out
}

// GetMemory returns the memory of the chain inside.
func (g *Guard) GetMemory() schema.Memory { return g.inner.GetMemory() }

// GetInputKeys returns the input keys of the chain inside.
func (g *Guard) GetInputKeys() []string { return g.inner.GetInputKeys() }

// GetOutputKeys returns the output keys of the chain inside.
func (g *Guard) GetOutputKeys() []string { return g.inner.GetOutputKeys() }

// GetCallbackHandler returns the handler of the chain inside, or nil.
func (g *Guard) GetCallbackHandler() callbacks.Handler { return handlerOf(g.inner) }

func handlerOf(c chains.Chain) callbacks.Handler {
	if h, ok := c.(callbacks.HandlerHaver); ok {
		return h.GetCallbackHandler()
	}
	return nil
}

func isNil(v any) bool {
	r := reflect.ValueOf(v)
	return !r.IsValid() || r.Kind() == reflect.Pointer && r.IsNil()
}
