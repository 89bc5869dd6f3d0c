package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/repute-go/repute/examples/gates/collection"
	"github.com/repute-go/repute/examples/gates/worlds"
	"golang.org/x/sync/errgroup"
)

// ErrData says that there is no collection with vectors and judgements.
var ErrData = errors.New("replay: no collection with vectors and judgements")

// cores is the number of runs at a time.
const cores = 2

// Options configures the experiment.
type Options struct {
	// Collections need vectors and judgements; others are passed over.
	Collections []*collection.Collection
	// Seeds is the number of repetitions; 0 means 3, or 1 if Small.
	Seeds int
	// Epochs is how often every question is asked; 0 means 8, or 3 if Small.
	Epochs int
	// Queries is the number of questions of a collection at most; 0 means 200, or
	// 40 if Small.
	Queries int
	// Small asks for a quick look.
	Small bool
	// Progress, if not nil, is told about every finished collection and wording,
	// one at a time.
	Progress func(done, total int)
}

func (o Options) orDefaults() Options {
	set := func(x *int, full, small int) {
		if *x <= 0 {
			*x = full
			if o.Small {
				*x = small
			}
		}
	}
	set(&o.Seeds, 3, 1)
	set(&o.Epochs, 8, 3)
	set(&o.Queries, 200, 40)
	o.Collections = slices.DeleteFunc(slices.Clone(o.Collections), func(c *collection.Collection) bool {
		return !c.HasVectors() || len(c.Judged()) < 2
	})
	return o
}

// Report is the outcome.
type Report struct {
	Seeds  int   `json:"seeds"`
	Epochs int   `json:"epochs"`
	Rows   []Row `json:"rows"`
}

// Row is one arm on one collection.
type Row struct {
	Collection string `json:"collection"`
	Wording    string `json:"wording"` // verbatim or reworded
	Base       string `json:"base"`
	K          int    `json:"k"`
	Arm        string `json:"arm"`
	Queries    int    `json:"queries"`
	// Success and NDCG are means over questions by epoch: a relevant document among
	// the k shown, and nDCG@10 of the whole list.
	Success []float64 `json:"success"`
	NDCG    []float64 `json:"ndcg"`
	// GainSuccess and GainNDCG are the last epoch's lead over the retriever alone,
	// paired by question.
	GainSuccess worlds.Measure `json:"gain_success"`
	GainNDCG    worlds.Measure `json:"gain_ndcg"`
}

var shownCounts = []int{1, 5}

// Run replays the collections. It returns ctx's error if that ends first, and
// ErrData if there is nothing to replay.
func Run(ctx context.Context, o Options) (Report, error) {
	o = o.orDefaults()
	if len(o.Collections) == 0 {
		return Report{}, ErrData
	}
	report := Report{Seeds: o.Seeds, Epochs: o.Epochs}
	for n, c := range o.Collections {
		e, err := newEngine(c)
		if err != nil {
			return Report{}, fmt.Errorf("replay: %s: %w", c.Name, err)
		}
		for w, wording := range []string{"verbatim", "reworded"} {
			rows, err := o.replay(ctx, e, wording)
			if err != nil {
				return Report{}, err
			}
			report.Rows = append(report.Rows, rows...)
			if o.Progress != nil {
				o.Progress(2*n+w+1, 2*len(o.Collections))
			}
		}
	}
	return report, nil
}

