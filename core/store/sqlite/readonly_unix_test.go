//go:build unix

package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/core/store/sqlite"
)

func init() { children["look"] = lookOnly }

// lookOnly opens a file that it may not write, as a user would and as one who
// knows, and tries.
func lookOnly(path string) error {
	ctx := context.Background()
	for _, opts := range []sqlite.Options{{}, {ReadOnly: true}} {
		s, err := sqlite.Open(ctx, path, opts)
		if err != nil {
			return fmt.Errorf("%+v: %w", opts, err)
		}
		for name, err := range writes(ctx, s, retrieval("r", 1).Receipt.ID) {
			if !errors.Is(err, store.ErrReadOnly) {
				return fmt.Errorf("%+v: %s: %w", opts, name, err)
			}
		}
		l, err := s.Load(ctx, store.LoadRequest{Source: "src", IDs: []string{"a", "b"}})
		if err != nil || counted(l.Documents[hash("a")].Evidence) != 1 {
			return fmt.Errorf("%+v: loaded %+v, %w", opts, l, err)
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}

// TestUnwritableFile opens a file without the permission to write it or its
// folder. A privileged user starts an unprivileged one for it.
func TestUnwritableFile(t *testing.T) {
	dir := t.TempDir()
	for d := dir; d != "/" && d != "."; d = filepath.Dir(d) {
		if os.Getuid() == 0 && d != os.TempDir() {
			_ = os.Chmod(d, 0o755)
		}
	}
	state := filepath.Join(dir, "state")
	must(t, os.Mkdir(state, 0o755))
	path := filepath.Join(state, "state.db")
	s := open(t, path)
	inhabit(t, s)
	must(t, s.Close())
	must(t, os.Chmod(path, 0o444))
	must(t, os.Chmod(state, 0o555))
	t.Cleanup(func() { _ = os.Chmod(state, 0o755) }) // or it could not be removed

	binary := filepath.Join(dir, "test")
	b, err := os.ReadFile(os.Args[0])
	must(t, err)
	must(t, os.WriteFile(binary, b, 0o755))
	cmd := exec.Command(binary)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), childEnv+"=look "+path)
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
