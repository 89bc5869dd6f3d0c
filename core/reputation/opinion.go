package reputation

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// MaxOpinions is the number of opinions a receipt keeps: raters times the
	// documents they speak about.
	MaxOpinions = 1024
	// MaxRater is the longest name of a rater, in bytes.
	MaxRater = 256
	// maxShown is the number of documents a receipt covers at most.
	maxShown = 4096
)

var (
	// ErrOpinion is returned for an opinion that makes no sense: a value outside
	// [0,1], a position that was not shown, a rater without a class.
	ErrOpinion = errors.New("reputation: impossible opinion")
	// ErrTooManyOpinions is returned when a receipt would get more than
	// MaxOpinions.
	ErrTooManyOpinions = errors.New("reputation: too many opinions on one receipt")
)

// Opinion is one signal as folding sees it.
type Opinion struct {
	// Rater is "class:id". For a verifier it is "verifier:name", or empty.
	Rater string
	// Verified is set for a check that cannot be talked round.
	Verified bool
	// Value is from 0, bad, to 1, good.
	Value float64
	// On are the positions shown that it is about; nil = the whole answer.
	On []int
	// Used says what the answer used of each document shown, in [0,1], aligned with
	// Receipt.Shown; nil = not known. Only for opinions on the whole answer. NaN =
	// whoever gave the opinion did not look at this document, of which it then says
	// nothing.
	Used []float32
}

// ClassOf is the class of a rater: what comes before the first colon of its name,
// or the whole name.
func ClassOf(rater string) string {
	class, _, _ := strings.Cut(rater, ":")
	return class
}

// ClassTag is the tag that events and records keep of a class of raters.
func ClassTag(class string) uint16 { return ActorTag(class) }

// check reports what is wrong with the opinion, for a receipt of k documents.
func (o *Opinion) check(k int) error {
	switch {
	case !(o.Value >= 0 && o.Value <= 1):
		return fmt.Errorf("%w: value %v is not in [0,1]", ErrOpinion, o.Value)
	case len(o.Rater) > MaxRater || !utf8.ValidString(o.Rater):
		return fmt.Errorf("%w: the rater's name is longer than %d bytes or not UTF-8", ErrOpinion, MaxRater)
	case !o.Verified && ClassOf(o.Rater) == "":
		return fmt.Errorf("%w: rater %q has no class", ErrOpinion, o.Rater)
	case o.On != nil && len(o.On) == 0:
		return fmt.Errorf("%w: about no document at all", ErrOpinion)
	case o.Used != nil && (len(o.Used) != k || o.On != nil):
		return fmt.Errorf("%w: use is known for %d of %d documents", ErrOpinion, len(o.Used), k)
	}
	for _, i := range o.On {
		if i < 0 || i >= k {
			return fmt.Errorf("%w: position %d of %d", ErrOpinion, i, k)
		}
	}
	for _, u := range o.Used {
		if u < 0 || u > 1 {
			return fmt.Errorf("%w: use %v is not in [0,1]", ErrOpinion, u)
		}
	}
	return nil
}

// take adds the opinions to the receipt's current ones, one entry for the whole
// answer and each document; a newer one by the same rater on the same thing
// replaces the older. It reports whether anything changed.
func (r *Receipt) take(opinions []Opinion) (changed bool, err error) {
	for i := range opinions {
		if err := opinions[i].check(len(r.Shown)); err != nil {
			return false, err
		}
	}
	for _, o := range opinions {
		if o.On == nil || len(r.Shown) == 1 {
			o.On, o.Used = nil, slices.Clone(o.Used)
			changed = r.put(o) || changed
			continue
		}
		for _, i := range o.On {
			one := o
			one.On = []int{i}
			changed = r.put(one) || changed
		}
	}
	if len(r.Opinions) > MaxOpinions {
		return false, fmt.Errorf("%w: %d", ErrTooManyOpinions, len(r.Opinions))
	}
	return changed, nil
}

// put replaces the rater's opinion on the same thing, or adds it. Opinions are kept
// in an order that does not depend on arrival.
func (r *Receipt) put(o Opinion) bool {
	i, found := slices.BinarySearchFunc(r.Opinions, o, compareOpinions)
	if !found {
		r.Opinions = slices.Insert(r.Opinions, i, o)
		return true
	}
	old := &r.Opinions[i]
	if o.Used == nil {
		o.Used = old.Used // a rater that only revises its value still means the same use
	}
	if old.Value == o.Value && slices.EqualFunc(old.Used, o.Used, sameFloat) {
		return false
	}
	r.Opinions[i] = o
	return true
}

func compareOpinions(a, b Opinion) int {
	if a.Verified != b.Verified {
		if a.Verified {
			return -1
		}
		return 1
	}
	if c := strings.Compare(a.Rater, b.Rater); c != 0 {
		return c
	}
	return a.about() - b.about()
}

// about is the position the opinion is about, -1 for the whole answer.
func (o *Opinion) about() int {
	if o.On == nil {
		return -1
	}
	return o.On[0]
}

// speaksOf reports whether the opinion says anything about the document at a
// position, or, at -1, about the whole answer.
func (o *Opinion) speaksOf(i int) bool {
	if about := o.about(); about != -1 || i == -1 || o.Used == nil {
		return about == -1 || about == i
	}
	return !math.IsNaN(float64(o.Used[i]))
}

// verified is the mean value of those verified opinions that are about a position
// (-1 = the whole answer) and speak of the one at i, and whether there is any.
func (r *Receipt) verified(about, i int) (y float64, ok bool) {
	n := 0
	for j := range r.Opinions {
		if o := &r.Opinions[j]; o.Verified && o.about() == about && o.speaksOf(i) {
			y += o.Value
			n++
		}
	}
	if n == 0 {
		return math.NaN(), false
	}
	return y / float64(n), true
}

// used is the mean of what the opinions say the answer used of each document, NaN
// where none says anything, nil if none says anything of any.
func (r *Receipt) used() []float32 {
	var sum, n []float32
	for i := range r.Opinions {
		u := r.Opinions[i].Used
		if u == nil {
			continue
		}
		if sum == nil {
			both := make([]float32, 2*len(r.Shown))
			sum, n = both[:len(r.Shown)], both[len(r.Shown):]
		}
		for j, x := range u {
			if x == x {
				sum[j] += x
				n[j]++
			}
		}
	}
	for j := range sum {
		sum[j] /= n[j] // 0/0 is NaN
	}
	return sum
}
