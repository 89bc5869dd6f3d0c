package reputation

// Bystander is what a receipt writes down of a text that was shown whatever the
// question, such as one that a user pinned: numbers by which outcomes of the whole
// answer say nothing through it. It is no unknown document, every hypothesis
// expects the same of it, it takes an even share of credit and blame, and no reading
// of the answer rests on it. Others are the documents shown for the question.
func Bystander(others []Shown) Shown {
	b := Shown{Propensity: 1, Mean: .5, MeanFirst: .5, LocalMass: coldLimit, S: .5}
	if n := float32(len(others)); n > 0 {
		b.Mean, b.MeanFirst = 0, 0
		for _, o := range others {
			b.Mean += o.Mean / n
			b.MeanFirst += o.MeanFirst / n
		}
	}
	for h := range b.Thetas {
		b.Thetas[h] = b.Mean
	}
	return b
}
