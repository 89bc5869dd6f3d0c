package core_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/lifecycle"
)

// loading is a source that says of every document the same text.
type loading struct {
	core.Source
	text *string
}

func (l loading) LoadDocument(context.Context, string, string) (core.Loaded, error) {
	return core.Loaded{Text: *l.text, Exists: true, Allowed: true}, nil
}

// embedding is one that has vectors too.
type embedding struct {
	loading
	vector []float32
}

func (e embedding) Embed(context.Context, string) ([]float32, error) { return e.vector, nil }

// accepted takes a document into the library with the chunks shown.
func (l *library) accepted(user, doc string, src core.Source) core.Entry {
	l.t.Helper()
	offer, ok := retrieve(l.t, l.Engine, src, core.Query{Text: "words", User: user}).Offer(doc)
	if !ok {
		l.t.Fatalf("%q is not shown", doc)
	}
	if _, err := l.Library(user).In(src).Accept(context.Background(), offer); err != nil {
		l.t.Fatal(err)
	}
	e, _, err := l.Library(user).In(src).Get(context.Background(), doc)
	if err != nil {
		l.t.Fatal(err)
	}
	return e
}

// A library text takes the place of the chunks that are part of it, whatever their
// white space, and of no others.
func TestALibraryTextHoldsWhatItContains(t *testing.T) {
	text := "an abstract of the manual"
	tests := []struct {
		chunk, text string
		holds       bool
	}{
		{"the port is 8443", text, false},
		{"abstract of", text, true},
		{"an  abstract\n of", text, true},
		{"an abstract\xff", "an abstract\uFFFD and more", true},
		{"", text, true},
	}
	for _, tt := range tests {
		l := newLibrary(t, core.Options{}, nil)
		src := loading{vectors("", nil, core.Candidate{ID: "a#7", DocID: "a", Text: tt.chunk, Score: .9, ChunkIndex: 7, TotalChunks: 9}), &tt.text}
		if _, err := l.Library("u1").In(src).Add(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		resp := retrieve(t, l.Engine, src, core.Query{Text: "port", User: "u1"})
		if it := resp.Items[0]; !it.FromLibrary || (len(it.Holds) == 1) != tt.holds || len(resp.Items) != 1 != !tt.holds {
			t.Errorf("%q in %q: %+v", tt.chunk, tt.text, resp.Items)
		}
		if reason := resp.Items[0].Reason; !strings.Contains(reason, "found by the retriever too") {
			t.Errorf("%q: %s", tt.chunk, reason)
		}
		if resp.Items[0].ID == resp.Items[len(resp.Items)-1].ID && len(resp.Items) > 1 {
			t.Errorf("one id twice: %v", resp.IDs())
		}
	}
}

// A text is there once, though it goes by two names.
func TestOneTextOfTwoDocumentsIsThereOnce(t *testing.T) {
	chunk := func(doc string, score float64) core.Candidate {
		return core.Candidate{ID: doc + "#0", DocID: doc, Text: "the port is 8443", Score: score}
	}
	other := core.Candidate{ID: "x", Text: "the port of Hamburg is old", Score: .95}
	for _, pin := range []bool{false, true} {
		l := newLibrary(t, core.Options{}, nil)
		before := vectors("", nil, chunk("old.md", .9))
		l.accepted("u1", "old.md", before)
		if pin {
			if _, err := l.Library("u1").In(before).Pin(t.Context(), "old.md"); err != nil {
				t.Fatal(err)
			}
		}
		resp := retrieve(t, l.Engine, vectors("", nil, other, chunk("new.md", .9)), core.Query{Text: "port is", User: "u1"})
		if len(resp.Items) != 2 || item(resp, "new.md") == nil {
			t.Fatalf("items %+v", resp.Items)
		}
		if first := resp.Items[0].DocID == "new.md" && resp.Items[0].Pinned; first != pin || len(resp.Library) != 0 != pin {
			t.Errorf("pinned %v: items %+v, notes %+v", pin, resp.Items, resp.Library)
		}
	}
	l := newLibrary(t, core.Options{}, map[string]string{"a": "one text", "b": "one text", "c": "other words"})
	for _, doc := range []string{"a", "b"} {
		if _, err := l.Library("u1").In(l.shelf).Pin(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
	}
	if resp := l.ask("u1", "other"); len(resp.Items) != 2 || resp.Items[0].DocID != "a" || len(resp.Library) != 1 {
		t.Errorf("items %+v, notes %+v", resp.Items, resp.Library)
	}
}

// A text that changed keeps its place among the vectors, and gets its own one.
func TestAChangedTextHasAVector(t *testing.T) {
	a := core.Candidate{ID: "a", DocID: "a", Text: "how a listener is closed", Vector: []float32{1, .1}, Score: .9}
	b := core.Candidate{ID: "b", DocID: "b", Text: "servers", Vector: []float32{1, .5}, Score: .8}
	newer := core.Candidate{ID: "a#1", DocID: "a", Text: "listener is closed", Vector: []float32{1, .2}, Score: .9}
	for name, tt := range map[string]struct {
		found  core.Candidate
		vector []float32 // of the embedder
		want   float32
	}{
		"embedded":    {b, []float32{1, .3}, .3},
		"kept":        {b, nil, .1},
		"from chunks": {newer, []float32{1, .3}, .2},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary(t, core.Options{}, nil)
			text := a.Text
			src := func(c core.Candidate) core.Source {
				return embedding{loading{vectors("m", []float32{1, 0}, c), &text}, tt.vector}
			}
			l.accepted("u1", "a", src(a))
			text += " quickly"
			var e core.Entry
			for range 1000 {
				resp := retrieve(t, l.Engine, src(tt.found), core.Query{Text: "zzz", User: "u1"})
				if it := item(resp, "a"); it == nil || !it.FromLibrary || it.Text != text {
					t.Fatalf("items %+v", resp.Items)
				}
				e, _, _ = l.Library("u1").In(src(a)).Get(t.Context(), "a")
				if v := e.Record.Claim.Vector; len(v) == 2 && v[1] == tt.want {
					break
				}
				time.Sleep(time.Millisecond)
			}
			if c := e.Record.Claim; len(c.Vector) != 2 || c.Vector[1] != tt.want || c.Model != "m" || e.Text != text {
				t.Errorf("claim %+v", c)
			}
		})
	}
}

