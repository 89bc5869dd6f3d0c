package langchaingo_test

import (
	"context"
	"fmt"

	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms/fake"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"

	"github.com/repute-go/repute/core"
	replc "github.com/repute-go/repute/langchaingo"
)

// faq stands for a vector store: pgvector, qdrant, chroma, or your own.
type faq struct{}

func (faq) AddDocuments(context.Context, []schema.Document, ...vectorstores.Option) ([]string, error) {
	return nil, nil
}

func (faq) SimilaritySearch(context.Context, string, int, ...vectorstores.Option) ([]schema.Document, error) {
	return []schema.Document{
		{PageContent: "To reset your VPN password, call the help desk.", Score: .82, Metadata: map[string]any{"id": "helpdesk"}},
		{PageContent: "A VPN password is reset in the account portal.", Score: .80, Metadata: map[string]any{"id": "portal"}},
		{PageContent: "Printers are on every floor.", Score: .31, Metadata: map[string]any{"id": "printers"}},
	}, nil
}

// A RetrievalQA chain over a vector store. The receipts of what it retrieved are in
// the trace of its context.
func Example() {
	eng, _ := core.New(core.Options{})
	defer eng.Close()
	src, _ := replc.FromVectorStore(faq{}, replc.OtherCosine)
	retriever, _ := replc.NewRetriever(eng, src, replc.RetrieverOptions{K: 2})
	qa := chains.NewRetrievalQAFromLLM(fake.NewFakeLLM([]string{"Call the help desk.", "Use the portal."}), retriever)

	ctx, trace := core.WithTrace(context.Background())
	ask := func(question string) {
		answer, err := chains.Run(ctx, qa, question)
		fmt.Println(answer, trace.Last().IDs(), err)
	}
	ask("how do I reset my VPN password?")
	// The help desk no longer does that, the portal does: a ticket says so.
	_, err := trace.Feedback(ctx, core.VerifiedBy("ticket", 0).On("helpdesk"), core.VerifiedBy("ticket", 1).On("portal"))
	fmt.Println("feedback:", err)
	ask("how can I reset my VPN password?")
	// Output:
	// Call the help desk. [helpdesk portal] <nil>
	// feedback: <nil>
	// Use the portal. [portal helpdesk] <nil>
}
