package reputation

import (
	"math"
	"slices"
)

// farthest bounds relevance so that differences stay finite.
const farthest = 1e100

// spread sets each score's S to the candidate's relevance within the list: min-max
// to [0,1], .5 if all are equal or there is only one. Unknown relevance counts as
// the least. Where relevance contradicts the retriever's order it is made to agree
// with it (pool adjacent violators), so that without evidence nothing moves.
// It sets base to the candidates in the retriever's order.
func spread(candidates []Candidate, base []int, scores []Score) {
	for i := range base {
		base[i] = i
	}
	slices.SortFunc(base, func(i, j int) int { return byBase(&candidates[i], &candidates[j]) })
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range candidates {
		if x := candidates[i].Relevance; x == x {
			x = bounded(x)
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	for i := range candidates {
		x := candidates[i].Relevance
		switch {
		case !(hi > lo):
			scores[i].S = .5
		case x != x:
			scores[i].S = 0
		default:
			scores[i].S = float32((bounded(x) - lo) / (hi - lo))
		}
	}
	agree(base, scores)
}

func bounded(x float64) float64 { return min(max(x, -farthest), farthest) }

// agree makes S fall along the base order: a run that rises is replaced by its mean.
func agree(base []int, scores []Score) {
	for i := 1; i < len(base); i++ {
		if scores[base[i]].S <= scores[base[i-1]].S {
			continue
		}
		sum, from := 0.0, i
		sum += float64(scores[base[i]].S)
		mean := float32(sum)
		for from > 0 && scores[base[from-1]].S < mean {
			from--
			sum += float64(scores[base[from]].S)
			mean = float32(sum / float64(i-from+1))
		}
		for j := from; j <= i; j++ {
			scores[base[j]].S = mean
		}
	}
}
