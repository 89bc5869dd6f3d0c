// Package collection reads public retrieval collections in BEIR's layout: a
// folder with documents, questions and human judgements, and optionally a vector
// for each document and question.
package collection

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ErrFormat says that a file is not in the layout.
var ErrFormat = errors.New("collection: malformed file")

// Document is one document.
type Document struct {
	ID    string
	Title string
	Text  string
	// Vector has length 1; nil if the folder has no vectors.
	Vector []float32
}

// Query is one question.
type Query struct {
	ID   string
	Text string
	// Vector has length 1; nil if the folder has no vectors.
	Vector []float32
	// Relevant holds the positive judgements, by index into Documents. Documents
	// that are not listed were not judged, or judged not relevant.
	Relevant map[int]int
}

// Collection is what a folder holds.
type Collection struct {
	Name      string
	Documents []Document
	Queries   []Query
}

// HasVectors reports whether every document and question has a vector.
func (c *Collection) HasVectors() bool {
	for _, q := range c.Queries {
		if q.Vector == nil {
			return false
		}
	}
	for _, d := range c.Documents {
		if d.Vector == nil {
			return false
		}
	}
	return true
}

// Judged returns the questions with at least one relevant document.
func (c *Collection) Judged() []Query {
	var out []Query
	for _, q := range c.Queries {
		if len(q.Relevant) > 0 {
			out = append(out, q)
		}
	}
	return out
}

// Dimension is the length of the vectors in corpus.f16 and queries.f16.
const Dimension = 512

// Load reads a folder: corpus.jsonl and queries.jsonl, each perhaps with .gz, and
// qrels.tsv or qrels/test.tsv. A folder may lack documents or judgements. Vectors
// are read from corpus.f16 and queries.f16 if both are there.
func Load(dir string) (*Collection, error) {
	c := &Collection{Name: filepath.Base(filepath.Clean(dir))}
	err := errors.Join(
		lines(filepath.Join(dir, "corpus.jsonl"), func(line []byte) error {
			var d struct {
				ID    string `json:"_id"`
				Title string
				Text  string
			}
			err := json.Unmarshal(line, &d)
			c.Documents = append(c.Documents, Document{ID: d.ID, Title: d.Title, Text: d.Text})
			return err
		}),
		lines(filepath.Join(dir, "queries.jsonl"), func(line []byte) error {
			var q struct {
				ID   string `json:"_id"`
				Text string
			}
			err := json.Unmarshal(line, &q)
			c.Queries = append(c.Queries, Query{ID: q.ID, Text: q.Text})
			return err
		}))
	if err != nil {
		return nil, err
	}
	if len(c.Queries) == 0 && len(c.Documents) == 0 {
		return nil, fmt.Errorf("%w: %s holds neither corpus.jsonl nor queries.jsonl", ErrFormat, dir)
	}
	if err := c.judgements(dir); err != nil {
		return nil, err
	}
	return c, c.vectors(dir)
}

// lines calls f for each line of a file, packed or not. A missing file has none.
func lines(path string, f func([]byte) error) error {
	r, err := open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	s := bufio.NewScanner(r)
	s.Buffer(nil, 64<<20)
	for n := 1; s.Scan(); n++ {
		if len(strings.TrimSpace(s.Text())) == 0 {
			continue
		}
		if err := f(s.Bytes()); err != nil {
			return fmt.Errorf("%w: %s line %d: %w", ErrFormat, path, n, err)
		}
	}
	return s.Err()
}

// open opens a file, or the same packed.
func open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if f, err = os.Open(path + ".gz"); err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%w: %s: %w", ErrFormat, path, err)
	}
	return packed{z, f}, nil
}

type packed struct {
	*gzip.Reader
	file *os.File
}

func (p packed) Close() error { return errors.Join(p.Reader.Close(), p.file.Close()) }

func (c *Collection) judgements(dir string) error {
	documents, queries := make(map[string]int), make(map[string]int)
	for i, d := range c.Documents {
		documents[d.ID] = i
	}
	for i, q := range c.Queries {
		queries[q.ID] = i
	}
	path := filepath.Join(dir, "qrels.tsv")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		path = filepath.Join(dir, "qrels", "test.tsv")
	}
	header := true
	return lines(path, func(line []byte) error {
		if header {
			header = false
			return nil
		}
		f := strings.Split(strings.TrimRight(string(line), "\r"), "\t")
		if len(f) != 3 {
			return fmt.Errorf("%d fields instead of 3", len(f))
		}
		score, err := strconv.Atoi(f[2])
		q, known := queries[f[0]]
		d, there := documents[f[1]]
		if err != nil || !known || !there || score <= 0 {
			return err // judgements of documents left out of a collection are common
		}
		if c.Queries[q].Relevant == nil {
			c.Queries[q].Relevant = make(map[int]int)
		}
		c.Queries[q].Relevant[d] = score
		return nil
	})
}

func (c *Collection) vectors(dir string) error {
	documents, err := readF16(filepath.Join(dir, "corpus.f16"), len(c.Documents))
	if err != nil {
		return err
	}
	queries, err := readF16(filepath.Join(dir, "queries.f16"), len(c.Queries))
	if err != nil {
		return err
	}
	for i, v := range documents {
		c.Documents[i].Vector = v
	}
	for i, v := range queries {
		c.Queries[i].Vector = v
	}
	return nil
}

// readF16 reads n vectors of half-precision numbers. A missing file has none.
func readF16(path string, n int) ([][]float32, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if len(b) != 2*Dimension*n {
		return nil, fmt.Errorf("%w: %s has %d bytes, not the %d of %d vectors", ErrFormat, path, len(b), 2*Dimension*n, n)
	}
	out := make([][]float32, n)
	for i := range out {
		out[i] = make([]float32, Dimension)
		for k := range out[i] {
			out[i][k] = half(binary.LittleEndian.Uint16(b[2*(i*Dimension+k):]))
		}
	}
	return out, nil
}

// half converts an IEEE 754 half-precision number.
func half(h uint16) float32 {
	sign, exponent, fraction := uint32(h)>>15<<31, uint32(h)>>10&31, uint32(h)&1023
	switch exponent {
	case 0: // zero or subnormal
		v := float32(fraction) / (1 << 24)
		if sign != 0 {
			v = -v
		}
		return v
	case 31: // infinite or NaN
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
