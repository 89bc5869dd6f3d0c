package reputation_test

import (
	"errors"
	"math"
	"testing"

	"github.com/repute-go/repute/core/reputation"
)

func TestConstantsValidate(t *testing.T) {
	for _, c := range []reputation.Constants{{}, reputation.DefaultConstants(), halfLife()} {
		if err := c.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if err := (reputation.Constants{HalfLife: 1}).Validate(); !errors.Is(err, reputation.ErrConstants) {
		t.Errorf("only some fields set: %v", err)
	}
	for name, spoil := range map[string]func(*reputation.Constants){
		"no prior":         func(c *reputation.Constants) { c.PriorStrength = 0 },
		"NaN prior":        func(c *reputation.Constants) { c.PriorStrength = math.NaN() },
		"indifference":     func(c *reputation.Constants) { c.Indifference = 2 },
		"negative bonus":   func(c *reputation.Constants) { c.Bonus = -1 },
		"infinite slope":   func(c *reputation.Constants) { c.RelevanceSlope = math.Inf(1) },
		"negative halving": func(c *reputation.Constants) { c.HalfLife = -1 },
		"attention":        func(c *reputation.Constants) { c.PositionDecay = 1.5 },
		"transfer":         func(c *reputation.Constants) { c.Transfer[2] = -.1 },
		"exploration":      func(c *reputation.Constants) { c.Exploration = 7 },
		"raters":           func(c *reputation.Constants) { c.RaterStrength = 0 },
		"recurrence":       func(c *reputation.Constants) { c.Recurrence = math.NaN() },
	} {
		c := reputation.DefaultConstants()
		spoil(&c)
		if err := c.Validate(); !errors.Is(err, reputation.ErrConstants) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
