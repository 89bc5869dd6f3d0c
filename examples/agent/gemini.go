package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"google.golang.org/genai"
)

// gemini is a Gemini model as langchaingo's llms.Model.
type gemini struct {
	client *genai.Client
	model  string
}

var _ llms.Model = (*gemini)(nil)

// errGemini hides what the SDK says of a bad configuration: it prints the key.
var errGemini = errors.New("the Gemini client cannot be set up with this key")

func newGemini(ctx context.Context, key, model string) (*gemini, error) {
	client, err := genai.NewClient(ctx, &genai.ClientConfig{APIKey: key, Backend: genai.BackendGeminiAPI})
	if err != nil {
		return nil, errGemini
	}
	return &gemini{client, model}, nil
}

// GenerateContent sends the texts of the messages as one prompt. Stop words are
// honoured, for the agent would else read observations that the model made up.
func (g *gemini) GenerateContent(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, opt := range opts {
		opt(&o)
	}
	var prompt strings.Builder
	for _, m := range messages {
		for _, p := range m.Parts {
			if t, ok := p.(llms.TextContent); ok {
				prompt.WriteString(t.Text)
			}
		}
	}
	resp, err := g.client.Models.GenerateContent(ctx, g.model, genai.Text(prompt.String()), &genai.GenerateContentConfig{StopSequences: o.StopWords})
	if err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: resp.Text()}}}, nil
}

// Call answers a bare prompt.
func (g *gemini) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, g, prompt, opts...)
}
