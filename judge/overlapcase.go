package judge

import (
	"context"
	"fmt"
	"math"

	"github.com/repute-go/repute/internal/lexical"
)

const (
	contextTerms = 12  // terms on either side of an occurrence that are its context
	bareShare    = 0.5 // what an occurrence counts without any term of the question near it
)

// weightScale makes weights whole numbers: their sums are then exact, whatever the order.
const weightScale = 1 << 32

// hit is an occurrence of a term of the case in a document.
type hit struct{ at, term int32 }

// overlapCase holds what Overlap needs to know of a case. Terms are numbered: first the claims (terms of the answer), then
// the context (terms of the question that are no claims).
type overlapCase struct {
	number   map[string]int32
	claims   int32
	asked    bool // there are terms of the question that could be near a claim
	hits     [][]hit
	weight   []int64
	claimed  int64 // weight of all claims
	context  int64 // weight of the context terms that occur anywhere
	best     []int64
	inWindow []int32
}

func newOverlapCase(ctx context.Context, analyze analyzer, c Case) (*overlapCase, error) {
	answer := lexical.Unique(analyze(nil, c.Answer))
	if len(answer) == 0 {
		return nil, fmt.Errorf("%w: the answer holds no word that could be compared", ErrNoVerdict)
	}
	o := &overlapCase{}
	o.numberTerms(answer, lexical.Unique(analyze(nil, c.Question)))
	df, err := o.findHits(ctx, analyze, c.Documents)
	if err != nil {
		return nil, err
	}
	o.weigh(df, len(c.Documents))
	o.best = unfound(o.claims)
	o.inWindow = make([]int32, len(o.weight))
	return o, nil
}

// numberTerms numbers the claims and the context. Terms of the question are claims only in an answer without others.
func (o *overlapCase) numberTerms(answer, question []string) {
	asked := make(map[string]struct{}, len(question))
	for _, t := range question {
		asked[t] = struct{}{}
	}
	o.number = make(map[string]int32, len(answer)+len(question))
	for _, t := range answer {
		if _, ok := asked[t]; !ok {
			o.number[t] = int32(len(o.number))
		}
	}
	if len(o.number) == 0 {
		for _, t := range answer {
			o.number[t] = int32(len(o.number))
		}
	}
	o.claims = int32(len(o.number))
	for _, t := range question {
		if _, ok := o.number[t]; !ok {
			o.number[t] = int32(len(o.number))
			o.asked = true
		}
	}
}

// findHits finds the terms of the case in the documents and counts the documents of each term.
func (o *overlapCase) findHits(ctx context.Context, analyze analyzer, docs []Document) (df []int32, err error) {
	df = make([]int32, len(o.number))
	last := make([]int32, len(o.number)) // 1 + the last document the term was counted in
	o.hits = make([][]hit, len(docs))
	var terms []string
	for i, d := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if terms = analyze(analyze(terms[:0], d.Title), d.Text); len(terms) > math.MaxInt32 {
			return nil, fmt.Errorf("%w: a document has %d words", ErrInvalidCase, len(terms))
		}
		for at, t := range terms {
			n, ok := o.number[t]
			if !ok {
				continue
			}
			o.hits[i] = append(o.hits[i], hit{at: int32(at), term: n})
			if last[n] != int32(i)+1 {
				last[n] = int32(i) + 1
				df[n]++
			}
		}
	}
	return df, nil
}

func (o *overlapCase) weigh(df []int32, docs int) {
	o.weight = make([]int64, len(df))
	for n := range df {
		rarity := math.Log(float64(docs+1) / float64(max(df[n], 1)))
		o.weight[n] = max(int64(rarity*weightScale), 1)
		if int32(n) < o.claims {
			o.claimed += o.weight[n]
		} else if df[n] > 0 {
			o.context += o.weight[n]
		}
	}
}

// support returns each document's support and keeps, for the score, every claim's best occurrence.
func (o *overlapCase) support(docs []Document) map[string]float64 {
	support := make(map[string]float64, len(docs))
	best := unfound(o.claims)
	for i, d := range docs {
		found := o.bestContext(o.hits[i], best)
		var sum float64
		for _, claim := range found {
			sum += o.worth(claim, best[claim])
			o.best[claim] = max(o.best[claim], best[claim])
			best[claim] = -1
		}
		support[d.ID] = min(sum/float64(o.claimed), 1)
	}
	return support
}

// bestContext sets best, for every claim among the hits of a document, to the weight of the context terms near its best
// occurrence, and returns those claims in the order of their first occurrence.
func (o *overlapCase) bestContext(hits []hit, best []int64) (found []int32) {
	var near int64
	from, to := 0, 0
	for _, h := range hits {
		if h.term >= o.claims {
			continue
		}
		for ; to < len(hits) && hits[to].at <= h.at+contextTerms; to++ {
			near += o.enter(hits[to].term)
		}
		for ; hits[from].at < h.at-contextTerms; from++ {
			near -= o.leave(hits[from].term)
		}
		if best[h.term] < 0 {
			found = append(found, h.term)
		}
		best[h.term] = max(best[h.term], near)
	}
	for ; from < to; from++ {
		o.leave(hits[from].term)
	}
	return found
}

// enter takes a term into the window and returns the weight it adds: claims add none, nor does a term already there.
func (o *overlapCase) enter(term int32) int64 {
	o.inWindow[term]++
	if term < o.claims || o.inWindow[term] > 1 {
		return 0
	}
	return o.weight[term]
}

// leave takes an occurrence of a term out of the window and returns the weight that goes with it.
func (o *overlapCase) leave(term int32) int64 {
	o.inWindow[term]--
	if term < o.claims || o.inWindow[term] > 0 {
		return 0
	}
	return o.weight[term]
}

// worth is what an occurrence of a claim counts with context terms of this weight near it.
func (o *overlapCase) worth(claim int32, near int64) float64 {
	w := float64(o.weight[claim])
	switch {
	case !o.asked:
		return w
	case o.context == 0:
		return bareShare * w
	}
	return w * (bareShare + (1-bareShare)*float64(near)/float64(o.context))
}

// score is the share of the answer that the documents bear out together. It needs support to have run.
func (o *overlapCase) score() float64 {
	var sum float64
	for claim, near := range o.best {
		if near >= 0 {
			sum += o.worth(int32(claim), near)
		}
	}
	return min(sum/float64(o.claimed), 1)
}

func (o *overlapCase) reason(docs int) string {
	found := 0
	for _, near := range o.best {
		if near >= 0 {
			found++
		}
	}
	return fmt.Sprintf("%d of the answer's %d terms are in the %d documents", found, o.claims, docs)
}

// unfound returns the context of n claims before any of them was found.
func unfound(n int32) []int64 {
	best := make([]int64, n)
	for i := range best {
		best[i] = -1
	}
	return best
}
