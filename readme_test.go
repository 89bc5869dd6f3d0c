package repute_test

import (
	"os"
	"strings"
	"testing"
)

// block returns the first fenced block of a language in a text, and what follows
// it.
func block(t *testing.T, text, language string) (body, rest string) {
	t.Helper()
	_, rest, ok := strings.Cut(text, "\n```"+language+"\n")
	body, rest, ok2 := strings.Cut(rest, "\n```\n")
	if !ok || !ok2 {
		t.Fatalf("no ```%s block", language)
	}
	return body, rest
}

// The README's first program is the Example that go test runs, and the output it
// shows is the output that Example is held to.
func TestReadmeProgramIsTheExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	code, comment, _ := strings.Cut(string(source), "\t// Output:\n")
	code = strings.Replace(code, "package repute_test", "package main", 1)
	code = strings.Replace(code, "func Example()", "func main()", 1) + "}"
	got, rest := block(t, string(readme), "go")
	if got != code {
		t.Errorf("the README shows another program than example_test.go:\n%s", got)
	}
	var output []string
	for line := range strings.SplitSeq(comment, "\n") {
		if text, ok := strings.CutPrefix(line, "\t// "); ok {
			output = append(output, text)
		}
	}
	if got, _ := block(t, rest, ""); got != strings.Join(output, "\n") {
		t.Errorf("the README shows another output:\n%s", got)
	}
}
