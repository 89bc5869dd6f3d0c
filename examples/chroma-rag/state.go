package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/core/store/sqlite"
)

// namespace is the tenant of the example in its store.
const namespace = "chroma-rag"

// openState opens what was learned, in an SQLite file that is made if there is
// none.
func openState(ctx context.Context, path string) (store.Store, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	state, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return nil, err // not the nil *sqlite.Store, which would be a store that is not nil
	}
	return state, nil
}

// removeState removes the file and those that SQLite keeps beside it.
func removeState(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
