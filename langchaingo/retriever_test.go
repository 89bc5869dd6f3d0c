package langchaingo_test

import (
	"context"
	"errors"
	"slices"
	"strings"
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
	replc "github.com/repute-go/repute/langchaingo"
)

// shelf is a vector store in memory that answers every search with its documents
// in order, as a server would.
type shelf struct {
	docs     []schema.Document
	err      error
	mu       sync.Mutex
	searches []string
	options  vectorstores.Options
}

func (s *shelf) AddDocuments(_ context.Context, docs []schema.Document, _ ...vectorstores.Option) ([]string, error) {
	s.docs = append(s.docs, docs...)
	return make([]string, len(docs)), nil
}

func (s *shelf) SimilaritySearch(_ context.Context, query string, n int, opts ...vectorstores.Option) ([]schema.Document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.searches = append(s.searches, query)
	for _, o := range opts {
		o(&s.options)
	}
	if s.err != nil {
		return nil, s.err
	}
	return s.docs[:min(n, len(s.docs))], nil
}

func newShelf() *shelf {
	return &shelf{docs: []schema.Document{
		{PageContent: "A says one thing", Metadata: map[string]any{"id": "a"}, Score: .9},
		{PageContent: "B says another", Metadata: map[string]any{"id": "b"}, Score: .8},
		{PageContent: "C is silent", Metadata: map[string]any{"id": "c"}, Score: .7},
	}}
}

func newEngine(t testing.TB, opts core.Options) *core.Engine {
	t.Helper()
	eng, err := core.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = eng.Close() })
	return eng
}

func newRetriever(t testing.TB, eng *core.Engine, vs vectorstores.VectorStore, opts replc.RetrieverOptions) *replc.Retriever {
	t.Helper()
	src, err := replc.FromVectorStore(vs, replc.OtherCosine)
	if err != nil {
		t.Fatal(err)
	}
	r, err := replc.NewRetriever(eng, src, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// scribe is a model that records its prompts and answers "ans".
type scribe struct {
	mu      sync.Mutex
	prompts []string
	answers []string
}

func (s *scribe) GenerateContent(_ context.Context, ms []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, m := range ms {
		for _, p := range m.Parts {
			if t, ok := p.(llms.TextContent); ok {
				b.WriteString(t.Text)
			}
		}
	}
	s.prompts = append(s.prompts, b.String())
	answer := "ans"
	if len(s.answers) > 0 {
		answer, s.answers = s.answers[0], s.answers[1:]
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: answer}}}, nil
}

func (s *scribe) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, s, prompt, opts...)
}

