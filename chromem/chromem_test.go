package chromem_test

import (
	"context"
	"errors"
	"hash/fnv"
	"math"
	"strings"
	"testing"

	"github.com/philippgille/chromem-go"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
)

// bag embeds a text as the counts of its words in 64 slots, not normalised.
func bag(_ context.Context, text string) ([]float32, error) {
	v := make([]float32, 64)
	for _, w := range strings.Fields(strings.ToLower(text)) {
		h := fnv.New32a()
		h.Write([]byte(strings.Trim(w, ".,?!")))
		v[h.Sum32()%64]++
	}
	return v, nil
}

func newEngine(t testing.TB) *core.Engine {
	t.Helper()
	eng, err := core.New(core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { eng.Close() })
	return eng
}

func open(t testing.TB, db *chromem.DB, opts repchromem.Options) *repchromem.Collection {
	t.Helper()
	c, err := repchromem.Open(newEngine(t), db, "notes", bag, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func add(t testing.TB, c *repchromem.Collection, texts ...string) []string {
	t.Helper()
	chunks := make([]core.Candidate, len(texts))
	for i, text := range texts {
		id, text, _ := strings.Cut(text, ": ")
		chunks[i] = core.Candidate{ID: id, Text: text}
	}
	ids, err := c.Add(t.Context(), chunks)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func idsOf(results []chromem.Result) string {
	var ids []string
	for _, r := range results {
		ids = append(ids, r.ID)
	}
	return strings.Join(ids, " ")
}

func TestQueryAnswersLikeTheCollection(t *testing.T) {
	for _, hybrid := range []bool{false, true} {
		c := open(t, chromem.NewDB(), repchromem.Options{Hybrid: hybrid})
		add(t, c, "a: apples are red", "b: bananas are yellow", "c: cars drive on roads")
		ctx, trace := core.WithTrace(t.Context())
		got, err := c.Query(ctx, "yellow bananas", 10, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 || got[0].ID != "b" || got[0].Similarity < .8 || got[0].Similarity > 1 {
			t.Errorf("hybrid %v: %+v", hybrid, got)
		}
		if trace.Last() == nil || trace.Last().Receipt.IsZero() {
			t.Error("no receipt in the trace")
		}
		if _, err := trace.Feedback(ctx, core.Verified(true).On("b")); err != nil {
			t.Error(err)
		}
	}
}

func TestVectorsOutOfRangeAreRefused(t *testing.T) {
	c := open(t, chromem.NewDB(), repchromem.Options{})
	add(t, c, "a: apples are red")
	nan := float32(math.NaN())
	for _, v := range [][]float32{make([]float32, 64), {nan}, {float32(math.Inf(1))}} {
		if _, err := c.Add(t.Context(), []core.Candidate{{ID: "x", Text: "x", Vector: v}}); !errors.Is(err, repchromem.ErrVector) {
			t.Errorf("add %v: %v", v[:1], err)
		}
	}
	if _, err := c.Add(t.Context(), []core.Candidate{{ID: "x", Vector: []float32{1, 2}}}); !errors.Is(err, core.ErrDimension) || !strings.Contains(err.Error(), "2, the collection has 64") {
		t.Error(err)
	}
	if _, err := c.Search(t.Context(), core.Query{Vector: []float32{1, 2}}, 1); !errors.Is(err, core.ErrDimension) {
		t.Error(err)
	}
	if c.Count() != 1 {
		t.Error("something was added")
	}
}
