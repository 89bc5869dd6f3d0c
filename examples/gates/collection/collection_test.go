package collection_test

import (
	"compress/gzip"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/repute-go/repute/examples/gates/collection"
)

func TestChunkReferenceVectors(t *testing.T) {
	tests := []struct {
		text          string
		size, overlap int
		want          []int
	}{
		{strings.Repeat("x", 1000), 512, 64, []int{512, 512, 104}},
		{strings.Repeat("x", 960), 512, 64, []int{512, 512}},
		{strings.Repeat("x", 961), 512, 64, []int{512, 512, 65}},
		{" " + strings.Repeat("A", 45) + " " + strings.Repeat("B", 45) + " " + strings.Repeat("C", 30) + " ", 50, 10, []int{50, 50, 42}},
		{"", 512, 64, nil},
		{" \n ", 512, 64, nil},
		{"短", 512, 64, []int{1}},
		{strings.Repeat("é", 600), 512, 64, []int{512, 152}},
	}
	for _, tt := range tests {
		got := collection.Chunk(tt.text, tt.size, tt.overlap)
		if len(got) != len(tt.want) {
			t.Errorf("%.10q: %d windows, want %d", tt.text, len(got), len(tt.want))
			continue
		}
		for i, w := range got {
			if n := utf8.RuneCountInString(w); n != tt.want[i] {
				t.Errorf("%.10q: window %d has %d characters, want %d", tt.text, i, n, tt.want[i])
			}
		}
	}
}

func write(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

const (
	corpus  = "{\"_id\":\"d1\",\"title\":\"One\",\"text\":\"first\"}\n{\"_id\":\"d2\",\"title\":\"\",\"text\":\"second\"}\n"
	queries = "{\"_id\":\"q1\",\"text\":\"which?\"}\n\n"
	qrels   = "query-id\tcorpus-id\tscore\nq1\td2\t3\nq1\td1\t0\nq1\tgone\t1\n"
)

func halves(n int) []byte {
	var b []byte
	for range n {
		for k := range collection.Dimension {
			h := uint16(0)
			if k == 0 {
				h = 0x3C00 // 1
			}
			b = binary.LittleEndian.AppendUint16(b, h)
		}
	}
	return b
}

func TestLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tiny")
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(corpus)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	write(t, dir, "corpus.jsonl.gz", []byte(packed.String()))
	write(t, dir, "queries.jsonl", []byte(queries))
	write(t, dir, "qrels/test.tsv", []byte(qrels))
	c, err := collection.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != "tiny" || len(c.Documents) != 2 || len(c.Queries) != 1 || c.HasVectors() {
		t.Errorf("%+v", c)
	}
	if r := c.Queries[0].Relevant; len(r) != 1 || r[1] != 3 || len(c.Judged()) != 1 {
		t.Errorf("relevant: %v", r)
	}
	if p := c.Passages(); len(p) != 2 || p[0].Text != "One first" || p[1].Document != 1 {
		t.Errorf("%+v", p)
	}
	write(t, dir, "corpus.f16", halves(2))
	write(t, dir, "queries.f16", halves(1))
	if c, err = collection.Load(dir); err != nil || !c.HasVectors() || c.Documents[1].Vector[0] != 1 {
		t.Error(c, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"nothing":      {},
		"broken line":  {"corpus.jsonl": "{\"_id\":"},
		"broken qrels": {"corpus.jsonl": corpus, "queries.jsonl": queries, "qrels.tsv": "h\nq1\td2\n"},
		"no number":    {"corpus.jsonl": corpus, "queries.jsonl": queries, "qrels.tsv": "h\nq1\td2\tmuch\n"},
		"half a file":  {"corpus.jsonl": corpus, "corpus.f16": "abc"},
		"not packed":   {"corpus.jsonl.gz": "plain"},
	} {
		dir := t.TempDir()
		for file, text := range files {
			write(t, dir, file, []byte(text))
		}
		if _, err := collection.Load(dir); !errors.Is(err, collection.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
