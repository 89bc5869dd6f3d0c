package reputation

import "math"

const (
	thetaLimit = .01 // predictions are kept this far from 0 and 1
	coldLimit  = .5  // local mass below which a document counts as unknown
	checkLimit = .5  // attribution evidence from which on a prediction is checked
)

// contribution is what the receipt's outcomes say about the namespace.
func (r *Receipt) contribution(docs []outcome, events []Event, all *outcome, share sharing) Contribution {
	var c Contribution
	known := false
	for i := range docs {
		if !docs[i].known {
			continue
		}
		known = true
		r.cold(&c, i, &events[i])
		r.predicted(&c, i, &events[i])
		r.repeated(&c, i, &docs[i], &events[i])
	}
	if !known {
		return c
	}
	c.v[outcomes] = 1
	if r.attributes(docs) {
		c.v[attributed] = 1
	} else if all.known && len(r.Shown) > 1 {
		r.read(&c, all, share)
	}
	return c
}

// attributes reports whether it is known what made the answer.
func (r *Receipt) attributes(docs []outcome) bool {
	for i := range docs {
		if docs[i].specific || docs[i].known && !math.IsNaN(docs[i].cited) && !r.IgnoreAttribution {
			return true
		}
	}
	return false
}

// cold adds to how often documents of which nothing is known help.
func (r *Receipt) cold(c *Contribution, i int, e *Event) {
	if r.Shown[i].LocalMass >= coldLimit {
		return
	}
	c.v[coldPos] += float64(e.Pos)
	c.v[coldNeg] += float64(e.Neg)
	c.v[coldS] += float64(r.Shown[i].S)
	c.v[coldCount]++
}

// predicted scores the hypotheses by how probable they called the outcome.
func (r *Receipt) predicted(c *Contribution, i int, e *Event) {
	k := float64(len(r.Shown))
	for h, theta := range r.Shown[i].Thetas {
		c.v[logWeights+h] += logBernoulli2(float64(e.Pos), float64(e.Neg), float64(theta)) / k
	}
}

// repeated checks whether earlier attribution predicts this one better than the
// common rate does.
func (r *Receipt) repeated(c *Contribution, i int, out *outcome, e *Event) {
	if math.IsNaN(float64(e.Attribution)) {
		return
	}
	c.v[cited] += out.cited
	c.v[citedCount]++
	s, rate := &r.Shown[i], float64(r.CitedRate)
	if s.CitedMass < checkLimit {
		return
	}
	own := (float64(s.CitedSum) + 2*rate) / (float64(s.CitedMass) + 2)
	c.v[repeats] += logBernoulli2(out.cited, 1-out.cited, own) - logBernoulli2(out.cited, 1-out.cited, rate)
	c.v[repeatsN]++
}

// read compares two readings of an answer whose sources are unknown: it used the
// best of the documents shown, or the first.
func (r *Receipt) read(c *Contribution, all *outcome, share sharing) {
	best, first := 0.0, 0.0
	for i := range r.Shown {
		best = max(best, float64(r.Shown[i].MeanBest))
		first += share.position[i] * float64(r.Shown[i].MeanFirst)
	}
	c.v[readBest] = all.w * logBernoulli2(all.y, 1-all.y, best)
	c.v[readFirst] = all.w * logBernoulli2(all.y, 1-all.y, first)
	c.v[readCount] = 1
}

// logBernoulli2 is the log-likelihood of amounts of success and failure at
// probability theta.
func logBernoulli2(pos, neg, theta float64) float64 {
	theta = min(max(theta, thetaLimit), 1-thetaLimit)
	return pos*math.Log(theta) + neg*math.Log1p(-theta)
}
