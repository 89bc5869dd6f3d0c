package falsealarm

import (
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/repute-go/repute/examples/gates/chart"
)

// drawn are the gates in the pictures.
var drawn = []struct {
	gate   string
	colour color.RGBA
}{
	{evidence, chart.Blue},
	{"evidence, black box", chart.SkyBlue},
	{"sigma-rag 2 sigma", chart.Vermillion},
	{"sigma-rag 3 sigma", chart.Orange},
}

// Plot draws the report into dir: gate-size.png (false passes by size),
// gate-keeps.png (retention against false passes) and gate-reliability.png (rate
// asked against rate measured).
func (r *Report) Plot(dir string) error {
	for name, paint := range map[string]func(*plot.Plot) error{
		"gate-size.png": r.plotSize, "gate-keeps.png": r.plotKeeps, "gate-reliability.png": r.plotReliability,
	} {
		p := plot.New()
		p.Add(plotter.NewGrid())
		p.Legend.Padding = vg.Points(2)
		if err := paint(p); err != nil {
			return fmt.Errorf("falsealarm: %s: %w", name, err)
		}
		if err := chart.Save(p, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// rows returns the rows of a gate over cut-down collections, by size.
func (r *Report) rows(gate string) []Row {
	var out []Row
	for _, row := range r.Rows {
		if row.Gate == gate && row.N > 0 {
			out = append(out, row)
		}
	}
	slices.SortFunc(out, func(a, b Row) int { return a.N - b.N })
	return out
}

func (r *Report) plotSize(p *plot.Plot) error {
	p.Title.Text = "Questions foreign to the collection that pass"
	p.X.Label.Text, p.Y.Label.Text = "passages in the collection", "share passed (line: mean, dashes: worst collection)"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, marks(10, 30, 100, 300, 1000, 5000)
	p.Y.Min = 0
	lo, hi := math.Inf(1), 0.0
	for _, g := range drawn {
		var mean, worst plotter.XYs
		for _, row := range r.rows(g.gate) {
			if math.IsNaN(row.Mean.Far) {
				continue
			}
			x := float64(row.N)
			lo, hi = min(lo, x), max(hi, x)
			mean, worst = append(mean, plotter.XY{X: x, Y: row.Mean.Far}), append(worst, plotter.XY{X: x, Y: row.Worst})
		}
		if err := chart.Line(p, g.gate, mean, g.colour); err != nil {
			return err
		}
		if err := chart.Line(p, "", worst, g.colour, vg.Points(3), vg.Points(3)); err != nil {
			return err
		}
	}
	p.Legend.Top, p.Legend.Left = true, true
	return chart.Line(p, fmt.Sprintf("asked: %.2g", r.Alpha), plotter.XYs{{X: lo, Y: r.Alpha}, {X: hi, Y: r.Alpha}}, chart.Black, vg.Points(1), vg.Points(2))
}

func (r *Report) plotKeeps(p *plot.Plot) error {
	p.Title.Text = "What is kept, and what slips through (100 passages and more)"
	p.X.Label.Text, p.Y.Label.Text = "foreign questions passed", "findable questions kept"
	p.Y.Min, p.Y.Max, p.X.Min = 0, 1, 0
	p.Legend.Left, p.Legend.YOffs = true, 3*vg.Centimeter // between the gates
	for _, g := range drawn {
		var points plotter.XYs
		for _, row := range r.rows(g.gate) {
			if row.N >= 100 && !math.IsNaN(row.Mean.Far) && !math.IsNaN(row.Mean.Retention) {
				points = append(points, plotter.XY{X: row.Mean.Far, Y: row.Mean.Retention})
			}
		}
		if len(points) == 0 {
			continue
		}
		s, err := plotter.NewScatter(points)
		if err != nil {
			return err
		}
		s.GlyphStyle = draw.GlyphStyle{Color: g.colour, Radius: vg.Points(4), Shape: draw.CircleGlyph{}}
		p.Add(s)
		p.Legend.Add(g.gate, s)
	}
	return nil
}

func (r *Report) plotReliability(p *plot.Plot) error {
	p.Title.Text = "Evidence gate: false-alarm rate asked and measured"
	p.X.Label.Text, p.Y.Label.Text = "asked", "measured (mean of collections)"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker = marks(.005, .01, .02, .05, .1, .2, .3)
	p.Y.Tick.Marker = marks(.001, .002, .005, .01, .02, .05, .1, .2, .3)
	shades := []color.RGBA{chart.Blue, chart.Green, chart.Purple}
	for i, n := range []int{100, 1000, 5000} {
		var line plotter.XYs
		for _, x := range r.Reliability {
			if x.N == n && x.Measured > 0 {
				line = append(line, plotter.XY{X: x.Asked, Y: x.Measured})
			}
		}
		if err := chart.Line(p, fmt.Sprintf("%d passages", n), line, shades[i]); err != nil {
			return err
		}
	}
	p.Legend.Top, p.Legend.Left = true, true
	return chart.Line(p, "as promised", plotter.XYs{{X: .005, Y: .005}, {X: .3, Y: .3}}, chart.Black, vg.Points(1), vg.Points(2))
}

// marks are ticks with plain numbers.
func marks(values ...float64) plot.ConstantTicks {
	out := make(plot.ConstantTicks, len(values))
	for i, v := range values {
		out[i] = plot.Tick{Value: v, Label: fmt.Sprint(v)}
	}
	return out
}
