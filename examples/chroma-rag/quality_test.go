package main

import (
	"context"
	"io"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/examples/chroma-rag/questions"
)

// cacheOnce makes one cache for the tests that need the whole documentation, which
// takes a while to index.
var cacheOnce = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "chroma-rag") })

func goCache(t *testing.T) string {
	t.Helper()
	dir, err := cacheOnce()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := cacheOnce(); err == nil {
		_ = os.RemoveAll(dir) // a temporary folder; the system removes it if we cannot
	}
	os.Exit(code)
}

// TestQuality measures search and gate with the questions that were written down
// first. With the comments of Go 1.26, 20 of 25 answered questions have a symbol
// that answers among the first five passages, 20 of 25 pass the gate, and none of
// the 10 foreign ones does. Nothing less will do with that release; the comments of
// another one may be worse by a little.
func TestQuality(t *testing.T) {
	ctx := context.Background()
	set, err := parseSettings([]string{"-cache", goCache(t), "-ask", "?"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	s, err := openSession(ctx, set, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	found, passed, foreign := 0, 0, 0
	for _, q := range questions.All() {
		r, err := s.engine.Retrieve(ctx, s.collection, core.Query{Text: q.Text, Mode: core.Shadow})
		if err != nil {
			t.Fatal(err)
		}
		pass := r.Verdict == core.Evidence
		switch {
		case q.Kind == questions.Foreign && pass:
			foreign++
			t.Logf("foreign, and passed: %s", q.Text)
		case q.Kind == questions.Answered:
			hit := slices.ContainsFunc(r.Items, func(it core.Item) bool { return slices.Contains(q.Symbols, it.DocID) })
			if hit {
				found++
			}
			if pass {
				passed++
			}
			t.Logf("found %-5v passed %-5v %s", hit, pass, q.Text)
		}
	}
	t.Logf("%d of 25 found among the first five, %d of 25 pass the gate, %d of 10 foreign ones pass", found, passed, foreign)
	bar := 18
	if onGoldenRelease(t) {
		bar = 20
	}
	if found < bar || passed < 18 || foreign > 1 {
		t.Errorf("%d found where %d are wanted, %d passed, %d foreign passed", found, bar, passed, foreign)
	}
}
