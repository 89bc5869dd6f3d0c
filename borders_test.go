package repute_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/repute-go/repute/"

// list runs go list and returns its lines.
func list(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return strings.Fields(string(out))
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
	for _, pkg := range list(t, "./...") {
		name := strings.TrimPrefix(pkg, module)
		if strings.HasPrefix(name, "examples") || pkg == strings.TrimSuffix(module, "/") {
			continue
		}
		for _, dep := range list(t, "-deps", pkg) {
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
	for _, name := range pure {
		for _, dep := range list(t, "-f", `{{join .Imports "\n"}}`, "./"+name) {
			switch {
			case !strings.Contains(dep, "."): // standard library
				if slices.Contains([]string{"os", "net", "net/http", "log", "log/slog", "io/fs", "database/sql", "crypto/rand"}, dep) {
					t.Errorf("%s imports %s", name, dep)
				}
			case strings.HasPrefix(dep, "gonum.org/v1/gonum/"), strings.HasPrefix(dep, "golang.org/x/text/"),
				strings.HasPrefix(dep, "github.com/clipperhouse/uax29/"), slices.Contains(pure, strings.TrimPrefix(dep, module)):
			case strings.HasPrefix(dep, module+"core/reputation"):
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
	for _, pkg := range list(t, "./...") {
		if pkg != module+"langchaingo" {
			continue
		}
		for _, dep := range list(t, "-f", `{{join .Imports "\n"}}`, pkg) {
			if rest, ok := strings.CutPrefix(dep, "github.com/tmc/langchaingo/"); ok && !slices.Contains(light, rest) {
				t.Errorf("langchaingo imports %s", dep)
			}
		}
	}
}

// Nothing but adapters, judges and examples imports core: the packages under it
// would make a cycle of concepts even where Go allows it.
func TestDependenciesPointOneWay(t *testing.T) {
	above := []string{"chromem", "langchaingo", "judge", "examples", "core/inspect"}
	for _, pkg := range list(t, "./...") {
		name := strings.TrimPrefix(pkg, module)
		if slices.ContainsFunc(above, func(a string) bool { return name == a || strings.HasPrefix(name, a+"/") }) {
			continue
		}
		if slices.Contains(list(t, "-f", `{{join .Imports "\n"}}`, pkg), module+"core") {
			t.Errorf("%s imports core", name)
		}
	}
}
