package chain_test

import (
	"context"
	"fmt"

	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms/fake"
	"github.com/tmc/langchaingo/schema"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/judge"
	replc "github.com/repute-go/repute/langchaingo"
	"github.com/repute-go/repute/langchaingo/chain"
)

// nothing is a retriever that finds nothing.
type nothing struct{}

func (nothing) GetRelevantDocuments(context.Context, string) ([]schema.Document, error) {
	return nil, nil
}

// Where there is no evidence the model is not asked to make something up.
func ExampleGuard() {
	eng, _ := core.New(core.Options{})
	defer eng.Close()
	src, _ := replc.FromRetriever(nothing{}, core.NoScore)
	retriever, _ := replc.NewRetriever(eng, src, replc.RetrieverOptions{})
	qa := chains.NewRetrievalQAFromLLM(fake.NewFakeLLM([]string{"Something made up."}), retriever)
	guard, _ := chain.NewGuard(qa, chain.GuardOptions{})

	fmt.Println(chains.Run(context.Background(), qa, "who won?"))
	fmt.Println(chains.Run(context.Background(), guard, "who won?"))
	// Output:
	// Something made up. <nil>
	// I found nothing in the documents that answers this. <nil>
}

// Every answer is judged in the background, and what the documents contributed to
// it is learned.
func ExampleLearn() {
	eng, _ := core.New(core.Options{})
	defer eng.Close()
	src, _ := replc.FromVectorStore(shelf{
		{PageContent: "Whales sing in the deep sea.", Metadata: map[string]any{"id": "whales"}, Score: .8},
		{PageContent: "Shutdown closes the listeners of a server first.", Metadata: map[string]any{"id": "shutdown"}, Score: .79},
	}, replc.OtherCosine)
	retriever, _ := replc.NewRetriever(eng, src, replc.RetrieverOptions{})
	qa := chains.NewRetrievalQAFromLLM(fake.NewFakeLLM([]string{"Shutdown closes the listeners."}), retriever)

	feed, _ := judge.NewFeed(judge.FeedOptions{Judge: judge.Overlap{}, Sink: judge.EngineSink(eng)})
	learn, _ := chain.NewLearn(qa, feed, chain.LearnOptions{})
	ctx, trace := core.WithTrace(context.Background())
	for range 3 {
		if _, err := chains.Run(ctx, learn, "what does Shutdown close first?"); err != nil {
			fmt.Println(err)
		}
		_ = feed.Flush(ctx)
	}
	if err := feed.Close(ctx); err != nil {
		fmt.Println(err)
	}
	first, last := trace.All()[0], trace.Last()
	for i, id := range first.IDs() {
		fmt.Println(id, "is trusted more:", last.Items[i].Posterior.Mean > first.Items[i].Posterior.Mean)
	}
	// Output:
	// whales is trusted more: false
	// shutdown is trusted more: true
}
