package langchaingo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/lifecycle"
)

// What the memory tools cannot do. The model reads the text.
var (
	errForeignMemory = errors.New("this memory belongs to another user")
	errNothingToKeep = errors.New("there is no text to keep")
	errTooLong       = fmt.Errorf("the text is longer than %d bytes; keep a summary", MaxMemory)
	errNotText       = errors.New("the input is not valid text")
	errNoRecall      = errors.New("nothing was recalled since the last report")
	errNoOutcome     = errors.New(`say "success" or "failure" first`)
	errNoID          = errors.New("name the id of the memory")
)

// recall answers with passages behind a fence and, outside it, why each is
// trusted.
func (m *memory) recall(ctx context.Context, input string) (string, error) {
	resp, err := m.eng.Retrieve(ctx, m.src, core.Query{Text: input, K: m.opts.K})
	if errors.Is(err, core.ErrEmptyQuery) {
		return "Say what you want to recall.", nil
	}
	if err != nil {
		return "", err
	}
	if !resp.HasEvidence() {
		return "No memory stands out for this.", nil
	}
	if !resp.Receipt.IsZero() {
		m.push(recalled{resp.Receipt, resp.IDs()})
	}
	var b strings.Builder
	for i, it := range resp.Items {
		fmt.Fprintf(&b, "[%d] id %s: %s\n", i+1, lifecycle.Plain(it.ID), it.Reason)
	}
	b.WriteString(resp.Context(m.opts.Tokens))
	return b.String(), nil
}

// remember keeps a text; the same text twice is one memory, for its id is made of
// its content.
func (m *memory) remember(ctx context.Context, input string) (string, error) {
	text := strings.TrimSpace(input)
	switch {
	case text == "":
		return "", errNothingToKeep
	case len(text) > MaxMemory:
		return "", errTooLong
	case !utf8.ValidString(text):
		return "", errNotText
	}
	ids, err := m.add.Add(ctx, []core.Candidate{{Text: text}})
	if err != nil {
		return "", err
	}
	return "Remembered as " + lifecycle.Plain(ids[0]) + ".", nil
}

// report gives the agent's own opinion about the recalls since the last report.
func (m *memory) report(ctx context.Context, input string) (string, error) {
	words := strings.FieldsFunc(input, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' || r == ':' })
	if len(words) == 0 {
		return "", errNoOutcome
	}
	x, ok := map[string]float64{"success": 1, "failure": 0}[strings.ToLower(strings.Trim(words[0], `"'.`))]
	if !ok {
		return "", errNoOutcome
	}
	recent := m.pop()
	if len(recent) == 0 {
		return "", errNoRecall
	}
	told := 0
	for _, r := range recent {
		signal, ok := about(r, x, words[1:])
		if !ok {
			continue
		}
		if _, err := m.eng.Feedback(ctx, r.receipt, signal); err != nil {
			return "", err
		}
		told++
	}
	if told == 0 {
		return "", fmt.Errorf("%w: none of these memories was recalled", core.ErrUnknownDocument)
	}
	return "Noted.", nil
}

// about makes the signal for one recall; ok is false if ids are named and none of
// them was recalled there.
func about(r recalled, x float64, named []string) (s core.Signal, ok bool) {
	s = core.Judged(SelfReport, x)
	if len(named) == 0 {
		return s, true
	}
	var ids []string
	for _, id := range r.ids {
		if slices.Contains(named, id) {
			ids = append(ids, id)
		}
	}
	return s.On(ids...), len(ids) > 0
}

func (m *memory) forget(ctx context.Context, input string) (string, error) {
	id := strings.TrimSpace(input)
	if id == "" {
		return "", errNoID
	}
	if err := m.add.Delete(ctx, id); err != nil {
		return "", err
	}
	return "Forgotten.", nil
}
