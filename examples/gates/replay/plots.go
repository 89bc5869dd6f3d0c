package replay

import (
	"fmt"
	"image/color"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/repute-go/repute/examples/gates/chart"
)

// drawn are the arms in the pictures.
var drawn = []struct {
	arm    string
	colour color.RGBA
}{
	{Alone, chart.Black},
	{"RRL, released", chart.Vermillion},
	{"RRL, tuned", chart.Orange},
	{Ours, chart.Blue},
	{OursWords, chart.SkyBlue},
	{OursDocuments, chart.Green},
}

// Plot draws success by epoch into dir, one picture for each wording and number of
// documents shown: replay-verbatim-1.png and so on. They show the mean over all
// collections and bases.
func (r *Report) Plot(dir string) error {
	for _, wording := range []string{"verbatim", "reworded"} {
		for _, k := range shownCounts {
			path := filepath.Join(dir, fmt.Sprintf("replay-%s-%d.png", wording, k))
			if err := r.plot(wording, k, path); err != nil {
				return fmt.Errorf("replay: %w", err)
			}
		}
	}
	return nil
}

func (r *Report) plot(wording string, k int, path string) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("A relevant document among the first %d, questions %s", k, wording)
	p.X.Label.Text, p.Y.Label.Text = "time asked", "success (mean of collections and bases)"
	p.Legend.Left, p.Legend.Top = true, true
	p.Add(plotter.NewGrid())
	for _, d := range drawn {
		if err := chart.Line(p, d.arm, r.curve(wording, k, d.arm), d.colour); err != nil {
			return err
		}
	}
	p.Y.Max += .25 * (p.Y.Max - p.Y.Min) // room for the legend
	return chart.Save(p, path)
}

// curve is an arm's mean success by epoch.
func (r *Report) curve(wording string, k int, arm string) plotter.XYs {
	points := make(plotter.XYs, r.Epochs)
	n := 0.0
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Wording != wording || row.K != k || row.Arm != arm {
			continue
		}
		n++
		for epoch, x := range row.Success {
			points[epoch].Y += x
		}
	}
	for epoch := range points {
		points[epoch].X = float64(epoch + 1)
		points[epoch].Y /= max(n, 1)
	}
	return points
}
