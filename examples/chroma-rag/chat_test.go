package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// program runs the program on the test's folder with a cache of its own.
func program(t *testing.T, cache, input string, args ...string) (out, notes string, err error) {
	t.Helper()
	var o, n bytes.Buffer
	args = append([]string{"-cache", cache, "-dir", "testdata/folder"}, args...)
	err = run(context.Background(), args, strings.NewReader(input), &o, &n)
	return o.String(), n.String(), err
}

func TestAskFolder(t *testing.T) {
	out, _, err := program(t, t.TempDir(), "", "-ask", "how long should I knead the dough?", "-compare")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"A  Knead the dough for ten minutes, until it is smooth. [1]", `* "Bread"`, `path: "bread.md"`, "plain top-k", "sigma-rag", "repute",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestChatLearnsAndRemembers(t *testing.T) {
	cache := t.TempDir()
	const question = "how many minutes does it take?\n"
	out, _, err := program(t, cache, "- 1\n"+question+"-1\n+ 2\n+7\nhelp\n\naccept 1\n"+question+question+"accept 1\nlibrary\npin 2\nblock 1\n"+question+"quit\n", "-chat")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 files, ", "nothing has been answered", "has 2 passages", " bad outcomes", "Ask a question", "has 0 suggestions",
		"CLAIMED", "is PINNED", "never shown to you again", "from your library"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	again, _, err := program(t, cache, question, "-chat")
	if err != nil || !strings.Contains(again, "PINNED") || strings.Contains(again, "Bread") {
		t.Errorf("%v: nothing remembered in\n%s", err, again)
	}
}

func TestHostileDocument(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	hostile := "# \x1b]0;owned\a Title\n\nThe secret word of the \x1b[31mcastle\u202e is swordfish."
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte(hostile), 0o600); err != nil {
		t.Fatal(err)
	}
	out, notes, err := program(t, cache, "", "-dir", dir, "-ask", "what is the secret word of the castle?")
	if err != nil || !strings.Contains(out, "swordfish") {
		t.Errorf("%v\n%s", err, out)
	}
	if strings.ContainsAny(out+notes, "\x1b\a\u202e") {
		t.Errorf("control characters reach the terminal: %q", out)
	}
}

func TestBadFlags(t *testing.T) {
	for _, args := range [][]string{
		{"-embed", "psychic"}, {"-llm", "oracle"}, {"-k", "0"}, {"-k", "51"}, {"-ask", "a", "-chat"}, {"how", "do", "I"},
		{"-dir", "testdata/folder"}, {"-cache", ""}, {"-unknown"}, {"-compare"},
	} {
		if _, err := parseSettings(args, &bytes.Buffer{}); err == nil {
			t.Errorf("%q are accepted", args)
		}
	}
	if _, err := parseSettings([]string{"-help"}, &bytes.Buffer{}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("error %v", err)
	}
}

func TestMissingKeysAndFolders(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"} {
		t.Setenv(name, "")
	}
	for _, args := range [][]string{{"-embed", "openai"}, {"-embed", "gemini"}, {"-llm", "gemini"}, {"-dir", "testdata/nowhere"}} {
		if _, _, err := program(t, t.TempDir(), "", append(args, "-ask", "anything")...); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}

func TestDatabaseThatCannotBeReadIsBuiltAgain(t *testing.T) {
	cache := t.TempDir()
	if _, _, err := program(t, cache, "", "-ask", "green tea?"); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(cache, "chromem", "local", "*", "*.gob"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, files %v", err, files)
	}
	if err := os.Truncate(files[0], 3); err != nil {
		t.Fatal(err)
	}
	out, notes, err := program(t, cache, "", "-ask", "green tea?")
	if err != nil || !strings.Contains(out, "70 degrees") {
		t.Errorf("%v\n%s\n%s", err, out, notes)
	}
}

func TestBrokenStateIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(file, []byte("not a state"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := program(t, t.TempDir(), "", "-state", file, "-ask", "tea?"); err == nil {
		t.Error("no error")
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "not a state" {
		t.Errorf("the file was overwritten: %q, %v", text, err)
	}
}

func TestCited(t *testing.T) {
	got := cited("One. [1] Two [12], not [x] or [0001]; [3][1].")
	for n, want := range map[int]bool{1: true, 12: true, 3: true, 2: false} {
		if got[n] != want {
			t.Errorf("passage %d: %v", n, got[n])
		}
	}
}
