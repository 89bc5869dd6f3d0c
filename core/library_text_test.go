package core_test

import (
	"context"

	"github.com/repute-go/repute/core"
)

// loading is a source that says of every document the same text.
type loading struct {
	core.Source
	text *string
}

func (l loading) LoadDocument(context.Context, string, string) (core.Loaded, error) {
	return core.Loaded{Text: *l.text, Exists: true, Allowed: true}, nil
}
