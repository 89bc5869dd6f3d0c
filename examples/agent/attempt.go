package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/repute-go/repute/core"
)

const (
	taskOpening = "Mend a Go program. What is wrong: "
	passedMark  = "go test: pass"
)

// applyTool edits the program at hand and runs its test.
type applyTool struct {
	verifier *verifier
	problem  problem
	code     string
	passed   bool
	tried    string // the edit applied last, for crediting the memory it came from
}

var _ tools.Tool = (*applyTool)(nil)

// Name returns "apply".
func (*applyTool) Name() string { return "apply" }

// Description tells the model how to write an edit.
func (*applyTool) Description() string {
	return "Applies an edit to the program and runs go test. Input: the lines " + markOld + ", the old text, " + markNew + ", the new text, " + markEnd + "."
}

// Call applies the edit. A bad one is an observation, not an error.
func (t *applyTool) Call(ctx context.Context, input string) (string, error) {
	old, new, ok := parseEdit("\n" + input)
	if !ok {
		return "that is no edit", nil
	}
	t.tried = old + "\x00" + new
	if !strings.Contains(t.code, old) {
		return "the program does not contain the old text", nil
	}
	t.code = strings.ReplaceAll(t.code, old, new)
	r, err := t.verifier.verify(ctx, t.code, t.problem.test)
	if err != nil {
		return "", err
	}
	if t.passed = r.passed; t.passed {
		return passedMark, nil
	}
	return "go test: fail\n" + r.output, nil
}

// attempt lets an agent mend one program. With a memory it also tells the engine
// what go test said about the memory that was applied.
func attempt(ctx context.Context, llm llms.Model, v *verifier, m *memoryOf, p problem) (bool, error) {
	tool := &applyTool{verifier: v, problem: p, code: p.code}
	kit := []tools.Tool{tool}
	if m != nil {
		kit = append(kit, m.tools...)
	}
	ctx, trace := core.WithTrace(ctx)
	executor := agents.NewExecutor(agents.NewOneShotAgent(llm, kit), agents.WithMaxIterations(6))
	_, err := chains.Run(ctx, executor, taskOpening+p.symptom+"\nThe program:\n"+p.code)
	if err != nil && (ctx.Err() != nil || !forgivable(err)) {
		return false, err
	}
	if m == nil || !m.learns {
		return tool.passed, nil
	}
	return tool.passed, credit(ctx, trace, tool)
}

// forgivable reports whether a run ended because the model did not find to an
// answer, which is a failed attempt and no fault of the program.
func forgivable(err error) bool {
	return errors.Is(err, agents.ErrNotFinished) || errors.Is(err, agents.ErrUnableToParseOutput)
}

// credit reports the outcome, verified by go test, for the memory that was
// applied. What was shown and not tried gets no outcome.
func credit(ctx context.Context, trace *core.Trace, tool *applyTool) error {
	for _, r := range trace.All() {
		for _, it := range r.Items {
			old, new, ok := parseEdit(it.Text)
			if !ok || old+"\x00"+new != tool.tried {
				continue
			}
			if _, err := trace.Feedback(ctx, core.Verified(tool.passed).On(it.ID)); err != nil {
				return fmt.Errorf("feedback: %w", err)
			}
			return nil
		}
	}
	return nil
}
