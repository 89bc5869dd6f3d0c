package core

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/reputation"
)

// Retrieve asks the source for candidates, judges and ranks them, records what
// was shown and returns it. Nothing found is a verdict, not an error. A store that
// fails, or takes until the context's deadline, leaves the results as they are and
// sets Unlearned. Errors: ErrEmptyQuery, ErrInvalidQuery, ErrInvalidSource,
// ErrInvalidHits, ErrClosed, the context's, and those of the source, which keep
// their identity.
func (e *Engine) Retrieve(ctx context.Context, src Source, q Query) (*Response, error) {
	began := e.now()
	q, hits, err := e.search(ctx, src, q)
	if err != nil {
		return nil, err
	}
	return e.answer(ctx, src, q, hits, began)
}

// search completes a query and asks the source.
func (e *Engine) search(ctx context.Context, src Source, q Query) (Query, Hits, error) {
	if isNil(src) {
		return q, Hits{}, fmt.Errorf("%w: nil", ErrInvalidSource)
	}
	info := src.Info()
	if info.Name == "" {
		return q, Hits{}, fmt.Errorf("%w: no name", ErrInvalidSource)
	}
	e.sources.remember(info.Name, src)
	q, err := e.admit(ctx, q)
	if err != nil {
		return q, Hits{}, err
	}
	if q.blank() {
		return q, Hits{}, ErrEmptyQuery
	}
	wanted := q.Depth
	if q.Mode == Off {
		wanted = q.K // what the retriever would have been asked without us
	}
	hits, err := src.Search(ctx, q, wanted)
	if err != nil {
		return q, Hits{}, fmt.Errorf("core: source %q: %w", info.Name, err)
	}
	// A cancelled search may look like an empty one.
	if err := ctx.Err(); err != nil {
		return q, Hits{}, err
	}
	hits.Source, hits.Model, hits.Candidates = info.Name, info.Model, q.kept(hits.Candidates)
	if hits.Kind == ScoreUndeclared {
		hits.Kind = info.Kind
	}
	return q, hits, nil
}

