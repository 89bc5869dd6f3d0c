package chromem_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/philippgille/chromem-go"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
)

// plain makes a collection that was filled past any handle.
func plain(t *testing.T, db *chromem.DB, docs ...chromem.Document) *chromem.Collection {
	t.Helper()
	c, err := db.CreateCollection("notes", nil, bag)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		if err := c.AddDocument(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestAnExistingCollectionIsKnown(t *testing.T) {
	db := chromem.NewDB()
	inner := plain(t, db, chromem.Document{ID: "b", Content: "bananas", Metadata: map[string]string{"doc_id": "fruit", "chunk_index": "1", "total_chunks": "2"}},
		chromem.Document{ID: "a", Content: "apples apples", Metadata: map[string]string{"doc_id": "fruit", "chunk_index": "zero"}})
	c := open(t, db, repchromem.Options{Hybrid: true})
	if ids, err := c.IDs("", 0); err != nil || strings.Join(ids, " ") != "a b" {
		t.Errorf("%v %v", ids, err)
	}
	if ids, _ := c.IDs("a", 1); len(ids) != 1 || ids[0] != "b" {
		t.Errorf("second page: %v", ids)
	}
	got, err := c.Query(t.Context(), "apples", 2, nil, nil)
	if err != nil || got[0].ID != "a" || got[0].Similarity > 1 {
		t.Errorf("%+v %v", got, err)
	}
	if doc, err := c.LoadDocument(t.Context(), "u", "fruit"); err != nil || !doc.Exists || !strings.Contains(doc.Text, "apples apples") || !strings.Contains(doc.Text, "bananas") {
		t.Errorf("%+v %v", doc, err)
	}
	if _, err := c.Embed(t.Context(), "x"); err != nil {
		t.Error(err)
	}
	// A write past the handle is noticed by the count.
	if err := inner.AddDocument(t.Context(), chromem.Document{ID: "c", Content: "cherries"}); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Query(t.Context(), "cherries", 1, nil, nil); err != nil || idsOf(got) != "c" {
		t.Errorf("%v %v", got, err)
	}
}

func TestVectorsThatCannotBeCompared(t *testing.T) {
	nan := float32(math.NaN())
	for name, test := range map[string]struct {
		vector []float32
		want   error
	}{
		"not finite":        {[]float32{nan, nan}, repchromem.ErrVector},
		"zero":              {make([]float32, 64), repchromem.ErrVector},
		"another dimension": {[]float32{1, 0}, core.ErrDimension},
	} {
		db := chromem.NewDB()
		plain(t, db, chromem.Document{ID: "a", Content: "apples"}, chromem.Document{ID: "b", Content: "bananas"}, chromem.Document{ID: "c", Content: "dates"},
			chromem.Document{ID: "bad", Content: "cherries", Embedding: test.vector}, chromem.Document{ID: "mute", Embedding: test.vector})
		if _, err := repchromem.Open(newEngine(t), db, "notes", bag, repchromem.Options{}); !errors.Is(err, test.want) || !strings.Contains(err.Error(), "Repair") {
			t.Errorf("%s: open: %v", name, err)
		}
		n, err := repchromem.Repair(t.Context(), db, "notes", bag, repchromem.RepairOptions{})
		if err != nil || n != 2 {
			t.Errorf("%s: repair: %d %v", name, n, err)
		}
		c := open(t, db, repchromem.Options{})
		got, err := c.Query(t.Context(), "cherries", 9, nil, nil)
		if err != nil || len(got) != 4 || got[0].ID != "bad" || math.IsNaN(float64(got[3].Similarity)) {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
}

func TestAnotherEmbeddingModel(t *testing.T) {
	db := chromem.NewDB()
	c := open(t, db, repchromem.Options{Model: "bag"})
	add(t, c, "a: apples", "b: bananas")
	three := func(_ context.Context, text string) ([]float32, error) {
		return []float32{float32(len(text)), 1, 1}, nil
	}
	other, err := repchromem.Open(newEngine(t), db, "notes", three, repchromem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []func() error{
		func() error { _, err := other.Query(t.Context(), "apples", 1, nil, nil); return err },
		func() error { _, err := other.Add(t.Context(), []core.Candidate{{ID: "c", Text: "c"}}); return err },
	} {
		if err := f(); !errors.Is(err, core.ErrDimension) || !strings.Contains(err.Error(), "3, the collection has 64") {
			t.Error(err)
		}
	}
	if _, err := repchromem.Open(newEngine(t), db, "notes", three, repchromem.Options{Model: "three"}); !errors.Is(err, core.ErrFingerprint) {
		t.Error(err)
	}
	var steps []int
	n, err := repchromem.Repair(t.Context(), db, "notes", three, repchromem.RepairOptions{All: true, Model: "three", Progress: func(done, total int) { steps = append(steps, done, total) }})
	if err != nil || n != 2 || fmt.Sprint(steps) != "[1 2 2 2]" {
		t.Errorf("%d %v %v", n, err, steps)
	}
	if got, err := other.Query(t.Context(), "apples", 2, nil, nil); err != nil || got[0].ID != "a" {
		t.Errorf("%v %v", got, err)
	}
	if _, err := repchromem.Open(newEngine(t), db, "notes", three, repchromem.Options{Model: "three"}); err != nil {
		t.Error(err)
	}
	broken := errors.New("down")
	if _, err := repchromem.Repair(t.Context(), db, "notes", func(context.Context, string) ([]float32, error) { return nil, broken }, repchromem.RepairOptions{All: true}); !errors.Is(err, broken) {
		t.Error(err)
	}
	if got, err := other.Query(t.Context(), "apples", 2, nil, nil); err != nil || len(got) != 2 {
		t.Errorf("after a failed repair: %v %v", got, err)
	}
}

func TestACollectionReplacedBehindTheHandle(t *testing.T) {
	db := chromem.NewDB()
	c := open(t, db, repchromem.Options{})
	add(t, c, "a: apples")
	if _, err := db.CreateCollection("notes", nil, bag); err != nil { // silently a new one
		t.Fatal(err)
	}
	if _, err := c.Add(t.Context(), []core.Candidate{{ID: "b", Text: "bananas"}}); !errors.Is(err, repchromem.ErrReplaced) {
		t.Errorf("add: %v", err)
	}
	if err := c.Delete(t.Context(), "a"); !errors.Is(err, repchromem.ErrReplaced) {
		t.Errorf("delete: %v", err)
	}
	again := open(t, db, repchromem.Options{})
	if again.Count() != 0 {
		t.Errorf("%d chunks", again.Count())
	}
	add(t, again, "b: bananas")
}

func TestOpenedAtTheSameTimeItIsOneCollection(t *testing.T) {
	eng := newEngine(t)
	for range 200 {
		db := chromem.NewDB()
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				c, err := repchromem.Open(eng, db, "notes", bag, repchromem.Options{})
				if err == nil {
					_, err = c.Add(t.Context(), []core.Candidate{{ID: fmt.Sprint(i), Text: "text"}})
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := db.GetCollection("notes", bag).Count(); n != 4 {
			t.Fatalf("%d of 4 chunks", n)
		}
	}
}

func TestADatabaseIsForgottenWithItsLastHandle(t *testing.T) {
	before := repchromem.Libraries()
	func() {
		eng, err := core.New(core.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer eng.Close()
		for range 10 {
			if _, err := repchromem.Open(eng, chromem.NewDB(), "notes", bag, repchromem.Options{}); err != nil {
				t.Fatal(err)
			}
		}
	}()
	for range 100 {
		runtime.GC()
		if repchromem.Libraries() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d databases, %d before", repchromem.Libraries(), before)
}
