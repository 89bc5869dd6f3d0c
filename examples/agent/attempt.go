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

// What the agent reads.
const (
	taskOpening = "Mend a Go program. What is wrong: "
	sayPassed   = "go test: pass"
	sayFailed   = "go test: fail"
	sayForeign  = "the program does not contain the old text"
	sayNoEdit   = "that is no edit"
	saySpent    = "the test was run already, there is no second run"
)

// applyTool edits the program at hand and runs its test, once: the attempt counts
// that gets tested. An edit that does not fit the program costs nothing.
type applyTool struct {
	verifier *verifier
	problem  problem
	tried    []try
	tested   bool
	passed   bool
}

// try is an edit that was applied, or could not be.
type try struct {
	edit   edit
	helped bool
}

var _ tools.Tool = (*applyTool)(nil)

// Name returns "apply".
func (*applyTool) Name() string { return "apply" }

// Description tells the model how to write an edit.
func (*applyTool) Description() string {
	return "Applies an edit to the program and runs go test, which it does once only. Input: the lines " + markOld + ", the old text, " + markNew + ", the new text, " + markEnd + "."
}

// Call applies the edit. A bad one is an observation, not an error.
func (t *applyTool) Call(ctx context.Context, input string) (string, error) {
	e, ok := parseEdit(input)
	switch {
	case !ok:
		return sayNoEdit, nil
	case t.tested:
		return saySpent, nil
	case !strings.Contains(t.problem.code, e.old):
		t.tried = append(t.tried, try{edit: e})
		return sayForeign, nil
	}
	r, err := t.verifier.verify(ctx, strings.ReplaceAll(t.problem.code, e.old, e.new), t.problem.test)
	if err != nil {
		return "", err
	}
	t.tested, t.passed = true, r.passed
	t.tried = append(t.tried, try{e, r.passed})
	if r.passed {
		return sayPassed, nil
	}
	return sayFailed + "\n" + r.output, nil
}

// maxSteps is the number of times the model is asked in one attempt.
const maxSteps = 8

// attempt lets an agent mend one program that was reported in some words. With a
// memory that learns it tells the engine what go test said.
func attempt(ctx context.Context, llm llms.Model, v *verifier, m *memoryOf, p problem, report string) (bool, error) {
	tool := &applyTool{verifier: v, problem: p}
	kit := []tools.Tool{tool}
	if m != nil {
		kit = append(kit, m.recall)
	}
	ctx, trace := core.WithTrace(ctx)
	executor := agents.NewExecutor(agents.NewOneShotAgent(llm, kit), agents.WithMaxIterations(maxSteps))
	_, err := chains.Run(ctx, executor, taskOpening+report+"\nThe program:\n"+p.code)
	if err != nil && (ctx.Err() != nil || !forgivable(err)) {
		return false, err
	}
	if m == nil || !m.learns || len(tool.tried) == 0 {
		return tool.passed, nil
	}
	if _, err := trace.Feedback(ctx, outcomes(trace, tool)...); err != nil {
		return false, fmt.Errorf("feedback: %w", err)
	}
	return tool.passed, nil
}

// forgivable reports whether a run ended because the model did not find to an
// answer, which is a failed attempt and no fault of the program.
func forgivable(err error) bool {
	return errors.Is(err, agents.ErrNotFinished) || errors.Is(err, agents.ErrUnableToParseOutput) || errors.Is(err, errSilent)
}

// outcomes are what is known of the memories, verified by go test: each one whose
// edit was tried helped or did not. What was shown and not tried gets no outcome. A
// model that wrote an edit of its own is taken to have made it from all it was
// shown.
func outcomes(trace *core.Trace, tool *applyTool) (signals []core.Signal) {
	for _, r := range trace.All() {
		for _, it := range r.Items {
			shown, ok := parseEdit(it.Text)
			for _, t := range tool.tried {
				if ok && t.edit == shown {
					signals = append(signals, core.Verified(t.helped).On(it.ID))
					break
				}
			}
		}
	}
	if len(signals) == 0 && tool.tested {
		return []core.Signal{core.Verified(tool.passed)}
	}
	return signals
}
