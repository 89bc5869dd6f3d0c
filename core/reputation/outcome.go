package reputation

import "math"

// outcome is what a receipt's opinions come to for one document, or for the whole
// answer.
type outcome struct {
	known    bool
	y, w     float64 // value in [0,1] and weight in [0,1]
	cited    float64 // attribution, NaN = not known
	specific bool    // about this document, not the whole answer
	class    uint16  // of the raters, 0 = verified
	actors   Actors
}

// outcome is what the opinions come to for the document at a position.
func (r *Receipt) outcome(i int, used []float32) outcome {
	out := outcome{cited: math.NaN(), actors: Actors{r.User}}
	if used != nil {
		out.cited = float64(used[i])
	}
	if y, ok := r.verified(i, i); ok {
		out.known, out.y, out.w, out.specific = true, y, 1, true
	} else if y, ok := r.verified(-1, i); ok {
		out.known, out.y, out.w = true, y, 1
	} else {
		r.ask(&out, i)
	}
	for j := range r.Opinions {
		if o := &r.Opinions[j]; o.speaksOf(i) {
			out.take(ActorTag(o.Rater), r.User)
		}
	}
	if out.specific {
		out.cited = 1
	}
	return out
}

// take notes who took part. The receipt's user is named anyway; that they rated too
// matters where raters are limited.
func (out *outcome) take(tag, user uint16) {
	if tag != user || out.class != 0 {
		out.actors = out.actors.with(tag)
	}
}

// whole is what the opinions come to for the answer as a whole.
func (r *Receipt) whole() outcome {
	out := outcome{cited: math.NaN()}
	if y, ok := r.verified(-1, -1); ok {
		out.known, out.y, out.w = true, y, 1
		return out
	}
	r.ask(&out, -1)
	return out
}

// ask puts the raters' opinions together where no verifier has spoken: the sum of
// their log-likelihood ratios says what is probably true, and how sure that is
// gives the weight.
func (r *Receipt) ask(out *outcome, i int) {
	sum, loudest := 0.0, -1.0
	for j := range r.Opinions {
		o := &r.Opinions[j]
		if o.Verified || !o.speaksOf(i) {
			continue
		}
		k := r.calibration(o.Rater)
		fpr := k.FPR
		if i >= 0 {
			fpr = float64(k.DocFPR[i])
		}
		x := llr(o.Value, k.TPR, fpr)
		sum += x
		if math.Abs(x) > loudest {
			loudest, out.class = math.Abs(x), ClassTag(ClassOf(o.Rater))
		}
		out.known = true
		out.specific = out.specific || o.about() >= 0
	}
	if out.known {
		out.y = 1 / (1 + math.Exp(-sum))
		out.w = 2 * math.Abs(out.y-.5)
	}
}

// event turns the outcome for position i into evidence. m is the share of global
// credit: the document's part of the means, and of their complements, of all shown.
func (out *outcome) event(r *Receipt, i int, share sharing, c *Constants) Event {
	e := Event{
		Signature: r.Signature, Receipt: r.Tag, Time: r.Time, Class: out.class,
		Actors: out.actors, Attribution: nan32,
		Position: uint16(math.Round(65535 * share.position[i])),
	}
	if !out.specific && !math.IsNaN(out.cited) {
		e.Attribution = float32(out.cited)
	}
	good, bad := out.w*out.y, out.w*(1-out.y)
	if out.specific || !math.IsNaN(out.cited) && !r.IgnoreAttribution {
		bad = out.w * (out.cited*(1-out.y) + c.Uncited*(1-out.cited))
		good *= out.cited
		e.Pos, e.Neg = float32(good), float32(bad)
		e.GlobalPos, e.GlobalNeg = e.Pos, e.Neg
		return e
	}
	e.Pos, e.Neg = float32(good), float32(bad)
	e.GlobalPos, e.GlobalNeg = float32(good*share.good[i]), float32(bad*share.bad[i])
	return e
}

// sharing says how credit and attention are split between the documents shown.
type sharing struct {
	position, good, bad []float64
}

// sharing splits by position: geometrically; success by posterior mean, failure by
// its complement.
func (r *Receipt) sharing(c *Constants) sharing {
	k := len(r.Shown)
	buf := make([]float64, 3*k)
	s := sharing{buf[:k], buf[k : 2*k], buf[2*k:]}
	at := 1.0
	for i := range r.Shown {
		m := min(max(float64(r.Shown[i].Mean), 0), 1)
		s.position[i], s.good[i], s.bad[i] = at, m, 1-m
		at *= c.PositionDecay
	}
	for _, x := range [...][]float64{s.position, s.good, s.bad} {
		normalise(x)
	}
	return s
}

// normalise makes the numbers sum to 1; if they sum to 0 all become equal.
func normalise(x []float64) {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	for i := range x {
		if sum > 0 {
			x[i] /= sum
		} else {
			x[i] = 1 / float64(len(x))
		}
	}
}
