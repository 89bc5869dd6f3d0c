package chromem_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/philippgille/chromem-go"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
)

func ingest(t *testing.T, c *repchromem.Collection, fsys fs.FS, opts repchromem.IngestOptions) repchromem.IngestReport {
	t.Helper()
	r, err := c.Ingest(t.Context(), fsys, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// failing is a file system in which some paths cannot be opened.
type failing struct {
	fstest.MapFS
	path string
}

var errUnreadable = errors.New("input/output error")

func (f failing) Open(name string) (fs.File, error) {
	if name == f.path {
		return nil, errUnreadable
	}
	return f.MapFS.Open(name)
}

func (f failing) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == f.path {
		return nil, errUnreadable
	}
	return f.MapFS.ReadDir(name)
}

func TestWhatCannotBeReadStays(t *testing.T) {
	c := open(t, chromem.NewDB(), repchromem.Options{})
	files := fstest.MapFS{"a.txt": {Data: []byte("apples")}, "dir/b.txt": {Data: []byte("bananas")}, "dir/c.txt": {Data: []byte("cherries")}}
	ingest(t, c, files, repchromem.IngestOptions{})
	for _, path := range []string{"a.txt", "dir"} {
		r := ingest(t, c, failing{files, path}, repchromem.IngestOptions{})
		if r.Failed != 1 || r.Removed != 0 || c.Count() != 3 || r.Problems[0].Document != path || !errors.Is(r.Problems[0].Err, errUnreadable) {
			t.Errorf("%s: %+v, %d chunks", path, r, c.Count())
		}
	}
	if _, err := c.Ingest(t.Context(), failing{files, "."}, repchromem.IngestOptions{}); !errors.Is(err, errUnreadable) || c.Count() != 3 {
		t.Errorf("no root: %v, %d chunks", err, c.Count())
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.txt")
	dir := t.TempDir()
	for path, text := range map[string]string{secret: "secret", filepath.Join(dir, "open.txt"): "open"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"file": secret, "folder": filepath.Dir(secret), "loop": dir} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	c := open(t, chromem.NewDB(), repchromem.Options{})
	r := ingest(t, c, os.DirFS(dir), repchromem.IngestOptions{})
	if r.Documents != 1 || r.Failed != 3 || !errors.Is(r.Problems[0].Err, repchromem.ErrIrregular) {
		t.Errorf("%+v", r)
	}
}

func TestARunThatFailsIsTakenUpAgain(t *testing.T) {
	var calls atomic.Int64
	down := errors.New("down")
	limit := int64(300)
	c, err := repchromem.Open(newEngine(t), chromem.NewDB(), "notes", func(ctx context.Context, text string) ([]float32, error) {
		if calls.Add(1) > limit {
			return nil, down
		}
		if strings.Contains(text, "mute") {
			return make([]float32, 64), nil
		}
		return bag(ctx, text)
	}, repchromem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	docs := []repchromem.Document{{ID: "mute", Text: "mute"}}
	for i := range 500 {
		docs = append(docs, repchromem.Document{ID: strings.Repeat("x", i+1), Text: "word " + strings.Repeat("x", i)})
	}
	r, err := c.IngestDocuments(t.Context(), docs, repchromem.IngestOptions{})
	if !errors.Is(err, down) || c.Count() == 0 || c.Count() >= 500 || r.Removed != 0 {
		t.Fatalf("%+v %v", r, err)
	}
	before := r.Documents
	limit = 1 << 30
	r, err = c.IngestDocuments(t.Context(), docs, repchromem.IngestOptions{})
	if err != nil || r.Unchanged != before || r.Failed != 1 || !errors.Is(r.Problems[0].Err, repchromem.ErrVector) {
		t.Errorf("%d before: %+v %v", before, r, err)
	}
}

func TestSetsDoNotTouchEachOther(t *testing.T) {
	c := open(t, chromem.NewDB(), repchromem.Options{})
	add(t, c, "own: added by hand")
	ingest(t, c, fstest.MapFS{"a.txt": {Data: []byte("apples")}}, repchromem.IngestOptions{Set: "one"})
	ingest(t, c, fstest.MapFS{"b.txt": {Data: []byte("bananas")}}, repchromem.IngestOptions{Set: "two"})
	if c.Count() != 3 {
		t.Fatalf("%d chunks", c.Count())
	}
	if r := ingest(t, c, fstest.MapFS{}, repchromem.IngestOptions{Set: "one", Keep: true}); r.Removed != 0 || c.Count() != 3 {
		t.Errorf("keep: %+v", r)
	}
	if r := ingest(t, c, fstest.MapFS{}, repchromem.IngestOptions{Set: "one"}); r.Removed != 1 || c.Count() != 2 {
		t.Errorf("%+v, %d chunks", r, c.Count())
	}
	r := ingest(t, c, fstest.MapFS{"b.txt": {Data: []byte("bananas")}, "b.go": {Data: []byte("package b")}}, repchromem.IngestOptions{
		Set: "two", Match: func(path string) bool { return strings.HasSuffix(path, ".txt") },
	})
	if r.Unchanged != 1 || r.Documents != 1 {
		t.Errorf("match: %+v", r)
	}
}

// A changed text takes the place of the old one and a stated share of what was
// known of it.
func TestAChangedTextReplacesTheOld(t *testing.T) {
	c := open(t, chromem.NewDB(), repchromem.Options{})
	write := func(text string) {
		t.Helper()
		if _, err := c.IngestDocuments(t.Context(), []repchromem.Document{{ID: "d", Text: text}}, repchromem.IngestOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	write("The gate opens at nine.")
	first, err := c.Retrieve(t.Context(), core.Query{Text: "when does the gate open"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Feedback(t.Context(), first.Receipt, core.Verified(true)); err != nil {
		t.Fatal(err)
	}
	mass := func() float64 {
		t.Helper()
		resp, err := c.Retrieve(t.Context(), core.Query{Text: "when does the gate open"})
		if err != nil || len(resp.Items) != 1 {
			t.Fatalf("%v %v", resp, err)
		}
		return resp.Items[0].Posterior.Mass
	}
	known := mass()
	write("The gate opens at ten.")
	changed := mass()
	if got := mustQuery(t, c, "gate", 5); len(got) != 1 || got[0].Content != "The gate opens at ten." {
		t.Errorf("%+v", got)
	}
	if !(known > 0 && changed > 0 && changed < known) {
		t.Errorf("evidence %v before, %v after the change", known, changed)
	}
}
