package main

import (
	"math"
	"strings"
	"testing"
)

func TestInterval(t *testing.T) {
	for _, tt := range []struct {
		xs              []float64
		mean, low, high float64
	}{
		{[]float64{.5}, .5, .5, .5},
		{[]float64{1, 1, 1}, 1, 1, 1},
		{[]float64{.4, .6}, .5, 0, 1},                   // 12.7 * .1 is beyond the ends
		{[]float64{.4, .5, .6, .5}, .5, .37008, .62992}, // t(3) = 3.1824
		{[]float64{0, 0, 0, .1}, .025, 0, .10456},
	} {
		mean, low, high := interval(tt.xs)
		if math.Abs(mean-tt.mean) > 1e-5 || math.Abs(low-tt.low) > 1e-5 || math.Abs(high-tt.high) > 1e-5 {
			t.Errorf("%v: %.5f [%.5f, %.5f], want %v", tt.xs, mean, low, high, tt)
		}
	}
}

const golden = `
epoch               no memory       plain retriever                Repute
1                  0 % [0, 0]         40 % [40, 40]         40 % [40, 40]
2                  0 % [0, 0]         40 % [40, 40]         70 % [70, 70]
3                  0 % [0, 0]         45 % [45, 45]      100 % [100, 100]

programs mended, in per cent
 100 ┤                   ●
     ┤                 ··
     ┤                ·
     ┤               ·
  80 ┤             ··
     ┤            ·
     ┤           ●
     ┤         ··
  60 ┤        ·
     ┤       ·
     ┤     ··
     ┤    ·          ····o
  40 ┤   ●·······o···
     ┤
     ┤
     ┤
  20 ┤
     ┤
     ┤
     ┤
   0 ┤   ·················
     └── 1 ───── 2 ───── 3 ─── epoch
      · no memory      o plain retriever      ● Repute
`

func TestReport(t *testing.T) {
	r := rates{
		noMemory: {{0, 0}, {0, 0}, {0, 0}},
		plain:    {{.4, .4}, {.4, .4}, {.45, .45}},
		repute:   {{.4, .4}, {.7, .7}, {1, 1}},
	}
	var b strings.Builder
	r.table(&b)
	r.curve(&b)
	if b.String() != golden {
		t.Errorf("got\n%s", b.String())
	}
}