// replay runs all bases, list lengths and arms over one collection.
func (o Options) replay(ctx context.Context, e *engine, wording string) ([]Row, error) {
	questions := e.sample(o.Queries)
	tables := make([][]table, o.Seeds)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cores)
	for seed := range o.Seeds {
		g.Go(func() error {
			visits, err := e.visits(ctx, questions, wording == "reworded", o.Epochs, uint64(seed+1))
			if err == nil {
				tables[seed], err = e.play(ctx, questions, visits, uint64(seed+1))
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var rows []Row
	for i := range tables[0] {
		alone := i / len(arms) * len(arms)
		row := tables[0][i].row(tables, i, alone)
		row.Collection, row.Wording = e.Name, wording
		rows = append(rows, row)
	}
	return rows, nil
}

// sample are at most n judged questions, spread over the collection.
func (e *engine) sample(n int) []collection.Query {
	all := e.Judged()
	rand.New(rand.NewPCG(1, 0x7265706c6179)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// visits are the questions in the order they are asked, by epoch.
func (e *engine) visits(ctx context.Context, questions []collection.Query, reworded bool, epochs int, seed uint64) ([][]*asked, error) {
	rng := rand.New(rand.NewPCG(seed, 0x7265706c6179))
	once := make([]*asked, len(questions))
	visits := make([][]*asked, epochs)
	for epoch := range visits {
		for _, i := range rng.Perm(len(questions)) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			a := once[i]
			if a == nil || reworded {
				var err error
				if a, err = e.ask(i, questions[i], reworded, rng); err != nil {
					return nil, err
				}
				once[i] = a
			}
			visits[epoch] = append(visits[epoch], a)
		}
	}
	return visits, nil
}

// table is what one arm reached by epoch and question.
type table struct {
	base, arm     string
	k             int
	success, ndcg [][]float64
}

// play runs every base, list length and arm over the same visits.
func (e *engine) play(ctx context.Context, questions []collection.Query, visits [][]*asked, seed uint64) ([]table, error) {
	var out []table
	for _, base := range Bases {
		for _, k := range shownCounts {
			for _, a := range arms {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				t := table{base: base, arm: a.name, k: k}
				t.play(a.make(seed), questions, visits)
				out = append(out, t)
			}
		}
	}
	return out, nil
}

func (t *table) play(a arm, questions []collection.Query, visits [][]*asked) {
	for _, epoch := range visits {
		success, ndcg := make([]float64, len(questions)), make([]float64, len(questions))
		for _, v := range epoch {
			l := v.lists[t.base]
			if len(l.docs) == 0 {
				continue // nothing found, nothing learned
			}
			order := a.rank(v, l, t.k)
			judged := questions[v.query].Relevant
			shown := order[:min(t.k, len(order))]
			relevant := make([]bool, len(shown))
			for i, j := range shown {
				relevant[i] = judged[l.docs[j]] > 0
			}
			success[v.query], ndcg[v.query] = succeeded(relevant), gain(order, l, judged)
			a.learn(shown, relevant)
		}
		t.success, t.ndcg = append(t.success, success), append(t.ndcg, ndcg)
	}
}

// gain is nDCG@10.
func gain(order []int, l list, judged map[int]int) float64 {
	dcg, ideal := 0.0, 0.0
	for i, j := range order[:min(len(order), 10)] {
		dcg += float64(judged[l.docs[j]]) / math.Log2(float64(i+2))
	}
	var best []int
	for _, grade := range judged {
		best = append(best, grade)
	}
	slices.SortFunc(best, func(a, b int) int { return b - a })
	for i, grade := range best[:min(len(best), 10)] {
		ideal += float64(grade) / math.Log2(float64(i+2))
	}
	if ideal == 0 {
		return 0
	}
	return dcg / ideal
}

// row puts the i-th table of every seed together, next to that of the retriever.
func (t *table) row(bySeed [][]table, i, alone int) Row {
	row := Row{Base: t.base, K: t.k, Arm: t.arm, Queries: len(t.success[0])}
	n := float64(len(bySeed) * row.Queries)
	row.Success, row.NDCG = make([]float64, len(t.success)), make([]float64, len(t.success))
	success, ndcg := make([]float64, row.Queries), make([]float64, row.Queries)
	last := len(t.success) - 1
	for _, tables := range bySeed {
		own, other := &tables[i], &tables[alone]
		for epoch := range own.success {
			for q := range success {
				row.Success[epoch] += own.success[epoch][q] / n
				row.NDCG[epoch] += own.ndcg[epoch][q] / n
			}
		}
		for q := range success {
			success[q] += (own.success[last][q] - other.success[last][q]) / float64(len(bySeed))
			ndcg[q] += (own.ndcg[last][q] - other.ndcg[last][q]) / float64(len(bySeed))
		}
	}
	row.GainSuccess, row.GainNDCG = worlds.MeasureOf(success), worlds.MeasureOf(ndcg)
	return row
}
