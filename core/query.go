package core

import (
	"fmt"
	"math"
	"strings"
)

// Defaults of a Query.
const (
	// DefaultK is the number of results for a query that does not say.
	DefaultK = 5
	// MinDepth is the least number of candidates asked for.
	MinDepth = 10
	// MaxDepth is the largest number of candidates asked for and ranked. More
	// candidates find more but learn more slowly.
	MaxDepth = 50
)

// Mode says how far the engine may interfere with a retriever.
type Mode uint8

// Modes. The zero Mode of a Query means the engine's, that of Options means On.
const (
	// ModeDefault leaves the choice to the engine.
	ModeDefault Mode = iota
	// On gates, ranks and learns.
	On
	// Shadow returns the retriever's own order and refuses nothing, but learns
	// and reports in Response.Proposed what On would have returned. It is the
	// way to adopt the engine in production.
	Shadow
	// Off asks the retriever for K results and returns them as they are, touches
	// no store and gives no receipt.
	Off
)

// String returns the name of the mode.
func (m Mode) String() string {
	switch m {
	case ModeDefault:
		return "default"
	case On:
		return "on"
	case Shadow:
		return "shadow"
	case Off:
		return "off"
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

// Query is one question to a retriever. The zero value of every field but Text
// is a sensible default. It is copied; what its fields point to is only read.
type Query struct {
	// Text is what is asked. It may be empty only if Vector is given.
	Text string
	// Vector is the embedding of Text. A source that gets one does not embed
	// again. It must be finite; its length is not checked against one.
	Vector []float32
	// User owns the retrieval. Without one there is no personal tier and
	// nothing personal is stored. Empty: the one of WithUser.
	User string
	// Session groups retrievals, for rankers that explore at random. Empty: the
	// one of WithSession.
	Session string
	// K is the number of results wanted; 0 means DefaultK.
	K int
	// Depth is the number of candidates asked for and ranked; 0 means
	// max(2K, MinDepth), and MaxDepth for Engine.Rank. It is raised to K and cut
	// at MaxDepth, unless K itself is larger. What a source returns beyond it
	// takes no part.
	Depth int
	// Alpha is the false-alarm rate promised for this query, in (0,1); 0 means
	// the gate's.
	Alpha float64
	// MinRelevance drops candidates with a relevance below it, in [0,1]: the
	// cosine where every score stands for one, see ScoreKind.Strengths. It is
	// applied before the gate; 0 drops none. A relevance equal to it stays.
	MinRelevance float64
	// Mode overrides the engine's mode; 0 does not.
	Mode Mode
	// Filter is handed to the source untouched.
	Filter any
	// Keep, if not nil, says which of the source's candidates there are for this
	// query: the others are left out before anything else looks at them, so that
	// none takes the place of a copy of its text that is kept. It must not change
	// what it is given. A source that can filter by itself finds more.
	Keep func(*Candidate) bool
	// Task and Keywords are for rankers of your own; ours do not read them.
	Task     string
	Keywords []string
}

// kept returns the candidates that Keep keeps, in memory of their own.
func (q *Query) kept(all []Candidate) []Candidate {
	if q.Keep == nil {
		return all
	}
	out := make([]Candidate, 0, len(all))
	for i := range all {
		if q.Keep(&all[i]) {
			out = append(out, all[i])
		}
	}
	return out
}

// normalize fills the defaults and refuses what cannot be asked.
func (q Query) normalize() (Query, error) {
	switch {
	case q.K < 0 || q.Depth < 0:
		return q, fmt.Errorf("%w: K %d, Depth %d", ErrInvalidQuery, q.K, q.Depth)
	case q.Alpha < 0 || q.Alpha >= 1 || math.IsNaN(q.Alpha):
		return q, fmt.Errorf("%w: Alpha %v is not in [0,1)", ErrInvalidQuery, q.Alpha)
	case q.MinRelevance < 0 || q.MinRelevance > 1 || math.IsNaN(q.MinRelevance):
		return q, fmt.Errorf("%w: MinRelevance %v is not in [0,1]", ErrInvalidQuery, q.MinRelevance)
	case q.Mode > Off:
		return q, fmt.Errorf("%w: %v", ErrInvalidQuery, q.Mode)
	}
	if err := checkVector(q.Vector); err != nil {
		return q, fmt.Errorf("%w: %w", ErrInvalidQuery, err)
	}
	if q.K == 0 {
		q.K = DefaultK
	}
	if q.Depth == 0 {
		q.Depth = max(2*q.K, MinDepth)
	}
	q.Depth = max(min(q.Depth, MaxDepth), q.K)
	return q, nil
}

// blank reports whether the query asks nothing.
func (q Query) blank() bool {
	return strings.TrimSpace(q.Text) == "" && len(q.Vector) == 0
}

// checkVector refuses vectors with which no similarity can be computed. A nil
// vector is fine: it means none.
func checkVector(v []float32) error {
	var norm float64
	for i, x := range v {
		f := float64(x)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("vector component %d is %v", i, x)
		}
		norm += f * f
	}
	if len(v) > 0 && norm == 0 {
		return fmt.Errorf("vector is zero")
	}
	return nil
}
