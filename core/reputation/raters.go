package reputation

import (
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

	maxExponent = 900 // of forward decay: keeps every weight finite
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
	class, own := r.Classes[ClassOf(rater)], r.Tables[rater]
	tpr = (class.YesTrue + 8) / (class.YesTrue + class.NoTrue + 10)
	fpr = (class.YesFalse + 3) / (class.YesFalse + class.NoFalse + 10)
	tpr = (own.YesTrue + c.RaterStrength*tpr) / (own.YesTrue + own.NoTrue + c.RaterStrength)
	fpr = (own.YesFalse + c.RaterStrength*fpr) / (own.YesFalse + own.NoFalse + c.RaterStrength)
	return tpr, fpr
}

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

// calibrate adds the calibration of raters that the receipt hears for the first
// time.
func (r *Receipt) calibrate(records []*Record, raters Raters, c *Constants) {
	for i := range r.Opinions {
		o := &r.Opinions[i]
		at, known := r.findCalibration(o.Rater)
		if o.Verified || known {
			continue
		}
		k := Calibration{Rater: o.Rater, DocFPR: make([]float32, len(r.Shown))}
		k.TPR, k.FPR = raters.Rates(o.Rater, *c)
		class := ClassTag(ClassOf(o.Rater))
		for d := range k.DocFPR {
			check := records[d].checks(class)
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

// checks returns the record's check of a class of raters.
func (r *Record) checks(class uint16) Check {
	if r != nil {
		for _, c := range r.Checks {
			if c.Class == class {
				return c
			}
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
