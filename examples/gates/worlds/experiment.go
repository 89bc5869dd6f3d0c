package worlds

import (
	"context"
	"time"

	"github.com/repute-go/repute/core/reputation"
)

// Options configures the experiments. The zero value is the full run.
type Options struct {
	// Seeds is the number of repetitions; 0 means 32, or 3 if Small.
	Seeds int
	// FirstSeed is the first seed; 0 means 5000. Nothing was tuned on seeds from
	// 5000 on.
	FirstSeed uint64
	// Small asks for a quick look: runs a tenth as long, fewer arms.
	Small bool
	// Only restricts what is run to "worlds" or "raters"; empty = everything.
	Only string
	// Progress, if not nil, is told about every finished row, one at a time.
	Progress func(done, total int)
}

// Report is the outcome of the experiments.
type Report struct {
	Seeds     int       `json:"seeds"`
	Small     bool      `json:"small"`
	Worlds    []Result  `json:"worlds,omitempty"`
	Staleness []Result  `json:"staleness,omitempty"`
	Ratings   []Ratings `json:"ratings,omitempty"`
	Attacks   []Attack  `json:"attacks,omitempty"`
}

// Result is how the arms did in one world.
type Result struct {
	World string `json:"world"`
	// Bar is what the upper end of Ours may reach; 0 = none was set.
	Bar   float64 `json:"bar,omitempty"`
	Cells []Cell  `json:"arms"`
}

// Ours is the name of the arm with the library's defaults.
const Ours = "repute"

// Cell returns the arm's cell, or nil.
func (r *Result) Cell(arm string) *Cell {
	for i := range r.Cells {
		if r.Cells[i].Arm == arm {
			return &r.Cells[i]
		}
	}
	return nil
}

// Reached reports whether the library is at its bar.
func (r *Result) Reached() bool { return r.Bar == 0 || r.Cell(Ours).Regret.Upper() <= r.Bar }

// Missed names the rows in which the library is not at its bar.
func (r *Report) Missed() (names []string) {
	for i := range r.Worlds {
		if !r.Worlds[i].Reached() {
			names = append(names, r.Worlds[i].World)
		}
	}
	for _, x := range r.Ratings {
		if !x.Reached() {
			names = append(names, x.Name)
		}
	}
	for _, a := range r.Attacks {
		if a.Extra.Upper() > a.Bar {
			names = append(names, a.Name)
		}
	}
	return names
}

// Arms returns the ways of ranking that are compared: the retriever alone, RRL's
// rule with the weights it was released with and with the best of a dozen we tried,
// the library, and the library with one thing taken away.
func Arms() []Arm {
	return []Arm{
		Retriever(),
		RRL("RRL, released", RRLReleased),
		RRL("RRL, tuned", RRLTuned),
		Library(Ours, reputation.Constants{}),
		blinded("no local evidence", reputation.Constants{}, blindness{signature: true}),
		Library("no global evidence", with(func(c *reputation.Constants) { c.Transfer = [len(c.Transfer)]float64{} })),
		Library("no exploration", with(func(c *reputation.Constants) { c.Bonus = 0 })),
		Library("explores always", with(func(c *reputation.Constants) { c.Recurrence = -1 })),
		blinded("no attribution", reputation.Constants{}, blindness{attribution: true}),
		blinded("believes all attribution", reputation.Constants{}, blindness{check: true}),
		Library("one transfer", with(func(c *reputation.Constants) { c.Transfer = [len(c.Transfer)]float64{.15, .15, .15, .15} })),
	}
}

func with(change func(*reputation.Constants)) reputation.Constants {
	c := reputation.DefaultConstants()
	change(&c)
	return c
}

// stale are worlds that change three times in two years, and the arms for them.
func stale() ([]World, []Arm) {
	const day = 24 * time.Hour
	half := func(d time.Duration) reputation.Constants {
		return with(func(c *reputation.Constants) { c.HalfLife = d })
	}
	return []World{
			{Name: "k=1, still, 2 years", K: 1, Visits: 6000, Delta: .6, Span: 730 * day},
			{Name: "k=1, 3 changes, 2 years", K: 1, Visits: 6000, Delta: .6, Changes: 3, Span: 730 * day},
			{Name: "k=3, 3 changes, 2 years, attribution 80/15", K: 3, Visits: 6000, Delta: .6, Changes: 3, Span: 730 * day,
				Cited: .8, Strays: .15, Blind: .4},
		}, []Arm{
			Retriever(), Library(Ours, reputation.Constants{}), Library("half-life 180 days", half(180*day)),
			Library("half-life 90 days", half(90*day)), Library("half-life 30 days", half(30*day)),
		}
}

// run is one experiment under way.
type run struct {
	Options
	report Report
	seeds  []uint64
	done   int
	total  int
}

// Run runs the experiments. It returns ctx's error if that ends first.
func Run(ctx context.Context, o Options) (Report, error) {
	if o.Seeds <= 0 {
		o.Seeds = 32
		if o.Small {
			o.Seeds = 3
		}
	}
	if o.FirstSeed == 0 {
		o.FirstSeed = 5000
	}
	r := &run{Options: o, report: Report{Seeds: o.Seeds, Small: o.Small}}
	for i := range o.Seeds {
		r.seeds = append(r.seeds, o.FirstSeed+uint64(i))
	}
	staleWorlds, _ := stale()
	if o.Only != "raters" {
		r.total += len(Rows()) + len(staleWorlds)
	}
	if o.Only != "worlds" {
		r.total += len(Feedbacks()) + 1
	}
	if o.Only != "raters" {
		if err := r.worlds(ctx); err != nil {
			return Report{}, err
		}
	}
	if o.Only != "worlds" {
		if err := r.raters(ctx); err != nil {
			return Report{}, err
		}
	}
	return r.report, nil
}

func (r *run) step() {
	r.done++
	if r.Progress != nil {
		r.Progress(r.done, r.total)
	}
}

func (r *run) worlds(ctx context.Context) error {
	arms := Arms()
	if r.Small {
		arms = arms[:4]
	}
	for _, row := range Rows() {
		cells, err := r.compare(ctx, row.World, arms)
		if err != nil {
			return err
		}
		bar := row.Bar
		if r.Small {
			bar = 0
		}
		r.report.Worlds = append(r.report.Worlds, Result{row.World.Name, bar, cells})
	}
	worlds, arms := stale()
	for _, w := range worlds {
		cells, err := r.compare(ctx, w, arms)
		if err != nil {
			return err
		}
		r.report.Staleness = append(r.report.Staleness, Result{w.Name, 0, cells})
	}
	return nil
}

func (r *run) compare(ctx context.Context, w World, arms []Arm) ([]Cell, error) {
	defer r.step()
	if r.Small {
		w.Visits = max(w.Visits/10, 100)
	}
	return compare(ctx, w, arms, r.seeds)
}

func (r *run) raters(ctx context.Context) error {
	for _, f := range Feedbacks() {
		ratings, err := f.rate(ctx, r.seeds)
		if err != nil {
			return err
		}
		r.report.Ratings = append(r.report.Ratings, ratings)
		r.step()
	}
	var err error
	r.report.Attacks, err = attacks(ctx, r.seeds[:min(len(r.seeds), 16)])
	r.step()
	return err
}
