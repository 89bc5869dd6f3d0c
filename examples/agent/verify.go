package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Limits of one verification.
const (
	verifyTimeout = 60 * time.Second
	testTimeout   = "10s"
	memoryLimit   = 4 << 30 // bytes of address space of the test program
)

// verifier runs go test on a program in a module of its own: an own GOPATH, no
// module downloads, bounded time and memory. What it found out about a program is
// remembered by content, for the same program always does the same.
//
// It is no sandbox for code of unknown origin: on Linux the tests run without a
// network where the kernel lets an ordinary user cut it off, elsewhere they do
// not.
type verifier struct {
	dir     string // everything happens below it
	offline bool   // the tests run without a network

	mu   sync.Mutex
	seen map[[32]byte]result
	runs int
}

// result is what go test said.
type result struct {
	passed bool
	output string // of a failure, shortened
}

func newVerifier() (*verifier, error) {
	dir, err := os.MkdirTemp("", "repute-agent-")
	if err != nil {
		return nil, err
	}
	return &verifier{dir: dir, offline: canCutNetwork(), seen: map[[32]byte]result{}}, nil
}

// close removes everything.
func (v *verifier) close() error { return os.RemoveAll(v.dir) }

// verify says whether a program passes its test. The error is about the machinery
// (no go command, a full disk), never about the program.
func (v *verifier) verify(ctx context.Context, code, test string) (result, error) {
	key := sha256.Sum256([]byte(fmt.Sprint(len(code), ":", code, test)))
	v.mu.Lock()
	defer v.mu.Unlock()
	if r, ok := v.seen[key]; ok {
		return r, nil
	}
	r, err := v.run(ctx, code, test)
	if err == nil {
		v.seen[key] = r
		v.runs++
	}
	return r, err
}

func (v *verifier) run(ctx context.Context, code, test string) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	dir, err := os.MkdirTemp(v.dir, "program-")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"go.mod": "module p\n\ngo 1.26\n", "p.go": code, "p_test.go": test} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return result{}, err
		}
	}
	binary := filepath.Join(dir, "p.test")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-o", binary, ".")
	build.Dir, build.Env = dir, v.environment()
	if out, err := build.CombinedOutput(); err != nil {
		return failure(ctx, out, err)
	}
	return v.test(ctx, dir, binary)
}

// test runs the test program under its limits.
func (v *verifier) test(ctx context.Context, dir, binary string) (result, error) {
	cmd := limited(ctx, binary, "-test.timeout="+testTimeout)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "TMPDIR=" + dir, "GOMAXPROCS=2"}
	cmd.WaitDelay = time.Second
	if v.offline {
		cutNetwork(cmd)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return failure(ctx, out, err)
	}
	return result{passed: true}, nil
}

// failure tells a failing program from failing machinery.
func failure(ctx context.Context, out []byte, err error) (result, error) {
	var exit *exec.ExitError
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		return result{}, ctx.Err()
	}
	if !errors.As(err, &exit) {
		return result{}, fmt.Errorf("go test: %w", err)
	}
	return result{output: shorten(out, 400)}, nil
}

// environment is that of the go command: nothing of the caller's but where the
// toolchain and its build cache are.
func (v *verifier) environment() []string {
	env := []string{
		"GOPATH=" + filepath.Join(v.dir, "gopath"), "HOME=" + v.dir, "TMPDIR=" + v.dir,
		"GOPROXY=off", "GOSUMDB=off", "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0", "GOENV=off",
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil || len(cache) == 0 {
		cache = []byte(filepath.Join(v.dir, "cache"))
	}
	for _, name := range []string{"PATH", "GOROOT", "SYSTEMROOT", "LocalAppData"} {
		if x, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+x)
		}
	}
	return append(env, "GOCACHE="+strings.TrimSpace(string(cache)))
}

// shorten keeps the first lines of an output.
func shorten(out []byte, n int) string {
	out = bytes.ToValidUTF8(out, []byte("?"))
	if len(out) > n {
		out = append(out[:n:n], " ..."...)
	}
	return strings.TrimSpace(string(bytes.ToValidUTF8(out, nil)))
}