// A source may tell only who may read what: its chunks are the text then, and a
// change of them shows as without a Loader.
func TestASourceThatTellsPermissionsAlone(t *testing.T) {
	l := newLibrary(t, core.Options{}, nil)
	none := ""
	src := loading{vectors("", nil, core.Candidate{ID: "a", DocID: "a", Text: "the port is 8443", Score: .9}), &none}
	if e := l.accepted("u1", "a", src); e.Origin != lifecycle.FromChunks {
		t.Fatalf("%+v", e)
	}
	resp := retrieve(t, l.Engine, src, core.Query{Text: "port", User: "u1"})
	if len(resp.Library) != 0 || !resp.Items[0].FromLibrary {
		t.Errorf("items %+v, notes %+v", resp.Items, resp.Library)
	}
	src.Source = vectors("", nil, core.Candidate{ID: "a", DocID: "a", Text: "the port is 443", Score: .9})
	resp = retrieve(t, l.Engine, src, core.Query{Text: "port", User: "u1"})
	if len(resp.Items) != 1 || resp.Items[0].Text != "the port is 443" || len(resp.Library) != 1 || !resp.Library[0].Served {
		t.Errorf("changed: items %+v, notes %+v", resp.Items, resp.Library)
	}
}

// A chunk may have any id.
func TestAnyChunkMayBeClaimed(t *testing.T) {
	for _, id := range []string{"caf\xe9#0", strings.Repeat("x", 300), "", "digest:x"} {
		l := newLibrary(t, core.Options{}, nil)
		chunk := func(text string) core.Source {
			return vectors("", nil, core.Candidate{ID: id, DocID: "d", Text: text, Score: .9},
				core.Candidate{ID: "b", DocID: "d", Text: "more text", Score: .8, ChunkIndex: 1})
		}
		if e := l.accepted("u1", "d", chunk("fine text")); e.Text != "fine text\n\nmore text" || len(e.Record.Claim.Chunks) != 2 {
			t.Errorf("%.10q: %+v", id, e)
		}
		if resp := retrieve(t, l.Engine, chunk("fine text"), core.Query{Text: "x", User: "u1"}); len(resp.Items) != 1 || len(resp.Items[0].Holds) != 2 {
			t.Errorf("%.10q: %+v", id, resp.Items)
		}
		resp := retrieve(t, l.Engine, chunk("another text"), core.Query{Text: "x", User: "u1"})
		if changed := id != ""; len(resp.Items) != 2 || (len(resp.Library) == 1) != changed {
			t.Errorf("%.10q changed: %+v, %+v", id, resp.Items, resp.Library)
		}
	}
}

