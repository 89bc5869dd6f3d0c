package main

import (
	"context"
	"fmt"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/ollama"
	"google.golang.org/genai"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/examples/chroma-rag/extract"
)

// answerer writes an answer to a question from what was retrieved. It returns an
// empty text if the passages do not say.
type answerer func(ctx context.Context, question string, found *core.Response) (string, error)

const (
	answerModelGemini = "gemini-3.5-flash-lite"
	answerModelOllama = "llama3.2"
	contextTokens     = 3000 // budget of the passages in a prompt
)

func newAnswerer(ctx context.Context, name string) (answerer, error) {
	switch name {
	case "gemini":
		client, err := newGemini(ctx)
		if err != nil {
			return nil, fmt.Errorf("-llm gemini: %w", err)
		}
		return generated(func(ctx context.Context, prompt string) (string, error) {
			answer, err := client.Models.GenerateContent(ctx, answerModelGemini, genai.Text(prompt), nil)
			if err != nil {
				return "", err
			}
			return answer.Text(), nil
		}), nil
	case "ollama":
		model, err := ollama.New(ollama.WithModel(answerModelOllama))
		if err != nil {
			return nil, fmt.Errorf("-llm ollama: %w", err)
		}
		return generated(func(ctx context.Context, prompt string) (string, error) {
			return llms.GenerateFromSinglePrompt(ctx, model, prompt)
		}), nil
	default:
		return extracted, nil
	}
}

// extracted quotes the best sentences.
func extracted(_ context.Context, question string, found *core.Response) (string, error) {
	passages := make([]string, len(found.Items))
	for i, it := range found.Items {
		passages[i] = it.Text
	}
	return extract.Answer(question, passages, extract.DefaultSentences), nil
}

// generated asks a language model.
func generated(ask func(ctx context.Context, prompt string) (string, error)) answerer {
	return func(ctx context.Context, question string, found *core.Response) (string, error) {
		return ask(ctx, fmt.Sprintf("%s\nAnswer the question in at most three sentences from these passages alone, "+
			"each sentence followed by the numbers of the passages it rests on, like [1]. "+
			"If they do not answer it, say so.\n\nQuestion: %s\n", found.Context(contextTokens), question))
	}
}
