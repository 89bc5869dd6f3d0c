package godoc_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/repute-go/repute/examples/chroma-rag/godoc"
	"pgregory.net/rapid"
)

func TestSpell(t *testing.T) {
	for symbol, want := range map[string]string{
		"":                               "",
		"net/http.Server.Shutdown":       "net http server shutdown",
		"os.MkdirAll":                    "os operating system mkdir make directory all",
		"net/http.Handler.ServeHTTP":     "net http handler serve http",
		"net/http.HTTPStatusCode":        "net http http status code",
		"os.SEEK_SET":                    "os operating system seek set",
		"encoding/json.InvalidUTF8Error": "encoding json invalid utf8 error",
		"builtin.append":                 "builtin append",
		"x.Ärger":                        "x ärger",
	} {
		if got := godoc.Spell(symbol); got != want {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
}

// What is searched must not tell deprecated symbols from living ones.
func TestPassagesDoNotGiveDeprecationAway(t *testing.T) {
	for symbol, e := range load(t, "") {
		if e.Deprecated && e.Replacement != "" && strings.Contains(e.Text(), e.Replacement) && len(e.Replacement) > 20 {
			t.Errorf("%s: the text holds the notice", symbol)
		}
	}
}

func TestPassages(t *testing.T) {
	e := godoc.Entry{Symbol: "x.Y", Signature: "func Y()", Doc: strings.Repeat("One two three four. ", 60) + "\n\nSecond paragraph.\n\nThird."}
	passages := e.Passages(512)
	if len(passages) != 3 || !strings.HasSuffix(passages[2], "Second paragraph.\n\nThird.") {
		t.Fatalf("%d passages: %q", len(passages), passages)
	}
	for _, p := range passages {
		if !strings.HasPrefix(p, "x y\nfunc Y()\nOne two three four.\n\n") {
			t.Errorf("passage without head: %q", p)
		}
	}
	if got := (godoc.Entry{Symbol: "x"}).Passages(0); len(got) != 1 {
		t.Errorf("an entry without documentation has %d passages", len(got))
	}
}

func TestPassagesLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := godoc.Entry{Symbol: "x.Y", Doc: rapid.StringMatching(`([a-zé日. ]{0,40}(\n\n|\n)?){0,8}`).Draw(t, "doc")}
		size := rapid.IntRange(1, 60).Draw(t, "size")
		var all strings.Builder
		for _, p := range e.Passages(size) {
			piece := strings.TrimPrefix(p, e.Head())
			if len(piece) > size+utf8.UTFMax || !utf8.ValidString(piece) {
				t.Fatalf("piece %q of %d bytes for size %d", piece, len(piece), size)
			}
			all.WriteString(piece)
		}
		if squeeze(all.String()) != squeeze(e.Doc) {
			t.Fatalf("%q became %q", e.Doc, all.String())
		}
	})
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }
