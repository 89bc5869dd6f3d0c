package langchaingo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/lifecycle"
)

// toolError is what a memory tool cannot do and the model can mend: the model
// reads the text.
type toolError string

func (e toolError) Error() string { return string(e) }

const (
	errForeignMemory toolError = "this memory belongs to another user"
	errNothingToKeep toolError = "there is no text to keep"
	errNotText       toolError = "the input is not valid text"
	errNoRecall      toolError = "nothing was recalled since the last report"
	errNotRecalled   toolError = "none of these memories was recalled since the last report"
	errStale         toolError = "it is too late to report on what was recalled"
	errNoOutcome     toolError = `say "success" or "failure" first`
	errNoID          toolError = "name the id of the memory"
	errNotOwn        toolError = "only a memory that you were told to remember can be forgotten"
)

var errTooLong = toolError(fmt.Sprintf("the text is longer than %d bytes; keep a summary", MaxMemory))

// observation is what the model reads of an error.
func observation(err error) string {
	if e, ok := errors.AsType[toolError](err); ok {
		return "The memory could not do that: " + e.Error() + "."
	}
	return "The memory cannot be reached now."
}

// ownerKey is the metadata key that names the user who had a text remembered.
const ownerKey = "repute.owner"

// recall answers with passages behind a fence and, outside it, why each is
// trusted.
func (m *memory) recall(ctx context.Context, input string) (string, error) {
	resp, err := m.eng.Retrieve(ctx, m.src, core.Query{Text: input, K: m.opts.K, Keep: m.own})
	if errors.Is(err, core.ErrEmptyQuery) {
		return "Say what you want to recall.", nil
	}
	if err != nil {
		return "", err
	}
	passages, shown := resp.Passages(m.opts.Tokens)
	if len(shown) == 0 {
		return "No memory stands out for this.", nil
	}
	var b strings.Builder
	ids := make([]string, len(shown))
	for i, rank := range shown {
		it := &resp.Items[rank]
		ids[i] = it.ID
		fmt.Fprintf(&b, "[%d] id %s: %s\n", rank+1, handle(it.ID), it.Reason)
	}
	if !resp.Receipt.IsZero() {
		m.push(core.SessionFrom(ctx), recalled{resp.Receipt, ids, len(shown) < len(resp.Items)})
	}
	b.WriteString(passages)
	return b.String(), nil
}

// own reports whether a text is not one that another user had remembered.
func (m *memory) own(c *core.Candidate) bool {
	owner := core.CanonicalID(c.Metadata[ownerKey])
	return owner == "" || owner == m.opts.User
}

// handle is an id as a model gets to see it and names it again: the id itself, if
// that is a plain word, else a digest. An id may come from anywhere and is shown
// outside the fence, where a sentence would be read as one of ours.
func handle(id string) string {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("-_.:/#", r)
	}
	if len(id) <= 80 && id == trimmed(id) && !strings.ContainsFunc(id, func(r rune) bool { return !plain(r) }) {
		return id
	}
	h := sha256.Sum256([]byte(id))
	return "id-" + hex.EncodeToString(h[:8])
}

// trimmed takes off a word what a model may put around it.
func trimmed(word string) string { return strings.Trim(word, "\"'`.:;()[]<>") }

// remember keeps a text. Its id is made of owner and text, so that the same text
// twice is one memory.
func (m *memory) remember(ctx context.Context, text string) (string, error) {
	if text == "" {
		return "", errNothingToKeep
	}
	c := core.Candidate{ID: m.prefix() + digest(text), Text: text}
	if m.opts.User != "" {
		c.Metadata = map[string]any{ownerKey: m.opts.User}
	}
	ids, err := m.add.Add(ctx, []core.Candidate{c})
	if err != nil {
		return "", err
	}
	if len(ids) == 1 {
		c.ID = ids[0]
	}
	return "Remembered as " + handle(c.ID) + ".", nil
}

// prefix begins the ids of the user's memories.
func (m *memory) prefix() string {
	if m.opts.User == "" {
		return "memory-"
	}
	return "memory-" + digest(m.opts.User) + "-"
}

