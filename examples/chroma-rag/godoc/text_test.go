package godoc_test

import (
	"strings"
	"testing"

	"github.com/repute-go/repute/examples/chroma-rag/godoc"
)

func TestSpell(t *testing.T) {
	for symbol, want := range map[string]string{
		"":                               "",
		"net/http.Server.Shutdown":       "net http server shutdown",
		"File.MkdirAll":                  "file mkdir make directory all",
		"net/http.Handler.ServeHTTP":     "net http handler serve http",
		"net/http.HTTPStatusCode":        "net http http status code",
		"SEEK_SET":                       "seek set",
		"encoding/json.InvalidUTF8Error": "encoding json invalid utf8 error",
		"builtin.append":                 "builtin append",
		"x.Ärger":                        "x ärger",
	} {
		if got := godoc.Spell(symbol); got != want {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	found := load(t, "")
	for symbol, want := range map[string]string{"os.MkdirAll": "os mkdir make directory all", "net/http": "net http", "regexp.Regexp.Copy": "regexp regexp regular expression copy"} {
		if got := found[symbol].Words(); got != want {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
}

// What is searched must not tell deprecated symbols from living ones.
func TestTextsDoNotGiveDeprecationAway(t *testing.T) {
	for symbol, e := range load(t, "") {
		if e.Deprecated && e.Replacement != "" && strings.Contains(e.Text(), e.Replacement) && len(e.Replacement) > 20 {
			t.Errorf("%s: the text holds the notice", symbol)
		}
	}
}

func TestText(t *testing.T) {
	e := load(t, "testdata/goroot")["shop.Shop.Sell"]
	want := "shop shop sell\nfunc (s *Shop) Sell(thing string, price int) (err error)\nSell sells one thing to a customer.\n\nSell sells one thing to a customer."
	if got := e.Text(); got != want {
		t.Errorf("%q", got)
	}
	if e := load(t, "testdata/goroot")["shop"]; e.Summary() != "Package shop sells things." {
		t.Errorf("%q", e.Summary())
	}
}
