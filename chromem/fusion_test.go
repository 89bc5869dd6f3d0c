package chromem_test

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/philippgille/chromem-go"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/internal/lexical"
)

// harmless is how much nDCG@10 vectors beside BM25 may cost.
const harmless = .005

// shortTexts reads the short texts of testdata and the questions that some of them
// answer, the best first. Its encoder is noise.
func shortTexts(t *testing.T) *trial {
	t.Helper()
	file, err := os.ReadFile("testdata/sample.tsv")
	if err != nil {
		t.Fatal(err)
	}
	out := &trial{}
	for line := range strings.Lines(string(file)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if f[0] != "?" {
			out.ids, out.texts, out.vectors = append(out.ids, f[0]), append(out.texts, f[1]), append(out.vectors, noise(f[1]))
			continue
		}
		grades := map[string]float64{}
		for i, id := range strings.Fields(f[2]) {
			grades[id] = 1 / float64(i+1)
		}
		out.questions, out.asked, out.grades = append(out.questions, f[1]), append(out.asked, noise(f[1])), append(out.grades, grades)
	}
	return out
}

// noise is the vector of an encoder that is worth nothing: it depends on the text,
// and on nothing that the text means.
func noise(text string) []float32 {
	h := fnv.New64a()
	h.Write([]byte(text))
	random := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make([]float32, 16)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	return v
}

// Vectors beside BM25 do no harm, be they the local embedder's or those of an encoder
// that is worth nothing. Ranks fused with equal weights are the sample's proof that
// it would notice.
func TestFusionDoesNoHarm(t *testing.T) {
	q := shortTexts(t).quality(t)
	t.Log(q)
	if q["bm25"] < .8 || q["encoder"] > .5 || q["encoder-equal"] > q["bm25"]-10*harmless {
		t.Errorf("the sample tells nothing apart: %v", q)
	}
	for _, name := range []string{"local-hybrid", "encoder-hybrid"} {
		if q[name] < q["bm25"]-harmless {
			t.Errorf("%s reaches %.3f, BM25 alone %.3f", name, q[name], q["bm25"])
		}
	}
}

// The same holds for a collection, with what it adds to the formula: its lists, its
// depth, its default weight.
func TestHybridCollectionDoesNoHarm(t *testing.T) {
	s := shortTexts(t)
	local, err := repchromem.NewLocalEmbedder(repchromem.LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := repchromem.Open(newEngine(t), chromem.NewDB(), "sample", local.Func(), repchromem.Options{Hybrid: true})
	if err != nil {
		t.Fatal(err)
	}
	chunks := make([]core.Candidate, len(s.ids))
	for i := range chunks {
		chunks[i] = core.Candidate{ID: s.ids[i], Text: s.texts[i]}
	}
	if _, err := c.Add(t.Context(), chunks); err != nil {
		t.Fatal(err)
	}
	reached, words := 0.0, s.quality(t)["bm25"]
	for i, text := range s.questions {
		hits, err := c.Search(t.Context(), core.Query{Text: text}, 10)
		if err != nil {
			t.Fatal(err)
		}
		found := make([]lexical.Hit, len(hits.Candidates))
		for j, h := range hits.Candidates {
			found[j] = lexical.Hit{ID: h.ID, Score: h.Score}
		}
		reached += ndcg(found, s.grades[i]) / float64(len(s.questions))
	}
	t.Logf("%.3f, BM25 alone %.3f", reached, words)
	if reached < words-harmless {
		t.Errorf("a hybrid collection reaches %.3f, BM25 alone %.3f", reached, words)
	}
}
