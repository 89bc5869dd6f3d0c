package chromem_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/philippgille/chromem-go"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
)

// counting is bag, counting its calls.
func counting(calls *atomic.Int64) chromem.EmbeddingFunc {
	return func(ctx context.Context, text string) ([]float32, error) {
		calls.Add(1)
		return bag(ctx, text)
	}
}

func paragraphs(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Paragraph %d tells of thing %d. ", i, i)
		b.WriteString(strings.Repeat("It goes on for a while. ", 15) + "\n\n")
	}
	return b.String()
}

func TestIngestEmbedsOnlyWhatIsNew(t *testing.T) {
	var calls atomic.Int64
	c, err := repchromem.Open(newEngine(t), chromem.NewDB(), "notes", counting(&calls), repchromem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{
		"a.md":        {Data: []byte("# Title of A\n\n" + paragraphs(5))},
		"dir/b.txt":   {Data: []byte("A short text.")},
		"dir/.hidden": {Data: []byte("not read")},
		"c.txt":       {Data: []byte("\x00\x01binary")},
		"d.txt":       {Data: []byte("latin \xe4 one")},
		"e.txt":       {Data: []byte(strings.Repeat("x", 20_000))},
		"empty.txt":   {},
	}
	run := func(want string) repchromem.IngestReport {
		t.Helper()
		calls.Store(0)
		var last repchromem.Progress
		r, err := c.Ingest(t.Context(), files, repchromem.IngestOptions{MaxSize: 10_000, Progress: func(p repchromem.Progress) { last = p }})
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("docs %d +%d ~%d =%d -%d chunks %d embedded %d failed %d", r.Documents, r.Added, r.Updated, r.Unchanged, r.Removed, r.Chunks, r.Embedded, r.Failed)
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if int(calls.Load()) != r.Embedded || last.Done != last.Total {
			t.Errorf("%d calls, %+v", calls.Load(), last)
		}
		return r
	}
	r := run("docs 3 +2 ~0 =1 -0 chunks 6 embedded 6 failed 3")
	for i, want := range []error{repchromem.ErrBinary, repchromem.ErrText, repchromem.ErrTooLarge} {
		if !errors.Is(r.Problems[i].Err, want) {
			t.Errorf("%+v, want %v", r.Problems[i], want)
		}
	}
	run("docs 3 +0 ~0 =3 -0 chunks 6 embedded 0 failed 3")
	files["a.md"] = &fstest.MapFile{Data: []byte(strings.Replace(string(files["a.md"].Data), "thing 3. It", "thing 3. An inserted sentence. It", 1))}
	run("docs 3 +0 ~1 =2 -0 chunks 6 embedded 1 failed 3")
	files["moved.md"] = files["a.md"]
	delete(files, "a.md")
	delete(files, "dir/b.txt")
	run("docs 2 +1 ~0 =1 -2 chunks 5 embedded 0 failed 3")
	loaded, err := c.LoadDocument(t.Context(), "", "moved.md")
	if err != nil || strings.Join(strings.Fields(loaded.Text), " ") != strings.Join(strings.Fields(string(files["moved.md"].Data)), " ") {
		t.Errorf("%v %q", err, loaded.Text)
	}
	ids, _ := c.IDs("", 0)
	got, _ := c.Get(t.Context(), ids...)
	for i, chunk := range got {
		if chunk.DocID != "moved.md" || chunk.Title != "Title of A" || chunk.Path != "moved.md" || chunk.ChunkIndex != i || chunk.TotalChunks != len(ids) {
			t.Errorf("%+v", chunk)
		}
	}
}

func TestIngestDocumentsKeepsOneChunkForAShortText(t *testing.T) {
	c := open(t, chromem.NewDB(), repchromem.Options{Hybrid: true})
	docs := []repchromem.Document{
		{ID: "net/http.Server.Shutdown", Title: "Shutdown", Text: "Shutdown gracefully shuts down the server.", Metadata: map[string]string{"package": "net/http"}},
		{ID: "net/http.Get", Text: "Get issues a GET to the specified URL."},
		{ID: "net/http.Get", Text: "twice"},
		{ID: "", Text: "no id"},
	}
	r, err := c.IngestDocuments(t.Context(), docs, repchromem.IngestOptions{})
	if err != nil || r.Documents != 2 || r.Chunks != 2 || r.Failed != 2 {
		t.Fatalf("%+v %v", r, err)
	}
	resp, err := c.Retrieve(t.Context(), core.Query{Text: "shut down a server gracefully", K: 1, Filter: repchromem.Where{Metadata: map[string]string{"package": "net/http"}}})
	if err != nil || len(resp.Items) != 1 || resp.Items[0].DocID != "net/http.Server.Shutdown" || resp.Items[0].ID != "net/http.Server.Shutdown#0" {
		t.Fatalf("%+v %v", resp, err)
	}
}
