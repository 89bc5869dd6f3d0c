package core

import (
	"slices"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// workspace is the memory that one retrieval needs only while it runs. The next
// one uses it again. Nothing in a response points into it.
type workspace struct {
	candidates []candidate
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
	clear(w.ids[:cap(w.ids)])
	clear(w.ranked[:cap(w.ranked)])
	clear(w.judged[:cap(w.judged)])
	e.workspaces.Put(w)
}

// room returns n elements, in the given memory if it suffices.
func room[T any](memory *[]T, n int) []T {
	*memory = slices.Grow((*memory)[:0], n)[:n]
	return *memory
}
