package lifecycle

import (
	"fmt"
	"math"
	"time"
)

const day = 24 * time.Hour

// Options are the constants of the lifecycle. The zero value is safe and means
// the defaults named at each field; a zero field always means its default. Call
// [Options.Validate] once; the other functions take validated options.
type Options struct {
	// FetchThreshold is the number of uses after which a document is suggested.
	// The use counter decays, and is rounded to the nearest whole number here, so
	// that three uses within some days are three. Default 3.
	FetchThreshold int

	// ResetThreshold is the number of queries in a row in which a document was a
	// plausible candidate and was not shown, after which its use counter starts
	// again from zero. Queries about other things do not count. Default 3.
	ResetThreshold int

	// DeclineBlock is how long no suggestion follows a decline or a removal.
	// Default 30 days. The number of further uses that a new suggestion needs
	// grows as well: 2, 4, 8, ... times FetchThreshold, at most 64 times.
	DeclineBlock time.Duration

	// SuggestionTTL is how long a suggestion waits for an answer. After that the
	// document is surfaced again, and is suggested anew after FetchThreshold more
	// uses. Default 14 days.
	SuggestionTTL time.Duration

	// RecencyWeight, FrequencyWeight and ExplicitWeight are the weights of the
	// decay score, see [Options.Score]. They need not sum to one. Default .5, .3 and
	// .2 if all three are zero.
	RecencyWeight, FrequencyWeight, ExplicitWeight float64

	// Lambda is the rate, per day, at which recency and the use counter decay.
	// Opinions decay at a tenth of it. Default .05: a half-life of 13.9 days.
	Lambda float64

	// FrequencyCap is the use count at which the frequency part of the score is
	// full, and at which the use counter saturates. Default 20, which is also where
	// one use a day settles.
	FrequencyCap float64

	// PinThreshold and PinHold: a claimed document whose score stays at or above
	// the threshold for that long is pinned. Default .85 and 7 days.
	PinThreshold float64
	PinHold      time.Duration

	// DemoteThreshold and DemoteHold: a claimed document whose score stays under
	// the threshold for that long is demoted, and a surfaced one forgotten. An
	// earned pin is lost when the score stays under PinThreshold for DemoteHold.
	// Default .15 and 3 days.
	DemoteThreshold float64
	DemoteHold      time.Duration

	// CoolDown is how long a demoted document stays demoted whatever happens.
	// After it the next use brings it back. Default 7 days.
	CoolDown time.Duration

	// BadMean and BadMass: a posterior with at least this evidence mass and a mean
	// under BadMean is bad. Where even an average document has less than a half,
	// the bar is lowered in proportion, see [Posterior.Base]. Default .35 and 5.
	BadMean, BadMass float64

	// MaxRecords bounds the rows of one user. Stores delete the least recently
	// used beyond it, but never those the user keeps, see [Record.Kept]. Default 5000.
	MaxRecords int
}

// maxGapDoublings bounds the growth of the uses wanted after declines, so that
// a suggestion remains possible.
const maxGapDoublings = 5

// WithDefaults returns the options with every zero field set to its default.
func (o Options) WithDefaults() Options {
	if o.RecencyWeight == 0 && o.FrequencyWeight == 0 && o.ExplicitWeight == 0 {
		o.RecencyWeight, o.FrequencyWeight, o.ExplicitWeight = .5, .3, .2
	}
	orDefault(&o.FetchThreshold, 3)
	orDefault(&o.ResetThreshold, 3)
	orDefault(&o.DeclineBlock, 30*day)
	orDefault(&o.SuggestionTTL, 14*day)
	orDefault(&o.Lambda, .05)
	orDefault(&o.FrequencyCap, 20)
	orDefault(&o.PinThreshold, .85)
	orDefault(&o.PinHold, 7*day)
	orDefault(&o.DemoteThreshold, .15)
	orDefault(&o.DemoteHold, 3*day)
	orDefault(&o.CoolDown, 7*day)
	orDefault(&o.BadMean, .35)
	orDefault(&o.BadMass, 5)
	orDefault(&o.MaxRecords, 5000)
	return o
}

func orDefault[T int | float64 | time.Duration](v *T, def T) {
	if *v == 0 {
		*v = def
	}
}

// Validate checks the options with their defaults filled in. Errors match
// [ErrOptions] and name the field.
func (o Options) Validate() error {
	o = o.WithDefaults()
	checks := []struct {
		name string
		ok   bool
	}{
		{"FetchThreshold must be 1 to 1,000,000", o.FetchThreshold >= 1 && o.FetchThreshold <= 1e6},
		{"ResetThreshold must be 1 to 200", o.ResetThreshold >= 1 && o.ResetThreshold <= 200},
		{"weights must be finite, not negative, and not all zero", o.weightsOK()},
		{"Lambda must be over 0 and at most 10 per day", o.Lambda > 0 && o.Lambda <= 10},
		{"FrequencyCap must be FetchThreshold to 1,000,000", o.FrequencyCap >= float64(o.FetchThreshold) && o.FrequencyCap <= 1e6},
		{"thresholds must satisfy 0 < DemoteThreshold < PinThreshold <= 1",
			0 < o.DemoteThreshold && o.DemoteThreshold < o.PinThreshold && o.PinThreshold <= 1},
		{"durations must be a millisecond to 100 years", o.durationsOK()},
		{"BadMean must be over 0 and under 1", o.BadMean > 0 && o.BadMean < 1},
		{"BadMass must be over 0 and finite", o.BadMass > 0 && !math.IsInf(o.BadMass, 0)},
		{"MaxRecords must be positive", o.MaxRecords >= 1},
	}
	for _, c := range checks {
		if !c.ok {
			return fmt.Errorf("%w: %s", ErrOptions, c.name)
		}
	}
	return nil
}

func (o *Options) weightsOK() bool {
	sum := o.RecencyWeight + o.FrequencyWeight + o.ExplicitWeight
	return o.RecencyWeight >= 0 && o.FrequencyWeight >= 0 && o.ExplicitWeight >= 0 && sum > 0 && !math.IsInf(sum, 0)
}

func (o *Options) durationsOK() bool {
	for _, d := range []time.Duration{o.DeclineBlock, o.SuggestionTTL, o.PinHold, o.DemoteHold, o.CoolDown} {
		if d < time.Millisecond || d > 100*365*day {
			return false
		}
	}
	return true
}

// gap is the number of uses wanted after the n-th decline.
func (o *Options) gap(n uint16) uint32 {
	return uint32(2*o.FetchThreshold) << min(max(int(n)-1, 0), maxGapDoublings)
}
