package lifecycle

import "math"

// Score is the decay score in [0,1], rounded to four decimals:
//
//	(wr*exp(-Lambda*days) + wf*min(uses/FrequencyCap, 1) + we*opinion) / (wr+wf+we)
//
// days is the time since the last use (infinite: never used), uses the decayed
// use count, opinion a number from -1 (against) over 0 (none) to 1 (for). The
// formula is that of langchain-rag-wiki, where opinion cannot be negative. The
// result is finite for every input: negative ages count as 0, and what is not a
// number as no evidence.
func (o Options) Score(uses, days, opinion float64) float64 {
	o = o.WithDefaults()
	return o.score(uses, days, opinion)
}

func (o *Options) score(uses, days, opinion float64) float64 {
	recency := math.Exp(-o.Lambda * orZero(max(days, 0), math.Inf(1)))
	frequency := clamp(orZero(uses, 0)/o.FrequencyCap, 0, 1)
	explicit := clamp(orZero(opinion, 0), -1, 1)
	sum := o.RecencyWeight*recency + o.FrequencyWeight*frequency + o.ExplicitWeight*explicit
	total := o.RecencyWeight + o.FrequencyWeight + o.ExplicitWeight
	return math.Round(clamp(orZero(sum/total, 0), 0, 1)*1e4) / 1e4
}

// orZero replaces what is not a number.
func orZero(x, instead float64) float64 {
	if math.IsNaN(x) {
		return instead
	}
	return x
}

func clamp(x, lo, hi float64) float64 { return min(max(x, lo), hi) }

// Counter is a count that decays exponentially: a use today counts 1, a use days
// ago exp(-Lambda*days). It is kept as one value at one time, so reading it at
// any later time is one multiplication, and no job has to touch it. The zero
// value is an empty counter.
type Counter struct {
	Value float64 `json:"value"`       // the count at At, not negative
	At    Stamp   `json:"at,omitzero"` // time of the newest contribution
}

// Value at time t for a decay rate per day. A time before the newest
// contribution is read as that time.
func (c Counter) at(t Stamp, rate float64) float64 {
	return c.Value * math.Exp(-rate*t.daysSince(c.At))
}

// add counts x at time t. Contributions commute up to rounding, as long as the
// counter stays under limit.
func (c Counter) add(x float64, t Stamp, rate, limit float64) Counter {
	if t >= c.At {
		return Counter{Value: min(c.at(t, rate)+x, limit), At: t}
	}
	c.Value = min(c.Value+x*math.Exp(-rate*c.At.daysSince(t)), limit)
	return c
}

// Posterior is what outcomes have taught all users of a namespace about a
// document, as the ranker knows it. The zero value means unknown.
type Posterior struct {
	Mean float64 `json:"mean"`          // success probability, [0,1]
	Mass float64 `json:"mass"`          // evidence mass including the prior's 2; 0 = unknown
	Base float64 `json:"base,omitzero"` // mean of an average document, (0,1); 0 = .5
}

// priorMass is the strength of the ranker's prior: mass up to here is not
// evidence.
const priorMass = 2

func (p Posterior) valid() bool {
	return p.Mean >= 0 && p.Mean <= 1 && p.Mass >= 0 && !math.IsInf(p.Mass, 0) && p.Base >= 0 && p.Base < 1
}

func (p Posterior) base() float64 {
	if p.Base == 0 {
		return .5
	}
	return p.Base
}

// bad: enough evidence, and a mean well under that of an average document.
func (p Posterior) bad(o *Options) bool {
	return p.Mass >= o.BadMass && p.Mean < o.BadMean*min(2*p.base(), 1)
}

// signed places the mean between -1 (never helps), 0 (average) and 1.
func (p Posterior) signed() float64 {
	b := p.base()
	if p.Mean >= b {
		return (p.Mean - b) / (1 - b)
	}
	return (p.Mean - b) / b
}

// Opinion is the evidence for and against a document: the user's thumbs, and
// the shared posterior at a bounded weight. It is a Beta-like mean with a neutral
// prior, so the first thumb down counts as much as the first thumb up, and no
// opinion differs from a bad one.
type Opinion struct {
	Up          float64   `json:"up,omitzero"`           // decayed thumbs up at At
	Down        float64   `json:"down,omitzero"`         // decayed thumbs down at At
	At          Stamp     `json:"at,omitzero"`           // time of the newest contribution
	Posterior   Posterior `json:"posterior,omitzero"`    // the newest one seen
	PosteriorAt Stamp     `json:"posterior_at,omitzero"` // when it was seen
}

const (
	opinionPrior     = 1  // thumbs that the neutral prior is worth: Beta(1/2, 1/2), Jeffreys' prior
	opinionLimit     = 10 // thumbs of one kind that count at most
	posteriorWeight  = 4  // thumbs that the shared posterior is worth at most
	opinionDecay     = .1 // share of Lambda; at most 1, else a score could rise by waiting
	dislikeDemotes   = .6 // two thumbs down without a thumb up
	dislikeSuggested = .3 // one thumb down without a thumb up
)

// thumb counts one thumb at time t, or takes it back if n is -1.
func (p Opinion) thumb(up bool, n float64, t Stamp, o *Options) Opinion {
	p = p.advance(t, o)
	x := n * math.Exp(-o.Lambda*opinionDecay*p.At.daysSince(t))
	if up {
		p.Up = clamp(p.Up+x, 0, opinionLimit)
	} else {
		p.Down = clamp(p.Down+x, 0, opinionLimit)
	}
	return p
}

// learn takes over a posterior unless a newer one is known.
func (p Opinion) learn(post Posterior, t Stamp, o *Options) Opinion {
	if post.Mass == 0 || t < p.PosteriorAt {
		return p
	}
	p = p.advance(t, o)
	p.Posterior, p.PosteriorAt = post, t
	return p
}

func (p Opinion) advance(t Stamp, o *Options) Opinion {
	if t > p.At {
		g := p.fading(t, o)
		p.Up, p.Down, p.At = p.Up*g, p.Down*g, t
	}
	return p
}

func (p *Opinion) fading(t Stamp, o *Options) float64 {
	return math.Exp(-o.Lambda * opinionDecay * t.daysSince(p.At))
}

// own is the user's opinion alone, in (-1,1).
func (p *Opinion) own(t Stamp, o *Options) float64 {
	g := p.fading(t, o)
	return g * (p.Up - p.Down) / (opinionPrior + g*(p.Up+p.Down))
}

// mean is the opinion that enters the score, in (-1,1). All of it fades at one
// rate, slower than the uses, so the score never rises by mere waiting.
func (p *Opinion) mean(t Stamp, o *Options) float64 {
	g := p.fading(t, o)
	w := clamp(p.Posterior.Mass-priorMass, 0, posteriorWeight)
	return g * (p.Up - p.Down + w*p.Posterior.signed()) / (opinionPrior + g*(p.Up+p.Down+w))
}
