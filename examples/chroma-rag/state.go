package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/repute-go/repute/core/store"
)

// namespace is the tenant of the example in its store.
const namespace = "chroma-rag"

// openState returns a store with what the file holds; a file that is not there is
// an empty store.
func openState(ctx context.Context, path string) (store.Store, error) {
	state := store.NewMemory()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := state.Import(ctx, namespace, f); err != nil {
		return nil, fmt.Errorf("state in %s: %w", path, err)
	}
	return state, nil
}

// saveState writes what the store holds to the file, whole or not at all.
func saveState(ctx context.Context, state store.Store, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the renaming, as it should
	err = state.Export(ctx, namespace, f)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
