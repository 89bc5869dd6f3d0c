package judge_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/repute-go/repute/internal/lexical"
	"github.com/repute-go/repute/judge"
)

// The figures in Overlap's comment come from
//
//	go test ./judge -run '^$' -bench Squad -benchtime 1x -data DIR
//
// where DIR holds SQuAD 2.0 (dev) as corpus.jsonl.gz ("_id", "title", "text"), queries.jsonl.gz ("_id", "text", "answerable",
// "article", "answers") and qrels.tsv (query, document, score).
var data = flag.String("data", "", "folder with the SQuAD 2.0 questions BenchmarkSquad measures Overlap on")

type squadQuery struct {
	ID         string `json:"_id"`
	Text       string
	Article    string
	Answerable bool
	Answers    []string
	right      string
	top        []judge.Document
}

func readLines[T any](b *testing.B, path string) (rows []T) {
	b.Helper()
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	dec := json.NewDecoder(bufio.NewReader(z))
	for dec.More() {
		var row T
		if err := dec.Decode(&row); err != nil {
			b.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// loadSquad returns the answerable questions whose right paragraph is among the ten best by BM25, with those ten.
func loadSquad(b *testing.B) (queries []*squadQuery, texts map[string]string) {
	type row struct {
		ID          string `json:"_id"`
		Title, Text string
	}
	corpus := map[string]judge.Document{}
	texts = map[string]string{}
	index := lexical.NewIndex(lexical.BM25{})
	for _, r := range readLines[row](b, filepath.Join(*data, "corpus.jsonl.gz")) {
		corpus[r.ID], texts[r.ID] = judge.Document{ID: r.ID, Title: r.Title, Text: r.Text}, r.Text
		index.Add(r.ID, lexical.Terms(r.Title+" "+r.Text))
	}
	right := map[string]string{}
	qrels, err := os.ReadFile(filepath.Join(*data, "qrels.tsv"))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(qrels)) {
		if f := strings.Fields(line); len(f) == 3 && right[f[0]] == "" {
			right[f[0]] = f[1]
		}
	}
	for _, q := range readLines[*squadQuery](b, filepath.Join(*data, "queries.jsonl.gz")) {
		q.right = right[q.ID]
		for _, hit := range index.Search(lexical.Terms(q.Text), 10) {
			q.top = append(q.top, corpus[hit.ID])
		}
		if q.Answerable && slices.ContainsFunc(q.top, func(d judge.Document) bool { return d.ID == q.right }) {
			queries = append(queries, q)
		}
	}
	return queries, texts
}

// sentence returns the sentence of text that holds span.
func sentence(text, span string) string {
	i := strings.Index(text, span)
	if i < 0 {
		return span
	}
	from, to := strings.LastIndex(text[:i], ". ")+1, len(text)
	if end := strings.Index(text[i+len(span):], ". "); end >= 0 {
		to = i + len(span) + end
	}
	return text[from:to]
}

// located is 1 if the right document alone has the highest support, 1/n if it shares it with n-1 others.
func located(v judge.Verdict, right string) float64 {
	best, ties := slices.Max(slices.Collect(maps.Values(v.Support))), 0.0
	for _, s := range v.Support {
		if s == best {
			ties++
		}
	}
	if v.Support[right] != best {
		return 0
	}
	return 1 / ties
}

// auc is the probability that one of the right scores is above one of the wrong ones, ties counting half.
func auc(right, wrong []float64) float64 {
	slices.Sort(wrong)
	var sum float64
	for _, x := range right {
		below := sort.SearchFloat64s(wrong, x)
		above := sort.Search(len(wrong), func(i int) bool { return wrong[i] > x })
		sum += float64(below) + float64(above-below)/2
	}
	return sum / float64(len(right)) / float64(len(wrong))
}

// another returns a random question for which ok holds, if there is one.
func another(queries []*squadQuery, rng *rand.Rand, ok func(*squadQuery) bool) *squadQuery {
	var chosen *squadQuery
	seen := 0
	for _, q := range queries {
		if !ok(q) {
			continue
		}
		if seen++; rng.IntN(seen) == 0 {
			chosen = q
		}
	}
	return chosen
}

func BenchmarkSquad(b *testing.B) {
	if *data == "" {
		b.Skip("measures on a public collection: give its folder with -data")
	}
	queries, texts := loadSquad(b)
	b.Run("span", func(b *testing.B) {
		measure(b, queries, true, func(q *squadQuery) string { return q.Answers[0] })
	})
	b.Run("sentence", func(b *testing.B) {
		measure(b, queries, true, func(q *squadQuery) string { return sentence(texts[q.right], q.Answers[0]) })
	})
	b.Run("span-without-question", func(b *testing.B) {
		measure(b, queries, false, func(q *squadQuery) string { return q.Answers[0] })
	})
}

func measure(b *testing.B, queries []*squadQuery, asked bool, answer func(*squadQuery) string) {
	score := func(q *squadQuery, answer string) (judge.Verdict, bool) {
		c := judge.Case{Answer: answer, Documents: q.top}
		if asked {
			c.Question = q.Text
		}
		v, err := judge.Overlap{}.Judge(context.Background(), c)
		return v, err == nil
	}
	for b.Loop() {
		var found, first float64
		var right []float64
		wrong := map[string][]float64{}
		for i, q := range queries {
			v, ok := score(q, answer(q))
			if !ok {
				continue
			}
			right = append(right, v.Score)
			found += located(v, q.right)
			if q.top[0].ID == q.right {
				first++
			}
			for kind, o := range others(queries, i) {
				if v, ok := score(q, answer(o)); ok {
					wrong[kind] = append(wrong[kind], v.Score)
				}
			}
		}
		n := float64(len(right))
		b.ReportMetric(n, "judged")
		b.ReportMetric(first/n, "first-by-BM25")
		b.ReportMetric(found/n, "located")
		for kind, scores := range wrong {
			b.ReportMetric(auc(right, scores), "AUC-"+kind)
		}
	}
}

// others returns questions whose answers are wrong for question i, by how far off they are.
func others(queries []*squadQuery, i int) map[string]*squadQuery {
	q, rng := queries[i], rand.New(rand.NewPCG(1, uint64(i)))
	differs := func(o *squadQuery) bool { return o.Answers[0] != q.Answers[0] }
	kinds := map[string]*squadQuery{
		"article":   another(queries, rng, func(o *squadQuery) bool { return o.Article != q.Article }),
		"paragraph": another(queries, rng, func(o *squadQuery) bool { return o.Article == q.Article && o.right != q.right && differs(o) }),
		"question":  another(queries, rng, func(o *squadQuery) bool { return o.right == q.right && differs(o) }),
	}
	for kind, o := range kinds {
		if o == nil {
			delete(kinds, kind)
		}
	}
	return kinds
}
