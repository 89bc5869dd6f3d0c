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
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"
)

// limits of one verification.
type limits struct {
	build, test time.Duration // of the compiler and of the test; the program fails beyond either
	memory      int64         // bytes of address space of a process
	object      int64         // bytes of a file that the compiler writes
	file        int64         // bytes of a file that the test writes
	output      int           // bytes of output that are kept
}

var defaultLimits = limits{
	build: 2 * time.Minute, test: 10 * time.Second,
	memory: 2 << 30, object: 32 << 20, file: 1 << 20, output: 64 << 10,
}

// concurrency is the number of programs verified at a time.
const concurrency = 2

// verifier runs go test on a program in a module of its own: an own GOPATH, no
// module downloads, bounded time, memory and output, of the compiler too. Only the
// build cache is the user's: without what it holds of the standard library every
// start would take minutes. What it found out about a program is remembered by
// content, for the same program always does the same. It is safe for concurrent use.
//
// It is no sandbox for code of unknown origin. Programs may import only packages
// that compute (see checkImports), and on Linux the tests run without a network
// where the kernel lets an ordinary user cut it off.
type verifier struct {
	dir     string // everything happens below it
	tools   toolchain
	offline bool // the tests run without a network
	limits  limits

	slots   *semaphore.Weighted
	running singleflight.Group
	mu      sync.Mutex
	seen    map[[32]byte]result
}

// result is what go test said.
type result struct {
	passed bool
	output string // of a failure, shortened
}

func newVerifier(ctx context.Context) (*verifier, error) {
	dir, err := os.MkdirTemp("", "repute-agent-")
	if err != nil {
		return nil, err
	}
	tools, err := findToolchain(ctx, dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &verifier{
		dir: dir, tools: tools, offline: canCutNetwork(), limits: defaultLimits,
		slots: semaphore.NewWeighted(concurrency), seen: map[[32]byte]result{},
	}, nil
}

// close removes everything.
func (v *verifier) close() error { return os.RemoveAll(v.dir) }

// runs is the number of different programs tested.
func (v *verifier) runs() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.seen)
}

// verify says whether a program passes its test. The error is about the machinery
// (no go command, a full disk), never about the program.
func (v *verifier) verify(ctx context.Context, code, test string) (result, error) {
	if err := checkImports(code); err != nil {
		return result{output: err.Error()}, nil
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(code), code, test))
	for {
		if r, ok := v.known(key); ok {
			return r, nil
		}
		x, err, shared := v.running.Do(string(key[:]), func() (any, error) { return v.run(ctx, key, code, test) })
		if shared && errors.Is(err, context.Canceled) && ctx.Err() == nil {
			continue // it was another's context that ended
		}
		r, _ := x.(result)
		return r, err
	}
}

func (v *verifier) known(key [32]byte) (result, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r, ok := v.seen[key]
	return r, ok
}

// run tests a program that was not tested before and remembers the result.
func (v *verifier) run(ctx context.Context, key [32]byte, code, test string) (result, error) {
	if err := v.slots.Acquire(ctx, 1); err != nil {
		return result{}, err
	}
	defer v.slots.Release(1)
	r, err := v.goTest(ctx, code, test)
	if err == nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.seen[key] = r
	}
	return r, err
}

// goTest compiles a program with its test and runs that.
func (v *verifier) goTest(ctx context.Context, code, test string) (result, error) {
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
	if out, err := v.compile(ctx, dir, binary); errors.Is(err, errSlowBuild) {
		return result{output: err.Error()}, nil
	} else if err != nil {
		return failure(ctx, out, err)
	}
	return v.test(ctx, dir, binary)
}

// noCommand is the least of the exit codes by which a shell says that it could not
// start a command.
const noCommand = 126

// errSlowBuild says that a program takes too long to compile.
var errSlowBuild = errors.New("the program takes too long to compile")

func (v *verifier) compile(ctx context.Context, dir, binary string) ([]byte, error) {
	in, cancel := context.WithTimeout(ctx, v.limits.build)
	defer cancel()
	build := limited(in, v.limits.memory, v.limits.object, v.tools.command, "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binary, ".")
	build.Dir, build.Env, build.WaitDelay = dir, v.tools.env, time.Second
	out, err := build.CombinedOutput()
	if in.Err() != nil && ctx.Err() == nil {
		return nil, errSlowBuild
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() >= noCommand {
		return nil, fmt.Errorf("the go command does not run: %s", out)
	}
	return out, err
}

// test runs the test program under its limits. It passes if it says so itself: a
// program that merely ends in the middle has not passed.
func (v *verifier) test(ctx context.Context, dir, binary string) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, v.limits.test+5*time.Second)
	defer cancel()
	cmd := limited(ctx, v.limits.memory, v.limits.file, binary, "-test.paniconexit0", "-test.timeout="+v.limits.test.String())
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "TMPDIR=" + dir, "GOMAXPROCS=2"}
	cmd.WaitDelay = time.Second
	if v.offline {
		cutNetwork(cmd)
	}
	out := &bounded{most: v.limits.output}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		return failure(ctx, out.head, err)
	}
	return result{passed: bytes.HasSuffix(out.tail(), []byte("PASS\n")), output: shorten(out.head, 400)}, nil
}

// failure tells a failing program from failing machinery.
func failure(ctx context.Context, out []byte, err error) (result, error) {
	var exit *exec.ExitError
	if errors.Is(ctx.Err(), context.Canceled) {
		return result{}, ctx.Err()
	}
	if !errors.As(err, &exit) {
		return result{}, fmt.Errorf("go test: %w", err)
	}
	return result{output: shorten(out, 400)}, nil
}