// digestSize is the length of a digest in bytes.
const digestSize = 12

// digest is a short name of a text.
func digest(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:digestSize])
}

// report gives the agent's own opinion about the recalls since the last report. If
// nothing comes of it, the next report can still speak about them.
func (m *memory) report(ctx context.Context, input string) (string, error) {
	x, ids, err := parseReport(input)
	if err != nil {
		return "", err
	}
	session := core.SessionFrom(ctx)
	recent := m.pop(session)
	if len(recent) == 0 {
		return "", errNoRecall
	}
	told, left, err := m.tell(ctx, recent, x, ids)
	if err != nil || told == 0 {
		m.push(session, left...)
	}
	switch {
	case err != nil:
		return "", err
	case told == 0 && len(left) == 0:
		return "", errStale
	case told == 0:
		return "", errNotRecalled
	}
	return "Noted.", nil
}

// tell reports on recalls and returns how many took it and those that it was not
// about or that could not be reached. What has expired is neither.
func (m *memory) tell(ctx context.Context, recent []recalled, x float64, ids []string) (told int, left []recalled, err error) {
	for _, r := range recent {
		signal, ok := about(r, x, ids)
		if !ok {
			left = append(left, r)
			continue
		}
		switch _, e := m.eng.Feedback(ctx, r.receipt, signal); {
		case e == nil:
			told++
		case !errors.Is(e, core.ErrExpiredReceipt) && !errors.Is(e, core.ErrUnknownReceipt):
			left, err = append(left, r), errors.Join(err, e)
		}
	}
	return told, left, err
}

// parseReport reads an outcome and the ids it is about.
func parseReport(input string) (x float64, ids []string, err error) {
	words := strings.FieldsFunc(input, func(r rune) bool { return strings.ContainsRune(" ,\t\r\n", r) })
	for i := range words {
		words[i] = trimmed(words[i])
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	if len(words) == 0 {
		return 0, nil, errNoOutcome
	}
	switch strings.ToLower(words[0]) {
	case "success":
		return 1, words[1:], nil
	case "failure":
		return 0, words[1:], nil
	}
	return 0, nil, errNoOutcome
}

// about makes the signal for one recall; ok is false if ids are named and none of
// them was recalled there.
func about(r recalled, x float64, named []string) (s core.Signal, ok bool) {
	s = core.Judged(SelfReport, x)
	if len(named) == 0 && !r.part {
		return s, true
	}
	var ids []string
	for _, id := range r.ids {
		if len(named) == 0 || slices.Contains(named, id) || slices.Contains(named, handle(id)) {
			ids = append(ids, id)
		}
	}
	return s.On(ids...), len(ids) > 0
}

func (m *memory) forget(ctx context.Context, input string) (string, error) {
	id := trimmed(input)
	if id == "" {
		return "", errNoID
	}
	if id = m.named(core.SessionFrom(ctx), id); !m.made(id) {
		return "", errNotOwn
	}
	if user := core.UserFrom(ctx); user != "" { // the library may hold a copy
		_, err := m.eng.Library(user).In(m.src).Remove(ctx, id)
		if err != nil && !errors.Is(err, lifecycle.ErrNotClaimed) {
			return "", err
		}
	}
	if err := m.add.Delete(ctx, id); err != nil {
		return "", err
	}
	return "Forgotten.", nil
}

// made reports whether an id is one that remember gives this user's memories: no
// document of the source, and no memory of another user.
func (m *memory) made(id string) bool {
	rest, ok := strings.CutPrefix(id, m.prefix())
	sum, err := hex.DecodeString(rest)
	return ok && err == nil && len(sum) == digestSize
}

// named returns the id of a recalled memory that the model names by its handle,
// else what it said.
func (m *memory) named(session, said string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	recent, _ := m.recent.Get(session)
	for _, r := range recent {
		for _, id := range r.ids {
			if handle(id) == said {
				return id
			}
		}
	}
	return said
}
