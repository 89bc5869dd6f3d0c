package chromem_test

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/internal/lexical"
)

// BenchmarkQuality measures nDCG@10 of words, of vectors and of both on the
// collections in the folder that REPUTE_DATA names (layout of BEIR, gzipped; with
// corpus.f16 and queries.f16, half-precision vectors of 512 numbers of a sentence
// encoder):
//
//	REPUTE_DATA=DIR go test -run ^$ -bench Quality/scifact -benchtime 1x ./chromem
func BenchmarkQuality(b *testing.B) {
	folders, _ := filepath.Glob(filepath.Join(os.Getenv("REPUTE_DATA"), "*", "qrels.tsv"))
	if os.Getenv("REPUTE_DATA") == "" || len(folders) == 0 {
		b.Skip("REPUTE_DATA names no folder of collections")
	}
	for _, f := range folders {
		b.Run(filepath.Base(filepath.Dir(f)), func(b *testing.B) {
			for b.Loop() {
				for name, x := range readTrial(b, filepath.Dir(f)).quality(b) {
					b.ReportMetric(x, name)
				}
			}
		})
	}
}

type line struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// trial is a collection with the questions that have an answer in it.
type trial struct {
	ids, texts, questions []string
	vectors, asked        [][]float32          // of the sentence encoder; nil without
	grades                []map[string]float64 // by question
}

// quality returns the mean nDCG@10 of every way to search.
func (t *trial) quality(tb testing.TB) map[string]float64 {
	index := lexical.NewIndex(lexical.BM25{})
	for i, id := range t.ids {
		index.Add(id, lexical.Terms(t.texts[i]))
	}
	local, err := chromem.FitLocal(context.Background(), slices.Values(t.texts), chromem.LocalOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	stored := embedEach(local, t.texts)
	asked := embedEach(local, t.questions)
	sums := map[string]float64{}
	for q, text := range t.questions {
		words := index.Search(lexical.Terms(text), lexical.BlendDepth)
		note := func(name string, hits []lexical.Hit) { sums[name] += ndcg(hits, t.grades[q]) }
		note("bm25", words)
		near := t.nearest(stored, asked[q])
		note("local", near)
		note("local-hybrid", hitsOf(lexical.Hybrid(words, near)))
		if t.vectors != nil {
			near = t.nearest(t.vectors, t.asked[q])
			note("encoder", near)
			note("encoder-hybrid", hitsOf(lexical.Hybrid(words, near)))
			note("encoder-equal", hitsOf(lexical.Fuse([]lexical.List{{Hits: words, Weight: 1}, {Hits: near, Weight: 1}})))
		}
	}
	for name := range sums {
		sums[name] /= float64(len(t.questions))
	}
	return sums
}

// embedEach leaves the vectors of texts without a term nil.
func embedEach(e *chromem.LocalEmbedder, texts []string) [][]float32 {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i], _ = e.Embed(context.Background(), text)
	}
	return out
}

func (t *trial) nearest(vectors [][]float32, v []float32) []lexical.Hit {
	var hits []lexical.Hit
	for i, w := range vectors {
		if v != nil && w != nil {
			hits = append(hits, lexical.Hit{ID: t.ids[i], Score: product(v, w)})
		}
	}
	slices.SortFunc(hits, func(a, b lexical.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
	return hits[:min(lexical.BlendDepth, len(hits))]
}

func hitsOf(fused []lexical.Fused) []lexical.Hit {
	hits := make([]lexical.Hit, len(fused))
	for i, f := range fused {
		hits[i] = lexical.Hit{ID: f.ID, Score: f.Score}
	}
	return hits
}

// ndcg is the normalised discounted cumulative gain of the first ten (Järvelin and
// Kekäläinen 2002) with the grades as gains.
func ndcg(hits []lexical.Hit, grades map[string]float64) float64 {
	var gains, ideal []float64
	for _, h := range hits {
		gains = append(gains, grades[h.ID])
	}
	for _, g := range grades {
		ideal = append(ideal, g)
	}
	slices.SortFunc(ideal, func(a, b float64) int { return cmp.Compare(b, a) })
	return dcg(gains) / dcg(ideal)
}

func dcg(gains []float64) (sum float64) {
	for i, g := range gains[:min(10, len(gains))] {
		sum += g / math.Log2(float64(i)+2)
	}
	return sum
}

func readTrial(b *testing.B, dir string) *trial {
	t := &trial{}
	known := map[string]bool{}
	for _, d := range readLines(b, filepath.Join(dir, "corpus.jsonl.gz")) {
		known[d.ID] = true
		t.ids = append(t.ids, d.ID)
		t.texts = append(t.texts, strings.TrimSpace(d.Title+" "+d.Text))
	}
	grades := readGrades(b, filepath.Join(dir, "qrels.tsv"), known)
	t.vectors = readHalf(filepath.Join(dir, "corpus.f16"))
	asked := readHalf(filepath.Join(dir, "queries.f16"))
	for i, q := range readLines(b, filepath.Join(dir, "queries.jsonl.gz")) {
		if g := grades[q.ID]; g != nil {
			t.questions, t.grades = append(t.questions, q.Text), append(t.grades, g)
			if t.vectors != nil {
				t.asked = append(t.asked, asked[i])
			}
		}
	}
	return t
}

func readLines(b *testing.B, path string) (out []line) {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	for dec := json.NewDecoder(bufio.NewReader(z)); dec.More(); {
		var l line
		if err := dec.Decode(&l); err != nil {
			b.Fatal(err)
		}
		out = append(out, l)
	}
	return out
}

// readGrades returns the positive grades by question and document.
func readGrades(b *testing.B, path string, known map[string]bool) map[string]map[string]float64 {
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	out := map[string]map[string]float64{}
	for _, l := range strings.Split(string(text), "\n")[1:] {
		f := strings.Split(strings.TrimSpace(l), "\t")
		if len(f) != 3 || !known[f[1]] {
			continue
		}
		if g, _ := strconv.ParseFloat(f[2], 64); g > 0 {
			if out[f[0]] == nil {
				out[f[0]] = map[string]float64{}
			}
			out[f[0]][f[1]] = g
		}
	}
	return out
}

// readHalf reads half-precision vectors of 512 numbers; nil if there are none.
func readHalf(path string) [][]float32 {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	const size = 512
	out := make([][]float32, len(b)/(2*size))
	for i := range out {
		out[i] = make([]float32, size)
		for k := range out[i] {
			out[i][k] = half(binary.LittleEndian.Uint16(b[2*(i*size+k):]))
		}
	}
	return out
}

func half(h uint16) float32 {
	x := math.Ldexp(float64(h&1023), -24)
	if exponent := int(h >> 10 & 31); exponent > 0 {
		x = math.Ldexp(1+float64(h&1023)/1024, exponent-15)
	}
	if h>>15 == 1 {
		x = -x
	}
	return float32(x)
}
