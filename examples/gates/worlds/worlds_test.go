package worlds_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repute-go/repute/examples/gates/worlds"
)

// A small run must teach the library what the retriever does not know, in the worlds
// made for it, and hurt it nowhere badly. It must also come out the same twice.
func TestSmallRun(t *testing.T) {
	o := worlds.Options{Small: true}
	r, err := worlds.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, res := range r.Worlds {
		ours := res.Cell(worlds.Ours).Regret.Mean
		if ours > 1.6 {
			t.Errorf("%s: regret %.2f", res.World, ours)
		}
		if res.World == "k=3, delta .6, attribution 80/15" && ours > .6 {
			t.Errorf("%s: regret %.2f: nothing learned", res.World, ours)
		}
	}
	for _, a := range r.Attacks {
		if a.Extra.Mean > .05 {
			t.Errorf("%s: %v", a.Name, a.Extra)
		}
	}
	var table, again bytes.Buffer
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"repute", "RRL, released", "30 % yes-men"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q", want)
		}
	}
	dir := t.TempDir()
	if err := r.Plot(dir); err != nil {
		t.Fatal(err)
	}
	if s, err := os.Stat(filepath.Join(dir, "learning-worlds.png")); err != nil || s.Size() == 0 {
		t.Errorf("no picture: %v", err)
	}
	o.Only = "raters"
	second, err := worlds.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	r.Worlds, r.Staleness = nil, nil
	table.Reset()
	_ = r.WriteTable(&table)
	_ = second.WriteTable(&again)
	if table.String() != again.String() {
		t.Errorf("two runs differ:\n%s\n%s", &table, &again)
	}
}

func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := worlds.Run(ctx, worlds.Options{Small: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run returned %v", err)
	}
}
