package judge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/repute-go/repute/core"
)

// errPanicked: the judge or the sink panicked.
var errPanicked = errors.New("judge: panicked")

// kinds are the errors that brief knows, the narrowest first.
var kinds = []error{
	errPanicked, ErrInvalidCase, ErrNoVerdict, ErrUnavailable, context.DeadlineExceeded, context.Canceled,
	core.ErrUnknownReceipt, core.ErrExpiredReceipt, core.ErrForeignReceipt, core.ErrUnknownDocument, core.ErrInvalidSignal,
	core.ErrErased, core.ErrClosed,
}

// brief says what kind of error err is without repeating what it says: an error may quote a document or a model. An error
// that is a slog.LogValuer speaks for itself, of others there is the type of the innermost.
func brief(err error) string {
	var own slog.LogValuer
	if errors.As(err, &own) {
		return shorten(slog.AnyValue(own).Resolve().String(), 200)
	}
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return fmt.Sprintf("other (%T)", err)
}
