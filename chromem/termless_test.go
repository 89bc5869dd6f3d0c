package chromem_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/philippgille/chromem-go"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
)

// local is the embedder of this package, which has no vector for a text without a
// word.
func local(t testing.TB) chromem.EmbeddingFunc {
	t.Helper()
	e, err := repchromem.NewLocalEmbedder(repchromem.LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return e.Func()
}

func openLocal(t testing.TB, db *chromem.DB, hybrid bool) *repchromem.Collection {
	t.Helper()
	c, err := repchromem.Open(newEngine(t), db, "notes", local(t), repchromem.Options{Hybrid: hybrid})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAChunkWithoutATermIsLeftOut(t *testing.T) {
	rule := strings.Repeat("* * * * ", 80)
	files := fstest.MapFS{
		"a.md": {Data: []byte("apples grow on trees")},
		"m.md": {Data: []byte("***\n")},
		"r.md": {Data: []byte(strings.Repeat("Pears are picked in autumn. ", 15) + "\n\n" + rule + "\n\nPears keep until spring.")},
		"z.md": {Data: []byte("plums are blue")},
	}
	for _, hybrid := range []bool{false, true} {
		c := openLocal(t, chromem.NewDB(), hybrid)
		r := ingest(t, c, files, repchromem.IngestOptions{})
		if r.Documents != 4 || r.Failed != 0 || r.Mute < 2 || r.Chunks != c.Count() {
			t.Fatalf("hybrid %v: %+v, %d chunks", hybrid, r, c.Count())
		}
		text, err := c.LoadDocument(t.Context(), "", "r.md")
		if err != nil || !strings.Contains(text.Text, "Pears are picked") || !strings.Contains(text.Text, "Pears keep") {
			t.Errorf("hybrid %v: %v %q", hybrid, err, text.Text)
		}
		if r := ingest(t, c, files, repchromem.IngestOptions{}); r.Unchanged != 4 || r.Embedded != 0 || r.Chunks != c.Count() {
			t.Errorf("hybrid %v: again %+v", hybrid, r)
		}
		files := fstest.MapFS{"a.md": {Data: []byte("?!")}, "r.md": files["r.md"], "z.md": files["z.md"]}
		if r := ingest(t, c, files, repchromem.IngestOptions{}); r.Updated != 1 || r.Removed != 0 || r.Unchanged != 2 {
			t.Errorf("hybrid %v: a text that lost its words: %+v", hybrid, r)
		}
		if got, err := c.Query(t.Context(), "apples", 1, nil, map[string]string{"$contains": "apples"}); err != nil || len(got) != 0 {
			t.Errorf("hybrid %v: what is no longer there is found: %v %v", hybrid, got, err)
		}
	}
}

func TestManyDocumentsAndOneWithoutATerm(t *testing.T) {
	docs := make([]repchromem.Document, 300)
	for i := range docs {
		docs[i] = repchromem.Document{ID: fmt.Sprint("d", i), Text: fmt.Sprint("printer number ", i)}
	}
	docs[200].Text = "?!"
	c := openLocal(t, chromem.NewDB(), true)
	r, err := c.IngestDocuments(t.Context(), docs, repchromem.IngestOptions{})
	if err != nil || r.Documents != 300 || r.Chunks != 299 || r.Mute != 1 || c.Count() != 299 {
		t.Errorf("%+v %v, %d chunks", r, err, c.Count())
	}
}

// A chunk that was given by hand is not left out quietly.
func TestAddRefusesWhatHasNoTerm(t *testing.T) {
	c := openLocal(t, chromem.NewDB(), false)
	_, err := c.Add(t.Context(), []core.Candidate{{ID: "a", Text: "apples"}, {ID: "b", Text: "what is it?"}})
	if !errors.Is(err, repchromem.ErrNoTerms) || !errors.Is(err, repchromem.ErrVector) || c.Count() != 0 {
		t.Errorf("%v, %d chunks", err, c.Count())
	}
}

func TestAQuestionWithoutATermFindsNothing(t *testing.T) {
	for _, hybrid := range []bool{false, true} {
		c := openLocal(t, chromem.NewDB(), hybrid)
		add(t, c, "a: apples grow on trees", "b: plums are blue")
		for _, q := range []string{"what is it?", "???", "a"} {
			r, err := c.Retrieve(t.Context(), core.Query{Text: q})
			if err != nil || r.Verdict != core.Empty || len(r.Items) != 0 {
				t.Errorf("hybrid %v, %q: %+v %v", hybrid, q, r, err)
			}
			if got, err := c.Query(t.Context(), q, 3, nil, nil); err != nil || len(got) != 0 {
				t.Errorf("hybrid %v, %q: %v %v", hybrid, q, got, err)
			}
		}
		if _, err := c.Query(t.Context(), " ", 3, nil, nil); !errors.Is(err, core.ErrEmptyQuery) {
			t.Errorf("hybrid %v, blank: %v", hybrid, err)
		}
	}
}

// chromem itself stores a text without a term with a vector of NaN, which Open
// refuses. Repair must be able to end that.
func TestRepairRemovesWhatHasNoTerm(t *testing.T) {
	db := chromem.NewDB()
	raw, err := db.CreateCollection("notes", nil, local(t))
	if err != nil {
		t.Fatal(err)
	}
	nan := float32(math.NaN())
	for id, text := range map[string]string{"a": "apples", "b": "***"} {
		if err := raw.AddDocument(t.Context(), chromem.Document{ID: id, Content: text, Embedding: []float32{nan, nan}}); err != nil {
			t.Fatal(err)
		}
	}
	n, err := repchromem.Repair(t.Context(), db, "notes", local(t), repchromem.RepairOptions{})
	if err != nil || n != 2 || raw.Count() != 1 {
		t.Fatalf("%d repaired, %v, %d left", n, err, raw.Count())
	}
	c := openLocal(t, db, false)
	if got, err := c.Query(t.Context(), "apples", 1, nil, nil); err != nil || idsOf(got) != "a" {
		t.Errorf("%v %v", got, err)
	}
}

// K may be as large as an int can be.
func TestHugeK(t *testing.T) {
	for _, hybrid := range []bool{false, true} {
		c := open(t, chromem.NewDB(), repchromem.Options{Hybrid: hybrid})
		add(t, c, "a: apples and pears", "b: plums")
		for _, k := range []int{1000, math.MaxInt/2 + 1, math.MaxInt - 1, math.MaxInt} {
			got, err := c.Query(t.Context(), "apples", k, nil, nil)
			if err != nil || len(got) == 0 || got[0].ID != "a" {
				t.Errorf("hybrid %v, n %d: %v %v", hybrid, k, got, err)
			}
		}
	}
}

func TestUpdateDoesNotBringBackWhatIsDeletedMeanwhile(t *testing.T) {
	var c *repchromem.Collection
	embed := func(ctx context.Context, text string) ([]float32, error) {
		if text == "new text" {
			if err := c.Delete(ctx, "a"); err != nil {
				t.Error(err)
			}
		}
		return bag(ctx, text)
	}
	c, err := repchromem.Open(newEngine(t), chromem.NewDB(), "notes", embed, repchromem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	add(t, c, "a: old", "b: other")
	err = c.Update(t.Context(), core.Candidate{ID: "b", Text: "another"}, core.Candidate{ID: "a", Text: "new text"})
	if !errors.Is(err, repchromem.ErrUnknownChunk) {
		t.Errorf("update: %v", err)
	}
	got, err := c.Get(t.Context(), "a", "b")
	if err != nil || len(got) != 1 || got[0].Text != "other" {
		t.Errorf("all or none: %+v %v", got, err)
	}
}
