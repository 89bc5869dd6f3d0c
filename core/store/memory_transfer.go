package store

import (
	"context"
	"errors"
	"io"
)

// Export implements [Store].
func (m *Memory) Export(ctx context.Context, namespace string, w io.Writer) error {
	return errors.ErrUnsupported
}

// Import implements [Store].
func (m *Memory) Import(ctx context.Context, namespace string, r io.Reader) error {
	return errors.ErrUnsupported
}
