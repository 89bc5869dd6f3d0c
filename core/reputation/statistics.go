package reputation

import (
	"math"
)

// The slow numbers of a namespace. A count comes right after the sums it belongs to.
const (
	coldPos = iota // evidence about shown documents of which nothing was known
	coldNeg
	coldS // their relevance within the list
	coldCount
	logWeights                         // of the hypotheses, Hypotheses of them
	readBest   = iota + Hypotheses - 1 // log-likelihood: the answer used the best of the shown
	readFirst  = readBest + 1          // or the first of the shown
	readCount  = readFirst + 1         // outcomes without attribution
	cited      = readCount + 1         // attribution
	citedCount = cited + 1             //
	repeats    = citedCount + 1        // log-likelihood ratio: attribution repeats itself
	repeatsN   = repeats + 1           //
	attributed = repeatsN + 1          // outcomes with attribution
	outcomes   = attributed + 1        // outcomes
	numbers    = outcomes + 1
)

const (
	documentFade = .999 // per document: cold rate, attribution
	outcomeFade  = .998 // per outcome: weights of hypotheses
	checksNeeded = 50   // attribution is trusted until this many checks spoke
)

// span is a run of numbers that fade together.
type span struct {
	fade     float64 // what a step leaves of them
	from, to int
	count    int // the number that counts the steps
}

// most is what is left of endless counting.
func (p *span) most() float64 { return 1 / (1 - p.fade) }

var spans = [...]span{
	{documentFade, coldPos, coldCount, coldCount},
	{outcomeFade, logWeights, logWeights + Hypotheses - 1, outcomes},
	{outcomeFade, readBest, readCount, readCount},
	{documentFade, cited, citedCount, citedCount},
	{documentFade, repeats, repeatsN, repeatsN},
	{outcomeFade, attributed, outcomes, outcomes},
}

// Contribution is what one receipt adds to [Statistics]; after a revision, the
// difference. The zero value adds nothing.
type Contribution struct {
	v   [numbers]float64
	own [numbers]float64 // what the receipt added before: a revision does not fade it
}

// Zero reports whether the contribution changes nothing.
func (c Contribution) Zero() bool { return c.v == [numbers]float64{} }

// minus is what brings statistics that hold old to c.
func (c Contribution) minus(old *Contribution) Contribution {
	for i := range c.v {
		c.v[i] -= old.v[i]
	}
	c.own = old.v
	return c
}

// Statistics are the slow running means of a namespace that ranking reads: how
// often unknown documents help, how well each hypothesis predicted, whether
// attribution repeats itself. An engine holds its own copy, applies the
// contributions of its own feedback and keeps it in a blob. The zero value means
// nothing is known yet; a nil pointer reads the same. Not safe for concurrent use:
// guard it, or hand out copies (it is a plain value).
type Statistics struct {
	v     [numbers]float64    // negative where an engine only heard another's outcomes revised
	moved [len(spans)]float64 // by span: steps that revisions changed, on top of those counted
	total float64             // outcomes ever, never faded
}

// Apply adds what one receipt contributes.
func (s *Statistics) Apply(c Contribution) {
	for i, x := range c.own {
		s.v[i] -= x
	}
	for n := range spans {
		s.fade(n, c.v[spans[n].count])
	}
	for i, x := range c.v {
		s.v[i] += x + c.own[i]
	}
	s.total = max(0, s.total+c.v[outcomes])
	for n := range spans {
		if steps := c.revised(&spans[n]); steps > 0 {
			s.moved[n] += steps
			s.limit(n, s.moved[n])
		}
	}
}

// revised is the number of steps of a span that the contribution changes rather than
// adds.
func (c *Contribution) revised(p *span) float64 {
	for i := p.from; i <= p.to; i++ {
		if c.v[i] != 0 {
			return c.own[p.count]
		}
	}
	return 0
}

// fade takes steps off the n-th span.
func (s *Statistics) fade(n int, steps float64) {
	if steps > 0 {
		s.scale(n, math.Pow(spans[n].fade, steps))
	}
}

// limit scales the n-th span as if no more had been counted than is left of endless
// counting. Revisions do not fade what they revise, since their outcome has done so
// where it was first heard; this is how an engine that hears revisions only forgets.
func (s *Statistics) limit(n int, count float64) {
	if most := spans[n].most(); count > most {
		s.scale(n, most/count)
	}
}

func (s *Statistics) scale(n int, by float64) {
	for i := spans[n].from; i <= spans[n].to; i++ {
		s.v[i] *= by
	}
	s.moved[n] *= by
}

// amount is one of the numbers, as that of all engines together.
func (s *Statistics) amount(i int) float64 { return max(0, s.v[i]) }

// Outcomes is the number of outcomes ever applied.
func (s *Statistics) Outcomes() float64 {
	if s == nil {
		return 0
	}
	return s.total
}

