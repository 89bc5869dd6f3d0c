package reputation

import "math"

const (
	globalDecay = .95 // what a newer outcome takes off an older one, whatever the query
	provenAlike = .5  // kernel from which on a success counts as one for queries like this
	classSlots  = 4   // classes of raters that are capped apart; more share the last
)

// globalFade holds globalDecay^i.
var globalFade = func() (t [RingSize]float64) {
	x := 1.0
	for i := range t {
		t[i] = x
		x *= globalDecay
	}
	return t
}()

// provenReach is the largest Hamming distance with a kernel of provenAlike.
var provenReach = reach(provenAlike)

// counts are amounts of evidence for and against a document.
type counts struct {
	a, b   float64 // local
	aw, bw float64 // local, weighted by position
	ga, gb float64 // global
}

func (c *counts) add(o *counts) {
	c.a += o.a
	c.b += o.b
	c.aw += o.aw
	c.bw += o.bw
	c.ga += o.ga
	c.gb += o.gb
}

// cap limits local and global mass.
func (c *counts) cap(most float64) {
	if mass := c.a + c.b; mass > most {
		by := most / mass
		c.a, c.b, c.aw, c.bw = by*c.a, by*c.b, by*c.aw, by*c.bw
	}
	if mass := c.ga + c.gb; mass > most {
		by := most / mass
		c.ga, c.gb = by*c.ga, by*c.gb
	}
}

// evidence is what a record says about one query.
type evidence struct {
	counts
	cs, cn    float64 // attribution: sum and mass
	successes float64 // verified, for queries like this one; only the half-life fades them
}

// unverified are the counts of raters' opinions by class.
type unverified struct {
	n      int // slots used
	class  [classSlots]uint16
	counts [classSlots]counts
}

// of returns the counts of a class, empty ones at first.
func (u *unverified) of(class uint16) *counts {
	for i := range u.n {
		if u.class[i] == class || i == classSlots-1 {
			return &u.counts[i]
		}
	}
	i := u.n
	u.n++
	u.class[i], u.counts[i] = class, counts{}
	return &u.counts[i]
}

// gather sums up what the record says about the query: from the newest event to the
// oldest, each counts by how alike its query is, and fades with every newer outcome
// for a query like it. What raters say fades verified outcomes in nothing: no crowd
// can talk a verifier down. Raters is room to work in, empty before and after.
func (ev *evidence) gather(r *Record, q *Query, c *Constants, raters *unverified) {
	mask := r.Local
	if q.Space == 0 || q.Space != r.Space {
		mask = 0
	}
	var (
		a, b, aw, bw, ga, gb float64
		cs, cn, successes    float64
		newest               = len(r.Events) - 1
		l, all, perNano      = 1.0, 1.0, 0.0 // l: left by newer verified outcomes, all: by all newer ones
		verified             = 0             // newer ones seen
	)
	if c.HalfLife > 0 {
		perNano = 1 / float64(c.HalfLife)
	}
	for i := newest; i >= 0; i-- {
		e := &r.Events[i]
		k, age := 0.0, 1.0
		h := len(kernel) - 1
		if mask>>uint(i&63)&1 != 0 {
			h = e.Signature.Hamming(q.Signature)
			k = kernel[h]
		}
		lk, gk := l*k, globalFade[verified&(RingSize-1)]*(1-k)
		if e.Class != 0 {
			lk, gk = all*k, globalFade[(newest-i)&(RingSize-1)]*(1-k)
		} else {
			l *= 1 - localDecay*k
			verified++
		}
		all *= 1 - localDecay*k
		if perNano > 0 && q.Time > e.Time { // an event from the future has age 0
			age = halved((float64(q.Time) - float64(e.Time)) * perNano)
			lk, gk = lk*age, gk*age
		}
		if e.Class != 0 {
			raters.of(e.Class).take(e, lk, gk)
			continue
		}
		ga += gk * float64(e.GlobalPos)
		gb += gk * float64(e.GlobalNeg)
		if k == 0 {
			continue
		}
		pos, neg, f := lk*float64(e.Pos), lk*float64(e.Neg), float64(e.Position)*(1./65535)
		a += pos
		b += neg
		aw += f * pos
		bw += f * neg
		if h <= provenReach {
			successes += age * float64(e.Pos)
		}
		if e.Attribution == e.Attribution {
			cs += lk * float64(e.Attribution)
			cn += lk
		}
	}
	ev.counts = counts{a, b, aw, bw, ga, gb}
	ev.cs, ev.cn, ev.successes = cs, cn, successes
	for i := range raters.n {
		raters.counts[i].cap(c.RaterCap)
		ev.counts.add(&raters.counts[i])
	}
	raters.n = 0
}

// Outcomes returns the amounts of good and bad outcome in the record, whatever the
// query and without any fading. What raters of one class say counts up to
// Constants.RaterCap. The zero Constants mean the defaults.
func (r *Record) Outcomes(c Constants) (good, bad float64) {
	if r == nil {
		return 0, 0
	}
	var raters unverified
	var all counts
	for i := range r.Events {
		e, to := &r.Events[i], &all
		if e.Class != 0 {
			to = raters.of(e.Class)
		}
		to.a += float64(e.Pos)
		to.b += float64(e.Neg)
	}
	for i := range raters.n {
		raters.counts[i].cap(c.orDefault().RaterCap)
		all.add(&raters.counts[i])
	}
	return all.a, all.b
}

// take adds an event with its local and global weight.
func (c *counts) take(e *Event, lk, gk float64) {
	pos, neg, f := lk*float64(e.Pos), lk*float64(e.Neg), float64(e.Position)*(1./65535)
	c.a += pos
	c.b += neg
	c.aw += f * pos
	c.bw += f * neg
	c.ga += gk * float64(e.GlobalPos)
	c.gb += gk * float64(e.GlobalNeg)
}

const halvings = 256

// halves holds 2^(-i/halvings).
var halves = func() (t [halvings + 1]float64) {
	for i := range t {
		t[i] = math.Exp2(-float64(i) / halvings)
	}
	return t
}()

// halved is 2^-x for x >= 0, to six digits and without calling into math.
func halved(x float64) float64 {
	if x > 60 {
		return 0
	}
	whole := int(x)
	at := (x - float64(whole)) * halvings
	i := int(at)
	frac := halves[i] + (at-float64(i))*(halves[i+1]-halves[i])
	return frac * math.Float64frombits(uint64(1023-whole)<<52) // 2^-whole
}
