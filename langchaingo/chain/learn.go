package chain

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/schema"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/judge"
)

// LearnOptions configures a Learn. The zero value works.
type LearnOptions struct {
	// AnswerKey is the output that holds the answer, one of the chain's output
	// keys; empty means the first.
	AnswerKey string
	// QuestionKey is the input that holds the question in the user's own words;
	// empty means the chain's first input key that its memory does not fill. What
	// core.WithQuestion says goes before.
	QuestionKey string
}

// Learn runs a chain and hands question, answer and the documents shown to a feed,
// which has them judged in the background and tells the engine. A chain that
// retrieves several times yields a case for each retrieval. The chain's result is
// passed on as it is; nothing that Learn does can fail or delay it.
//
// A run that fails, whose context ends, that a Guard inside refused to answer, or
// that streams its answer (a reader may have stopped half-way) feeds nothing. Learn
// is safe for concurrent use if the chain is.
type Learn struct {
	inner chains.Chain
	feed  *judge.Feed
	opts  LearnOptions
}

var (
	_ chains.Chain           = (*Learn)(nil)
	_ callbacks.HandlerHaver = (*Learn)(nil)
)

// NewLearn wraps a chain. The feed's sink is usually judge.EngineSink of the engine
// behind the chain's retriever. Errors: core.ErrInvalidOptions, also for an
// AnswerKey that the chain does not have.
func NewLearn(inner chains.Chain, feed *judge.Feed, opts LearnOptions) (*Learn, error) {
	if isNil(inner) || feed == nil {
		return nil, fmt.Errorf("%w: chain and feed are required", core.ErrInvalidOptions)
	}
	if key := opts.AnswerKey; key != "" && !slices.Contains(inner.GetOutputKeys(), key) {
		return nil, fmt.Errorf("%w: the chain has no output %q", core.ErrInvalidOptions, key)
	}
	return &Learn{inner, feed, opts}, nil
}

// Call implements chains.Chain.
func (l *Learn) Call(ctx context.Context, inputs map[string]any, options ...chains.ChainCallOption) (map[string]any, error) {
	under, trace := core.WithTrace(ctx)
	under, refusal := withRefusal(l.withQuestion(under, inputs))
	out, err := l.inner.Call(under, inputs, options...)
	responses := trace.All()
	outer := core.TraceFrom(ctx)
	for _, r := range responses {
		outer.Add(r)
	}
	if err != nil || ctx.Err() != nil || refusal.Load() || streams(options) {
		return out, err
	}
	if answer, ok := out[l.answerKey()].(string); ok {
		l.submit(ctx, responses, answer)
	}
	return out, nil
}

// withQuestion keeps the user's own words for the judge, where a chain rephrases
// them before it retrieves.
func (l *Learn) withQuestion(ctx context.Context, inputs map[string]any) context.Context {
	if core.QuestionFrom(ctx) != "" {
		return ctx
	}
	question, _ := inputs[l.questionKey(ctx)].(string)
	if question == "" {
		return ctx
	}
	return core.WithQuestion(ctx, question)
}

func (l *Learn) questionKey(ctx context.Context) string {
	if l.opts.QuestionKey != "" {
		return l.opts.QuestionKey
	}
	var remembered []string
	if m := l.inner.GetMemory(); m != nil {
		remembered = m.MemoryVariables(ctx)
	}
	for _, key := range l.inner.GetInputKeys() {
		if !slices.Contains(remembered, key) {
			return key
		}
	}
	return ""
}

func (l *Learn) answerKey() string {
	if l.opts.AnswerKey != "" {
		return l.opts.AnswerKey
	}
	if keys := l.inner.GetOutputKeys(); len(keys) > 0 {
		return keys[0]
	}
	return ""
}

// submit queues one case for every retrieval of the run. What the feed has no room
// for it counts itself; of an empty answer, which nobody can judge, nothing is
// learned.
func (l *Learn) submit(ctx context.Context, responses []*core.Response, answer string) {
	for _, r := range responses {
		if r.Receipt.IsZero() {
			continue
		}
		_ = l.feed.Submit(ctx, r.Receipt, judge.NewCase(r, answer))
	}
}

// streams reports whether the options ask for a streamed answer. Langchaingo keeps
// the type they set private, so one is made and asked; should it change its shape,
// no run counts as streamed.
func streams(options []chains.ChainCallOption) bool {
	t := reflect.TypeFor[chains.ChainCallOption]()
	if len(options) == 0 || t.NumIn() != 1 || t.In(0).Kind() != reflect.Pointer {
		return false
	}
	set := reflect.New(t.In(0).Elem())
	for _, o := range options {
		reflect.ValueOf(o).Call([]reflect.Value{set})
	}
	f := set.Elem().FieldByName("StreamingFunc")
	return f.IsValid() && f.Kind() == reflect.Func && !f.IsNil()
}

// GetMemory returns the memory of the chain inside.
func (l *Learn) GetMemory() schema.Memory { return l.inner.GetMemory() }

// GetInputKeys returns the input keys of the chain inside.
func (l *Learn) GetInputKeys() []string { return l.inner.GetInputKeys() }

// GetOutputKeys returns the output keys of the chain inside.
func (l *Learn) GetOutputKeys() []string { return l.inner.GetOutputKeys() }

// GetCallbackHandler returns the handler of the chain inside, or nil.
func (l *Learn) GetCallbackHandler() callbacks.Handler { return handlerOf(l.inner) }
