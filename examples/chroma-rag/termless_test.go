package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file without a word is no reason not to start, and a question without one is
// answered in a sentence.
func TestTextsWithoutAWord(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"apples.md": "# Apples\n\nApples grow on trees and are picked in autumn.\n", "rule.md": "***\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, notes, err := program(t, cache, "", "-dir", dir, "-ask", "when are apples picked?")
	if err != nil || !strings.Contains(out, "picked in autumn") {
		t.Fatalf("%v\n%s\n%s", err, out, notes)
	}
	for _, question := range []string{"what is it?", "???"} {
		out, _, err := program(t, cache, "", "-dir", dir, "-ask", question, "-compare")
		if err != nil || !strings.Contains(out, "The search found nothing") {
			t.Errorf("%s: %v\n%s", question, err, out)
		}
	}
	out, _, err = program(t, cache, "what is it?\nwhen are apples picked?\n", "-dir", dir, "-chat")
	if err != nil || !strings.Contains(out, "The search found nothing") || !strings.Contains(out, "picked in autumn") || strings.Contains(out, "vector") {
		t.Errorf("%v\n%s", err, out)
	}
}