// MergeStatistics is what several engines know together: the sum of their numbers,
// as if one had heard all outcomes, but no more of them than one would remember, so
// that engines long gone do not outweigh the news. Nil entries count as nothing
// known.
func MergeStatistics(all ...*Statistics) Statistics {
	var merged Statistics
	for _, s := range all {
		if s == nil {
			continue
		}
		for i, x := range s.v {
			merged.v[i] += x
		}
		for n, x := range s.moved {
			merged.moved[n] += x
		}
		merged.total += s.total
	}
	counted := merged.v // a limit may scale the count of the next
	for n := range spans {
		merged.limit(n, max(counted[spans[n].count], merged.moved[n]))
	}
	return merged
}

// coldRate is how often a document of which nothing is known helps.
func (s *Statistics) coldRate() float64 {
	if s == nil {
		return .5
	}
	p, n := s.amount(coldPos), s.amount(coldNeg)
	return min(max((p+1)/(p+n+2), .02), .98)
}

// coldRelevance is the relevance within the list that goes with coldRate.
func (s *Statistics) coldRelevance() float64 {
	if s == nil {
		return .5
	}
	return (.5 + min((s.amount(coldS)+1)/(s.amount(coldCount)+2), 1)) / 2
}

func (s *Statistics) citedRate() float64 {
	if s == nil {
		return .5
	}
	return min((s.amount(cited)+1)/(s.amount(citedCount)+2), 1)
}

// ignoreAttribution reports whether attribution was found not to repeat itself.
func (s *Statistics) ignoreAttribution() bool {
	return s != nil && s.v[repeatsN] >= checksNeeded && s.v[repeats] < 0
}

// usesAttribution reports whether most outcomes come with an attribution that is
// taken seriously.
func (s *Statistics) usesAttribution() bool {
	return s != nil && !s.ignoreAttribution() && s.v[attributed] > s.v[outcomes]/2
}

// statisticsVersion is the newest encoding; the first had no revisions.
const statisticsVersion = 2

// AppendBinary appends the statistics to b: a version byte, the number of numbers
// and the numbers, little endian. It implements [encoding.BinaryAppender].
func (s *Statistics) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, statisticsVersion, numbers)
	for _, x := range s.v {
		b = appendF64(b, x)
	}
	for _, x := range s.moved {
		b = appendF64(b, x)
	}
	return appendF64(b, s.total), nil
}

// UnmarshalBinary decodes what AppendBinary wrote, in this version or an older one.
// It returns [ErrVersion] or [ErrCorrupt] and then leaves s as it was.
func (s *Statistics) UnmarshalBinary(b []byte) error {
	in := reader{b: b}
	in.version(statisticsVersion)
	if in.u8() != numbers {
		in.fail()
	}
	var c Statistics
	for i := range c.v {
		c.v[i] = in.finite()
	}
	if len(b) > 0 && b[0] > 1 {
		for n := range c.moved {
			c.moved[n] = in.finiteAmount()
		}
	}
	c.total = in.finiteAmount()
	if err := in.done(); err != nil {
		return err
	}
	*s = c
	return nil
}

// finiteAmount reads a finite number that is not negative.
func (r *reader) finiteAmount() float64 {
	x := r.finite()
	if x < 0 {
		r.fail()
		return 0
	}
	return x
}

// Health is what the statistics say, in numbers for people.
type Health struct {
	Outcomes  float64 // outcomes ever
	ColdRate  float64 // how often a document of which nothing is known helps
	CitedRate float64 // mean attribution
	// Weights of the hypotheses, sum 1: four strengths at which evidence transfers
	// between queries, and last "documents hardly matter". That one winning is the
	// sign that outcomes cannot teach here.
	Weights [Hypotheses]float64
	// FirstShare is the weight of the reading that answers are made from the first
	// documents shown rather than the best.
	FirstShare float64
	// AttributionIgnored is set while attribution is found not to repeat itself.
	AttributionIgnored bool
}

// Health reads the statistics. The zero Constants mean the defaults.
func (s *Statistics) Health(c Constants) Health {
	return Health{
		Outcomes: s.Outcomes(), ColdRate: s.coldRate(), CitedRate: s.citedRate(),
		Weights: s.weights(c.orDefault(), 0), FirstShare: s.firstShare(),
		AttributionIgnored: s.ignoreAttribution(),
	}
}

// weights of the hypotheses, normalised; prior is added to the log weight of all but
// "documents hardly matter".
func (s *Statistics) weights(c Constants, prior float64) (w [Hypotheses]float64) {
	var lw [Hypotheses]float64
	if s != nil {
		copy(lw[:], s.v[logWeights:])
	}
	for i, omega := range c.Transfer {
		lw[i] += prior - c.TransferPenalty*omega
	}
	top := lw[0]
	for _, x := range lw[1:] {
		top = max(top, x)
	}
	sum := 0.0
	for i, x := range lw {
		w[i] = math.Exp(x - top)
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return w
}

// firstShare is the weight of the reading that the first of the shown documents
// make the answer; 0 where attribution says what made it.
func (s *Statistics) firstShare() float64 {
	if s.usesAttribution() {
		return 0
	}
	if s == nil {
		return .5
	}
	return 1 / (1 + math.Exp(s.v[readBest]-s.v[readFirst]))
}
