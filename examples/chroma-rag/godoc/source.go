package godoc

import (
	"context"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// Source is the standard library of one Go installation. It is safe for
// concurrent use.
type Source struct {
	src string
	env build.Context
}

// Open finds the installation below root. An empty root means the one that the
// go command reports, else the one this program was built with. The error is
// [ErrNoSource] when there is no src directory.
func Open(root string) (*Source, error) {
	roots := []string{root}
	if root == "" {
		roots = []string{reported(), build.Default.GOROOT}
	}
	for _, r := range roots {
		if r == "" {
			continue
		}
		src := filepath.Join(r, "src")
		if info, err := os.Stat(src); err == nil && info.IsDir() {
			return newSource(r, src), nil
		}
	}
	return nil, fmt.Errorf("%w (looked in %s)", ErrNoSource, strings.Join(roots, ", "))
}

// reported is the root the go command on the path reports, or empty.
func reported() string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func newSource(root, src string) *Source {
	env := build.Default
	env.GOROOT = root
	env.CgoEnabled = true // the same pages on machines without a C compiler
	return &Source{src: src, env: env}
}

// Root is the directory of the installation.
func (s *Source) Root() string { return filepath.Dir(s.src) }

// Version is the release of the installation, as in "go1.26.1", or the empty
// string when it does not say.
func (s *Source) Version() string {
	text, err := os.ReadFile(filepath.Join(s.Root(), "VERSION"))
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

// Load reads every package and returns its entries ordered by symbol. progress,
// if not nil, is called after each package with the number done and the total,
// one call at a time.
func (s *Source) Load(ctx context.Context, progress func(done, total int)) ([]Entry, error) {
	paths, err := s.packages()
	if err != nil {
		return nil, err
	}
	found := make([][]Entry, len(paths))
	finished := make(chan struct{}, len(paths))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0) + 1) // the extra one follows the progress
	group.Go(func() error { return follow(ctx, finished, len(paths), progress) })
	for i, path := range paths {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			found[i], err = s.entries(path)
			finished <- struct{}{}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return ordered(found), nil
}

// follow reports each finished package until all are done.
func follow(ctx context.Context, finished <-chan struct{}, total int, progress func(done, total int)) error {
	for done := 1; done <= total; done++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-finished:
			if progress != nil {
				progress(done, total)
			}
		}
	}
	return nil
}

// ordered flattens and sorts; of two entries of one name the first stays.
func ordered(found [][]Entry) []Entry {
	all := slices.Concat(found...)
	slices.SortStableFunc(all, func(a, b Entry) int { return strings.Compare(a.Symbol, b.Symbol) })
	return slices.CompactFunc(all, func(a, b Entry) bool { return a.Symbol == b.Symbol })
}

// packages lists the import paths that users can import, in order.
func (s *Source) packages() ([]string, error) {
	var paths []string
	err := filepath.WalkDir(s.src, func(dir string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() || dir == s.src {
			return nil
		}
		rel, err := filepath.Rel(s.src, dir)
		if err != nil {
			return err
		}
		if hidden(rel) {
			return filepath.SkipDir
		}
		paths = append(paths, filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("godoc: %w", err)
	}
	return paths, nil
}

// hidden says whether users cannot import what is below a directory.
func hidden(rel string) bool {
	switch name := filepath.Base(rel); name {
	case "internal", "vendor", "testdata":
		return true
	default:
		return rel == "cmd" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
	}
}
