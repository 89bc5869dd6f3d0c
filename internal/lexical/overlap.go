package lexical

// Overlap counts the distinct terms of two texts, a and b, and those they share.
// Its measures say ok = false where they would divide nothing by nothing; their
// value is then 0.
type Overlap struct {
	Shared int // distinct terms of both
	A, B   int // distinct terms of each
}

// OverlapOf compares two texts.
func OverlapOf(a, b string) Overlap { return Compare(NewSet(a), NewSet(b)) }

// Compare compares two sets of terms.
func Compare(a, b Set) Overlap {
	return Overlap{Shared: a.Shared(b), A: a.Len(), B: b.Len()}
}

// Coverage returns the share of a's terms that b holds, from 0 to 1. It is not
// symmetric: exchange the texts for the other direction. ok is false where a has
// no term.
func (o Overlap) Coverage() (share float64, ok bool) { return ratio(o.Shared, o.A) }

// Dice returns twice the shared terms over the sum of both texts' terms (Dice
// 1945), from 0 to 1. ok is false where neither text has a term.
func (o Overlap) Dice() (share float64, ok bool) { return ratio(2*o.Shared, o.A+o.B) }

// Jaccard returns the shared terms over all terms of either text (Jaccard 1901),
// from 0 to 1. ok is false where neither text has a term.
func (o Overlap) Jaccard() (share float64, ok bool) { return ratio(o.Shared, o.A+o.B-o.Shared) }

func ratio(part, whole int) (float64, bool) {
	if whole == 0 {
		return 0, false
	}
	return float64(part) / float64(whole), true
}
