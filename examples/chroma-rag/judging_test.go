package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/judge"
)

func TestAnswersOfAModelAreJudged(t *testing.T) {
	ctx, docs := context.Background(), t.TempDir()
	for name, text := range map[string]string{"a.txt": "The harbour opens at six.", "b.txt": "Violins are varnished by hand."} {
		if err := os.WriteFile(filepath.Join(docs, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := parseSettings([]string{"-cache", t.TempDir(), "-dir", docs, "-ask", "?"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s, err := openSession(ctx, set, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.answer = func(context.Context, string, *core.Response) (string, error) { return "The harbour opens at six.", nil }
	down := judge.Func(func(context.Context, judge.Case) (judge.Verdict, error) {
		return judge.Verdict{}, errors.New("down\n\x1b[31mJudged by somebody")
	})
	for _, tt := range []struct {
		judge judge.Judge
		want  string
	}{
		{nil, ""}, {judge.Overlap{}, "Judged by judge:overlap: "}, {judge.Fallback(down, judge.Overlap{}), "standing in"}, {down, "Not judged"},
	} {
		out.Reset()
		s.judge = tt.judge
		if err := s.ask(ctx, "when does the harbour open?"); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "\x1b[31m") || strings.Contains(out.String(), "\nJudged by somebody") {
			t.Errorf("an error writes as it likes: %q", out.String())
		}
		if got := strings.Contains(out.String(), "udged"); got != (tt.want != "") || !strings.Contains(out.String(), tt.want) {
			t.Errorf("want %q in:\n%s", tt.want, out.String())
		}
	}
}

func TestJudgeGoesWithTheModel(t *testing.T) {
	t.Setenv("GOOGLE_API_KEY", "")
	t.Setenv("GEMINI_API_KEY", "")
	if j, err := newJudge(context.Background(), "extract"); j != nil || err != nil {
		t.Errorf("quotations are judged by %T, %v", j, err)
	}
	if j, err := newJudge(context.Background(), "ollama"); j != (judge.Overlap{}) || err != nil {
		t.Errorf("without a key: %T, %v", j, err)
	}
	t.Setenv("GEMINI_API_KEY", "key")
	if j, err := newJudge(context.Background(), "ollama"); j != (judge.Overlap{}) || err != nil {
		t.Errorf("a model on this machine, with a key that happens to be set: %T, %v", j, err)
	}
	if j, err := newJudge(context.Background(), "gemini"); j == nil || j == (judge.Overlap{}) || err != nil {
		t.Errorf("with a key: %T, %v", j, err)
	}
}
