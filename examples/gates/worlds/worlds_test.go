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

// smallBars are the regrets that the small run may come to at most: it is seeded, and
// these lie just above the worst of three other sets of three seeds. Runs of a tenth
// of the visits cannot show more.
var smallBars = map[string]float64{
	"k=3, delta .6, attribution 80/15":   .60,
	"k=3, delta .245, attribution 80/15": 1.05,
	"k=3, delta .6, no attribution":      .72,
	"k=3, delta .6, attribution 40/40":   .83,
	"k=1, delta .6, uniform":             1.03,
	"k=1, delta .6":                      .84,
	"k=1, global, uniform":               .84,
	"k=3, global, uniform":               1.02,
	"k=1, change":                        .88,
	"k=3, change, attribution 80/15":     .72,
	"one-shot, k=1":                      1.02,
	"one-shot, k=3":                      1.02,
	"one-shot, global, k=1":              .97,
	"one-shot, global, k=3":              1.01,
	"one-shot, p0 .80-.88, delta .1":     1.02,
	"p0 .02-.08, delta .2, k=1":          1.00,
	"delta .05, k=1":                     1.25,
	"delta .05, k=3, no attribution":     1.40,
	"50 documents, 500 types, Zipf 1":    .64,
	"a candidate at relevance 0":         1.00,
}

// A small run must teach the library what the retriever does not know, in the worlds
// made for it, and hurt it nowhere badly. It must also come out the same twice.
func TestSmallRun(t *testing.T) {
	o := worlds.Options{Small: true}
	r, err := worlds.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, res := range r.Worlds {
		most, ok := smallBars[res.World]
		if ours := res.Cell(worlds.Ours).Regret.Mean; !ok || ours > most {
			t.Errorf("%s: regret %.3f, want %.2f at most", res.World, ours, most)
		}
	}
	for _, x := range r.Ratings {
		worse := x.Bar - x.Calibrated.Mean
		if x.Misjudged {
			worse = -worse
		}
		if worse > .04 {
			t.Errorf("%s: %v, want %v", x.Name, x.Calibrated, x.Bar)
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
