package repute_test

import (
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/repute-go/repute/"

// listing holds, for every package of the module, what it imports and what it
// reaches. One call of go list finds out both.
var listing = sync.OnceValues(func() (map[string]reach, error) {
	const format = `{{.ImportPath}}|{{join .Imports " "}}|{{join .Deps " "}}`
	out, err := exec.Command("go", "list", "-f", format, "./...").Output()
	if err != nil {
		return nil, err
	}
	all := map[string]reach{}
	for line := range strings.Lines(string(out)) {
		parts := strings.Split(strings.TrimSpace(line), "|")
		name := strings.TrimPrefix(strings.TrimPrefix(parts[0], strings.TrimSuffix(module, "/")), "/")
		all[name] = reach{imports: strings.Fields(parts[1]), deps: strings.Fields(parts[2])}
	}
	return all, nil
})

type reach struct{ imports, deps []string }

func packages(t *testing.T) map[string]reach {
	t.Helper()
	all, err := listing()
	if err != nil || len(all) < 10 {
		t.Fatalf("go list: %d packages, %v", len(all), err)
	}
	return all
}

// heavy are the modules whose weight must not reach users who did not ask for
// them.
var heavy = []string{
	"github.com/tmc/langchaingo", "google.golang.org/genai", "google.golang.org/grpc",
	"modernc.org/sqlite", "github.com/philippgille/chromem-go", "gonum.org/v1/plot", "github.com/schollz/progressbar",
}

// allowed says which of them a package may reach.
var allowed = map[string][]string{
	"core/store/sqlite": {"modernc.org/sqlite"},
	"chromem":           {"github.com/philippgille/chromem-go"},
	"langchaingo":       {"github.com/tmc/langchaingo"},
	"langchaingo/chain": {"github.com/tmc/langchaingo"},
	"judge/gemini":      {"google.golang.org/genai", "google.golang.org/grpc"},
}

func TestWeightStaysBehindItsBorder(t *testing.T) {
	for name, p := range packages(t) {
		if name == "" || strings.HasPrefix(name, "examples") {
			continue
		}
		for _, dep := range p.deps {
			for _, h := range heavy {
				if (dep == h || strings.HasPrefix(dep, h+"/")) && !slices.Contains(allowed[name], h) {
					t.Errorf("%s reaches %s", name, dep)
				}
			}
		}
	}
}

// pure are the packages that compute: no clock, no I/O, no drivers.
var pure = []string{"internal/lexical", "core/reputation", "core/gate", "core/lifecycle"}

func TestPurePackagesStayPure(t *testing.T) {
	all := packages(t)
	for _, name := range pure {
		if len(all[name].imports) == 0 {
			t.Errorf("%s imports nothing: does it exist?", name)
		}
		for _, dep := range all[name].imports {
			switch {
			case !strings.Contains(dep, "."): // standard library
				if slices.Contains([]string{"os", "net", "net/http", "log", "log/slog", "io/fs", "database/sql", "crypto/rand"}, dep) {
					t.Errorf("%s imports %s", name, dep)
				}
			case strings.HasPrefix(dep, "gonum.org/v1/gonum/"), strings.HasPrefix(dep, "golang.org/x/text/"),
				strings.HasPrefix(dep, "github.com/clipperhouse/uax29/"), slices.Contains(pure, strings.TrimPrefix(dep, module)):
			default:
				t.Errorf("%s imports %s", name, dep)
			}
		}
	}
}

// What langchaingo may import of langchaingo directly: chains and agents pull
// interpreters and template engines.
func TestAdapterImportsOnlyTheLightHalfOfLangchaingo(t *testing.T) {
	light := []string{"schema", "callbacks", "vectorstores", "embeddings"}
	for _, dep := range packages(t)["langchaingo"].imports {
		if rest, ok := strings.CutPrefix(dep, "github.com/tmc/langchaingo/"); ok && !slices.Contains(light, rest) {
			t.Errorf("langchaingo imports %s", dep)
		}
	}
}

// Nothing but adapters, judges and examples imports core.
func TestDependenciesPointOneWay(t *testing.T) {
	above := []string{"chromem", "langchaingo", "judge", "examples"}
	for name, p := range packages(t) {
		if slices.ContainsFunc(above, func(a string) bool { return name == a || strings.HasPrefix(name, a+"/") }) {
			continue
		}
		if slices.Contains(p.imports, module+"core") {
			t.Errorf("%s imports core", name)
		}
	}
}
