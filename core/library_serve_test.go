package core_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/store"
)

// vectors is a source without a Loader that finds chunks by given vectors.
func vectors(model string, query []float32, cands ...core.Candidate) core.Source {
	return core.SourceFunc{
		Description: core.SourceInfo{Name: "vectors", Kind: core.CosineSimilarity, Model: model},
		Func: func(context.Context, core.Query, int) (core.Hits, error) {
			return core.Hits{Candidates: slices.Clone(cands), QueryVector: query}, nil
		},
	}
}

// A claimed text that the retriever does not find is served if it fits as well as
// what it finds: by vectors of one model, else by words.
func TestClaimedTextsAreMatched(t *testing.T) {
	near := core.Candidate{ID: "near", Text: "how a listener is closed", Vector: []float32{1, .1}, Score: .9}
	far := core.Candidate{ID: "far", Text: "bread wants salt", Vector: []float32{-.2, 1}, Score: .4}
	other := core.Candidate{ID: "other", Text: "a server that listens", Vector: []float32{1, .5}, Score: .8}
	tests := []struct {
		name, model, question string
		query                 []float32
		found                 []core.Candidate
		served                []string
	}{
		{"by vector", "m", "zzz", []float32{1, 0}, []core.Candidate{other}, []string{"near"}},
		{"by vector, the other", "m", "zzz", []float32{0, 1}, []core.Candidate{{ID: "x", Text: "x", Score: .5}}, []string{"far"}},
		{"by words: another model", "n", "listener closed", []float32{0, 1}, []core.Candidate{{ID: "x", Text: "close a listener", Score: .8}}, []string{"near"}},
		{"by words: no vectors", "m", "salt", nil, []core.Candidate{{ID: "x", Text: "salt and butter and more bread", Score: .8}}, []string{"far"}},
		{"no words in common", "n", "dough", nil, []core.Candidate{{ID: "x", Text: "dough", Score: .8}}, nil},
		{"nothing found", "m", "listener closed", []float32{1, 0}, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLibrary(t, core.Options{}, nil)
			ctx := context.Background()
			for _, c := range []core.Candidate{near, far} {
				src := vectors("m", []float32{1, 0}, c)
				offer, ok := retrieve(t, l.Engine, src, core.Query{Text: "q", User: "u1"}).Offer(c.ID)
				if !ok {
					t.Fatal("not offered")
				}
				if e, err := l.Library("u1").In(src).Accept(ctx, offer); err != nil || e.Origin != lifecycle.FromChunks {
					t.Fatalf("%+v, %v", e, err)
				}
			}
			resp := retrieve(t, l.Engine, vectors(tt.model, tt.query, tt.found...), core.Query{Text: tt.question, User: "u1"})
			var served []string
			for _, it := range resp.Items {
				if it.FromLibrary {
					served = append(served, it.DocID)
				}
			}
			if !slices.Equal(served, tt.served) {
				t.Errorf("served %v, want %v: %+v", served, tt.served, resp.Items)
			}
		})
	}
}

