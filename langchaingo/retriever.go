package langchaingo

import (
	"context"
	"fmt"
	"math"
	"reflect"

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
	// KeyID is the id of the chunk, a string, for Signal.On.
	KeyID = "repute.id"
	// KeyDocID is the id of the document that the chunk belongs to, a string. It
	// equals KeyID where a document is one chunk.
	KeyDocID = "repute.doc_id"
	// KeyBaseScore is the score that the inner store gave, a float64; absent if
	// that is no finite number.
	KeyBaseScore = "repute.base_score"
	// KeyBaseRank is the place in the inner store's order, an int from 0; -1 for
	// a text of the user's library that the store did not find.
	KeyBaseRank = "repute.base_rank"
	// KeyRelevance is the base score as a relevance, a float64 in [0,1]; 0 in
	// mode Off.
	KeyRelevance = "repute.relevance"
	// KeyPosterior is the probability that the document helps with this query, a
	// float64 in [0,1]; 0 in mode Off.
	KeyPosterior = "repute.posterior"
	// KeyReason says in a sentence why the document stands where it stands.
	KeyReason = "repute.reason"
	// KeyVerdict is the name of the gate's verdict about the query, a string.
	KeyVerdict = "repute.verdict"
)

// RetrieverOptions configures a Retriever. The zero value works.
type RetrieverOptions struct {
	// K is the number of documents wanted; 0 means core.DefaultK.
	K int
	// Depth is the number of candidates ranked; 0 means the engine's default.
	Depth int
	// MinRelevance drops documents with a relevance below it, in [0,1]; 0 drops
	// none. It is what the score threshold of a vector store is meant to be, and
	// means the same for every store.
	MinRelevance float64
	// NoEvidence says what happens to a query without evidence; the zero value
	// is Empty.
	NoEvidence NoEvidence
	// RequireUser refuses queries whose context names no user (core.WithUser)
	// with core.ErrUserRequired.
	RequireUser bool
	// Callbacks hears of every retrieval: one start and, unless it fails, one
	// end with the documents returned. A handler on a vectorstores.Retriever given
	// to FromRetriever hears the same, in its place. Nil means none.
	Callbacks callbacks.Handler
	// Filter is forwarded to the source with every query.
	Filter any
}

func (o RetrieverOptions) validate() error {
	if o.K < 0 || o.Depth < 0 || o.NoEvidence > Fail {
		return fmt.Errorf("%w: K %d, Depth %d, NoEvidence %d", core.ErrInvalidOptions, o.K, o.Depth, o.NoEvidence)
	}
	if !(o.MinRelevance >= 0 && o.MinRelevance <= 1) {
		return fmt.Errorf("%w: MinRelevance %v is not in [0,1]", core.ErrInvalidOptions, o.MinRelevance)
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
	if s, ok := src.(*Source); ok && s != nil {
		opts.Callbacks = combine(opts.Callbacks, s.handler)
	}
	return &Retriever{eng: eng, src: src, opts: opts}, nil
}

// combine makes one handler of two, of which either may be nil. One that is given
// twice hears everything once.
func combine(a, b callbacks.Handler) callbacks.Handler {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && a == b:
		return a
	}
	return callbacks.CombiningHandler{Callbacks: []callbacks.Handler{a, b}}
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
	resp, err := r.eng.Retrieve(ctx, r.src, core.Query{
		Text: query, K: r.opts.K, Depth: r.opts.Depth, MinRelevance: r.opts.MinRelevance, Filter: r.opts.Filter,
	})
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

// WithCheck returns a context under which every Retriever runs a check, after those
// of the contexts it is made from.
func WithCheck(ctx context.Context, check Check) context.Context {
	if earlier, ok := ctx.Value(checkKey{}).(Check); ok {
		later := check
		check = func(ctx context.Context, resp *core.Response) error {
			if err := earlier(ctx, resp); err != nil {
				return err
			}
			return later(ctx, resp)
		}
	}
	return context.WithValue(ctx, checkKey{}, check)
}

// document makes a langchaingo document of an item.
func document(resp *core.Response, it *core.Item) schema.Document {
	m := core.CloneMetadata(it.Metadata)
	if m == nil {
		m = make(map[string]any, 9)
	}
	m[KeyID] = it.ID
	m[KeyDocID] = it.DocID
	m[KeyBaseRank] = it.BaseRank
	m[KeyRelevance] = it.Relevance
	m[KeyPosterior] = it.Posterior.Mean
	m[KeyReason] = it.Reason
	m[KeyVerdict] = resp.Verdict.String()
	if !math.IsNaN(it.Score) && !math.IsInf(it.Score, 0) { // metadata must survive encoding/json
		m[KeyBaseScore] = it.Score
	}
	if !resp.Receipt.IsZero() {
		m[KeyReceipt] = resp.Receipt.String()
	}
	return schema.Document{PageContent: it.Text, Metadata: m, Score: float32(it.Final)}
}
