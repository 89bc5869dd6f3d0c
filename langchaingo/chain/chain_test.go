package chain_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/judge"
	replc "github.com/repute-go/repute/langchaingo"
	"github.com/repute-go/repute/langchaingo/chain"
)

// shelf answers every search with its documents.
type shelf []schema.Document

func (shelf) AddDocuments(context.Context, []schema.Document, ...vectorstores.Option) ([]string, error) {
	return nil, nil
}

func (s shelf) SimilaritySearch(_ context.Context, _ string, n int, _ ...vectorstores.Option) ([]schema.Document, error) {
	return s[:min(n, len(s))], nil
}

var books = shelf{
	{PageContent: "Shutdown closes the listeners of the server first.", Metadata: map[string]any{"id": "a"}, Score: .9},
	{PageContent: "Whales sing in the deep sea.", Metadata: map[string]any{"id": "b"}, Score: .8},
}

// model answers with a fixed text and counts its calls.
type model struct {
	answer string
	hook   func()
	mu     sync.Mutex
	calls  int
	asked  llms.CallOptions // of the last call
}

func (m *model) GenerateContent(ctx context.Context, _ []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	var o llms.CallOptions
	for _, opt := range opts {
		opt(&o)
	}
	m.asked = o
	if o.StreamingFunc != nil {
		if err := o.StreamingFunc(ctx, []byte(m.answer)); err != nil {
			return nil, err
		}
	}
	if m.hook != nil {
		m.hook()
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: m.answer}}}, nil
}

func (m *model) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, opts...)
}

