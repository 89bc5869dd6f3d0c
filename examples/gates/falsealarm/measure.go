package falsealarm

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Rates are what one gate did with one collection, as shares in [0,1] unless
// stated. NaN means that no question could tell.
type Rates struct {
	Far       float64 `json:"far"`       // far questions with a passage let through
	Near      float64 `json:"near"`      // near questions with a passage let through
	Retention float64 `json:"retention"` // of the questions whose top 5 hold a relevant passage, those that keep one
	Passages  float64 `json:"passages"`  // passages let through per answerable question, 0 to 5
	AUCFar    float64 `json:"auc_far"`   // chance that an answerable question scores above a far one
	AUCNear   float64 `json:"auc_near"`  // the same for a near one
	AUCFound  float64 `json:"auc_found"` // chance that one with a relevant passage in its top 5 scores above a far one
}

func (r *Rates) fields() []*float64 {
	return []*float64{&r.Far, &r.Near, &r.Retention, &r.Passages, &r.AUCFar, &r.AUCNear, &r.AUCFound}
}

// rates measures an arm over a trial.
func (t *trial) rates(a arm) Rates {
	far, near, in := t.far[a.name], t.near[a.name], t.in[a.name]
	r := Rates{Far: share(far, passed), Near: share(near, passed), Passages: mean(in, func(x answer) float64 { return float64(x.passed) })}
	found := filter(in, func(x answer) bool { return x.found })
	r.Retention = share(found, func(x answer) bool { return !x.lost })
	r.AUCFar, r.AUCNear, r.AUCFound = auc(in, far, a.by), auc(in, near, a.by), auc(found, far, a.by)
	return r
}

// oracleRates measures the fixed cosine that lets alpha of the far questions
// pass. No gate could know it.
func (t *trial) oracleRates(alpha float64) Rates {
	far, near, in := t.far[plain], t.near[plain], t.in[plain]
	var best []float64
	for _, x := range far {
		best = append(best, x.best)
	}
	if len(best) == 0 {
		return undefined()
	}
	slices.Sort(best)
	bar := stat.Quantile(1-alpha, stat.Empirical, best, nil)
	above := func(x answer) bool { return x.best > bar }
	r := t.rates(arms()[0])
	r.Far, r.Near, r.Passages = share(far, above), share(near, above), math.NaN()
	r.Retention = share(filter(in, func(x answer) bool { return x.found }), func(x answer) bool { return x.right > bar })
	return r
}

func passed(x answer) bool { return x.passed > 0 }

func undefined() (r Rates) {
	for _, f := range r.fields() {
		*f = math.NaN()
	}
	return r
}

func filter(xs answers, keep func(answer) bool) (out answers) {
	for _, x := range xs {
		if keep(x) {
			out = append(out, x)
		}
	}
	return out
}

func mean(xs answers, f func(answer) float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, x := range xs {
		sum += f(x)
	}
	return sum / float64(len(xs))
}

func share(xs answers, is func(answer) bool) float64 {
	return mean(xs, func(x answer) float64 {
		if is(x) {
			return 1
		}
		return 0
	})
}

// auc is the area under the ROC curve (Mann-Whitney), ties counting half.
func auc(good, bad answers, score func(answer) float64) float64 {
	if len(good) == 0 || len(bad) == 0 {
		return math.NaN()
	}
	sorted := make([]float64, len(bad))
	for i, x := range bad {
		sorted[i] = score(x)
	}
	slices.Sort(sorted)
	wins := 0.0
	for _, x := range good {
		s := score(x)
		below, _ := slices.BinarySearch(sorted, s)
		upTo, _ := slices.BinarySearch(sorted, math.Nextafter(s, math.Inf(1)))
		wins += float64(below) + float64(upTo-below)/2
	}
	return wins / float64(len(good)*len(bad))
}

// meanRates averages rates field by field over the values that are defined.
func meanRates(all []Rates) Rates {
	out := undefined()
	for i, f := range out.fields() {
		var xs []float64
		for _, r := range all {
			if x := *r.fields()[i]; !math.IsNaN(x) {
				xs = append(xs, x)
			}
		}
		if len(xs) > 0 {
			*f = stat.Mean(xs, nil)
		}
	}
	return out
}

// halfWidths are half the 95 % confidence intervals (Student) of the means of
// rates that one seed each gave; NaN for fewer than two.
func halfWidths(all []Rates) Rates {
	out := undefined()
	for i, f := range out.fields() {
		var xs []float64
		for _, r := range all {
			if x := *r.fields()[i]; !math.IsNaN(x) {
				xs = append(xs, x)
			}
		}
		if n := float64(len(xs)); n > 1 {
			t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(.975)
			*f = t * stat.StdDev(xs, nil) / math.Sqrt(n)
		}
	}
	return out
}
