package main

import (
	"context"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// toolchain is the go command and the environment it runs in.
type toolchain struct {
	command string
	env     []string
}

// findToolchain asks the user's go command where it is and where its build cache
// is. Nothing else of the user's environment reaches the builds.
func findToolchain(ctx context.Context, dir string) (toolchain, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "-json", "GOROOT", "GOCACHE").Output()
	if err != nil {
		return toolchain{}, fmt.Errorf("the go command is needed to run go test: %w", err)
	}
	var where struct{ GOROOT, GOCACHE string }
	if err := json.Unmarshal(out, &where); err != nil {
		return toolchain{}, fmt.Errorf("go env: %w", err)
	}
	if where.GOCACHE == "" || where.GOCACHE == "off" {
		where.GOCACHE = filepath.Join(dir, "cache")
	}
	t := toolchain{
		command: filepath.Join(where.GOROOT, "bin", "go"),
		env: []string{
			"GOPATH=" + filepath.Join(dir, "gopath"), "HOME=" + dir, "TMPDIR=" + dir, "GOCACHE=" + where.GOCACHE,
			"GOPROXY=off", "GOSUMDB=off", "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0", "GOENV=off",
		},
	}
	for _, name := range []string{"PATH", "SYSTEMROOT", "LocalAppData"} {
		if x, ok := os.LookupEnv(name); ok {
			t.env = append(t.env, name+"="+x)
		}
	}
	return t, nil
}

// pure are the packages that a program under test may import: they compute, and
// reach neither files nor the network nor other processes.
var pure = []string{
	"bufio", "bytes", "cmp", "container/heap", "container/list", "context", "encoding/json", "errors", "fmt", "io", "iter",
	"maps", "math", "math/bits", "math/rand/v2", "regexp", "slices", "sort", "strconv", "strings", "sync", "sync/atomic",
	"time", "unicode", "unicode/utf8",
}

// checkImports refuses programs that import something else. What does not parse is
// left to the compiler, which says it better.
func checkImports(code string) error {
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", code, parser.ImportsOnly)
	if err != nil {
		return nil
	}
	for _, i := range f.Imports {
		if path, err := strconv.Unquote(i.Path.Value); err != nil || !slices.Contains(pure, path) {
			return fmt.Errorf("a program here may not import %s", i.Path.Value)
		}
	}
	return nil
}