// What chunks repeat of each other is kept once.
func TestClaimedChunksRepeatNothing(t *testing.T) {
	l := newLibrary(t, core.Options{}, nil)
	chunk := func(id, text string, i int) core.Candidate {
		return core.Candidate{ID: id, DocID: "d", Text: text, Score: .9, ChunkIndex: i, TotalChunks: 4}
	}
	src := vectors("", nil, chunk("1", "alpha beta", 1), chunk("2", "beta", 2), chunk("0", "alpha", 0), chunk("3", "gamma", 3))
	if e := l.accepted("u1", "d", src); e.Text != "alpha beta\n\ngamma" || len(e.Record.Claim.Chunks) != 4 {
		t.Errorf("%q, %v", e.Text, e.Record.Claim.Chunks)
	}
	if resp := retrieve(t, l.Engine, src, core.Query{Text: "x", User: "u1"}); len(resp.Items) != 1 || len(resp.Library) != 0 {
		t.Errorf("items %+v, notes %+v", resp.Items, resp.Library)
	}
}

// A text that changed and grew out of its room is not said to be served.
func TestNotesSayWhatWasServed(t *testing.T) {
	l := newLibrary(t, core.Options{Library: core.LibraryOptions{Tokens: 50}}, map[string]string{"x": "annual stuff", "y": "other words"})
	if _, err := l.Library("u1").In(l.shelf).Pin(t.Context(), "y"); err != nil {
		t.Fatal(err)
	}
	l.shelf.put("y", strings.Repeat("other words ", 100))
	for i, cause := range []lifecycle.Cause{lifecycle.ContentChanged, 0} {
		resp := l.ask("u1", "annual")
		if len(resp.Items) != 1 || len(resp.Library) != 1 {
			t.Fatalf("items %+v, notes %+v", resp.Items, resp.Library)
		}
		if n := resp.Library[0]; n.Served || n.Cause != cause || !strings.Contains(n.Reason, "no room for its 300 tokens") {
			t.Errorf("question %d: %+v", i, n)
		}
	}
}

// A pin whose source had no text takes effect again when it has one.
func TestAPinComesBackWithItsSource(t *testing.T) {
	for name, change := range map[string]func(s *cabinet) (undo func()){
		"gone":      func(s *cabinet) func() { s.remove("leave"); return func() { s.put("leave", policies["leave"]) } },
		"forbidden": func(s *cabinet) func() { s.forbidden["leave"] = "u1"; return func() { delete(s.forbidden, "leave") } },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary(t, core.Options{}, policies)
			lib := l.Library("u1").In(l.shelf)
			for _, doc := range []string{"leave", "oncall"} {
				if _, err := lib.Pin(t.Context(), doc); err != nil {
					t.Fatal(err)
				}
			}
			undo := change(l.shelf)
			l.ask("u1", "travel costs")
			if resp := l.ask("u1", "travel costs"); len(resp.Items) != 2 || len(resp.Library) != 0 {
				t.Errorf("items %+v, notes %+v", resp.Items, resp.Library)
			}
			undo()
			for i := range 2 {
				resp := l.ask("u1", "travel costs")
				if it := item(resp, "leave"); it == nil || !it.Pinned || !it.FromLibrary || it.State != lifecycle.Pinned || len(resp.Library) != 1-i {
					t.Errorf("again %d: items %+v, notes %+v", i, resp.Items, resp.Library)
				}
			}
			if e, _, err := lib.Get(t.Context(), "leave"); err != nil || e.Text != policies["leave"] || e.State != lifecycle.Pinned {
				t.Errorf("%+v, %v", e, err)
			}
		})
	}
}

