package lexical

// SetScores is [BM25.Scores] for texts of which only the distinct terms are known:
// every term of a text counts as one occurrence, and its length is the number of
// its terms with repeats. Repeats in the query count once.
func (p BM25) SetScores(query []string, docs []Set) []float64 {
	p = p.orDefaults()
	scores := make([]float64, len(docs))
	total := 0
	for _, d := range docs {
		total += d.Tokens()
	}
	if total == 0 {
		return scores
	}
	mean := float64(total) / float64(len(docs))
	holders := make([]int, 0, len(docs))
	for h := range SetOf(query).Hashes() {
		holders = holders[:0]
		for i, d := range docs {
			if d.Contains(h) {
				holders = append(holders, i)
			}
		}
		idf := IDF(len(docs), len(holders))
		for _, i := range holders {
			scores[i] += idf * p.damp(1, float64(docs[i].Tokens()), mean)
		}
	}
	return scores
}
