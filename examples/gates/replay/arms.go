package replay

import (
	"strconv"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/examples/gates/worlds"
)

// arm is a way of ranking that learns.
type arm interface {
	rank(a *asked, l list, k int) []int
	// learn hears, for each candidate shown, whether it is relevant.
	learn(shown []int, relevant []bool)
}

// Names of the arms.
const (
	Alone         = "retriever alone"
	Ours          = "repute"
	OursWords     = "repute, word signatures"
	OursDocuments = "repute, each document verified"
)

// arms are made anew for every run.
var arms = []struct {
	name string
	make func(seed uint64) arm
}{
	{Alone, func(uint64) arm { return alone{} }},
	{"RRL, released", func(seed uint64) arm { return &rrl{rule: worlds.NewRRLRule(worlds.RRLReleased, seed)} }},
	{"RRL, tuned", func(seed uint64) arm { return &rrl{rule: worlds.NewRRLRule(worlds.RRLTuned, seed)} }},
	{Ours, func(uint64) arm { return newRepute(false, false) }},
	{OursWords, func(uint64) arm { return newRepute(true, false) }},
	{OursDocuments, func(uint64) arm { return newRepute(false, true) }},
}

// alone keeps the retriever's order.
type alone struct{}

func (alone) rank(_ *asked, l list, _ int) []int {
	order := make([]int, len(l.docs))
	for i := range order {
		order[i] = i
	}
	return order
}

func (alone) learn([]int, []bool) {}

type rrl struct {
	rule *worlds.RRLRule
	list list
}

func (r *rrl) rank(_ *asked, l list, k int) []int {
	r.list = l
	return r.rule.Rank(l.docs, l.relevance, k)
}

func (r *rrl) learn(shown []int, relevant []bool) {
	var docs []int
	var relevance []float64
	for _, j := range shown {
		docs, relevance = append(docs, r.list.docs[j]), append(relevance, r.list.relevance[j])
	}
	r.rule.Learn(docs, relevance, succeeded(relevant))
}

// succeeded is 1 if a relevant document was shown.
func succeeded(relevant []bool) float64 {
	for _, ok := range relevant {
		if ok {
			return 1
		}
	}
	return 0
}

// repute is the library's default ranker with its records.
type repute struct {
	words, documents bool
	ranker           reputation.Posterior
	records          map[int]*reputation.Record
	stats            reputation.Statistics
	now              int64
	query            reputation.Query
	list             list
	ranking          reputation.Ranking
}

func newRepute(words, documents bool) *repute {
	return &repute{words: words, documents: documents, records: map[int]*reputation.Record{}}
}

func (r *repute) rank(a *asked, l list, k int) []int {
	r.now += 1e9
	r.list = l
	r.query = reputation.Query{Signature: a.vector, Space: 1, Time: r.now, K: k}
	if r.words {
		r.query.Signature, r.query.Space = a.words, reputation.TextSpace
		if !a.wordsOK {
			r.query.Space = 0
		}
	}
	cands := make([]reputation.Candidate, len(l.docs))
	for i, doc := range l.docs {
		cands[i] = reputation.Candidate{ID: strconv.Itoa(doc), Relevance: l.relevance[i], Base: i, Record: r.records[doc]}
	}
	r.ranking = r.ranker.Rank(r.query, cands, &r.stats)
	return r.ranking.Order
}

func (r *repute) learn(shown []int, relevant []bool) {
	receipt := reputation.NewReceipt(r.query, r.ranking, shown)
	receipt.Tag = uint64(r.now)
	records := make([]*reputation.Record, len(shown))
	opinions := []reputation.Opinion{{Verified: true, Value: succeeded(relevant)}}
	if r.documents {
		opinions = nil
	}
	for at, j := range shown {
		records[at] = r.records[r.list.docs[j]]
		if r.documents {
			opinions = append(opinions, reputation.Opinion{Verified: true, Value: succeeded(relevant[at : at+1]), On: []int{at}})
		}
	}
	f, err := reputation.Fold(receipt, opinions, records, reputation.Raters{}, reputation.Constants{})
	if err != nil {
		panic(err) // the opinions are ours
	}
	for at, j := range shown {
		r.records[r.list.docs[j]] = f.Records[at]
	}
	r.stats.Apply(f.Stats)
}
