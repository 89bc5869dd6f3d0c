package main

import (
	"context"
	"errors"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// scripted is a model that applies what it is given and knows nothing itself: it
// recalls, applies the edit of the first memory, and stops. It reads what a real
// model would read, the agent's prompt, and keeps no state.
type scripted struct{}

var _ llms.Model = scripted{}

// GenerateContent answers the agent's prompt with the next step.
func (scripted) GenerateContent(ctx context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	step, err := next(promptOf(messages))
	if err != nil {
		return nil, err
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: step}}}, nil
}

// Call answers a bare prompt.
func (s scripted) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, s, prompt, opts...)
}

// promptOf joins the texts of the messages.
func promptOf(messages []llms.MessageContent) string {
	var prompt strings.Builder
	for _, m := range messages {
		for _, p := range m.Parts {
			if t, ok := p.(llms.TextContent); ok {
				prompt.WriteString(t.Text)
			}
		}
	}
	return prompt.String()
}

// next decides on the next step by what the prompt says has been done.
func next(prompt string) (string, error) {
	_, task, ok := strings.Cut(prompt, "Question: "+taskOpening)
	if !ok {
		return "", errors.New("the prompt holds no task")
	}
	report, _, _ := strings.Cut(task, "\n")
	seen := strings.Split(task, "\nObservation: ")[1:]
	if len(seen) == 0 {
		if !strings.Contains(prompt, "recall:") {
			return "Thought: I remember nothing and know nothing.\nFinal Answer: not fixed", nil
		}
		return "Thought: somebody may have met this before.\nAction: recall\nAction Input: " + report, nil
	}
	if strings.HasPrefix(seen[len(seen)-1], sayPassed) {
		return "Thought: the test passes.\nFinal Answer: fixed", nil
	}
	if e, ok := parseEdit(seen[0]); ok && len(seen) == 1 {
		return "Thought: do what worked then.\nAction: apply\nAction Input: " + e.text(), nil
	}
	return "Thought: I know nothing else.\nFinal Answer: not fixed", nil
}
