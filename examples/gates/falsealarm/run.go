package falsealarm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/examples/gates/collection"
)

// ErrData says that the collections cannot support the experiment.
var ErrData = errors.New("falsealarm: unsuitable collections")

// Options configures an experiment.
type Options struct {
	// Collections need vectors; at least two need judgements.
	Collections []*collection.Collection
	// Bank holds the gate's 256 generic questions with vectors, in its order.
	Bank *collection.Collection
	// Seeds is the number of repetitions; 0 means 4.
	Seeds int
	// Sizes are the collection sizes in passages; nil means 10, 30, 60, 100,
	// 1,000 and 5,000. A collection that is smaller takes part whole, down to
	// half the size.
	Sizes []int
	// Union also measures all collections together.
	Union bool
	// Progress, if not nil, is told about every finished trial, one at a time.
	Progress func(done, total int)
}

// Report is the outcome.
type Report struct {
	Alpha       float64        `json:"alpha"`
	Seeds       int            `json:"seeds"`
	Rows        []Row          `json:"rows"`
	Reliability []Reliability  `json:"reliability"`
	Sizes       map[string]int `json:"collection_passages"`
}

// Row is one gate at one size.
type Row struct {
	Gate string `json:"gate"`
	N    int    `json:"n"` // passages; 0 = all collections together
	// Mean is over collections, Half half its 95 % confidence interval over seeds.
	Mean Rates `json:"mean"`
	Half Rates `json:"half_width"`
	// Worst is the highest far rate of any collection, WorstOf that collection.
	Worst   float64 `json:"worst_far"`
	WorstOf string  `json:"worst_collection"`
	// Each holds the means over seeds by collection.
	Each map[string]Rates `json:"each"`
}

// Reliability compares the rate asked of the evidence gate with the measured one.
type Reliability struct {
	N        int     `json:"n"`
	Asked    float64 `json:"asked"`
	Measured float64 `json:"measured"` // mean over collections
	Worst    float64 `json:"worst"`
}

const alpha = 0.05

// overlapping are collections about computing: their questions are not foreign to
// each other.
var overlapping = []string{"cacm", "npl", "mbpp", "humaneval"}

// central are the collections that the means are over; code is looked at on its
// own, since prose questions share few words with it.
func central(name string, n int) bool {
	return name != heldOut && (name != "mbpp" || n <= 100)
}

// heldOut took no part in fitting the gate. Its questions are asked of itself
// only: half of each is program code, and an encyclopaedia with articles on prime
// numbers and sorting does hold what they are about.
const heldOut = "humaneval"

// Run measures all gates.
func Run(ctx context.Context, o Options) (*Report, error) {
	libraries, bank, err := prepare(&o)
	if err != nil {
		return nil, err
	}
	plans := plan(o, libraries)
	trials := make([]*trial, len(plans))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	var mu sync.Mutex
	done := 0
	for i, p := range plans {
		group.Go(func() (err error) {
			if err = ctx.Err(); err != nil {
				return err
			}
			if trials[i], err = run(p.library, p.n, p.far, bank, p.seed); err != nil {
				return fmt.Errorf("falsealarm: %s at %d: %w", p.library.name, p.n, err)
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			if o.Progress != nil {
				o.Progress(done, len(plans))
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return summarise(o, libraries, plans, trials), nil
}

// prepare fills in defaults, checks the data and makes it ready.
func prepare(o *Options) ([]*library, [][]float32, error) {
	if o.Seeds <= 0 {
		o.Seeds = 4
	}
	if o.Sizes == nil {
		o.Sizes = []int{10, 30, 60, 100, 1000, 5000}
	}
	if o.Bank == nil || len(o.Bank.Queries) != len(gate.Bank()) || !o.Bank.HasVectors() {
		return nil, nil, fmt.Errorf("%w: the bank's %d questions with vectors are missing", ErrData, len(gate.Bank()))
	}
	var bank [][]float32
	for _, q := range o.Bank.Queries {
		bank = append(bank, q.Vector)
	}
	var libraries []*library
	for _, c := range o.Collections {
		if c.HasVectors() && len(c.Judged()) > 0 {
			libraries = append(libraries, newLibrary(c))
		}
	}
	if len(libraries) < 2 {
		return nil, nil, fmt.Errorf("%w: need two with vectors and judgements", ErrData)
	}
	return libraries, bank, nil
}

// plan lists the trials.
type planned struct {
	library *library
	n       int // 0 = together
	far     []*inquiry
	seed    uint64
}

func plan(o Options, libraries []*library) []planned {
	var out []planned
	for _, n := range o.Sizes {
		for _, l := range libraries {
			if l.total < n/2 {
				continue
			}
			for s := range o.Seeds {
				out = append(out, planned{l, n, foreign(l, libraries), uint64(s + 1)})
			}
		}
	}
	if o.Union {
		whole, rest := together(libraries)
		if whole != nil {
			for s := range min(o.Seeds, 2) {
				out = append(out, planned{whole, 0, questions(rest), uint64(s + 1)})
			}
		}
	}
	return out
}

// foreign returns the questions of other collections that this one is not about.
func foreign(l *library, libraries []*library) []*inquiry {
	var others []*library
	for _, x := range libraries {
		if x != l && x.name != heldOut && !(slices.Contains(overlapping, x.name) && slices.Contains(overlapping, l.name)) {
			others = append(others, x)
		}
	}
	return questions(others)
}

// questions takes equally many from each library, so that a large one does not
// drown the others.
func questions(libraries []*library) []*inquiry {
	var out []*inquiry
	for _, l := range libraries {
		out = append(out, pick(l.judged, asked, rand.New(rand.NewPCG(1, 9)))...)
	}
	return out
}

// together joins the collections of prose; the far questions are those about code.
func together(libraries []*library) (whole *library, rest []*library) {
	var parts []*library
	for _, l := range libraries {
		switch {
		case l.name == "mbpp":
			rest = append(rest, l)
		case central(l.name, math.MaxInt) && l.name != "cacm": // its subject is that of the far questions
			parts = append(parts, l)
		}
	}
	if len(parts) < 2 || len(rest) == 0 {
		return nil, nil
	}
	return union("together", parts), rest
}