// Rank judges and ranks what any retriever returned; hits.Source names it. It
// ranks the first q.Depth of them, by default MaxDepth. Texts are not needed:
// without them evidence belongs to the ids. The query may be blank: then outcomes
// count for the documents as a whole. Nothing in hits is modified. Errors are
// those of Retrieve but for ErrEmptyQuery, and ErrInvalidHits for a QueryVector
// that is zero or not finite.
func (e *Engine) Rank(ctx context.Context, q Query, hits Hits) (*Response, error) {
	if q.Depth == 0 {
		q.Depth = MaxDepth
	}
	q, err := e.admit(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkVector(hits.QueryVector); err != nil && q.Mode != Off {
		return nil, fmt.Errorf("%w: query %w", ErrInvalidHits, err)
	}
	hits.Candidates = q.kept(hits.Candidates)
	return e.answer(ctx, nil, q, hits, e.now())
}

// admit fills a query from the context and the defaults and refuses what
// cannot be asked.
func (e *Engine) admit(ctx context.Context, q Query) (Query, error) {
	if err := e.alive(); err != nil {
		return q, err
	}
	if q.User == "" {
		q.User = UserFrom(ctx)
	}
	if q.Session == "" {
		q.Session = SessionFrom(ctx)
	}
	if q.Mode == ModeDefault {
		q.Mode = e.opts.Mode
	}
	return q.normalize()
}

// answer runs the steps after the search. The time of a retrieval is that at which
// it began: whoever is erased while it is under way leaves nothing by it.
func (e *Engine) answer(ctx context.Context, src Source, q Query, hits Hits, began int64) (*Response, error) {
	resp := &Response{
		Query: q.Text, Question: QuestionFrom(ctx), User: q.User, Session: q.Session,
		Source: hits.Source, Mode: q.Mode, engine: e,
	}
	random := e.random.bytes()
	copy(resp.fence[:], random[:])
	if resp.Question == "" {
		resp.Question = q.Text
	}
	if q.Mode == Off {
		e.passThrough(resp, q, hits)
		TraceFrom(ctx).Add(resp)
		return resp, nil
	}
	r := &retrieval{engine: e, source: src, query: q, hits: hits, time: began, work: e.borrow()}
	defer e.giveBack(r.work)
	var err error
	if r.candidates, r.dropped, err = e.opts.prepare(q, hits, r.work); err != nil {
		return nil, err
	}
	r.personal = e.newPersonal(q.User, hits.Source, r.time)
	r.load(ctx)
	r.rank(ctx)
	r.judge(ctx)
	r.respond(ctx, resp)
	r.record(ctx, resp)
	r.embedChanged()
	// Nobody waits for a cancelled retrieval. One whose time ran out while the
	// store was slow is still good.
	if err := ctx.Err(); errors.Is(err, context.Canceled) && resp.Receipt.IsZero() {
		return nil, err
	}
	e.tidy()
	TraceFrom(ctx).Add(resp)
	return resp, nil
}

// passThrough returns the source's results as they are.
func (e *Engine) passThrough(resp *Response, q Query, hits Hits) {
	for i, c := range hits.Candidates[:min(q.K, len(hits.Candidates))] {
		resp.Items = append(resp.Items, Item{Candidate: c.clone(), Rank: i, BaseRank: i, Final: c.Score, Reason: "the retriever's own result"})
	}
	if len(resp.Items) > 0 {
		resp.Verdict = Uncalibrated
		resp.Decision.Verdict = Uncalibrated
		resp.Decision.Reason = gate.ReasonOff
	}
}

// retrieval is one retrieval on its way through the steps.
type retrieval struct {
	engine     *Engine
	source     Source // nil for Rank
	query      Query
	hits       Hits
	time       int64
	work       *workspace
	candidates []candidate // in base order
	dropped    []Rejected
	unlearned  error

	asked    reputation.Query
	stats    *reputation.Statistics
	ranking  reputation.Ranking
	decision gate.Decision

	personal  *personal   // nil without a user
	extras    []candidate // library texts that the retriever did not find
	onReceipt []int       // what is shown, as indices of candidate
	idle      []int       // those at its end that are there only because they are pinned
	notes     []LibraryNote
	embed     []changedText // library texts that want a vector
}

// rank orders the candidates by what is known of them.
func (r *retrieval) rank(ctx context.Context) {
	r.asked = reputation.Query{
		Time: r.time, K: r.query.K, Seed: r.engine.seed(r.query.Session),
		Task: r.query.Task, Keywords: r.query.Keywords, Text: r.query.Text,
	}
	r.asked.Signature, r.asked.Space = r.engine.signature(ctx, r.source, r.query.Text, r.hits)
	r.stats = r.engine.statistics(ctx)
	cands := r.rankable()
	r.ranking = r.engine.usable(r.work.rank(r.engine.opts.Ranker, r.asked, cands, r.stats), r.asked, cands, r.stats)
}

// rankable is what the ranker gets to know of the candidates.
func (r *retrieval) rankable() []reputation.Candidate {
	cands := room(&r.work.ranked, len(r.candidates))
	for i := range r.candidates {
		cands[i] = rankable(&r.candidates[i], i)
	}
	return cands
}

// shown returns the candidates to show, best first: what the gate lets through,
// in the ranker's order, without what the user blocked, at most K. In mode Shadow
// it is the base order.
func (r *retrieval) shown(mode Mode) []int {
	order := r.ranking.Order
	if mode == Shadow {
		order = make([]int, len(r.candidates))
		for i := range order {
			order[i] = i
		}
	}
	out := make([]int, 0, min(r.query.K, len(order)))
	for _, i := range order {
		if len(out) < r.query.K && (mode == Shadow || r.decision.Judgements[i].Pass && !r.blocked(i)) {
			out = append(out, i)
		}
	}
	return out
}

// blocked reports whether the user never wants to see a candidate's document.
func (r *retrieval) blocked(i int) bool {
	return r.personal != nil && r.personal.blocked[r.personal.keys[i]]
}

// seed makes the ranker's randomness depend on namespace and session only.
func (e *Engine) seed(session string) uint64 {
	h := digest("session", e.opts.Namespace, session)
	return binary.LittleEndian.Uint64(h[:8])
}

// isNil reports whether an interface holds nothing or a nil pointer.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	rv := reflect.ValueOf(v)
	return rv.Kind() == reflect.Pointer && rv.IsNil()
}
