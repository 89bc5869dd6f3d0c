package core

import (
	"strconv"

	"github.com/repute-go/repute/core/reputation"
)

// explain says in a sentence why an item stands where it stands. place is the
// rank it would have without evidence. Outcomes are counted with the constants.
func explain(it *Item, c *candidate, s *reputation.Score, place int, k reputation.Constants) string {
	moved := place - it.Rank
	if c.record.Empty() {
		return withoutOutcomes(moved)
	}
	var room [160]byte
	b := room[:0]
	switch {
	case moved == 0:
		b = append(b, "keeps its place: "...)
	case moved > 0 && s.Bonus > 0 && s.Bonus > s.Mean/2:
		b = append(appendMove(b, moved), ", partly to find out more: "...)
	default:
		b = append(appendMove(b, moved), ": "...)
	}
	return string(appendOutcomes(b, c, s, k))
}

// withoutOutcomes explains the place of an item without outcomes of its own.
func withoutOutcomes(moved int) string {
	switch {
	case moved > 0:
		return string(append(appendMove(nil, moved), ": documents before it did not help; no outcomes of its own yet"...))
	case moved < 0:
		return string(append(appendMove(nil, moved), ": others helped more; no outcomes of its own yet"...))
	}
	return "the retriever's own place; no outcomes yet"
}

// appendMove says by how many places an item went up or, if negative, down.
func appendMove(b []byte, moved int) []byte {
	word := "up "
	if moved < 0 {
		word, moved = "down ", -moved
	}
	b = strconv.AppendInt(append(b, word...), int64(moved), 10)
	if moved == 1 {
		return append(b, " place"...)
	}
	return append(b, " places"...)
}

// appendOutcomes sums up what speaks for and against a candidate.
func appendOutcomes(b []byte, c *candidate, s *reputation.Score, k reputation.Constants) []byte {
	good, bad := c.record.Outcomes(k)
	b = append(strconv.AppendFloat(b, good, 'f', 1, 64), " good and "...)
	b = append(strconv.AppendFloat(b, bad, 'f', 1, 64), " bad outcomes, "...)
	b = append(strconv.AppendFloat(b, float64(s.LocalMass), 'f', 1, 64), " of them for questions like this; helps with probability "...)
	return strconv.AppendFloat(b, s.Mean, 'f', 2, 64)
}