// Without a Loader a change shows where the retriever finds the claimed chunk
// with another text.
func TestChangesShowWithoutALoader(t *testing.T) {
	ctx := context.Background()
	chunk := func(id, text string, i int) core.Candidate {
		return core.Candidate{ID: id, DocID: "d", Text: text, Score: .9, ChunkIndex: i, TotalChunks: 2}
	}
	claim := func(l *library, cands ...core.Candidate) *core.Library {
		src := vectors("", nil, cands...)
		offer, _ := retrieve(t, l.Engine, src, core.Query{Text: "q", User: "u1"}).Offer("d")
		lib := l.Library("u1").In(src)
		if _, err := lib.Accept(ctx, offer); err != nil {
			t.Fatal(err)
		}
		return lib
	}
	l := newLibrary(t, core.Options{}, nil)
	lib := claim(l, chunk("d#0", "old words", 0))
	resp := retrieve(t, l.Engine, vectors("", nil, chunk("d#0", "new words", 0)), core.Query{Text: "q", User: "u1"})
	if len(resp.Items) != 1 || resp.Items[0].Text != "new words" || len(resp.Library) != 1 || !resp.Library[0].Served {
		t.Errorf("one chunk: %+v, %+v", resp.Items, resp.Library)
	}
	if e, _, err := lib.Get(ctx, "d"); err != nil || e.Text != "new words" {
		t.Errorf("kept %q, %v", e.Text, err)
	}

	l = newLibrary(t, core.Options{}, nil)
	lib = claim(l, chunk("d#0", "first words", 0), chunk("d#1", "second words", 1))
	if e, _, _ := lib.Get(ctx, "d"); e.Text != "first words\n\nsecond words" {
		t.Fatalf("claimed %q", e.Text)
	}
	resp = retrieve(t, l.Engine, vectors("", nil, chunk("d#1", "second words", 1)), core.Query{Text: "q", User: "u1"})
	if len(resp.Items) != 1 || !resp.Items[0].FromLibrary || len(resp.Library) != 0 {
		t.Errorf("unchanged: %+v, %+v", resp.Items, resp.Library)
	}
	resp = retrieve(t, l.Engine, vectors("", nil, chunk("d#1", "other words", 1)), core.Query{Text: "q", User: "u1"})
	if len(resp.Items) != 1 || resp.Items[0].FromLibrary || resp.Items[0].Text != "other words" || len(resp.Library) != 1 {
		t.Errorf("one of two chunks changed: %+v, %+v", resp.Items, resp.Library)
	}
	// It was used often enough to be offered anew, with the text it has now.
	if e, _, _ := lib.Get(ctx, "d"); e.State != lifecycle.Suggested || e.Text != "" || len(resp.Suggestions) != 1 {
		t.Errorf("kept: %+v", e)
	}
}

// The user's own text is marked wherever it is shown.
func TestOwnTextsAreMarked(t *testing.T) {
	l := newLibrary(t, core.Options{}, policies)
	if _, err := l.Library("u1").In(vectors("", nil)).AddText(context.Background(), "d", "my own words"); err != nil {
		t.Fatal(err)
	}
	src := vectors("", nil, core.Candidate{ID: "d#0", DocID: "d", Text: "the source's words", Score: .9})
	resp := retrieve(t, l.Engine, src, core.Query{Text: "q", User: "u1"})
	if len(resp.Items) != 2 || resp.Items[0].Origin != lifecycle.FromCaller || resp.Items[1].ID != "d#0" {
		t.Fatalf("items %+v", resp.Items)
	}
	if got := resp.Provenance().Text(); !strings.Contains(got, "text supplied by the user") {
		t.Errorf("provenance:\n%s", got)
	}
}

// A text of the user's own is served beside what the source says, and marked as
// differing from it; one that is the source's own is there once.
func TestOwnTextsStandBesideTheSource(t *testing.T) {
	l := newLibrary(t, core.Options{}, policies)
	dumb := core.SourceFunc{Description: l.shelf.Info(), Func: l.shelf.Search} // cannot be asked
	lib := l.Library("u1").In(dumb)
	for doc, text := range map[string]string{"leave": "ask Erika about leave", "travel": policies["travel"]} {
		if e, err := lib.AddText(context.Background(), doc, text); err != nil || e.Origin != lifecycle.FromCaller {
			t.Fatalf("%+v, %v", e, err)
		}
	}
	resp := l.ask("u1", "annual leave")
	if len(resp.Items) != 2 || !resp.Items[0].Changed || resp.Items[0].Text != "ask Erika about leave" || resp.Items[1].ID != "leave#0" {
		t.Errorf("the user's own: %+v", resp.Items)
	}
	if !strings.Contains(resp.Provenance().Text(), "differs from the source") {
		t.Errorf("provenance:\n%s", resp.Provenance().Text())
	}
	resp = l.ask("u1", "travel costs")
	if len(resp.Items) != 1 || resp.Items[0].Changed || resp.Items[0].ID != "travel#0" {
		t.Errorf("the same as the source's: %+v", resp.Items)
	}
}

// A document that the gate holds back was no plausible candidate: that is no miss,
// and its uses stay. One that passed and found no place is one.
func TestMisses(t *testing.T) {
	for _, tt := range []struct {
		score float64
		uses  int
	}{{.4, 1}, {.6, 0}} {
		l := newLibrary(t, core.Options{Gate: overHalf{}}, nil)
		ask := func(a, b float64) {
			src := vectors("", nil, core.Candidate{ID: "a", Text: "a", Score: a}, core.Candidate{ID: "b", Text: "b", Score: b})
			retrieve(t, l.Engine, src, core.Query{Text: "q", User: "u1", K: 1})
		}
		ask(.1, .9)
		for range 3 {
			ask(.9, tt.score)
		}
		if e, _, err := l.Library("u1").In(vectors("", nil)).Get(context.Background(), "b"); err != nil || e.Uses != tt.uses {
			t.Errorf("score %v: %d uses, %v; want %d", tt.score, e.Uses, err, tt.uses)
		}
	}
}

