package chain_test

import (
	"context"
	"testing"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/prompts"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/judge"
	replc "github.com/repute-go/repute/langchaingo"
	"github.com/repute-go/repute/langchaingo/chain"
)

// rag is a chain of the user's own that retrieves and hands its options on to the
// model, as langchaingo's do not all do.
type rag struct {
	*chains.LLMChain
	r *replc.Retriever
}

func (c rag) GetInputKeys() []string { return []string{"query"} }

func (c rag) Call(ctx context.Context, inputs map[string]any, options ...chains.ChainCallOption) (map[string]any, error) {
	docs, err := c.r.GetRelevantDocuments(ctx, inputs["query"].(string))
	if err != nil {
		return nil, err
	}
	return c.LLMChain.Call(ctx, map[string]any{"query": docs[0].PageContent}, options...)
}

func TestOptionsReachTheModel(t *testing.T) {
	_, r := setUp(t, books)
	llm := &model{answer: "ans"}
	inner := rag{chains.NewLLMChain(llm, prompts.NewPromptTemplate("{{.query}}", []string{"query"})), r}
	feed, err := judge.NewFeed(judge.FeedOptions{Judge: judge.Overlap{}, Sink: func(context.Context, core.ReceiptID, judge.Verdict) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close(context.Background())
	guard, _ := chain.NewGuard(inner, chain.GuardOptions{})
	learn, _ := chain.NewLearn(guard, feed, chain.LearnOptions{})
	run := func(options ...chains.ChainCallOption) uint64 {
		t.Helper()
		before := feed.Stats().Submitted
		if _, err := chains.Run(context.Background(), learn, question, options...); err != nil {
			t.Fatal(err)
		}
		return feed.Stats().Submitted - before
	}
	if n := run(chains.WithTemperature(.25), chains.WithMaxTokens(7)); n != 1 || llm.asked.Temperature != .25 || llm.asked.MaxTokens != 7 {
		t.Errorf("options: %d fed, model asked with %+v", n, llm.asked)
	}
	if n := run(chains.WithCallback(callbacks.SimpleHandler{})); n != 1 || llm.asked.StreamingFunc == nil {
		t.Errorf("a handler: %d fed", n)
	}
	if n := run(chains.WithStreamingFunc(func(context.Context, []byte) error { return nil })); n != 0 || llm.asked.StreamingFunc == nil {
		t.Errorf("streamed: %d fed", n)
	}
}

func TestGuardOverARetrieverThatFails(t *testing.T) {
	eng, err := core.New(core.Options{Gate: gate.Off{}})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	src, _ := replc.FromVectorStore(shelf(nil), replc.OtherCosine)
	r, _ := replc.NewRetriever(eng, src, replc.RetrieverOptions{NoEvidence: replc.Fail})
	llm := &model{answer: "made up"}
	guard, _ := chain.NewGuard(chains.NewRetrievalQAFromLLM(llm, r), chain.GuardOptions{Answer: "nothing"})
	if got, err := chains.Run(context.Background(), guard, question); err != nil || got != "nothing" || llm.calls != 0 {
		t.Errorf("%q, %v, %d calls", got, err, llm.calls)
	}
}
