package main

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/repute-go/repute/core"
)

// verifier names the check in what is learned.
const verifier = "go-source"

// learn reports the outcome of the check, document by document. What is out of date
// did not help. What is not did if the answer rests on it; of the rest that was
// shown the check says nothing, since a symbol is not the right one for being alive.
func (s *session) learn(ctx context.Context, found *core.Response, answer string, outdated map[string]bool) (core.Update, error) {
	used := cited(answer)
	var signals []core.Signal
	for i, it := range found.Items {
		old, known := outdated[it.DocID]
		switch {
		case old:
			signals = append(signals, core.VerifiedBy(verifier, 0).On(it.ID))
		case known && used[i+1]:
			signals = append(signals, core.VerifiedBy(verifier, 1).On(it.ID))
		}
	}
	if len(signals) == 0 {
		return core.Update{Receipt: found.Receipt, Duplicate: true}, nil
	}
	return s.engine.Feedback(core.WithUser(ctx, user), found.Receipt, signals...)
}

// outcome says what the check taught.
func outcome(u core.Update) string {
	var helped, failed []string
	for _, d := range u.Documents {
		names := &helped
		if d.Neg > d.Pos {
			names = &failed
		}
		if !slices.Contains(*names, d.DocID) { // several passages of one document
			*names = append(*names, d.DocID)
		}
	}
	switch {
	case len(failed)+len(helped) == 0:
		return "nothing new"
	case len(failed) == 0:
		return "current and helped: " + strings.Join(helped, ", ")
	case len(helped) == 0:
		return "deprecated, did not help: " + strings.Join(failed, ", ")
	}
	return "current and helped: " + strings.Join(helped, ", ") + "; deprecated, did not help: " + strings.Join(failed, ", ")
}

var citation = regexp.MustCompile(`\[(\d{1,3})\]`)

// cited returns the numbers of the passages that an answer names.
func cited(answer string) map[int]bool {
	numbers := map[int]bool{}
	for _, m := range citation.FindAllStringSubmatch(answer, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			numbers[n] = true
		}
	}
	return numbers
}
