package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/examples/gates/worlds"
)

func TestRunRefuses(t *testing.T) {
	ctx := context.Background()
	if err := run(ctx, []string{"-run", "nonsense"}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "gate") {
		t.Errorf("unknown experiment: %v", err)
	}
	if err := run(ctx, []string{"-run", "gate"}, io.Discard, io.Discard); !errors.Is(err, errNoData) {
		t.Errorf("no data: %v", err)
	}
	if err := run(ctx, []string{"-run", "gate", "-data", filepath.Join(t.TempDir(), "gone")}, io.Discard, io.Discard); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
}

// A full run fails where the library misses a bar, and says where; a quick look does
// not.
func TestAMissedBarIsAnError(t *testing.T) {
	good := worlds.Result{World: "easy", Bar: .5, Cells: []worlds.Cell{{Arm: worlds.Ours, Regret: worlds.Measure{Mean: .4, Half: .1}}}}
	bad := worlds.Result{World: "hard", Bar: .5, Cells: []worlds.Cell{{Arm: worlds.Ours, Regret: worlds.Measure{Mean: .45, Half: .1}}}}
	raters := worlds.Ratings{Name: "liars", Bar: .9, Calibrated: worlds.Measure{Mean: .89, Half: .1}}
	attack := worlds.Attack{Name: "a crowd", Bar: .05, Extra: worlds.Measure{Mean: .04, Half: .02}}
	report := worlds.Report{Worlds: []worlds.Result{good, bad}, Ratings: []worlds.Ratings{raters}, Attacks: []worlds.Attack{attack}}
	if err := judged(&report); !errors.Is(err, errMissed) || !strings.HasSuffix(err.Error(), "3 rows: hard; liars; a crowd") {
		t.Error(err)
	}
	report.Small = true
	if err := judged(&report); err != nil {
		t.Errorf("a quick look: %v", err)
	}
	if err := judged(&worlds.Report{Worlds: []worlds.Result{good}}); err != nil {
		t.Error(err)
	}
}

// collections writes two small collections and the bank in BEIR's layout, with
// vectors of one bit a word.
func collections(t *testing.T) string {
	dir := t.TempDir()
	for _, subject := range []string{"ferry", "violin"} {
		var documents, questions, judgements []string
		for i := range 150 {
			documents = append(documents, fmt.Sprintf("%s document%d of the %s series, part%d", subject, i, subject, i*7))
			if i%5 == 0 {
				questions = append(questions, fmt.Sprintf("what does %s document%d say of part%d?", subject, i, i*7))
				judgements = append(judgements, fmt.Sprintf("%d\t%d\t1", len(questions)-1, i))
			}
		}
		layout(t, filepath.Join(dir, subject), documents, questions, judgements)
	}
	var questions []string
	for _, q := range gate.Bank() {
		questions = append(questions, q.Text)
	}
	layout(t, filepath.Join(dir, bankFolder), nil, questions, nil)
	return dir
}

func layout(t *testing.T, dir string, documents, questions, judgements []string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, texts := range map[string][]string{"corpus": documents, "queries": questions} {
		var lines, vectors []byte
		for i, text := range texts {
			line, err := json.Marshal(map[string]string{"_id": fmt.Sprint(i), "text": text})
			if err != nil {
				t.Fatal(err)
			}
			lines = append(append(lines, line...), '\n')
			vectors = append(vectors, bits(text)...)
		}
		if len(texts) > 0 {
			write(t, filepath.Join(dir, name+".jsonl"), lines)
			write(t, filepath.Join(dir, name+".f16"), vectors)
		}
	}
	write(t, filepath.Join(dir, "qrels.tsv"), []byte("query-id\tcorpus-id\tscore\n"+strings.Join(judgements, "\n")+"\n"))
}

// bits is a half-precision vector with a small number for every letter pair.
func bits(text string) []byte {
	v := make([]byte, 1024)
	for i := 1; i < len(text); i++ {
		slot := (int(text[i-1])*31 + int(text[i])) % 512
		v[2*slot+1] = 0x2C // one sixteenth
	}
	return v
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRunGateOnFolders(t *testing.T) {
	out := filepath.Join(t.TempDir(), "results")
	var table strings.Builder
	err := run(context.Background(), []string{"-run", "gate", "-data", collections(t), "-out", out, "-small"}, &table, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), "sigma-rag 2 sigma") || !strings.Contains(table.String(), "evidence") {
		t.Error(table.String())
	}
	for _, name := range []string{"gate.json", "gate-size.png", "gate-keeps.png", "gate-reliability.png"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() == 0 {
			t.Error(name, err)
		}
	}
}
