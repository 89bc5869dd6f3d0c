package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func newTestVerifier(t *testing.T) *verifier {
	t.Helper()
	v, err := newVerifier(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

// testing1 is a test that calls Do.
const testing1 = `package p

import "testing"

func TestDo(t *testing.T) { Do() }
`

func TestLimits(t *testing.T) {
	v := newTestVerifier(t)
	v.limits.test = time.Second
	for name, tt := range map[string]struct{ code, says string }{
		"loops for ever":   {"func Do() { for { } }", "timed out"},
		"sleeps for ever":  {"func Do() { select { } }", "timed out"},
		"allocates 16 GiB": {"var X []byte\n\nfunc Do() { X = make([]byte, 16<<30); for i := range X { X[i] = 1 } }", "memory"},
		"prints 100 MB":    {"import \"strings\"\n\nfunc Do() { s := strings.Repeat(\"x\", 1<<20); for range 100 { println(s) }; panic(1) }", "xxx"},
		"ends at once":     {"import \"os\"\n\nfunc Do() { println(\"PASS\"); os.Exit(0) }", "PASS"},
		"kills itself":     {"import \"syscall\"\n\nfunc Do() { syscall.Kill(0, syscall.SIGKILL) }", ""},
		"is no Go":         {"func Do( {", "syntax error"},
		"is recursive":     {"func Do() { Do() }", "goroutine"},
	} {
		start := time.Now()
		r, err := v.goTest(context.Background(), "package p\n\n"+tt.code, testing1)
		if err != nil || r.passed || !strings.Contains(r.output, tt.says) || len(r.output) > 500 {
			t.Errorf("%s: %v, passed %v, output %q", name, err, r.passed, r.output)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: took %v", name, took)
		}
	}
}

// Compiling is bounded too: no program can fill the memory or the disk, or end the
// experiment, by what it asks of the compiler.
func TestLimitsOfCompiling(t *testing.T) {
	v := newTestVerifier(t)
	const big = "package p\n\nvar X = [1 << 27]byte{1<<27 - 1: 1}\n\nfunc Do() { X[0]++ }\n"
	r, err := v.goTest(context.Background(), big, testing1)
	if err != nil || r.passed || !strings.Contains(r.output, "file too large") {
		t.Errorf("a file of 128 MB: %v, %+v", err, r)
	}
	v.limits.build = time.Millisecond
	r, err = v.verify(context.Background(), "package p\n\nfunc Do() {}\n", testing1)
	if err != nil || r.passed || r.output != errSlowBuild.Error() {
		t.Errorf("too slow: %v, %+v", err, r)
	}
}

// Nothing of the user's Go environment reaches the builds but the build cache.
func TestOwnEnvironment(t *testing.T) {
	for name, x := range map[string]string{"GOPATH": t.TempDir(), "GOFLAGS": "-mod=vendor -x", "GOPROXY": "https://example.org", "GOWORK": "/no/go.work"} {
		t.Setenv(name, x)
	}
	v := newTestVerifier(t)
	env := exec.Command(v.tools.command, "env", "GOPATH", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOWORK")
	env.Dir, env.Env = v.dir, v.tools.env
	out, err := env.CombinedOutput()
	path := filepath.Join(v.dir, "gopath")
	if want := path + "\n" + filepath.Join(path, "pkg", "mod") + "\noff\n\noff\n"; err != nil || string(out) != want {
		t.Errorf("%v, %q, want %q", err, out, want)
	}
}

func TestNetworkIsCut(t *testing.T) {
	v := newTestVerifier(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	code := fmt.Sprintf("package p\n\nimport \"net\"\n\nfunc Do() { if _, err := net.Dial(\"tcp\", %q); err != nil { panic(err) } }\n", l.Addr())
	if r, err := v.verify(context.Background(), code, testing1); err != nil || r.passed || !strings.Contains(r.output, `may not import "net"`) {
		t.Errorf("a program that imports net: %v, %+v", err, r)
	}
	if v.offline {
		if r, err := v.goTest(context.Background(), code, testing1); err != nil || r.passed || !strings.Contains(r.output, "unreachable") {
			t.Errorf("a program that opens a socket: %v, %+v", err, r)
		}
	}
}

func TestVerifyOnce(t *testing.T) {
	v := newTestVerifier(t)
	p := divisions[0]
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r, err := v.verify(context.Background(), p.code, p.test)
			if err != nil || r.passed || !strings.Contains(r.output, "want 2.5") {
				t.Errorf("%v, %+v", err, r)
			}
		})
	}
	all.Wait()
	if v.runs() != 1 {
		t.Errorf("%d runs of one program", v.runs())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := v.verify(ctx, p.code+"\n", p.test); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	v.tools.command = "/no/such/go"
	if _, err := v.verify(context.Background(), p.code+"\n", p.test); err == nil {
		t.Error("no go command: no error")
	}
	if v.runs() != 1 {
		t.Errorf("a failure of the machinery was remembered: %d runs", v.runs())
	}
}

func TestImports(t *testing.T) {
	for code, ok := range map[string]bool{
		"package p\nimport \"strings\"":                   true,
		"package p\nimport x \"math/rand/v2\"":            true,
		"package p":                                       true,
		"not Go at all":                                   true, // the compiler says it
		"package p\nimport \"os\"":                        false,
		"package p\nimport (\n\"fmt\"\n_ \"net/http\"\n)": false,
		"package p\nimport \"unsafe\"":                    false,
		"package p\nimport \"C\"":                         false,
		"package p\nimport _ \"embed\"":                   false,
		"package p\nimport \"github.com/x/y\"":            false,
	} {
		if err := checkImports(code); (err == nil) != ok {
			t.Errorf("%q: %v", code, err)
		}
	}
}
