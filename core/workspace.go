package core

import (
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// workspace is the memory that one retrieval needs only while it runs. The next
// one uses it again. Nothing in a response points into it.
type workspace struct {
	candidates []candidate
	twins      []candidate // see distinct
	ids        []string
	hashes     []store.Hash
	loaded     *store.Loaded
	ranked     []reputation.Candidate
	judged     []gate.Candidate
	order      []int
	scores     []reputation.Score
	judgements []gate.Judgement
}

// borrow returns a workspace that nobody else uses; the zero one is fine.
func (e *Engine) borrow() *workspace {
	if w, ok := e.workspaces.Get().(*workspace); ok {
		return w
	}
	return &workspace{}
}

// giveBack takes a workspace back, without what it refers to.
func (e *Engine) giveBack(w *workspace) {
	if cap(w.candidates) > usual {
		return // not worth keeping
	}
	clear(w.candidates[:cap(w.candidates)])
	clear(w.twins[:cap(w.twins)])
	clear(w.ids[:cap(w.ids)])
	clear(w.ranked[:cap(w.ranked)])
	clear(w.judged[:cap(w.judged)])
	if w.loaded != nil {
		clear(w.loaded.Aliases)
		clear(w.loaded.Documents)
		w.loaded.Personal = nil
	}
	e.workspaces.Put(w)
}

// room returns n elements, in the given memory if it suffices.
func room[T any](memory *[]T, n int) []T {
	if cap(*memory) < n {
		*memory = make([]T, n, max(n, usual))
	}
	*memory = (*memory)[:n]
	return *memory
}

// rank asks a ranker. Memory is lent to our own only: another one may keep its
// answer, or ask ours for a second opinion.
func (w *workspace) rank(r reputation.Ranker, q reputation.Query, cands []reputation.Candidate, stats *reputation.Statistics) reputation.Ranking {
	p, ok := r.(reputation.Posterior)
	if !ok {
		return r.Rank(q, cands, stats)
	}
	return p.RankInto(room(&w.order, len(cands)), room(&w.scores, len(cands)), q, cands, stats)
}

// decide asks a gate, see rank.
func (w *workspace) decide(g gate.Gate, q gate.Query, cands []gate.Candidate, m *gate.Model) gate.Decision {
	switch g := g.(type) {
	case gate.Evidence:
		return g.DecideInto(room(&w.judgements, len(cands)), q, cands, m)
	case gate.Off:
		return g.DecideInto(room(&w.judgements, len(cands)), q, cands, m)
	}
	return g.Decide(q, cands, m)
}
