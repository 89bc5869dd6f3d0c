package replay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repute-go/repute/examples/gates/collection"
	"github.com/repute-go/repute/examples/gates/replay"
)

// misleading is a collection in which every question has a document that looks best
// and is wrong.
func misleading() *collection.Collection {
	rng := rand.New(rand.NewPCG(3, 3))
	c := &collection.Collection{Name: "misleading"}
	for i := range 30 {
		v := unit(rng, 64)
		word := fmt.Sprintf("subject%d", i)
		c.Queries = append(c.Queries, collection.Query{ID: word, Text: "what about " + word + " and other" + word, Vector: v, Relevant: map[int]int{2*i + 1: 1}})
		c.Documents = append(c.Documents,
			collection.Document{ID: fmt.Sprint(2 * i), Text: strings.Repeat(word+" ", 3) + " other" + word, Vector: v},
			collection.Document{ID: fmt.Sprint(2*i + 1), Text: word + " told at some more length, with this and that", Vector: blend(v, unit(rng, 64))})
	}
	return c
}

func unit(rng *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(rng.NormFloat64() / 8)
	}
	return v
}

func blend(a, b []float32) []float32 {
	v := make([]float32, len(a))
	for i := range v {
		v[i] = .9*a[i] + .3*b[i]
	}
	return v
}

// Where the best match is always wrong, learning must find the right document, whatever
// the base and the wording, and the retriever alone must not.
func TestReplayLearns(t *testing.T) {
	r, err := replay.Run(context.Background(), replay.Options{Collections: []*collection.Collection{misleading()}, Seeds: 1, Epochs: 8})
	if err != nil {
		t.Fatal(err)
	}
	for _, base := range replay.Bases {
		for _, wording := range []string{"verbatim", "reworded"} {
			alone := r.Row("misleading", wording, base, 1, replay.Alone)
			if first, last := alone.Success[0], alone.Success[7]; wording == "verbatim" && first != last {
				t.Errorf("%s: the retriever alone went from %v to %v", base, first, last)
			}
			for _, arm := range []string{replay.Ours, replay.OursWords} {
				ours := r.Row("misleading", wording, base, 1, arm)
				if ours.Success[7] < alone.Success[7]+.3 {
					t.Errorf("%s, %s, %s: %v, the retriever alone %v", base, wording, arm, ours.Success, alone.Success)
				}
			}
		}
	}
	dir := t.TempDir()
	if err := r.Plot(dir); err != nil {
		t.Fatal(err)
	}
	if s, err := os.Stat(filepath.Join(dir, "replay-reworded-5.png")); err != nil || s.Size() == 0 {
		t.Errorf("no picture: %v", err)
	}
	var b bytes.Buffer
	if err := r.WriteTable(&b); err != nil || !strings.Contains(b.String(), replay.OursDocuments) {
		t.Errorf("table: %v\n%s", err, &b)
	}
}

func TestReplayRefuses(t *testing.T) {
	if _, err := replay.Run(context.Background(), replay.Options{Collections: []*collection.Collection{{Name: "empty"}}}); !errors.Is(err, replay.ErrData) {
		t.Errorf("nothing to replay: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := replay.Run(ctx, replay.Options{Collections: []*collection.Collection{misleading()}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
