package gemini_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/repute-go/repute/judge/gemini"
)

func TestParseGradeAccepts(t *testing.T) {
	for name, text := range map[string]string{
		"plain":              good,
		"fence":              "```json\n" + good + "\n```",
		"fence without name": "```\n" + good + "```",
		"sentence around":    "Sure! " + good + " Anything else?",
		"quoted numbers":     `{"reason":"borne out","support":[{"document":"1","share":"0.9"},{"document":2,"share":"0"}],"sufficiency":"1","score":"8e-1"}`,
		"unknown names":      strings.Replace(good, "{", `{"confidence":{"x":[1]},`, 1),
		"white space":        strings.ReplaceAll(good, ":", " :\n\t"),
	} {
		g, err := gemini.ParseGrade(text, 2)
		if err != nil || g.Score != .8 || g.Sufficiency != 1 || g.Support[0] != .9 || len(g.Support) != 2 || g.Reason != "borne out" {
			t.Errorf("%s: %+v, %v", name, g, err)
		}
	}
	g, err := gemini.ParseGrade(`{"score":1,"sufficiency":0,"support":[]}`, 0)
	if err != nil || len(g.Support) != 0 || g.Score != 1 {
		t.Errorf("no reason, no document: %+v, %v", g, err)
	}
}

func TestParseGradeRefuses(t *testing.T) {
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for name, text := range map[string]string{
		"nothing":              "",
		"prose":                "very good",
		"half":                 good[:len(good)/2],
		"half with a brace":    good[:len(good)/2] + "}",
		"list":                 "[0.8, 0.9]",
		"null":                 "null",
		"number":               "0.8",
		"two objects":          good + "\n" + good,
		"score 7":              with("0.8", "7"),
		"score -0.1":           with("0.8", "-0.1"),
		"score NaN":            with("0.8", "NaN"),
		`score "NaN"`:          with("0.8", `"NaN"`),
		"score Infinity":       with("0.8", "1e999"),
		"score null":           with("0.8", "null"),
		`score "null"`:         with("0.8", `"null"`),
		"score true":           with("0.8", "true"),
		"score 80 %":           with("0.8", `"80%"`),
		"score hexadecimal":    with("0.8", `"0x1p-1"`),
		"score missing":        with(`"score"`, `"verdict"`),
		"score twice":          with(`"score"`, `"score":0.1,"score"`),
		"Score":                with(`"score"`, `"Score"`),
		"sufficiency 2":        with(`"sufficiency":1`, `"sufficiency":2`),
		"sufficiency missing":  with("sufficiency", "sufficient"),
		"support missing":      with(`"support"`, `"supports"`),
		"support null":         `{"score":1,"sufficiency":1,"support":null}`,
		"support an object":    `{"score":1,"sufficiency":1,"support":{"1":0.5}}`,
		"support of numbers":   `{"score":1,"sufficiency":1,"support":[0.5,0.5]}`,
		"no document named":    with(`{"document":1,"share":0.9},{"document":2,"share":0}`, ""),
		"a document left out":  with(`,{"document":2,"share":0}`, ""),
		"share 1.1":            with(`"share":0.9`, `"share":1.1`),
		"share missing":        with(`,"share":0.9`, ""),
		"document 0":           with(`"document":1`, `"document":0`),
		"document 3 of 2":      with(`"document":1`, `"document":3`),
		"document 1.5":         with(`"document":1`, `"document":1.5`),
		"document 1e300":       with(`"document":1`, `"document":1e300`),
		"document twice":       with(`"document":1`, `"document":2`),
		"document by its name": with(`"document":1`, `"document":"doc-7"`),
	} {
		if g, err := gemini.ParseGrade(text, 2); err == nil {
			t.Errorf("%s: %+v", name, g)
		}
	}
}

func FuzzParseGrade(f *testing.F) {
	f.Add(good, 2)
	f.Add("```json\n"+good+"\n```", 1)
	f.Add(`{"score":1e999}`, 0)
	f.Add(strings.Repeat("[", 20_000), 3)
	f.Add("{\"reason\":\"\xff\\u0000\",\"score\":0,\"sufficiency\":0,\"support\":[]}", 0)
	f.Fuzz(func(t *testing.T, text string, documents int) {
		documents = max(documents%50, 0)
		g, err := gemini.ParseGrade(text, documents)
		if err != nil {
			if g.Score != 0 || g.Support != nil || g.Reason != "" {
				t.Fatalf("an error and a grade: %+v, %v", g, err)
			}
			return
		}
		unit := func(x float64) bool { return x >= 0 && x <= 1 }
		if !unit(g.Score) || !unit(g.Sufficiency) || len(g.Support) != documents {
			t.Fatalf("%+v", g)
		}
		for place, x := range g.Support {
			if place < 0 || place >= documents || !unit(x) {
				t.Fatalf("support %v", g.Support)
			}
		}
		if !utf8.ValidString(g.Reason) || utf8.RuneCountInString(g.Reason) > 301 || strings.ContainsAny(g.Reason, "\n\x00\x1b") {
			t.Fatalf("reason %q", g.Reason)
		}
	})
}
