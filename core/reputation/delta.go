package reputation

// Delta is how much good and bad outcome folding added to the record at a
// position; negative where a revision took some back, 0 for positions that were
// not there.
func (f *Folded) Delta(position int) (pos, neg float64) {
	if position < 0 || position >= len(f.deltas) {
		return 0, 0
	}
	d := &f.deltas[position]
	return float64(d.Pos), float64(d.Neg)
}
