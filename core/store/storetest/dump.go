package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/repute-go/repute/core/store"
)

// contents is everything in a namespace, as the binary form of its rows. The
// version of a personal row is the store's own and left out.
type contents map[string]string

// add adds a row under its kind and key.
func (c contents) add(r store.Row) {
	key := fmt.Sprintf("%T ", r)
	switch r := r.(type) {
	case store.Document:
		key += r.Hash.String()
	case store.Alias:
		key += fmt.Sprintf("%q %q", r.Source, r.ID)
	case store.Receipt:
		key += r.ID.String()
	case store.Entry:
		key += fmt.Sprintf("%q %q", r.User, r.Document)
	case store.Sequence:
		key += fmt.Sprintf("%q", r.User)
	case store.Tally:
		key += fmt.Sprintf("%q", r.Name)
	case store.Blob:
		key += fmt.Sprintf("%q", r.Name)
	case store.Tombstone:
		key += fmt.Sprintf("%q", r.Actor)
	}
	c[key] = form(r)
}

// form is the binary form of a row without its version.
func form(r store.Row) string {
	if e, ok := r.(store.Entry); ok {
		e.Version = 0
		r = e
	}
	b, err := r.AppendBinary(nil)
	if err != nil {
		panic(fmt.Sprintf("storetest: %T: %v", r, err))
	}
	return string(b)
}

// dump reads a namespace by exporting it.
func dump(ctx context.Context, s store.Store, namespace string) (contents, error) {
	var buf bytes.Buffer
	if err := s.Export(ctx, namespace, &buf); err != nil {
		return nil, err
	}
	in, err := store.NewReader(&buf)
	if err != nil {
		return nil, err
	}
	c := make(contents)
	for {
		r, err := in.Next()
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		if err != nil {
			return nil, err
		}
		c.add(r)
	}
}

// dump reads a namespace of the store under test.
func (b *bench) dump(namespace string) contents {
	b.Helper()
	c, err := dump(b.ctx, b.Store, namespace)
	b.must(err)
	return c
}

// diff says how two contents differ, in words; empty if they do not.
func (c contents) diff(want contents) string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got, ok := c[key]; !ok {
			out = append(out, "missing "+key)
		} else if got != want[key] {
			out = append(out, fmt.Sprintf("%s is %x, want %x", key, got, want[key]))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c)) {
		if _, ok := want[key]; !ok {
			out = append(out, "unexpected "+key)
		}
	}
	if len(out) > 5 {
		out = append(out[:5], "...")
	}
	return strings.Join(out, "\n")
}

// unchanged fails the test unless do leaves the namespace as it is.
func (b *bench) unchanged(namespace string, do func()) {
	b.Helper()
	before := b.dump(namespace)
	do()
	if d := b.dump(namespace).diff(before); d != "" {
		b.Errorf("state changed:\n%s", d)
	}
}
