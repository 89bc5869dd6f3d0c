package core

import (
	"fmt"

	"github.com/repute-go/repute/core/reputation"
)

// explain says in a sentence why an item stands where it stands. place is the
// rank it would have without evidence.
func explain(it *Item, c *candidate, s reputation.Score, place int) string {
	switch moved := place - it.Rank; {
	case c.record.Empty() && moved == 0:
		return "the retriever's own place; no outcomes yet"
	case c.record.Empty() && moved > 0:
		return fmt.Sprintf("up %s: documents before it did not help; no outcomes of its own yet", places(moved))
	case c.record.Empty():
		return fmt.Sprintf("down %s: others helped more; no outcomes of its own yet", places(-moved))
	case moved == 0:
		return "keeps its place: " + outcomes(c, s)
	case moved > 0 && s.Bonus > 0 && s.Bonus > s.Mean/2:
		return fmt.Sprintf("up %s, partly to find out more: %s", places(moved), outcomes(c, s))
	case moved > 0:
		return fmt.Sprintf("up %s: %s", places(moved), outcomes(c, s))
	default:
		return fmt.Sprintf("down %s: %s", places(-moved), outcomes(c, s))
	}
}

// outcomes sums up what speaks for and against a candidate.
func outcomes(c *candidate, s reputation.Score) string {
	var good, bad float32
	for _, e := range c.record.Events {
		good, bad = good+e.Pos, bad+e.Neg
	}
	return fmt.Sprintf("%.1f good and %.1f bad outcomes, %.1f of them for questions like this; helps with probability %.2f",
		good, bad, s.LocalMass, s.Mean)
}

func places(n int) string {
	if n == 1 {
		return "1 place"
	}
	return fmt.Sprintf("%d places", n)
}
