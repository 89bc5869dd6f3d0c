package replay

import (
	"fmt"
	"image/color"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// drawn are the arms in the pictures, with a colour each that colour-blind readers
// can tell apart (Okabe and Ito).
var drawn = []struct {
	arm    string
	colour color.RGBA
}{
	{Alone, color.RGBA{0, 0, 0, 255}},
	{"RRL, released", color.RGBA{213, 94, 0, 255}},
	{"RRL, tuned", color.RGBA{230, 159, 0, 255}},
	{Ours, color.RGBA{0, 114, 178, 255}},
	{OursWords, color.RGBA{86, 180, 233, 255}},
	{OursDocuments, color.RGBA{0, 158, 115, 255}},
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
		line, err := plotter.NewLine(r.curve(wording, k, d.arm))
		if err != nil {
			return err
		}
		line.Color, line.Width = d.colour, vg.Points(1.5)
		p.Add(line)
		p.Legend.Add(d.arm, line)
	}
	p.Y.Max += .25 * (p.Y.Max - p.Y.Min) // room for the legend
	return p.Save(16*vg.Centimeter, 11*vg.Centimeter, path)
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
