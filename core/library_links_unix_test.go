//go:build unix

package core_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
)

// A link put where a user's copies belong leads nobody out of the folder.
func TestCopiesFollowNoLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	l := newLibrary(t, core.Options{Library: core.LibraryOptions{Dir: dir}}, policies)
	l.claimed("u1", "leave")
	for path := range files(t, dir) {
		folder := filepath.Dir(filepath.Join(dir, path))
		precious := filepath.Join(outside, filepath.Base(path))
		if err := os.WriteFile(precious, []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, folder); err != nil {
			t.Fatal(err)
		}
	}
	l.claimed("u1", "travel")
	ctx, lib := context.Background(), l.Library("u1").In(l.shelf)
	if _, err := lib.Remove(ctx, "leave"); err != nil {
		t.Error(err)
	}
	if _, err := l.Sweep(ctx); err == nil {
		t.Error("a sweep is silent about a folder it cannot use")
	}
	_, _ = lib.Erase(ctx)
	if left := files(t, outside); len(left) != 1 {
		t.Errorf("outside: %q", left)
	}
	l.pass(time.Minute)
	l.claimed("u1", "travel")
	l.sameCopies(dir, "after the link was erased", "u1")
}
