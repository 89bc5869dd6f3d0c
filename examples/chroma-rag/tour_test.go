package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/repute-go/repute/examples/chroma-rag/godoc"
	"github.com/repute-go/repute/internal/lexical"
)

var update = flag.Bool("update", false, "write the golden transcript of the tour")

const golden = "testdata/tour.golden"

// goldenRelease is the Go release whose documentation the transcript is of.
const goldenRelease = "go1.26"

// onGoldenRelease reports whether the documentation on this machine is of that
// release.
func onGoldenRelease(t *testing.T) bool {
	t.Helper()
	source, err := godoc.Open("")
	if err != nil {
		t.Fatal(err)
	}
	return strings.HasPrefix(source.Version(), goldenRelease)
}

// TestTour gives the tour on the documentation of this machine's Go. What must
// happen is checked with any release, the transcript word for word with the one it
// was recorded with.
func TestTour(t *testing.T) {
	var out, notes bytes.Buffer
	if err := run(context.Background(), []string{"-cache", goCache(t)}, strings.NewReader(""), &out, &notes); err != nil {
		t.Fatalf("%v\n%s", err, notes.String())
	}
	transcript := normalize(out.String())
	if n := strings.Count(transcript, "\n"); n > 60 {
		t.Errorf("the transcript has %d lines", n)
	}
	for _, must := range []string{
		"[1] net/http.Server.Shutdown", "Nothing was passed on",
		"1 ✗ io/ioutil.WriteFile", "1 ✓ os.WriteFile", "os.WriteFile stood at place 2 before, and now stands at 1",
		"os.WriteFile is now CLAIMED", "1   os.WriteFile",
		"leaves on Thursdays", "PINNED", "its text changed at the source",
	} {
		if !strings.Contains(transcript, must) {
			t.Errorf("no %q in\n%s", must, transcript)
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(transcript), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if onGoldenRelease(t) && transcript != string(want) {
		t.Errorf("not the recorded transcript (-update records it anew):\n%s\nwant\n%s", transcript, want)
	}
}

var (
	decimal  = regexp.MustCompile(`\d+\.\d+`)
	size     = regexp.MustCompile(`(?m)^go\S+: \d+ packages, \d+ symbols, \d+ passages`)
	passages = regexp.MustCompile(`\d+ passages and`)
)

// normalize replaces what differs from run to run, between patch releases, and with
// the engine's constants.
func normalize(transcript string) string {
	transcript = size.ReplaceAllString(transcript, "goN: N packages, N symbols, N passages")
	transcript = decimal.ReplaceAllString(transcript, "N")
	return passages.ReplaceAllString(transcript, "N passages and")
}

func TestTheTwoWordingsShareNoWord(t *testing.T) {
	other := lexical.Terms(otherWording)
	for _, term := range lexical.Terms(outdatedQuestion) {
		if slices.Contains(other, term) {
			t.Errorf("both say %q", term)
		}
	}
}
