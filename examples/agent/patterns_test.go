package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/semaphore"
)

// variant is a program after an edit that fits it, or without one.
type variant struct {
	problem problem
	pattern string // "" = as it is
	code    string
}

// variants are all programs under all patterns whose edit fits them.
func variants() (all []variant) {
	for _, p := range problems() {
		all = append(all, variant{p, "", p.code})
		for _, k := range patterns {
			if strings.Contains(p.code, k.old) {
				all = append(all, variant{p, k.name, strings.ReplaceAll(p.code, k.old, k.new)})
			}
		}
	}
	return all
}

// mended says what is claimed: the pattern named after the family mends it, and
// nothing else does.
func (v variant) mended() bool { return v.pattern == v.problem.family }

// foretold is a verifier that has tested every variant already, with the claimed
// result, which TestEveryPattern checks.
func foretold() *verifier {
	v := &verifier{seen: map[[32]byte]result{}, slots: semaphore.NewWeighted(1)}
	for _, x := range variants() {
		v.seen[sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(x.code), x.code, x.problem.test))] = result{passed: x.mended()}
	}
	return v
}

var testName = regexp.MustCompile(`func (Test\w+)`)

// Every right pattern mends its programs and no wrong one mends any, or leaves one
// that does not compile. All variants go into one test program, each as a package
// of its own, for linking is what takes time.
func TestEveryPattern(t *testing.T) {
	v := newTestVerifier(t)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	imports, calls := "", ""
	for i, x := range variants() {
		name := fmt.Sprintf("v%d", i)
		write(name+"/p.go", x.code)
		write(name+"/t.go", x.problem.test)
		imports += fmt.Sprintf("\t%s %q\n", name, "p/"+name)
		calls += fmt.Sprintf("\tt.Run(%q, func(t *testing.T) { defer caught(t); %s.%s(t) })\n", name, name, testName.FindStringSubmatch(x.problem.test)[1])
	}
	write("go.mod", "module p\n\ngo 1.26\n")
	write("p.go", "package p\n")
	write("p_test.go", "package p\n\nimport (\n\t\"testing\"\n"+imports+`)

func caught(t *testing.T) {
	if p := recover(); p != nil {
		t.Error(p)
	}
}

func TestAll(t *testing.T) {
`+calls+"}\n")
	binary := filepath.Join(dir, "p.test")
	if out, err := v.compile(context.Background(), dir, binary); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, _ := limited(context.Background(), defaultLimits.memory, defaultLimits.file, binary, "-test.v").CombinedOutput()
	for i, x := range variants() {
		name := fmt.Sprintf("TestAll/v%d (", i)
		passed := strings.Contains(string(out), "--- PASS: "+name)
		if passed == strings.Contains(string(out), "--- FAIL: "+name) {
			t.Fatalf("no result for %s", name)
		}
		if passed != x.mended() {
			t.Errorf("%s after %q: passed %v", x.problem.name, x.pattern, passed)
		}
	}
}

func TestWorldIsFair(t *testing.T) {
	families := map[string]int{}
	for _, p := range problems() {
		families[p.family]++
		if p.reports[0] == "" || p.reports[1] == "" || p.reports[0] == p.reports[1] {
			t.Errorf("%s is reported as %q", p.name, p.reports)
		}
		for _, report := range p.reports {
			if strings.ContainsAny(report, "\n{}") {
				t.Errorf("%s: report %q would not survive a prompt", p.name, report)
			}
		}
	}
	for i, k := range patterns {
		if right := i%perFamily == 0; right != (families[k.name] == 3) {
			t.Errorf("pattern %d, %s: %d programs are of a family of that name", i, k.name, families[k.name])
		}
		fitting := slices.DeleteFunc(variants(), func(x variant) bool { return x.pattern != k.name })
		if len(fitting) < 3 {
			t.Errorf("%s fits %d programs", k.name, len(fitting))
		}
	}
}

func TestParseEdit(t *testing.T) {
	for _, p := range patterns {
		if e, ok := parseEdit("Some text.\n" + p.text() + "\nmore"); !ok || e != (edit{p.old, p.new}) {
			t.Errorf("%s: %q, %v", p.name, e, ok)
		}
	}
	for _, text := range []string{"", "REPLACE\nWITH\nDONE", "REPLACE\n\nWITH\nx\nDONE", "REPLACE\na\nWITH\nb", "WITH\nb\nDONE", "a REPLACE b WITH c DONE"} {
		if e, ok := parseEdit(text); ok {
			t.Errorf("%q is read as %q", text, e)
		}
	}
	if e, ok := parseEdit("REPLACE\na\nb\nWITH\n\nDONE"); !ok || e != (edit{"a\nb", ""}) {
		t.Errorf("a deletion of two lines is read as %q, %v", e, ok)
	}
}
