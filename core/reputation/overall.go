package reputation

// Overall is what the records of a document's chunks say about the document
// whatever the question: a Beta mean with the prior mean base at a strength of two
// observations, to which every outcome adds the credit that it gave to the
// document as a whole, with the fading and the bounds that ranking applies. Base
// is normally the [Health.ColdRate], in (0,1); anything else counts as .5. Now is
// in Unix nanoseconds; nil records hold no evidence; the zero Constants mean the
// defaults.
func Overall(now int64, base float64, c Constants, records ...*Record) Estimate {
	if !(base > 0 && base < 1) {
		base = .5
	}
	c = c.orDefault()
	q := Query{Time: now} // no signature: every event is one about another question
	alpha, mass := overallStrength*base, float64(overallStrength)
	var raters unverified
	for _, r := range records {
		if r.Empty() {
			continue
		}
		var ev evidence
		ev.gather(r, &q, &c, &raters)
		alpha += ev.ga
		mass += ev.ga + ev.gb
	}
	return Estimate{Mean: min(max(alpha/mass, 0), 1), Mass: mass}
}

// overallStrength is the number of observations that the prior counts for.
const overallStrength = 2
