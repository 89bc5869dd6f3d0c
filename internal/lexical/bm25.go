package lexical

import "math"

// Defaults of [BM25]. On passages and abstracts they rank better than the k1 1.2
// and b .75 of the textbooks; Lin and others (2021) give them for Anserini.
const (
	DefaultK1 = 0.9 // saturation of repeats
	DefaultB  = 0.4 // share of length normalisation
)

// BM25 holds the two constants of the Okapi BM25 formula (Robertson and Zaragoza
// 2009) in Lucene's variant: the weight of a term in a document is
//
//	idf * tf / (tf + K1*(1 - B + B*length/mean length))
//
// with [IDF], always positive, and without the factor K1+1, which changes no
// order. The zero value means the defaults.
type BM25 struct {
	K1 float64 // 0, negative or not finite = DefaultK1
	B  float64 // in (0,1]; 0 or not finite = DefaultB; negative = no length normalisation; above 1 = 1
}

func (p BM25) orDefaults() BM25 {
	if !(p.K1 > 0) || math.IsInf(p.K1, 0) {
		p.K1 = DefaultK1
	}
	switch {
	case p.B == 0 || math.IsNaN(p.B) || math.IsInf(p.B, 0):
		p.B = DefaultB
	case p.B < 0:
		p.B = 0
	}
	p.B = min(p.B, 1)
	return p
}

// damp returns the share of a term's idf that tf occurrences earn, in [0,1).
func (p BM25) damp(tf, length, mean float64) float64 {
	relative := 1.0
	if mean > 0 {
		relative = length / mean
	}
	return tf / (tf + p.K1*(1-p.B+p.B*relative))
}

// IDF returns ln(1 + (n-df+0.5)/(df+0.5)), the information in nats of a term that
// df of n documents hold. It is positive for every df from 0 to n; a df outside is
// moved to the border.
func IDF(n, df int) float64 {
	n = max(n, 0)
	df = min(max(df, 0), n)
	return math.Log(1 + (float64(n-df)+0.5)/(float64(df)+0.5))
}

// Scores returns the BM25 score of each document of a list for a query, the list
// itself being the collection that document frequencies and the mean length are
// taken from. A term repeated in the query counts as often; a document that
// matches no term has score 0. It suits a list of candidates; a collection that
// lasts wants an [Index].
func (p BM25) Scores(query []string, docs [][]string) []float64 {
	p = p.orDefaults()
	scores := make([]float64, len(docs))
	if len(query) == 0 || len(docs) == 0 {
		return scores
	}
	asked, order := counts(query)
	tf := make([][]int, len(docs)) // per document, by query term
	df := make([]int, len(order))
	total := 0
	slot := make(map[string]int, len(order))
	for i, t := range order {
		slot[t] = i
	}
	for i, doc := range docs {
		total += len(doc)
		tf[i] = make([]int, len(order))
		for _, t := range doc {
			if k, ok := slot[t]; ok {
				if tf[i][k]++; tf[i][k] == 1 {
					df[k]++
				}
			}
		}
	}
	mean := float64(total) / float64(len(docs))
	for k, t := range order {
		idf := float64(asked[t]) * IDF(len(docs), df[k])
		for i := range docs {
			if n := tf[i][k]; n > 0 {
				scores[i] += idf * p.damp(float64(n), float64(len(docs[i])), mean)
			}
		}
	}
	return scores
}

// counts returns how often each term occurs, and the distinct terms in order.
func counts(terms []string) (map[string]int, []string) {
	n := make(map[string]int, len(terms))
	order := make([]string, 0, len(terms))
	for _, t := range terms {
		if n[t]++; n[t] == 1 {
			order = append(order, t)
		}
	}
	return n, order
}