// counted is a store that counts what concerns users.
type counted struct {
	store.Store
	mu       sync.Mutex
	personal int
}

func (c *counted) count(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.personal += n
}

func (c *counted) Load(ctx context.Context, req store.LoadRequest) (*store.Loaded, error) {
	c.count(len(req.User) + len(req.Personal))
	return c.Store.Load(ctx, req)
}

func (c *counted) Record(ctx context.Context, r store.Retrieval) error {
	c.count(len(r.Personal))
	return c.Store.Record(ctx, r)
}

func (c *counted) Texts(ctx context.Context, namespace, user string, docs []string) (map[string]string, error) {
	c.count(1)
	return c.Store.Texts(ctx, namespace, user, docs)
}

func TestWithoutAUserNothingPersonalIsTouched(t *testing.T) {
	st := &counted{Store: store.NewMemory()}
	l := newLibrary(t, core.Options{Store: st}, policies)
	l.claimed("u1", "leave")
	st.personal = 0
	for range 4 {
		resp := l.ask("", "annual leave")
		feed(t, l.Engine, resp.Receipt, core.Rated("user:u1", core.Up).On("leave"), core.Verified(true))
	}
	if st.personal != 0 || l.shelf.loads != 1 {
		t.Errorf("%d personal rows named, %d loads", st.personal, l.shelf.loads)
	}
	if l.ask("u1", "annual leave"); st.personal == 0 {
		t.Error("the count counts nothing")
	}
}

// Copies are readable by their owner, carry no name of user or document in their
// path, and go with the claim however that ends.
func TestSavedCopies(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "saved")
	l := newLibrary(t, core.Options{Library: core.LibraryOptions{Dir: dir}}, policies)
	ctx, lib := context.Background(), l.Library("../u1").In(l.shelf)
	copies := func() (out []string) {
		t.Helper()
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				info, _ := d.Info()
				if info.Mode().Perm() != 0o600 || strings.Contains(path, "u1") || strings.Contains(path, "leave") {
					t.Errorf("%s: %v", path, info.Mode())
				}
				text, _ := os.ReadFile(path)
				out = append(out, string(text))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if _, err := lib.Add(ctx, "leave"); err != nil {
		t.Fatal(err)
	}
	if got := copies(); len(got) != 1 || !strings.Contains(got[0], policies["leave"]) || !strings.HasPrefix(got[0], "Title: ") {
		t.Fatalf("copies %q", got)
	}
	l.shelf.put("leave", "annual leave is over")
	l.ask("../u1", "annual leave")
	if got := copies(); len(got) != 1 || !strings.Contains(got[0], "is over") {
		t.Errorf("after a change: %q", got)
	}
	ends := map[string]func() error{
		"remove": func() error { _, err := lib.Remove(ctx, "leave"); return err },
		"block":  func() error { _, err := lib.Block(ctx, "leave"); return err },
		"gone": func() error {
			l.shelf.remove("leave")
			l.ask("../u1", "annual travel")
			l.shelf.put("leave", "annual leave is back")
			return nil
		},
		"decay": func() error {
			l.pass(90 * day)
			_, err := l.Sweep(ctx, "../u1")
			return err
		},
		"outcomes": func() error {
			l.ask("../u1", "annual leave")
			return lib.Down(ctx, "leave")
		},
		"erase": func() error { _, err := lib.Erase(ctx); return err },
	}
	for _, name := range []string{"remove", "block", "gone", "decay", "outcomes", "erase"} {
		if _, err := lib.Pin(ctx, "leave"); err != nil {
			t.Fatal(name, err)
		}
		if name == "decay" || name == "outcomes" {
			if _, err := lib.Unpin(ctx, "leave"); err != nil {
				t.Fatal(name, err)
			}
		}
		if got := copies(); len(got) != 1 {
			t.Fatalf("before %s: %q", name, got)
		}
		for range 2 {
			if err := ends[name](); err != nil && name != "remove" {
				t.Fatal(name, err)
			}
		}
		if got := copies(); len(got) != 0 {
			t.Errorf("after %s: %q", name, got)
		}
	}
}
