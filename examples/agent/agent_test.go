package main

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestScriptedModel(t *testing.T) {
	const (
		kit  = "apply: applies\nrecall: recalls\nQuestion: " + taskOpening + "it is broken\nThe program:\npackage p\n"
		memo = "Thought: x\nAction: recall\nAction Input: it is broken\nObservation: [1] id a\nREPLACE\na\nWITH\nb\nDONE\nREPLACE\nc\nWITH\nd\nDONE\n"
		done = "Thought: y\nAction: apply\nAction Input: REPLACE\na\nWITH\nb\nDONE\nObservation: "
	)
	for _, tt := range []struct{ prompt, want string }{
		{kit, "Action: recall\nAction Input: it is broken"},
		{strings.Replace(kit, "recall: recalls\n", "", 1), "Final Answer: not fixed"},
		{kit + memo, "Action: apply\nAction Input: REPLACE\na\nWITH\nb\nDONE"},
		{kit + "Thought: x\nAction: recall\nAction Input: q\nObservation: No memory stands out for this.", "Final Answer: not fixed"},
		{kit + memo + done + sayPassed, "Final Answer: fixed"},
		{kit + memo + done + sayFailed + "\nboom", "Final Answer: not fixed"},
		{kit + memo + done + sayForeign, "Final Answer: not fixed"},
	} {
		if got, err := next(tt.prompt); err != nil || !strings.HasSuffix(got, tt.want) {
			t.Errorf("after %q:\n%q, %v, want %q", tt.prompt, got, err, tt.want)
		}
	}
	if _, err := next("Question: what is the capital of France?"); err == nil {
		t.Error("no error without a task")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (scripted{}).GenerateContent(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestApplyTool(t *testing.T) {
	p := divisions[0]
	tool := &applyTool{verifier: foretold(), problem: p}
	say := func(input, want string) {
		t.Helper()
		if got, err := tool.Call(context.Background(), input); err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, %v, want %q", input, got, err, want)
		}
	}
	say("make it work", sayNoEdit)
	say(edit{"not there", "x"}.text(), sayForeign)
	say(patterns[6].text(), sayPassed)
	say(patterns[7].text(), saySpent)
	if want := []try{{edit{"not there", "x"}, false}, {edit{patterns[6].old, patterns[6].new}, true}}; len(tool.tried) != 2 || tool.tried[0] != want[0] || tool.tried[1] != want[1] || !tool.passed {
		t.Errorf("tried %+v, passed %v", tool.tried, tool.passed)
	}
}

// The arms side by side on what go test says of every variant: in the fifth epoch at
// least 15 points over the plain retriever, with intervals apart.
func TestReputeBeatsThePlainRetriever(t *testing.T) {
	ticks := make(chan struct{}, 1000)
	s := study{epochs: 5, seeds: 10, programs: 20, llm: scripted{}, verifier: foretold(), progress: func() { ticks <- struct{}{} }}
	got, err := s.run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := interval(got[repute][0])
	last, low, _ := interval(got[repute][4])
	other, _, high := interval(got[plain][4])
	if last < other+.15 || last < first+.15 || low <= high {
		t.Errorf("Repute %.2f [%.2f, after %.2f, plain %.2f %.2f]", last, low, first, other, high)
	}
	if none, _, _ := interval(got[noMemory][4]); none != 0 {
		t.Errorf("without a memory %.2f", none)
	}
	if len(ticks) != 150 {
		t.Errorf("%d steps of progress", len(ticks))
	}
}

func TestRunIsReproducible(t *testing.T) {
	s := study{epochs: 2, seeds: 2, programs: 8, llm: scripted{}, verifier: foretold(), progress: func() {}}
	var tables [2]bytes.Buffer
	for i := range tables {
		got, err := s.run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		got.table(&tables[i])
	}
	if tables[0].String() != tables[1].String() {
		t.Errorf("%s\nthen\n%s", tables[0].String(), tables[1].String())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestProgram(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "curve.png")
	var out bytes.Buffer
	if err := run(context.Background(), []string{"-seeds", "1", "-epochs", "1", "-programs", "2", "-picture", picture}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "go test ran on") || !strings.Contains(out.String(), "plain retriever") {
		t.Errorf("output:\n%s", out.String())
	}
	f, err := os.Open(picture)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := png.Decode(f); err != nil {
		t.Error(err)
	}
}

// What a model cost is not lost when it fails in the middle.
func TestWhatWasMeasuredIsKept(t *testing.T) {
	epochs := 0
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := study{epochs: 3, seeds: 1, programs: 2, llm: scripted{}, verifier: foretold(), progress: func() {}}
	s.progress = sync.OnceFunc(cancel)
	got, err := s.run(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for arm := range got {
		for _, xs := range got[arm] {
			if !math.IsNaN(xs[0]) {
				epochs++
			}
		}
	}
	var b bytes.Buffer
	got.table(&b)
	if epochs < 1 || epochs > 3 || strings.Count(b.String(), " -\n")+strings.Count(b.String(), " - ") == 0 || strings.Contains(b.String(), "NaN") {
		t.Errorf("%d epochs:\n%s", epochs, b.String())
	}
}

func TestCostIsAnnounced(t *testing.T) {
	var b bytes.Buffer
	options{llm: "scripted", seeds: 1, epochs: 1, programs: 1}.announce(&b)
	options{llm: "gemini", name: "m", seeds: 2, epochs: 3, programs: 4}.announce(&b)
	if want := "72 attempts with m, of at most 8 calls each: up to 576 calls."; !strings.HasPrefix(b.String(), want) {
		t.Errorf("said %q", b.String())
	}
}

func TestOptions(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "")
	t.Setenv("GOOGLE_API_KEY", "")
	for args, want := range map[string]string{
		"-llm gemini":             "-allow-exec",
		"-llm gemini -allow-exec": "GEMINI_API_KEY",
		"-llm other":              "neither",
		"-programs 0":             "-programs 1 to 24",
		"-seeds -1":               "-seeds 1",
	} {
		if err := run(context.Background(), strings.Fields(args), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", args, err, want)
		}
	}
}
