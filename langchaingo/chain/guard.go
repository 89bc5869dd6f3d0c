package chain

import (
	"context"
	"errors"
	"fmt"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/schema"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/judge"
	replc "github.com/repute-go/repute/langchaingo"
)

// NoEvidenceAnswer is what Guard answers if nothing else is said.
const NoEvidenceAnswer = "I found nothing in the documents that answers this."

// GuardOptions configures a Guard. The zero value works.
type GuardOptions struct {
	// Answer is the fixed answer; empty means NoEvidenceAnswer.
	Answer string
	// Sufficiency, if not nil, is asked whether the documents suffice to answer;
	// below MinSufficiency the fixed answer is given too. The gate says that
	// documents are about the question; only reading them says whether they
	// answer it. A judge that fails or has no opinion lets the chain run.
	Sufficiency judge.Judge
	// MinSufficiency is in [0,1]; 0 means .5.
	MinSufficiency float64
}

func (o GuardOptions) validate() error {
	if !(o.MinSufficiency >= 0 && o.MinSufficiency <= 1) {
		return fmt.Errorf("%w: MinSufficiency %v is not in [0,1]", core.ErrInvalidOptions, o.MinSufficiency)
	}
	return nil
}

// Guard runs a chain and gives a fixed answer where the chain's retriever (a
// replc.Retriever, with either setting of NoEvidence) finds no evidence: the
// answering model is not called. Other output keys of the chain are then empty. A
// conversational chain has its model rephrase the question before it retrieves;
// that call is made. It is safe for concurrent use if the chain is.
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
	if inner == nil {
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
	return &Guard{inner, opts}, nil
}

// Call implements chains.Chain.
func (g *Guard) Call(ctx context.Context, inputs map[string]any, options ...chains.ChainCallOption) (map[string]any, error) {
	out, err := g.inner.Call(replc.WithCheck(ctx, g.check), inputs, options...)
	if errors.Is(err, core.ErrNoEvidence) {
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
	v, err := g.opts.Sufficiency.Judge(ctx, judge.Case{Question: resp.Question, Answer: noAnswerYet, Documents: documents(resp)})
	if err != nil || v.Sufficiency == nil || *v.Sufficiency >= g.opts.MinSufficiency {
		return ctx.Err()
	}
	return fmt.Errorf("%w: the documents suffice to %.2f", core.ErrNoEvidence, *v.Sufficiency)
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

// documents turns what was shown into what a judge reads.
func documents(resp *core.Response) []judge.Document {
	docs := make([]judge.Document, len(resp.Items))
	for i, it := range resp.Items {
		docs[i] = judge.Document{ID: it.ID, Title: it.Title, Text: it.Text}
	}
	return docs
}
