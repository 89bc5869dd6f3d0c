package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/philippgille/chromem-go"
	"google.golang.org/genai"
)

// embedding is a source of vectors and the name of its model. Vectors of different
// models cannot be compared, so each has its own collection.
type embedding struct {
	model string
	embed chromem.EmbeddingFunc
}

const (
	openAIModel = string(chromem.EmbeddingModelOpenAI3Small)
	ollamaModel = "nomic-embed-text"
	geminiModel = "gemini-embedding-001"
)

func newEmbedding(ctx context.Context, name string) (embedding, error) {
	switch name {
	case "ollama":
		return embedding{ollamaModel, chromem.NewEmbeddingFuncOllama(ollamaModel, "")}, nil
	case "openai":
		key := os.Getenv("OPENAI_API_KEY")
		if key == "" {
			return embedding{}, errors.New("-embed openai needs a key in OPENAI_API_KEY")
		}
		return embedding{openAIModel, chromem.NewEmbeddingFuncOpenAI(key, chromem.EmbeddingModelOpenAI3Small)}, nil
	case "gemini":
		client, err := newGemini(ctx)
		if err != nil {
			return embedding{}, fmt.Errorf("-embed gemini: %w", err)
		}
		return embedding{geminiModel, geminiEmbedding(client)}, nil
	default:
		return localEmbedding()
	}
}

// newGemini connects to the Gemini API with the key in GEMINI_API_KEY or
// GOOGLE_API_KEY.
func newGemini(ctx context.Context) (*genai.Client, error) {
	if os.Getenv("GEMINI_API_KEY") == "" && os.Getenv("GOOGLE_API_KEY") == "" {
		return nil, errors.New("needs a key in GEMINI_API_KEY")
	}
	client, err := genai.NewClient(ctx, &genai.ClientConfig{Backend: genai.BackendGeminiAPI})
	if err != nil { // the error of the client prints its settings, the key among them
		return nil, errors.New("the Gemini client cannot be set up with these settings")
	}
	return client, nil
}

func geminiEmbedding(client *genai.Client) chromem.EmbeddingFunc {
	return func(ctx context.Context, text string) ([]float32, error) {
		answer, err := client.Models.EmbedContent(ctx, geminiModel, genai.Text(text), nil)
		if err != nil {
			return nil, err
		}
		if len(answer.Embeddings) != 1 || len(answer.Embeddings[0].Values) == 0 {
			return nil, errors.New("gemini returned no vector")
		}
		return answer.Embeddings[0].Values, nil
	}
}
