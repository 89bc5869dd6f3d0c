package worlds

import (
	"fmt"
	"image/color"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/repute-go/repute/examples/gates/chart"
)

// palette tells arms apart.
var palette = []color.RGBA{
	chart.Black, chart.Vermillion, chart.Orange, chart.Blue, chart.SkyBlue, chart.Green, chart.Purple, chart.Yellow,
}

// drawnWorlds are the worlds whose learning curves are drawn.
var drawnWorlds = map[string]string{
	"k=3, delta .6, attribution 80/15": "learning-k3.png",
	"k=1, delta .6":                    "learning-k1.png",
	"one-shot, k=1":                    "learning-oneshot.png",
	"k=1, 3 changes, 2 years":          "learning-staleness.png",
}

// Plot draws the report into dir: learning-worlds.png (regret by world and arm) and
// the learning curves of four worlds.
func (r *Report) Plot(dir string) error {
	if len(r.Worlds) == 0 {
		return nil
	}
	if err := r.plotWorlds(filepath.Join(dir, "learning-worlds.png")); err != nil {
		return fmt.Errorf("worlds: %w", err)
	}
	for _, results := range [][]Result{r.Worlds, r.Staleness} {
		for i := range results {
			if name, ok := drawnWorlds[results[i].World]; ok {
				if err := results[i].plot(filepath.Join(dir, name)); err != nil {
					return fmt.Errorf("worlds: %w", err)
				}
			}
		}
	}
	return nil
}

// plot draws regret by tenths of the run.
func (r *Result) plot(path string) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = r.World, "share of the run", "regret (retriever alone 1)"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1.5
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	for i, c := range r.Cells[:min(len(r.Cells), 5)] {
		var points plotter.XYs
		for j, y := range c.Curve {
			points = append(points, plotter.XY{X: (float64(j) + .5) / float64(len(c.Curve)), Y: y})
		}
		if err := chart.Line(p, c.Arm, points, palette[i%len(palette)]); err != nil {
			return err
		}
	}
	return chart.Save(p, path)
}

// plotWorlds draws every world's regret with its interval.
func (r *Report) plotWorlds(path string) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text = "Regret by world (95 % intervals)", "regret (retriever alone 1, oracle 0)"
	p.X.Min = 0
	p.Add(plotter.NewGrid())
	var ticks plot.ConstantTicks
	for i := range r.Worlds {
		ticks = append(ticks, plot.Tick{Value: float64(-i), Label: r.Worlds[i].World})
	}
	p.Y.Tick.Marker = ticks
	for a, name := range []string{"", "RRL, released", "RRL, tuned", Ours} {
		if name == "" {
			continue
		}
		if err := r.addIntervals(p, name, palette[a], .2*float64(2-a)); err != nil {
			return err
		}
	}
	return p.Save(24*vg.Centimeter, 18*vg.Centimeter, path)
}

// intervals are points with error bars along x.
type intervals struct {
	plotter.XYs
	plotter.XErrors
}

func (r *Report) addIntervals(p *plot.Plot, arm string, colour color.Color, shift float64) error {
	var v intervals
	for i := range r.Worlds {
		if c := r.Worlds[i].Cell(arm); c != nil {
			v.XYs = append(v.XYs, plotter.XY{X: c.Regret.Mean, Y: shift - float64(i)})
			v.XErrors = append(v.XErrors, struct{ Low, High float64 }{c.Regret.Half, c.Regret.Half})
		}
	}
	points, err := plotter.NewScatter(v.XYs)
	if err != nil {
		return err
	}
	bars, err := plotter.NewXErrorBars(v)
	if err != nil {
		return err
	}
	points.Color, bars.Color = colour, colour
	p.Add(points, bars)
	p.Legend.Add(arm, points)
	return nil
}
