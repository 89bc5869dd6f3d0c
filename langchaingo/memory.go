package langchaingo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/tmc/langchaingo/callbacks"

	"github.com/repute-go/repute/core"
)

// Defaults of MemoryOptions.
const (
	// DefaultRecall is the number of memories that recall returns.
	DefaultRecall = 3
	// DefaultRecallTokens bounds what recall returns.
	DefaultRecallTokens = 1500
	// MaxMemory is the size in bytes of the largest memory, and of any input of a
	// memory tool.
	MaxMemory = 64 << 10
)

// SelfReport is the rater under which an agent reports on its own success. What a
// model says of itself is an opinion, never a verification.
const SelfReport = "agent:self"

// MemoryOptions configures the memory tools of an agent. The zero value works for
// an agent without users.
type MemoryOptions struct {
	// User owns the memory. A call whose context names another user
	// (core.WithUser) is turned away, what other users remembered is never shown,
	// and only what this user remembered can be forgotten, which takes it out of
	// their library too. Still give every user a source of their own: in a shared
	// one the memories of others take places among those found.
	User string
	// K is the number of memories recalled, as far as Tokens has room; 0 means
	// DefaultRecall.
	K int
	// Tokens bounds what recall returns; 0 means DefaultRecallTokens.
	Tokens int
	// Callbacks hears of every call: one start and one end or error. Agents of
	// langchaingo do not tell their handler what a tool did. Nil means none.
	Callbacks callbacks.Handler
}

func (o MemoryOptions) validate() error {
	if o.K < 0 || o.Tokens < 0 {
		return fmt.Errorf("%w: K %d, Tokens %d", core.ErrInvalidOptions, o.K, o.Tokens)
	}
	return nil
}

// MemoryTool is one tool of an agent's memory. It is a tools.Tool of langchaingo.
// It is safe for concurrent use.
type MemoryTool struct {
	name, description string
	memory            *memory
	do                func(ctx context.Context, input string) (string, error)
}

// Name returns the name by which the model calls the tool.
func (t *MemoryTool) Name() string { return t.name }

// Description tells the model what the tool does.
func (t *MemoryTool) Description() string { return t.description }

// Call runs the tool. What the model can mend (a bad input) and a memory that
// cannot be reached come back as an observation, the latter without its details,
// which only the callbacks hear; the error is only that of the context.
func (t *MemoryTool) Call(ctx context.Context, input string) (string, error) {
	h := t.memory.opts.Callbacks
	if h == nil {
		h = callbacks.SimpleHandler{}
	}
	h.HandleToolStart(ctx, input)
	out, err := t.run(ctx, input)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err == nil {
		h.HandleToolEnd(ctx, out)
		return out, nil
	}
	h.HandleToolError(ctx, err)
	if ctx.Err() != nil {
		return "", err
	}
	return observation(err), nil
}

func (t *MemoryTool) run(ctx context.Context, input string) (string, error) {
	switch user := core.UserFrom(ctx); {
	case user != "" && user != t.memory.opts.User:
		return "", errForeignMemory
	case user == "" && t.memory.opts.User != "":
		ctx = core.WithUser(ctx, t.memory.opts.User)
	}
	switch {
	case len(input) > MaxMemory:
		return "", errTooLong
	case !utf8.ValidString(input):
		return "", errNotText
	}
	return t.do(ctx, strings.TrimSpace(input))
}

// memory is what the tools of one agent share.
type memory struct {
	eng  *core.Engine
	src  core.Source
	add  core.Adder
	opts MemoryOptions

	mu     sync.Mutex
	recent *lru.Cache[string, []recalled] // by session
}

// recalled is a retrieval that an outcome can still be reported for.
type recalled struct {
	receipt core.ReceiptID
	ids     []string // shown
	part    bool     // something was found and not shown
}

// Bounds of what the next report_outcome speaks about.
const (
	maxRecent   = 16  // recalls of a session
	maxSessions = 256 // sessions, those used last
)

// NewMemoryTools returns recall, remember, report_outcome and forget over a source
// that can be written to (core.Adder), for one user's agent. report_outcome speaks
// about every recall since the last report in the same session (core.WithSession):
// runs at the same time need sessions of their own to be told apart. Errors:
// core.ErrInvalidOptions, core.ErrInvalidSource, core.ErrUnsupported.
func NewMemoryTools(eng *core.Engine, src core.Source, opts MemoryOptions) ([]*MemoryTool, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	if eng == nil || isNil(src) {
		return nil, fmt.Errorf("%w: engine and source are required", core.ErrInvalidSource)
	}
	add, ok := src.(core.Adder)
	if !ok {
		return nil, fmt.Errorf("%w: cannot be written to", core.ErrUnsupported)
	}
	if opts.K == 0 {
		opts.K = DefaultRecall
	}
	if opts.Tokens == 0 {
		opts.Tokens = DefaultRecallTokens
	}
	recent, err := lru.New[string, []recalled](maxSessions)
	if err != nil {
		return nil, err
	}
	m := &memory{eng: eng, src: src, add: add, opts: opts, recent: recent}
	return []*MemoryTool{
		{"recall", "Finds memories that may help. Input: what you are about to do or want to know, in your own words.", m, m.recall},
		{"remember", "Keeps something worth knowing later. Input: the text to keep, complete in itself.", m, m.remember},
		{"report_outcome", `Says whether the recalled memories helped, once you know. Input: "success" or "failure", then optionally the ids of the memories it is about.`, m, m.report},
		{"forget", "Removes a memory that is wrong or no longer wanted. Input: its id.", m, m.forget},
	}, nil
}

// push keeps recalls of a session for its next report.
func (m *memory) push(session string, r ...recalled) {
	if len(r) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	known, _ := m.recent.Get(session)
	all := slices.Concat(known, r)
	m.recent.Add(session, all[max(0, len(all)-maxRecent):])
}

// pop takes the recalls of a session since its last report.
func (m *memory) pop(session string) []recalled {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, _ := m.recent.Get(session)
	m.recent.Remove(session)
	return r
}
