package langchaingo

import (
	"context"
	"fmt"
	"maps"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/schema"

	"github.com/repute-go/repute/core"
)

// NoEvidence says what a retriever does with a query that has no evidence.
type NoEvidence uint8

const (
	// Empty returns no documents. Some chains of langchaingo then call their
	// model with an empty context; Fail or chain.Guard keeps them from it.
	Empty NoEvidence = iota
	// Fail returns core.ErrNoEvidence, which aborts the chain before its model
	// is called.
	Fail
)

// Metadata keys that a Retriever adds to its documents. The caller's own keys are
// left as they are.
const (
	// KeyReceipt is the receipt id in hexadecimal; absent if nothing was
	// recorded.
	KeyReceipt = "repute.receipt"
	// KeyID is the id of the chunk for Signal.On.
	KeyID = "repute.id"
	// KeyBaseScore is the score that the inner store gave.
	KeyBaseScore = "repute.base_score"
	// KeyRelevance is that score as a relevance in [0,1].
	KeyRelevance = "repute.relevance"
	// KeyPosterior is the probability that the document helps.
	KeyPosterior = "repute.posterior"
	// KeyReason says why the document stands where it stands.
	KeyReason = "repute.reason"
	// KeyVerdict is the gate's verdict about the query.
	KeyVerdict = "repute.verdict"
)

// RetrieverOptions configures a Retriever. The zero value works.
type RetrieverOptions struct {
	// K is the number of documents wanted; 0 means core.DefaultK.
	K int
	// Depth is the number of candidates ranked; 0 means the engine's default.
	Depth int
	// NoEvidence says what happens to a query without evidence; the zero value
	// is Empty.
	NoEvidence NoEvidence
	// RequireUser refuses queries whose context names no user (core.WithUser)
	// with core.ErrUserRequired.
	RequireUser bool
	// Callbacks hears of every retrieval: one start and, unless it fails, one
	// end with the documents returned. Do not also set a handler on the wrapped
	// store's own retriever. Nil means none.
	Callbacks callbacks.Handler
	// Filter is forwarded to the source with every query.
	Filter any
}

func (o RetrieverOptions) validate() error {
	if o.K < 0 || o.Depth < 0 || o.NoEvidence > Fail {
		return fmt.Errorf("%w: K %d, Depth %d, NoEvidence %d", core.ErrInvalidOptions, o.K, o.Depth, o.NoEvidence)
	}
	return nil
}

// Retriever is a schema.Retriever that judges, ranks and records what a source
// finds. It is safe for concurrent use. What it did is in the trace of the
// context (core.WithTrace).
type Retriever struct {
	eng  *core.Engine
	src  core.Source
	opts RetrieverOptions
}

var _ schema.Retriever = (*Retriever)(nil)

// NewRetriever makes a retriever over a source. Errors: core.ErrInvalidOptions,
// core.ErrInvalidSource.
func NewRetriever(eng *core.Engine, src core.Source, opts RetrieverOptions) (*Retriever, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	if eng == nil {
		return nil, fmt.Errorf("%w: nil engine", core.ErrInvalidOptions)
	}
	if src == nil {
		return nil, fmt.Errorf("%w: nil", core.ErrInvalidSource)
	}
	return &Retriever{eng: eng, src: src, opts: opts}, nil
}

// GetRelevantDocuments implements schema.Retriever. Score is the final score;
// documents and their metadata are copies. An empty result is an empty slice.
// Errors are those of core.Engine.Retrieve, core.ErrUserRequired and, in mode
// Fail, core.ErrNoEvidence.
func (r *Retriever) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	if h := r.opts.Callbacks; h != nil {
		h.HandleRetrieverStart(ctx, query)
	}
	docs, err := r.retrieve(ctx, query)
	if err != nil {
		return nil, err
	}
	if h := r.opts.Callbacks; h != nil {
		h.HandleRetrieverEnd(ctx, query, docs)
	}
	return docs, nil
}

func (r *Retriever) retrieve(ctx context.Context, query string) ([]schema.Document, error) {
	if r.opts.RequireUser && core.UserFrom(ctx) == "" {
		return nil, core.ErrUserRequired
	}
	resp, err := r.eng.Retrieve(ctx, r.src, core.Query{Text: query, K: r.opts.K, Depth: r.opts.Depth, Filter: r.opts.Filter})
	if err != nil {
		return nil, err
	}
	if !resp.HasEvidence() && r.opts.NoEvidence == Fail {
		return nil, core.ErrNoEvidence
	}
	if check, ok := ctx.Value(checkKey{}).(Check); ok {
		if err := check(ctx, resp); err != nil {
			return nil, err
		}
	}
	docs := make([]schema.Document, len(resp.Items))
	for i := range resp.Items {
		docs[i] = document(resp, &resp.Items[i])
	}
	return docs, nil
}

// Check looks at a response before its documents reach a chain. Its error is
// returned by the retriever, which ends the chain before its model is called.
type Check func(ctx context.Context, resp *core.Response) error

type checkKey struct{}

// WithCheck returns a context under which every Retriever runs a check.
func WithCheck(ctx context.Context, check Check) context.Context {
	return context.WithValue(ctx, checkKey{}, check)
}

// document makes a langchaingo document of an item.
func document(resp *core.Response, it *core.Item) schema.Document {
	m := maps.Clone(it.Metadata)
	if m == nil {
		m = make(map[string]any, 8)
	}
	m[KeyID] = it.ID
	m[KeyBaseScore] = it.Score
	m[KeyRelevance] = it.Relevance
	m[KeyPosterior] = it.Posterior.Mean
	m[KeyReason] = it.Reason
	m[KeyVerdict] = resp.Verdict.String()
	if !resp.Receipt.IsZero() {
		m[KeyReceipt] = resp.Receipt.String()
	}
	return schema.Document{PageContent: it.Text, Metadata: m, Score: float32(it.Final)}
}
