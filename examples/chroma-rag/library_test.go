package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A document that was taken into the library changes in the folder, and then goes:
// both are noticed before its saved text is served.
func TestChatNoticesWhatChangesAtTheSource(t *testing.T) {
	docs, cache := t.TempDir(), t.TempDir()
	note := filepath.Join(docs, "harbour.txt")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(note, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	chat := func(input string) string {
		t.Helper()
		var out, notes bytes.Buffer
		if err := run(context.Background(), []string{"-cache", cache, "-dir", docs, "-chat"}, strings.NewReader(input), &out, &notes); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	write("The harbour opens at six in the morning.")
	if err := os.WriteFile(filepath.Join(docs, "violin.txt"), []byte("Violins are varnished by hand, coat by coat."), 0o600); err != nil {
		t.Fatal(err)
	}
	const question = "when does the harbour open?\n"
	if out := chat(strings.Repeat(question, 4) + "accept 1\npin 1\n" + question); !strings.Contains(out, "PINNED") {
		t.Fatalf("not pinned:\n%s", out)
	}
	write("The harbour opens at seven in the morning.")
	if out := chat(question); !strings.Contains(out, "Your library: ") || !strings.Contains(out, "seven") || strings.Contains(out, "six") {
		t.Errorf("the change was not noticed:\n%s", out)
	}
	write("# Harbour \x1b[2J\x1b]0;owned\a\u202e\n\nThe harbour opens at eight in the morning.")
	if out := chat(question); !strings.Contains(out, "eight") || strings.ContainsAny(out, "\x1b\a\u202e") {
		t.Errorf("a heading reached the terminal as a command:\n%q", out)
	}
	if err := os.Remove(note); err != nil {
		t.Fatal(err)
	}
	if out := chat(question); strings.Contains(out, "eight") {
		t.Errorf("a text is served whose source is gone:\n%s", out)
	}
}