// No two items have one id, and signals reach each of them, whatever chunks and
// documents are called.
func TestItemsHaveNamesOfTheirOwn(t *testing.T) {
	chunk := func(id, doc, text string, i int) core.Candidate {
		return core.Candidate{ID: id, DocID: doc, Text: text, Score: .9 - float64(i)/10, ChunkIndex: i, TotalChunks: 3}
	}
	check := func(t *testing.T, l *library, src core.Source, want int) {
		t.Helper()
		resp := retrieve(t, l.Engine, src, core.Query{Text: "words", User: "u1"})
		seen := map[string]bool{}
		for _, it := range resp.Items {
			if seen[it.ID] {
				t.Errorf("two items are %q", it.ID)
			}
			seen[it.ID] = true
			u := feed(t, l.Engine, resp.Receipt, core.Rated("user:"+it.DocID, core.Up).On(it.ID))
			for _, d := range u.Documents {
				if d.DocID != it.DocID {
					t.Errorf("a signal on %q taught %+v", it.ID, d)
				}
			}
		}
		if len(resp.Items) != want {
			t.Errorf("items %v", resp.IDs())
		}
	}
	t.Run("a chunk has the name of a library text", func(t *testing.T) {
		l := newLibrary(t, core.Options{}, nil)
		src := vectors("", nil, chunk("library:d", "evil", "words of somebody", 0), chunk("x", "library:library:d", "more words", 1))
		for doc, text := range map[string]string{"d": "my words", "library:d": "own words"} {
			if _, err := l.Library("u1").In(src).AddText(t.Context(), doc, text); err != nil {
				t.Fatal(err)
			}
			if _, err := l.Library("u1").In(src).Pin(t.Context(), doc); err != nil {
				t.Fatal(err)
			}
		}
		check(t, l, src, 4)
	})
	t.Run("a chunk has the name of a document", func(t *testing.T) {
		for _, doc := range []string{"d", "z"} {
			l := newLibrary(t, core.Options{}, nil)
			l.accepted("u1", "d", vectors("", nil, chunk("d.1", "d", "one words", 0), chunk("d.2", "d", "two words", 1)))
			src := vectors("", nil, chunk("d.1", "d", "one words", 0), chunk("d.2", "d", "two words", 1), chunk("d", doc, "three words", 2))
			check(t, l, src, 2)
		}
	})
}

// A block takes one document away, not its text where others say it too, and no
// evidence about that.
func TestABlockLeavesCopiesOfTheTextAlone(t *testing.T) {
	l := newLibrary(t, core.Options{}, nil)
	copied := func(id, doc string, score float64) core.Candidate {
		return core.Candidate{ID: id, DocID: doc, Text: "the port is 8443", Score: score}
	}
	src := vectors("", nil,
		copied("a", "a", .9), copied("b", "b", .8), copied("c", "c", .7),
		core.Candidate{ID: "x", DocID: "x", Text: "another text", Score: .75},
		core.Candidate{ID: "x", DocID: "y", Text: "one id, two texts", Score: .6})
	resp := retrieve(t, l.Engine, src, core.Query{Text: "port", User: "u1"})
	feed(t, l.Engine, resp.Receipt, core.Verified(true).On("a"))
	block := func(doc string) {
		if _, err := l.Library("u1").In(src).Block(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		block string
		want  string
	}{{"", "a x"}, {"a", "b x"}, {"x", "b x"}, {"b", "c x"}, {"c", "x"}, {"y", ""}} {
		if step.block != "" {
			block(step.block)
		}
		resp := retrieve(t, l.Engine, src, core.Query{Text: "port", User: "u1"})
		if got := strings.Join(resp.IDs(), " "); got != step.want {
			t.Errorf("%q blocked: %s, want %s", step.block, got, step.want)
		}
		if it := resp.Items; len(it) == 2 && (it[0].DocID != it[0].ID || it[0].Posterior.Mean <= .5 || it[0].BaseRank != 0) {
			t.Errorf("%q blocked: %+v", step.block, it[0])
		}
		if n := len(resp.Items) + len(resp.Rejected); n != 5 {
			t.Errorf("%q blocked: %d of 5 candidates: %+v", step.block, n, resp.Rejected)
		}
	}
	if got := retrieve(t, l.Engine, src, core.Query{Text: "port", User: "u2"}); got.Items[0].ID != "a" {
		t.Errorf("for another user: %v", got.IDs())
	}
}
