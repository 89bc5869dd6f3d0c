package core_test

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/lifecycle"
)

// cabinet is a source of whole documents, found by the words they share with the
// question, that says what they are now and who may see them.
type cabinet struct {
	name string

	mu        sync.Mutex
	docs      []core.Candidate
	forbidden map[string]string // document -> user
	broken    error             // of LoadDocument
	slow      time.Duration
	loads     int
	meanwhile func() // runs once, while a document is loaded
}

func newCabinet(name string, docs map[string]string) *cabinet {
	s := &cabinet{name: name, forbidden: map[string]string{}}
	for _, id := range slices.Sorted(maps.Keys(docs)) {
		s.put(id, docs[id])
	}
	return s
}

func (s *cabinet) put(id, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := core.Candidate{ID: id + "#0", DocID: id, Title: "Title of " + id, Path: id + ".md", Text: text, TotalChunks: 1}
	for i := range s.docs {
		if s.docs[i].DocID == id {
			s.docs[i] = c
			return
		}
	}
	s.docs = append(s.docs, c)
}

func (s *cabinet) remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.docs {
		if s.docs[i].DocID == id {
			s.docs = append(s.docs[:i:i], s.docs[i+1:]...)
			return
		}
	}
}

func (s *cabinet) Info() core.SourceInfo {
	return core.SourceInfo{Name: s.name, Kind: core.CosineSimilarity}
}

func (s *cabinet) Search(_ context.Context, q core.Query, n int) (core.Hits, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var h core.Hits
	for _, c := range s.docs {
		shared := 0
		for _, w := range strings.Fields(q.Text) {
			if strings.Contains(c.Text, w) {
				shared++
			}
		}
		if shared > 0 {
			c.Score = float64(shared) / 10
			h.Candidates = append(h.Candidates, c)
		}
	}
	slices.SortStableFunc(h.Candidates, func(a, b core.Candidate) int { return cmp.Compare(b.Score, a.Score) })
	h.Candidates = h.Candidates[:min(n, len(h.Candidates))]
	return h, nil
}

func (s *cabinet) LoadDocument(_ context.Context, user, doc string) (core.Loaded, error) {
	loaded, meanwhile, err := s.load(user, doc)
	if meanwhile != nil {
		meanwhile()
	}
	return loaded, err
}

func (s *cabinet) load(user, doc string) (_ core.Loaded, meanwhile func(), _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads++
	meanwhile, s.meanwhile = s.meanwhile, nil
	if s.slow > 0 {
		s.mu.Unlock()
		time.Sleep(s.slow)
		s.mu.Lock()
	}
	if s.broken != nil {
		return core.Loaded{}, meanwhile, s.broken
	}
	for _, c := range s.docs {
		if c.DocID == doc {
			return core.Loaded{Text: c.Text, Exists: true, Allowed: s.forbidden[doc] != user || user == ""}, meanwhile, nil
		}
	}
	return core.Loaded{}, meanwhile, nil
}

// library is an engine with a clock and a shelf.
type library struct {
	*core.Engine
	clock *clock
	shelf *cabinet
	t     *testing.T
}

func newLibrary(t *testing.T, opts core.Options, docs map[string]string) *library {
	t.Helper()
	l := &library{t: t, clock: newClock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)), shelf: newCabinet("shelf", docs)}
	opts.Clock = l.clock.time
	if opts.Library.Timeout == 0 {
		opts.Library.Timeout = time.Minute // on a busy machine too
	}
	if opts.Gate == nil {
		opts.Gate = gate.Off{}
	}
	l.Engine = newEngine(t, opts)
	return l
}

// pass lets time go by.
func (l *library) pass(d time.Duration) { l.clock.set(l.clock.time().Add(d)) }

func (l *library) ask(user, text string) *core.Response {
	l.t.Helper()
	l.pass(time.Minute)
	return retrieve(l.t, l.Engine, l.shelf, core.Query{Text: text, User: user, K: 3})
}

func (l *library) state(user, doc string) lifecycle.State {
	l.t.Helper()
	e, _, err := l.Library(user).Get(context.Background(), doc)
	if err != nil {
		l.t.Fatal(err)
	}
	return e.State
}

// claimed makes the document a claimed one.
func (l *library) claimed(user, doc string) {
	l.t.Helper()
	if _, err := l.Library(user).In(l.shelf).Add(context.Background(), doc); err != nil {
		l.t.Fatal(err)
	}
}

var policies = map[string]string{
	"leave":  "annual leave is twenty eight days",
	"travel": "travel costs are paid back within ten days",
	"oncall": "who is on call dials the operator",
}

func item(resp *core.Response, doc string) *core.Item {
	for i := range resp.Items {
		if resp.Items[i].DocID == doc {
			return &resp.Items[i]
		}
	}
	return nil
}
