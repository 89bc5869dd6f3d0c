package falsealarm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/examples/gates/collection"
	"github.com/repute-go/repute/examples/gates/falsealarm"
)

// invented makes a collection of n documents about a subject of its own, with a
// question for every third. Texts and vectors of different subjects have nothing
// in common.
func invented(name string, n int, seed uint64) *collection.Collection {
	r := rand.New(rand.NewPCG(seed, 1))
	c := &collection.Collection{Name: name}
	for i := range n {
		text := ""
		for range 30 {
			text += fmt.Sprintf("%s%d ", name, r.IntN(500))
		}
		own := fmt.Sprintf("%sown%d %sown%d", name, i, name, i+n)
		c.Documents = append(c.Documents, collection.Document{ID: fmt.Sprint(i), Text: text + own, Vector: direction(int(seed), i, r)})
		if i%3 == 0 {
			c.Queries = append(c.Queries, collection.Query{ID: fmt.Sprint(i), Text: "which is " + own, Vector: c.Documents[i].Vector, Relevant: map[int]int{i: 1}})
		}
	}
	return c
}

func direction(subject, i int, r *rand.Rand) []float32 {
	v := make([]float32, 64)
	v[subject] = .5
	sum := .25
	for k := range v {
		v[k] += float32(r.NormFloat64()) * .1
		sum += float64(v[k]) * float64(v[k])
	}
	for k := range v {
		v[k] /= float32(math.Sqrt(sum))
	}
	return v
}

func bank() *collection.Collection {
	r := rand.New(rand.NewPCG(9, 9))
	c := &collection.Collection{Name: "bank"}
	for i, q := range gate.Bank() {
		c.Queries = append(c.Queries, collection.Query{ID: fmt.Sprint(i), Text: q.Text, Vector: direction(60, i, r)})
	}
	return c
}

func measured(t *testing.T) *falsealarm.Report {
	t.Helper()
	r, err := falsealarm.Run(context.Background(), falsealarm.Options{
		Collections: []*collection.Collection{invented("alpha", 300, 1), invented("beta", 300, 2), invented("mbpp", 120, 3)},
		Bank:        bank(), Seeds: 2, Sizes: []int{30, 200}, Union: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// On subjects that share no word the gate must be perfect, plain top-5 must pass
// everything, and the oracle must hit its rate.
func TestRunOnSeparateSubjects(t *testing.T) {
	r := measured(t)
	seen := 0
	for _, row := range r.Rows {
		m := row.Mean
		switch row.Gate {
		case "plain top-5":
			seen++
			if m.Far != 1 || m.Near != 1 || m.Retention != 1 || m.Passages != 5 {
				t.Errorf("plain at %d: %+v", row.N, m)
			}
		case "evidence":
			seen++
			if m.Far != 0 || m.Near > .05 || m.Retention < .99 || m.AUCFar < .99 || row.Worst != 0 {
				t.Errorf("evidence at %d: %+v", row.N, m)
			}
		case "best fixed cosine (oracle)":
			seen++
			if m.Far > .06 || !math.IsNaN(m.Passages) {
				t.Errorf("oracle at %d: %+v", row.N, m)
			}
		}
	}
	if seen != 3*3 {
		t.Errorf("%d rows", seen)
	}
	if len(r.Reliability) != 3*7 || r.Reliability[0].N != 30 {
		t.Errorf("%+v", r.Reliability)
	}
}

func TestRunRepeats(t *testing.T) {
	a, err := json.Marshal(measured(t))
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(measured(t))
	if err != nil || !bytes.Equal(a, b) {
		t.Error("the same seeds gave another report", err)
	}
	var back falsealarm.Report
	if err := json.Unmarshal(a, &back); err != nil || len(back.Rows) == 0 || back.Rows[0].Mean.Far != 1 {
		t.Error(err)
	}
}

func TestReportIsWritten(t *testing.T) {
	r := measured(t)
	var table strings.Builder
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"sigma-rag 2 sigma", "together", "Reliability"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table does not mention %q", want)
		}
	}
	if strings.Contains(table.String(), "NaN ±") {
		t.Error("the table shows NaN")
	}
	dir := t.TempDir()
	if err := r.Plot(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gate-size.png", "gate-keeps.png", "gate-reliability.png"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() < 1000 {
			t.Error(name, err)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	good := []*collection.Collection{invented("alpha", 60, 1), invented("beta", 60, 2)}
	for name, o := range map[string]falsealarm.Options{
		"no bank":        {Collections: good},
		"bank too small": {Collections: good, Bank: invented("alpha", 60, 1)},
		"one collection": {Collections: good[:1], Bank: bank()},
	} {
		if _, err := falsealarm.Run(context.Background(), o); !errors.Is(err, falsealarm.ErrData) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := falsealarm.Run(ctx, falsealarm.Options{Collections: good, Bank: bank(), Sizes: []int{30}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
