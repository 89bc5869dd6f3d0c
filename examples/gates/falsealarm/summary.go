package falsealarm

import (
	"cmp"
	"math"
	"slices"
)

// sample is a rate with the collection and seed it comes from.
type sample struct {
	library string
	seed    uint64
	rates   Rates
}

func summarise(o Options, libraries []*library, plans []planned, trials []*trial) *Report {
	r := &Report{Alpha: alpha, Seeds: o.Seeds, Sizes: map[string]int{}}
	for _, l := range libraries {
		r.Sizes[l.name] = l.total
	}
	for _, n := range sizes(plans) {
		for _, a := range arms() {
			r.Rows = append(r.Rows, row(a.name, n, plans, trials, func(t *trial) Rates { return t.rates(a) }))
		}
		r.Rows = append(r.Rows, row(oracle, n, plans, trials, func(t *trial) Rates { return t.oracleRates(alpha) }))
		r.Reliability = append(r.Reliability, reliability(n, plans, trials)...)
	}
	return r
}

func sizes(plans []planned) []int {
	var out []int
	for _, p := range plans {
		if !slices.Contains(out, p.n) {
			out = append(out, p.n)
		}
	}
	return out
}

// row sums up one gate at one size: mean over collections, interval over seeds.
func row(name string, n int, plans []planned, trials []*trial, rates func(*trial) Rates) Row {
	var all []sample
	for i, p := range plans {
		if p.n == n {
			all = append(all, sample{p.library.name, p.seed, rates(trials[i])})
		}
	}
	r := Row{Gate: name, N: n, Each: map[string]Rates{}, Worst: math.NaN()}
	inMean := all[:0:0]
	for _, s := range all {
		if central(s.library, n) || n == 0 {
			inMean = append(inMean, s)
		}
	}
	seeds := bySeed(inMean)
	r.Mean, r.Half = meanRates(seeds), halfWidths(seeds)
	for _, library := range libraryNames(all) {
		var own []Rates
		for _, s := range all {
			if s.library == library {
				own = append(own, s.rates)
			}
		}
		m := meanRates(own)
		r.Each[library] = m
		if central(library, n) || n == 0 {
			if !(m.Far <= r.Worst) {
				r.Worst, r.WorstOf = m.Far, library
			}
		}
	}
	if math.IsNaN(r.Worst) {
		r.Worst = 0
	}
	return r
}

// bySeed averages over collections, seed by seed.
func bySeed(all []sample) []Rates {
	groups := make(map[uint64][]Rates)
	var seeds []uint64
	for _, s := range all {
		if groups[s.seed] == nil {
			seeds = append(seeds, s.seed)
		}
		groups[s.seed] = append(groups[s.seed], s.rates)
	}
	slices.Sort(seeds)
	var out []Rates
	for _, seed := range seeds {
		out = append(out, meanRates(groups[seed]))
	}
	return out
}

func libraryNames(all []sample) []string {
	var out []string
	for _, s := range all {
		if !slices.Contains(out, s.library) {
			out = append(out, s.library)
		}
	}
	slices.SortFunc(out, cmp.Compare[string])
	return out
}

// reliability asks how often far questions get a rate of at most alpha, for
// several alphas.
func reliability(n int, plans []planned, trials []*trial) []Reliability {
	var out []Reliability
	for _, asked := range []float64{.005, .01, .02275, .05, .1, .2, .3} {
		rate := row(evidence, n, plans, trials, func(t *trial) Rates {
			r := undefined()
			r.Far = share(t.far[evidence], func(x answer) bool { return x.p <= asked })
			return r
		})
		out = append(out, Reliability{N: n, Asked: asked, Measured: rate.Mean.Far, Worst: rate.Worst})
	}
	return out
}