func TestRetrievalQA(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	vs, llm := newShelf(), &scribe{}
	chain := chains.NewRetrievalQAFromLLM(llm, newRetriever(t, eng, vs, replc.RetrieverOptions{K: 2}))
	ctx, trace := core.WithTrace(context.Background())
	for range 4 {
		got, err := chains.Run(ctx, chain, "what does A say?")
		if err != nil || got != "ans" {
			t.Fatalf("answer %q, %v", got, err)
		}
		last := trace.Last()
		for _, id := range last.IDs() {
			if _, err := eng.Feedback(ctx, last.Receipt, core.Verified(id == "b").On(id)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !strings.Contains(llm.prompts[0], "A says one thing\n\nB says another") {
		t.Errorf("first prompt: %s", llm.prompts[0])
	}
	if _, err := chains.Run(ctx, chain, "what does A say?"); err != nil {
		t.Fatal(err)
	}
	last := llm.prompts[len(llm.prompts)-1]
	if b := strings.Index(last, "B says another"); b < 0 || b > strings.Index(last+"A says one thing", "A says one thing") {
		t.Errorf("after outcomes: %s", last)
	}
}

func TestNoEvidence(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	llm := &scribe{}
	fail := newRetriever(t, eng, &shelf{}, replc.RetrieverOptions{NoEvidence: replc.Fail})
	_, err := chains.Run(context.Background(), chains.NewRetrievalQAFromLLM(llm, fail), "q")
	if !errors.Is(err, core.ErrNoEvidence) || len(llm.prompts) != 0 {
		t.Errorf("Fail: %v, model called %d times", err, len(llm.prompts))
	}
	docs, err := newRetriever(t, eng, &shelf{}, replc.RetrieverOptions{}).GetRelevantDocuments(context.Background(), "q")
	if err != nil || docs == nil || len(docs) != 0 {
		t.Errorf("Empty: %v, %v", docs, err)
	}
}

// ear records the retriever's callbacks.
type ear struct {
	callbacks.SimpleHandler
	mu     sync.Mutex
	events []string
}

func (e *ear) note(s string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.events = append(e.events, s)
}

func (e *ear) HandleRetrieverStart(_ context.Context, q string) { e.note("start " + q) }

func (e *ear) HandleRetrieverEnd(_ context.Context, _ string, docs []schema.Document) {
	s := "end"
	for _, d := range docs {
		s += " " + d.Metadata[replc.KeyID].(string)
	}
	e.note(s)
}

func TestCallbacksFireOnce(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	h := &ear{}
	vs := newShelf()
	r := newRetriever(t, eng, vs, replc.RetrieverOptions{K: 2, Callbacks: h})
	if _, err := chains.Run(context.Background(), chains.NewRetrievalQAFromLLM(&scribe{}, r), "q"); err != nil {
		t.Fatal(err)
	}
	vs.err = errors.New("boom")
	if _, err := r.GetRelevantDocuments(context.Background(), "q2"); !errors.Is(err, vs.err) {
		t.Errorf("error %v", err)
	}
	if want := []string{"start q", "end a b", "start q2"}; !slices.Equal(h.events, want) {
		t.Errorf("events %q, want %q", h.events, want)
	}
}

func TestConversationalRetrievalQA(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	vs, llm := newShelf(), &scribe{answers: []string{"ans1", "who is X, rephrased?", "ans2"}}
	chain := chains.NewConversationalRetrievalQAFromLLM(llm, newRetriever(t, eng, vs, replc.RetrieverOptions{}), memory.NewConversationBuffer())
	ctx, trace := core.WithTrace(context.Background())
	for _, q := range []string{"who is X?", "and he?"} {
		if _, err := chains.Run(core.WithQuestion(ctx, q), chain, q); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"who is X?", "who is X, rephrased?"}; !slices.Equal(vs.searches, want) {
		t.Errorf("searched %q, want %q", vs.searches, want)
	}
	if last := trace.Last(); last.Question != "and he?" || last.Query != "who is X, rephrased?" {
		t.Errorf("question %q, query %q", last.Question, last.Query)
	}
}

func TestConcurrentChains(t *testing.T) {
	eng := newEngine(t, core.Options{})
	chain := chains.NewRetrievalQAFromLLM(&scribe{}, newRetriever(t, eng, newShelf(), replc.RetrieverOptions{}))
	ctx, trace := core.WithTrace(context.Background())
	inputs := make([]map[string]any, 40)
	for i := range inputs {
		inputs[i] = map[string]any{"query": "q"}
	}
	if _, err := chains.Apply(ctx, chain, inputs, 8); err != nil {
		t.Fatal(err)
	}
	if n := len(trace.All()); n != 40 {
		t.Errorf("trace holds %d responses", n)
	}
}

func TestRetrieverLeavesTheStoresDocumentsAlone(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	vs := newShelf()
	vs.docs[0].Metadata["score"] = "the user's own"
	r := newRetriever(t, eng, vs, replc.RetrieverOptions{})
	docs, err := r.GetRelevantDocuments(context.Background(), "q")
	if err != nil {
		t.Fatal(err)
	}
	docs[0].Metadata["id"] = "changed"
	if len(vs.docs[0].Metadata) != 2 || vs.docs[0].Metadata["id"] != "a" {
		t.Errorf("the store's metadata became %v", vs.docs[0].Metadata)
	}
	if docs[0].Metadata["score"] != "the user's own" || docs[0].Metadata[replc.KeyBaseScore].(float64) < .89 {
		t.Errorf("metadata %v", docs[0].Metadata)
	}
}

func TestBadQueries(t *testing.T) {
	eng := newEngine(t, core.Options{})
	vs := newShelf()
	r := newRetriever(t, eng, vs, replc.RetrieverOptions{RequireUser: true})
	if _, err := r.GetRelevantDocuments(context.Background(), "q"); !errors.Is(err, core.ErrUserRequired) {
		t.Errorf("no user: %v", err)
	}
	ctx := core.WithUser(context.Background(), "u1")
	for _, q := range []string{"", "  ", "\n"} {
		if _, err := r.GetRelevantDocuments(ctx, q); !errors.Is(err, core.ErrEmptyQuery) {
			t.Errorf("%q: %v", q, err)
		}
	}
	if len(vs.searches) != 0 {
		t.Errorf("the store was asked %q", vs.searches)
	}
}
