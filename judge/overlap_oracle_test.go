package judge_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/repute-go/repute/internal/lexical"
	"github.com/repute-go/repute/judge"
)

// oracle is Overlap's formula written out without regard to speed.
type oracle struct {
	claims, context []string
	docs            [][]string
}

func newOracle(c judge.Case) oracle {
	var o oracle
	question := lexical.Unique(lexical.Terms(c.Question))
	answer := lexical.Unique(lexical.Terms(c.Answer))
	for _, t := range answer {
		if !slices.Contains(question, t) {
			o.claims = append(o.claims, t)
		}
	}
	if len(o.claims) == 0 {
		o.claims = answer
	}
	for _, t := range question {
		if !slices.Contains(o.claims, t) {
			o.context = append(o.context, t)
		}
	}
	for _, d := range c.Documents {
		o.docs = append(o.docs, lexical.Terms(d.Text))
	}
	return o
}

func (o oracle) df(term string) (n int) {
	for _, d := range o.docs {
		if slices.Contains(d, term) {
			n++
		}
	}
	return n
}

func (o oracle) weight(terms ...string) (w float64) {
	for _, t := range terms {
		w += math.Log(float64(len(o.docs)+1) / float64(max(o.df(t), 1)))
	}
	return w
}

// worth is the best that an occurrence of a claim in a document counts, 0 to 1.
func (o oracle) worth(claim string, doc []string) (best float64) {
	known := slices.DeleteFunc(slices.Clone(o.context), func(t string) bool { return o.df(t) == 0 })
	for at, t := range doc {
		if t != claim {
			continue
		}
		window := doc[max(at-12, 0):min(at+13, len(doc))]
		near := slices.DeleteFunc(slices.Clone(known), func(t string) bool { return !slices.Contains(window, t) })
		switch {
		case len(o.context) == 0:
			best = 1
		case len(known) == 0:
			best = max(best, .5)
		default:
			best = max(best, .5+.5*o.weight(near...)/o.weight(known...))
		}
	}
	return best
}

func (o oracle) support(doc []string) (sum float64) {
	for _, claim := range o.claims {
		sum += o.weight(claim) * o.worth(claim, doc)
	}
	return sum / o.weight(o.claims...)
}

func (o oracle) score() (sum float64) {
	for _, claim := range o.claims {
		best := 0.0
		for _, d := range o.docs {
			best = max(best, o.worth(claim, d))
		}
		sum += o.weight(claim) * best
	}
	return sum / o.weight(o.claims...)
}

func TestOverlapAgainstItsFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		c.Reference = ""
		if len(lexical.Terms(c.Answer)) == 0 || len(c.Documents) == 0 {
			return
		}
		v, err := judge.Overlap{}.Judge(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		o := newOracle(c)
		if want := o.score(); math.Abs(v.Score-want) > 1e-6 {
			t.Fatalf("score %v, want %v", v.Score, want)
		}
		for i, d := range c.Documents {
			if want := o.support(o.docs[i]); math.Abs(v.Support[d.ID]-want) > 1e-6 {
				t.Fatalf("support of %s %v, want %v", d.ID, v.Support[d.ID], want)
			}
		}
	})
}
