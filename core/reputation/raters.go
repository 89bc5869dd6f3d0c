package reputation

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Table counts, for one rater or a class of them, what they said where a verifier
// spoke too. All counts are >= 0 and fade with Constants.RaterHalfLife.
type Table struct {
	YesTrue, NoTrue, YesFalse, NoFalse float64
}

// Raters is a snapshot of what is known about raters, read at time At. The zero
// value knows nobody: every rater then has the prior of an unknown class. It is
// never modified and may be shared.
type Raters struct {
	At      int64            // now, Unix nanoseconds; 0 = not known. Receipts from the future are moved to it.
	Tables  map[string]Table // by rater
	Classes map[string]Table // by class: the pooled tables of its raters
}

// TallyDelta is an increment of an additive tally of rater behaviour. Tallies are
// forward-decayed (Cormode et al. 2009): an observation at time t is counted with
// weight 2^((t-epoch)/half-life), so that increments commute, no tally is ever
// rescaled, and none has to be read to be incremented.
type TallyDelta struct {
	Name   string    // RaterTally or ClassTally
	Values []float64 // to be added, slot by slot: YesTrue, NoTrue, YesFalse, NoFalse
}

const (
	// RaterTally is the prefix of the name of a rater's tally.
	RaterTally = "rater/"
	// ClassTally is the prefix of the name of a class's pooled tally.
	ClassTally = "class/"

	// MaxRaters is the number of raters of a class that have tallies of their own;
	// the others only count for their class.
	MaxRaters = 1000

	maxClasses    = 32  // that a receipt writes down
	classStrength = 10  // observations that classPrior counts for
	maxExponent   = 900 // of forward decay: keeps every weight finite
)

// tallyEpoch is the moment at which an observation weighs 1.
var tallyEpoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// forwardWeight is the weight of an observation at time t.
func (c *Constants) forwardWeight(t int64) float64 {
	if c.RaterHalfLife <= 0 {
		return 1
	}
	x := (float64(t) - float64(tallyEpoch)) / float64(c.RaterHalfLife)
	return math.Exp2(min(max(x, -maxExponent), maxExponent))
}

// NewRaters reads a snapshot from tallies by name, as summed up from [TallyDelta]s,
// at a time in Unix nanoseconds. Names without one of the prefixes and values that
// are not four finite numbers are passed over. The zero Constants mean the
// defaults.
func NewRaters(at int64, tallies map[string][]float64, c Constants) Raters {
	c = c.orDefault()
	r := Raters{At: at, Tables: map[string]Table{}, Classes: map[string]Table{}}
	by := 1 / c.forwardWeight(at)
	for name, v := range tallies {
		table, ok := newTable(v, by)
		if !ok {
			continue
		}
		if rater, ok := cut(name, RaterTally); ok {
			r.Tables[rater] = table
		} else if class, ok := cut(name, ClassTally); ok {
			r.Classes[class] = table
		}
	}
	return r
}

func cut(name, prefix string) (string, bool) {
	if len(name) <= len(prefix) || name[:len(prefix)] != prefix {
		return "", false
	}
	return name[len(prefix):], true
}

func newTable(v []float64, by float64) (t Table, ok bool) {
	if len(v) != 4 {
		return t, false
	}
	for i, to := range [4]*float64{&t.YesTrue, &t.NoTrue, &t.YesFalse, &t.NoFalse} {
		x := max(0, v[i]*by)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return t, false
		}
		*to = x
	}
	return t, true
}

// Rates returns how likely the rater says yes to a true answer (TPR) and to a false
// one (FPR): the means of its own table, with its class counting for
// Constants.RaterStrength observations. The class's own priors are 8:2 and 3:7.
// The zero Constants mean the defaults.
func (r Raters) Rates(rater string, c Constants) (tpr, fpr float64) {
	c = c.orDefault()
	class := r.Classes[ClassOf(rater)].rates(classPrior, classStrength)
	own := r.Tables[rater].rates(class, c.RaterStrength)
	return own.tpr, own.fpr
}

// rates are the means of a table with a prior of this strength.
func (t Table) rates(prior classRates, strength float64) classRates {
	return classRates{
		class: prior.class,
		tpr:   (t.YesTrue + strength*prior.tpr) / (t.YesTrue + t.NoTrue + strength),
		fpr:   (t.YesFalse + strength*prior.fpr) / (t.YesFalse + t.NoFalse + strength),
	}
}

// classPrior is what a class is like of which nothing is known.
var classPrior = classRates{tpr: .8, fpr: .3}

