package chromem_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/philippgille/chromem-go"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
)

// Everything at once, for the race detector; each goroutine annotates the
// metadata it gets.
func TestConcurrentUse(t *testing.T) {
	for _, hybrid := range []bool{false, true} {
		db := chromem.NewDB()
		c := open(t, db, repchromem.Options{Hybrid: hybrid})
		other := open(t, db, repchromem.Options{Hybrid: true})
		cancel := c.Observe(&recorder{})
		defer cancel()
		var wg sync.WaitGroup
		work := []func(i int) error{
			func(i int) error {
				got, err := c.Query(t.Context(), "words of text", 3, map[string]string{"k": "v"}, nil)
				for _, r := range got {
					r.Metadata["k"] = "mine"
					r.Embedding[0] = 7
				}
				return err
			},
			func(i int) error { _, err := other.Query(t.Context(), "text 3", 50, nil, nil); return err },
			func(i int) error {
				_, err := c.Add(t.Context(), []core.Candidate{{ID: fmt.Sprint(i % 7), Text: fmt.Sprint("words of text ", i), Metadata: map[string]any{"k": "v"}}})
				return err
			},
			func(i int) error { return other.Delete(t.Context(), fmt.Sprint(i%5)) },
			func(i int) error { return c.ExportToWriter(io.Discard, false, "") },
			func(i int) error {
				_, err := other.IngestDocuments(t.Context(), []repchromem.Document{{ID: "d", Text: fmt.Sprint("document ", i)}}, repchromem.IngestOptions{})
				return err
			},
			func(i int) error {
				_, err := c.Sample(t.Context(), 3, uint64(i))
				if err == nil {
					_, err = c.LoadDocument(t.Context(), "u", "d")
				}
				return err
			},
			func(i int) error {
				for _, err := range c.Chunks(t.Context()) {
					if err != nil {
						return err
					}
				}
				return nil
			},
		}
		for _, f := range work {
			wg.Go(func() {
				for i := range 30 {
					if err := f(i); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		for _, r := range mustQuery(t, c, "words of text", 50) {
			if v := r.Metadata["k"]; v != "" && v != "v" {
				t.Errorf("%s: metadata %q", r.ID, v)
			}
		}
	}
}

func mustQuery(t *testing.T, c *repchromem.Collection, text string, n int) []chromem.Result {
	t.Helper()
	got, err := c.Query(t.Context(), text, n, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Two writers of one id: the last wins as a whole.
func TestWritersOfOneIDDoNotMix(t *testing.T) {
	c := open(t, chromem.NewDB(), repchromem.Options{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			who := fmt.Sprint(i)
			for range 20 {
				_, err := c.Add(t.Context(), []core.Candidate{{ID: "x", Text: who, Title: who}, {ID: "y", Text: who, Title: who}})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got, err := c.Get(t.Context(), "x", "y")
	if err != nil || len(got) != 2 || got[0].Text != got[0].Title || got[0].Text != got[1].Text {
		t.Errorf("%+v %v", got, err)
	}
}

// recorder keeps what it hears.
type recorder struct {
	mu     sync.Mutex
	texts  map[string]string
	missed int
	wrong  []string
}

func (r *recorder) Inserted(chunks []core.Candidate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.texts == nil {
		r.texts = map[string]string{}
	}
	for _, c := range chunks {
		if _, ok := r.texts[c.ID]; ok {
			r.wrong = append(r.wrong, "inserted twice: "+c.ID)
		}
		r.texts[c.ID] = c.Text
	}
}

func (r *recorder) Deleted(chunks []core.Candidate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range chunks {
		if was, ok := r.texts[c.ID]; !ok || was != c.Text || len(c.Vector) == 0 {
			r.wrong = append(r.wrong, "deleted wrongly: "+c.ID)
		}
		delete(r.texts, c.ID)
	}
}

func (r *recorder) Missed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.missed++
}

func TestObserversHearEveryWrite(t *testing.T) {
	db := chromem.NewDB()
	c := open(t, db, repchromem.Options{})
	r := &recorder{}
	cancel := c.Observe(r)
	add(t, c, "a: apples", "b: bananas", "c: cherries")
	add(t, open(t, db, repchromem.Options{}), "a: changed apples") // through another handle
	if err := c.Delete(t.Context(), "b", "nobody"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.DeleteWhere(t.Context(), repchromem.Where{Document: map[string]string{"$contains": "cherr"}}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"One.", "Two."} {
		if _, err := c.IngestDocuments(t.Context(), []repchromem.Document{{ID: "d", Text: text}}, repchromem.IngestOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if fmt.Sprint(r.texts) != "map[a:changed apples d#0:Two.]" || r.missed != 0 || len(r.wrong) != 0 {
		t.Errorf("%v, missed %d, %v", r.texts, r.missed, r.wrong)
	}
	listed := map[string]string{}
	for chunk, err := range c.Chunks(t.Context()) {
		if err != nil || len(chunk.Vector) != 64 {
			t.Fatal(err)
		}
		listed[chunk.ID] = chunk.Text
	}
	if fmt.Sprint(listed) != fmt.Sprint(r.texts) {
		t.Errorf("listed %v", listed)
	}
	if err := db.GetCollection("notes", bag).AddDocument(t.Context(), chromem.Document{ID: "past", Content: "past"}); err != nil {
		t.Fatal(err)
	}
	mustQuery(t, c, "past", 1)
	if r.missed != 1 {
		t.Errorf("missed %d", r.missed)
	}
	cancel()
	cancel()
	if err := c.Delete(t.Context(), "a"); err != nil || r.texts["a"] == "" {
		t.Errorf("heard after cancel: %v %v", r.texts, err)
	}
}

func TestSampleIsRepeatable(t *testing.T) {
	c := open(t, chromem.NewDB(), repchromem.Options{})
	var texts []string
	for i := range 50 {
		texts = append(texts, fmt.Sprintf("%02d: text %d", i, i))
	}
	add(t, c, texts...)
	names := func(n int, seed uint64) string {
		got, err := c.Sample(t.Context(), n, seed)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		seen := map[string]bool{}
		for _, x := range got {
			if seen[x.ID] || len(x.Vector) != 64 || x.Text == "" {
				t.Fatalf("%+v", x)
			}
			seen[x.ID] = true
			ids = append(ids, x.ID)
		}
		return strings.Join(ids, " ")
	}
	if a, b := names(10, 1), names(10, 1); a != b || len(strings.Fields(a)) != 10 {
		t.Errorf("%q, then %q", a, b)
	}
	if names(10, 1) == names(10, 2) {
		t.Error("the seed does not count")
	}
	if got := strings.Fields(names(99, 1)); len(got) != 50 {
		t.Errorf("%d of 50", len(got))
	}
	if names(-1, 1) != "" {
		t.Error("a negative number")
	}
}

func TestPermission(t *testing.T) {
	c := open(t, chromem.NewDB(), repchromem.Options{Allow: func(_ context.Context, user, docID string) (bool, error) {
		if user == "" {
			return false, io.ErrUnexpectedEOF
		}
		return user == "u1" && docID == "doc", nil
	}})
	if _, err := c.Add(t.Context(), []core.Candidate{{ID: "x", DocID: "doc", Text: "secret"}}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"doc", "x"} {
		if d, err := c.LoadDocument(t.Context(), "u1", id); err != nil || !d.Allowed || !d.Exists || d.Text != "secret" {
			t.Errorf("%s: %+v %v", id, d, err)
		}
		if d, err := c.LoadDocument(t.Context(), "u2", id); err != nil || d.Allowed || !d.Exists || d.Text != "" {
			t.Errorf("%s: %+v %v", id, d, err)
		}
		if _, err := c.LoadDocument(t.Context(), "", id); err != io.ErrUnexpectedEOF {
			t.Error(err)
		}
	}
	if d, err := c.LoadDocument(t.Context(), "u1", "nobody"); err != nil || d.Exists {
		t.Errorf("%+v %v", d, err)
	}
}
