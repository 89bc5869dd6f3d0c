package main

import (
	"context"

	"github.com/repute-go/repute/core"
)

// verifier names the check in what is learned.
const verifier = "go-source"

// check says of every shown symbol whether its declaration is marked as
// deprecated. It parses the Go sources again and does not look at the passages,
// which do not say.
func (l *library) check(found *core.Response) (deprecated map[string]bool, err error) {
	deprecated = make(map[string]bool, len(found.Items))
	for _, it := range found.Items {
		if _, known := deprecated[it.DocID]; known {
			continue
		}
		if deprecated[it.DocID], err = l.source.Deprecated(it.DocID); err != nil {
			return nil, err
		}
	}
	return deprecated, nil
}

// learn reports the outcome of the check, document by document: a symbol that is
// deprecated did not help, one that can be used did.
func (s *session) learn(ctx context.Context, found *core.Response, deprecated map[string]bool) (core.Update, error) {
	signals := make([]core.Signal, 0, len(found.Items))
	for _, it := range found.Items {
		usable := 1.0
		if deprecated[it.DocID] {
			usable = 0
		}
		signals = append(signals, core.VerifiedBy(verifier, usable).On(it.ID))
	}
	if len(signals) == 0 {
		return core.Update{}, nil
	}
	return s.engine.Feedback(core.WithUser(ctx, user), found.Receipt, signals...)
}