// crowded reports whether the class has as many raters with tallies of their own as
// it may, and this is not one of them.
func (r Raters) crowded(rater string) bool {
	if _, known := r.Tables[rater]; known || len(r.Tables) < MaxRaters {
		return false
	}
	class, n := ClassOf(rater), 0
	for other := range r.Tables {
		if ClassOf(other) == class {
			n++
		}
	}
	return n >= MaxRaters
}

// rateLimit keeps a rate away from 0 and 1, so that nobody is believed blindly.
const rateLimit = .01

// llr is the log-likelihood ratio of "true" against "false" that a rater with these
// rates gives by saying s in [0,1].
func llr(s, tpr, fpr float64) float64 {
	tpr = min(max(tpr, rateLimit), 1-rateLimit)
	fpr = min(max(fpr, rateLimit), 1-rateLimit)
	return s*math.Log(tpr/fpr) + (1-s)*math.Log((1-tpr)/(1-fpr))
}

// freeze writes down what is known about classes of raters when the receipt gets its
// first opinion: what a verdict on it teaches about a class must not change what
// another rater of the class says of it. Where there are more classes than a receipt
// has room for, each rater's class is read when that rater is first heard.
func (r *Receipt) freeze(raters Raters) {
	if r.frozen || len(raters.Classes) > maxClasses {
		return
	}
	r.frozen = true
	if len(raters.Classes) == 0 {
		return
	}
	for _, class := range slices.Sorted(maps.Keys(raters.Classes)) {
		if len(class) <= MaxRater {
			rates := raters.Classes[class].rates(classPrior, classStrength)
			rates.class = class
			r.classes = append(r.classes, rates)
		}
	}
}

// class returns what the receipt takes a class of raters for.
func (r *Receipt) class(name string, raters Raters) classRates {
	if !r.frozen {
		return raters.Classes[name].rates(classPrior, classStrength)
	}
	for _, c := range r.classes {
		if c.class == name {
			return c
		}
	}
	return classPrior
}

// calibrate adds the calibration of raters that the receipt hears for the first
// time. What the receipt itself has told the documents of a class does not count.
func (r *Receipt) calibrate(records []*Record, raters Raters, c *Constants) {
	r.freeze(raters)
	for i := range r.Opinions {
		o := &r.Opinions[i]
		at, known := r.findCalibration(o.Rater)
		if o.Verified || known {
			continue
		}
		class := ClassOf(o.Rater)
		rates := raters.Tables[o.Rater].rates(r.class(class, raters), c.RaterStrength)
		k := Calibration{Rater: o.Rater, TPR: rates.tpr, FPR: rates.fpr, DocFPR: make([]float32, len(r.Shown))}
		for d := range k.DocFPR {
			check := records[d].checksOf(ClassTag(class))
			if r.applied != nil {
				own := checkOf(r.applied[d].checks, check.Class)
				check.Fooled, check.Caught = max(0, check.Fooled-own.Fooled), max(0, check.Caught-own.Caught)
			}
			fooled, caught := float64(check.Fooled), float64(check.Caught)
			k.DocFPR[d] = float32((2*k.FPR + fooled) / (2 + fooled + caught))
		}
		r.Calibrations = slices.Insert(r.Calibrations, at, k)
	}
}

// findCalibration returns where the rater's calibration is or belongs.
func (r *Receipt) findCalibration(rater string) (at int, found bool) {
	return slices.BinarySearchFunc(r.Calibrations, rater, func(c Calibration, rater string) int {
		return strings.Compare(c.Rater, rater)
	})
}

// calibration of a rater among the opinions; nil if there is none.
func (r *Receipt) calibration(rater string) *Calibration {
	at, found := r.findCalibration(rater)
	if !found {
		return nil
	}
	return &r.Calibrations[at]
}

// checksOf returns the record's check of a class of raters.
func (r *Record) checksOf(class uint16) Check {
	if r == nil {
		return Check{Class: class}
	}
	return checkOf(r.Checks, class)
}

func checkOf(checks []Check, class uint16) Check {
	for _, c := range checks {
		if c.Class == class {
			return c
		}
	}
	return Check{Class: class}
}

// addCheck adds to the check of a class; a record keeps the first 8 classes.
func (r *Record) addCheck(d Check) {
	for i := range r.Checks {
		if c := &r.Checks[i]; c.Class == d.Class {
			c.Fooled = max(0, c.Fooled+d.Fooled)
			c.Caught = max(0, c.Caught+d.Caught)
			return
		}
	}
	if len(r.Checks) < maxChecks {
		r.Checks = append(r.Checks, Check{d.Class, max(0, d.Fooled), max(0, d.Caught)})
	}
}
