package gemini

import (
	"context"
	"time"
)

// SetClock makes j live by another clock.
func (j *Judge) SetClock(now func() time.Time, sleep func(context.Context, time.Duration) error) {
	j.now, j.sleep = now, sleep
}

// Parsed is what ParseGrade found.
type Parsed struct {
	Score, Sufficiency float64
	Support            map[int]float64
	Reason             string
}

// ParseGrade is parseGrade.
func ParseGrade(text string, documents int) (Parsed, error) {
	g, err := parseGrade(text, documents)
	return Parsed{Score: g.score, Sufficiency: g.sufficiency, Support: g.support, Reason: g.reason}, err
}

// Truncate is truncate.
func Truncate(s string, n int) (string, bool) { return truncate(s, n) }
