package reputation

import (
	"fmt"
	"math"
	"slices"
)

// Folded is what folding opinions into a receipt comes to. Nothing in it shares
// memory with what the caller passed in unless it is unchanged.
type Folded struct {
	Receipt *Receipt
	// Records are aligned with Receipt.Shown; an entry that did not change is the
	// same pointer as before.
	Records []*Record
	// Stats is what to apply to the namespace's statistics.
	Stats Contribution
	// Tallies are what to add to the tallies of raters.
	Tallies []TallyDelta
	// Duplicate is set if the opinions said nothing new: then nothing changed.
	Duplicate bool
	// TooLate is set if an opinion concerns a document whose event has left the ring
	// and is in no other one, or cannot enter it: everything in a full ring is newer
	// and unlike it, or the rater has given Constants.RaterEvents opinions since. That
	// document's evidence stays as it is.
	TooLate bool
	// Y and W are the outcome of the answer as a whole: its value and its weight,
	// both in [0,1]. W is 0 if only single documents were spoken about.
	Y, W float64

	before []*Record // the records as they came
	deltas []Event   // what was added to each record
}

// Fold folds opinions into a receipt and its documents' records, aligned with
// Receipt.Shown (nil = no evidence). The result is a function of the arguments: it
// may be computed again when a store retries. Opinions of one receipt commute,
// repeat harmlessly and may be revised: a receipt keeps each rater's current
// opinion, and its events are made anew from these. What is known about classes of
// raters is read at the receipt's first opinion, what is known about a rater when the
// receipt first hears from it; both are kept. The zero Constants mean the defaults.
//
// It returns [ErrOpinion] or [ErrTooManyOpinions], and then nothing is changed.
func Fold(r *Receipt, opinions []Opinion, records []*Record, raters Raters, c Constants) (Folded, error) {
	if len(records) != len(r.Shown) {
		return Folded{}, fmt.Errorf("%w: %d records for %d documents shown", ErrOpinion, len(records), len(r.Shown))
	}
	c = c.orDefault()
	next := r.clone()
	changed, err := next.take(opinions)
	if err != nil {
		return Folded{}, err
	}
	whole := Folded{Receipt: r, Records: records, Duplicate: true}
	if !changed {
		return whole, nil
	}
	if raters.At != 0 && r.applied == nil {
		next.Time = min(next.Time, raters.At)
	}
	next.calibrate(records, raters, &c)
	return next.fold(r, records, raters, &c), nil
}

// usualShown is the number of documents shown up to which folding needs no memory
// but its result's.
const usualShown = 8

// fold makes the receipt's evidence anew and applies the difference to before.
func (r *Receipt) fold(before *Receipt, records []*Record, raters Raters, c *Constants) Folded {
	f := Folded{Receipt: r, Records: slices.Clone(records), before: records, deltas: make([]Event, len(records))}
	share, used := r.sharing(c), r.used()
	var outcomeRoom [usualShown]outcome
	var eventRoom [usualShown]Event
	docs, events := outcomeRoom[:0], eventRoom[:0]
	docs = slices.Grow(docs, len(r.Shown))[:len(r.Shown)]
	events = slices.Grow(events, len(r.Shown))[:len(r.Shown)]
	r.applied = make([]applied, len(r.Shown))
	copy(r.applied, before.applied)
	for i := range docs {
		docs[i] = r.outcome(i, used)
		if was := &r.applied[i]; docs[i].known || was.done {
			events[i] = docs[i].event(r, i, share, c)
			if !docs[i].known { // taken back
				events[i].Class = was.event.Class
			}
			f.TooLate = !f.apply(i, events[i], c) || f.TooLate
		}
		f.check(i)
	}
	all := r.whole()
	if all.known {
		f.Y, f.W = all.y, all.w
	}
	r.stats = r.contribution(docs, events, &all, share)
	f.Stats = r.stats.minus(&before.stats)
	r.tallies = r.tally(raters, before.tallies, c)
	f.Tallies = difference(r.tallies, before.tallies)
	return f
}

// check brings the record's count of fooled raters up to date.
func (f *Folded) check(i int) {
	r := f.Receipt
	now := r.checks(i)
	was := r.applied[i].checks
	if slices.Equal(now, was) {
		return
	}
	if f.Records[i] == f.before[i] {
		f.Records[i] = f.Records[i].clone()
	}
	for _, c := range was {
		f.Records[i].addCheck(Check{c.Class, -c.Fooled, -c.Caught})
	}
	for _, c := range now {
		f.Records[i].addCheck(c)
	}
	r.applied[i].checks = now
}

// checks are what a verifier's verdict on position i says about the raters there.
func (r *Receipt) checks(i int) []Check {
	var sum Record
	for j := range r.Opinions {
		o := &r.Opinions[j]
		if o.Verified || !o.speaksOf(i) {
			continue
		}
		if y, ok := r.verified(o.about(), i); ok {
			sum.addCheck(Check{ClassTag(ClassOf(o.Rater)), float32(o.Value * (1 - y)), float32((1 - o.Value) * (1 - y))})
		}
	}
	return sum.Checks
}

// tally counts each rater's opinions against the verifier's.
func (r *Receipt) tally(raters Raters, before []TallyDelta, c *Constants) []TallyDelta {
	var sums []TallyDelta
	by := c.forwardWeight(r.Time)
	for j := range r.Opinions {
		o := &r.Opinions[j]
		y, ok := r.verified(o.about(), o.about())
		if o.Verified || !ok {
			continue
		}
		s := o.Value
		v := [4]float64{by * s * y, by * (1 - s) * y, by * s * (1 - y), by * (1 - s) * (1 - y)}
		own := RaterTally + o.Rater
		if hasTally(before, own) || !raters.crowded(o.Rater) {
			sums = addTally(sums, own, v)
		}
		sums = addTally(sums, ClassTally+ClassOf(o.Rater), v)
	}
	return sums
}

func hasTally(tallies []TallyDelta, name string) bool {
	return slices.ContainsFunc(tallies, func(t TallyDelta) bool { return t.Name == name })
}

func addTally(tallies []TallyDelta, name string, v [4]float64) []TallyDelta {
	for i := range tallies {
		if tallies[i].Name == name {
			for j, x := range v {
				tallies[i].Values[j] += x
			}
			return tallies
		}
	}
	return append(tallies, TallyDelta{Name: name, Values: v[:]})
}

// difference is what brings a tally that counted before to now.
func difference(now, before []TallyDelta) []TallyDelta {
	var out []TallyDelta
	for _, t := range now {
		out = addTally(out, t.Name, [4]float64(t.Values))
	}
	for _, t := range before {
		var minus [4]float64
		for j, x := range t.Values {
			minus[j] = -x
		}
		out = addTally(out, t.Name, minus)
	}
	return slices.DeleteFunc(out, func(t TallyDelta) bool { return [4]float64(t.Values) == [4]float64{} })
}

// Summarize adds what was folded to the summaries that a ranker keeps in the
// records; where another ranker's summary is found, the ring is replayed.
func (f *Folded) Summarize(ranker string, s Summarizer) {
	for i, d := range f.deltas {
		rec := f.Records[i]
		if rec == f.before[i] {
			continue
		}
		if rec.Ranker != ranker {
			f.Records[i] = Summarize(rec, ranker, s)
			continue
		}
		f.Records[i] = rec.WithSummary(ranker, s.Fold(rec.Summary, d))
	}
}

func sameFloat(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a == b }