func setUp(t *testing.T, docs shelf) (*core.Engine, *replc.Retriever) {
	t.Helper()
	eng, err := core.New(core.Options{Gate: gate.Off{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = eng.Close() })
	src, err := replc.FromVectorStore(docs, replc.OtherCosine)
	if err != nil {
		t.Fatal(err)
	}
	r, err := replc.NewRetriever(eng, src, replc.RetrieverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return eng, r
}

func TestGuardAnswersWithoutTheModel(t *testing.T) {
	_, empty := setUp(t, nil)
	llm := &model{answer: "made up"}
	qa := chains.NewRetrievalQAFromLLM(llm, empty)
	qa.ReturnSourceDocuments = true
	guard, err := chain.NewGuard(qa, chain.GuardOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := chains.Call(context.Background(), guard, map[string]any{"query": "q"})
	if err != nil || out["text"] != chain.NoEvidenceAnswer || llm.calls != 0 {
		t.Errorf("answer %v, %v, %d model calls", out, err, llm.calls)
	}
	if docs, ok := out["source_documents"].([]schema.Document); !ok || len(docs) != 0 {
		t.Errorf("source documents %v", out["source_documents"])
	}
	_, full := setUp(t, books)
	guard, _ = chain.NewGuard(chains.NewRetrievalQAFromLLM(llm, full), chain.GuardOptions{})
	if got, err := chains.Run(context.Background(), guard, "q"); err != nil || got != "made up" || llm.calls != 1 {
		t.Errorf("with documents: %q, %v", got, err)
	}
}

func TestGuardAsksWhetherDocumentsSuffice(t *testing.T) {
	_, full := setUp(t, books)
	verdict := func(x float64, err error) judge.Judge {
		return judge.Func(func(context.Context, judge.Case) (judge.Verdict, error) {
			return judge.Verdict{Sufficiency: &x, Rater: "test:reader"}, err
		})
	}
	for name, tt := range map[string]struct {
		judge judge.Judge
		calls int
	}{
		"they do":         {verdict(.9, nil), 1},
		"they do not":     {verdict(.1, nil), 0},
		"judge is down":   {verdict(0, errors.New("down")), 1},
		"judge is silent": {judge.Func(func(context.Context, judge.Case) (judge.Verdict, error) { return judge.Verdict{}, nil }), 1},
	} {
		llm := &model{answer: "ans"}
		guard, err := chain.NewGuard(chains.NewRetrievalQAFromLLM(llm, full), chain.GuardOptions{Answer: "no", Sufficiency: tt.judge})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := chains.Run(context.Background(), guard, "q"); err != nil || llm.calls != tt.calls {
			t.Errorf("%s: %v, %d model calls, want %d", name, err, llm.calls, tt.calls)
		}
	}
}

// hearer counts the chain callbacks.
type hearer struct {
	callbacks.SimpleHandler
	starts, ends int
}

func (h *hearer) HandleChainStart(context.Context, map[string]any) { h.starts++ }
func (h *hearer) HandleChainEnd(context.Context, map[string]any)   { h.ends++ }

func TestWrappersKeepTheInnerChain(t *testing.T) {
	_, r := setUp(t, books)
	h := &hearer{}
	llmChain := chains.LoadStuffQA(&model{answer: "ans"}).LLMChain
	llmChain.CallbacksHandler = h
	conv := chains.NewConversationalRetrievalQAFromLLM(&model{answer: "ans"}, r, memory.NewConversationBuffer())
	feed, err := judge.NewFeed(judge.FeedOptions{Judge: judge.Overlap{}, Sink: func(context.Context, core.ReceiptID, judge.Verdict) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close(context.Background())
	for _, inner := range []chains.Chain{llmChain, conv} {
		guard, err := chain.NewGuard(inner, chain.GuardOptions{})
		if err != nil {
			t.Fatal(err)
		}
		learn, err := chain.NewLearn(guard, feed, chain.LearnOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(learn.GetInputKeys(), inner.GetInputKeys()) || !slices.Equal(learn.GetOutputKeys(), inner.GetOutputKeys()) || learn.GetMemory() != inner.GetMemory() {
			t.Errorf("keys or memory of %T changed", inner)
		}
	}
	learn, _ := chain.NewLearn(llmChain, feed, chain.LearnOptions{})
	if _, err := chains.Call(context.Background(), learn, map[string]any{"question": "q", "context": "c"}); err != nil || h.starts != 1 || h.ends != 1 {
		t.Errorf("%v, %d starts, %d ends", err, h.starts, h.ends)
	}
}

func TestLearnFeedsTheVerdictBack(t *testing.T) {
	eng, r := setUp(t, books)
	feed, err := judge.NewFeed(judge.FeedOptions{Judge: judge.Overlap{}, Sink: judge.EngineSink(eng)})
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close(context.Background())
	learn, err := chain.NewLearn(chains.NewRetrievalQAFromLLM(&model{answer: "Shutdown closes the listeners first."}, r), feed, chain.LearnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, trace := core.WithTrace(context.Background())
	if _, err := chains.Run(ctx, learn, "what does Shutdown close first?"); err != nil {
		t.Fatal(err)
	}
	if trace.Last() == nil {
		t.Fatal("the caller's own trace saw nothing")
	}
	if err := feed.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if s := feed.Stats(); s.Delivered != 1 {
		t.Fatalf("feed %+v", s)
	}
	after, err := r.GetRelevantDocuments(ctx, "what does Shutdown close first?")
	if err != nil || after[0].Metadata[replc.KeyID] != "a" || !(after[0].Metadata[replc.KeyPosterior].(float64) > after[1].Metadata[replc.KeyPosterior].(float64)) {
		t.Errorf("after the verdict: %v, %v", after, err)
	}
}

func TestCutRunsFeedNothing(t *testing.T) {
	_, r := setUp(t, books)
	var judged int
	feed, err := judge.NewFeed(judge.FeedOptions{
		Judge: judge.Func(func(context.Context, judge.Case) (judge.Verdict, error) { judged++; return judge.Verdict{}, nil }),
		Sink:  func(context.Context, core.ReceiptID, judge.Verdict) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	llm := &model{answer: "ans"}
	learn, err := chain.NewLearn(chains.NewRetrievalQAFromLLM(llm, r), feed, chain.LearnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	stream := chains.WithStreamingFunc(func(context.Context, []byte) error { return nil })
	if _, err := chains.Run(context.Background(), learn, "q", stream); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	llm.hook = cancel
	_, _ = chains.Run(ctx, learn, "q")
	if err := feed.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if judged != 0 {
		t.Errorf("%d cases judged", judged)
	}
}
