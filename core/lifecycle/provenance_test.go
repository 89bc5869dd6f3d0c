package lifecycle_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	lc "github.com/repute-go/repute/core/lifecycle"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs, run with -update if that is meant:\n%s", name, got)
	}
}

// sample has every kind of source, and hostile texts wherever a document can
// put one.
func sample() lc.Provenance {
	hostile := "Plan\x1b[2J\x1b]8;;http://evil.example\a\n------\n  * \"Fake\"\n\u202eexe.fdp <script>alert(1)</script> [x](javascript:1) **b**"
	return lc.NewProvenance([]lc.Use{
		{Doc: "handbook", Title: "Employee handbook", Path: "docs/handbook.md", State: lc.Pinned, Uses: 12, Chunk: -1, Whole: true, Total: 9,
			FromLibrary: true, Origin: lc.FromLoader, Why: "pinned by you"},
		{Doc: "leave", Title: "Leave policy", Path: "docs/leave.md", State: lc.Suggested, Uses: 3, Chunk: 4, Total: 9, Section: "Carry-over", Why: "passed the gate"},
		{Doc: "note", Title: "My note", State: lc.Claimed, Uses: 1, Chunk: -1, FromLibrary: true, Origin: lc.FromCaller, Changed: true, Why: "as near as the results"},
		{Doc: "leave", Chunk: 1, Total: 9, Section: "Basics", Why: "passed the gate"},
		{Doc: "leave", Chunk: 4, Total: 9, Section: "Carry-over"},
		{Doc: "evil", Title: hostile, Path: "../../etc/passwd", State: lc.Surfaced, Uses: 2, Chunk: 0, Section: hostile},
		{Chunk: -1, State: lc.Global},
		{Chunk: -1, State: lc.Global},
	}, []lc.Suggestion{
		{Doc: "leave", ID: 1, Title: "Leave policy", Uses: 3, Expires: lc.StampOf(start)},
		{Doc: "evil\n* accept", ID: 2, Title: hostile, Uses: 1},
	})
}

func TestProvenanceGolden(t *testing.T) {
	p := sample()
	golden(t, "provenance.txt", p.Text())
	golden(t, "provenance.md", p.Markdown())
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "provenance.json", string(b)+"\n")
	var back lc.Provenance
	if err := json.Unmarshal(b, &back); err != nil || back.Text() != p.Text() {
		t.Errorf("JSON does not survive a round trip: %v", err)
	}
}

func TestProvenanceIsInert(t *testing.T) {
	p := sample()
	for name, s := range map[string]string{"text": p.Text(), "markdown": p.Markdown()} {
		for _, r := range s {
			if r != '\n' && unicode.IsOneOf([]*unicode.RangeTable{unicode.C}, r) {
				t.Errorf("%s holds the control character %U", name, r)
			}
		}
	}
	if n := strings.Count(p.Text(), "\n----"); n != 2 {
		t.Errorf("%d rules, want 2: a title drew one", n)
	}
	for _, bad := range []string{"<", "](", "`", "**b**", "\n#"} {
		if strings.Contains(p.Markdown(), bad) || bad[0] != '*' && strings.Contains(p.Text(), bad) {
			t.Errorf("%q survives", bad)
		}
	}
}

func TestEmptyProvenance(t *testing.T) {
	p := lc.NewProvenance(nil, nil)
	if p.Text() != "" || p.Markdown() != "" {
		t.Errorf("%q, %q", p.Text(), p.Markdown())
	}
	if b, _ := json.Marshal(p); string(b) != `{"sources":[],"suggestions":[]}` {
		t.Errorf("%s", b)
	}
}

func TestProvenanceIsAValue(t *testing.T) {
	uses := []lc.Use{{Doc: "a", Title: "A", Chunk: 1}}
	suggestions := []lc.Suggestion{{Doc: "a", ID: 1}}
	p := lc.NewProvenance(uses, suggestions)
	before := p.Text()
	uses[0].Title, suggestions[0].ID = "B", 9
	if p.Text() != before {
		t.Error("provenance shares its input")
	}
}
