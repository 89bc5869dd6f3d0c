package main

import (
	"fmt"
	"image/color"
	"io"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// table prints the pass rates with their intervals.
func (o outcomes) table(w io.Writer) {
	fmt.Fprintf(w, "\n%-7s", "epoch")
	for _, arm := range arms {
		fmt.Fprintf(w, "%26s", arm)
	}
	fmt.Fprintln(w)
	for epoch := range o[arms[0]] {
		fmt.Fprintf(w, "%-7d", epoch+1)
		for _, arm := range arms {
			mean, half := interval(o[arm][epoch])
			fmt.Fprintf(w, "%26s", fmt.Sprintf("%.0f %% [%.0f, %.0f]", 100*mean, 100*max(mean-half, 0), 100*min(mean+half, 1)))
		}
		fmt.Fprintln(w)
	}
}

// curve draws the pass rates as bars, a line for each arm and epoch.
func (o outcomes) curve(w io.Writer) {
	const width = 50
	for _, arm := range arms {
		fmt.Fprintf(w, "\n%s\n", arm)
		for epoch := range o[arm] {
			mean, _ := interval(o[arm][epoch])
			n := int(mean*width + .5)
			fmt.Fprintf(w, "  %2d %s%s %3.0f %%\n", epoch+1, strings.Repeat("█", n), strings.Repeat("·", width-n), 100*mean)
		}
	}
}

// picture writes the curves with their intervals as a PNG.
func (o outcomes) picture(path string) error {
	p := plot.New()
	p.Title.Text = "programs mended by epoch, with 95 % intervals"
	p.X.Label.Text, p.Y.Label.Text = "epoch", "pass rate"
	p.Y.Min, p.Y.Max = 0, 1
	colours := []color.Color{color.Gray{150}, color.RGBA{200, 90, 40, 255}, color.RGBA{20, 90, 170, 255}}
	for i, arm := range arms {
		points := series{}
		for epoch, rates := range o[arm] {
			mean, half := interval(rates)
			points.XYs = append(points.XYs, plotter.XY{X: float64(epoch + 1), Y: mean})
			points.YErrors = append(points.YErrors, struct{ Low, High float64 }{half, half})
		}
		line, dots, err := plotter.NewLinePoints(points.XYs)
		if err != nil {
			return err
		}
		bars, err := plotter.NewYErrorBars(points)
		if err != nil {
			return err
		}
		line.Color, dots.Color, bars.Color = colours[i], colours[i], colours[i]
		line.Width = vg.Points(2)
		p.Add(line, dots, bars)
		p.Legend.Add(arm, line)
	}
	p.Legend.Left, p.Legend.Top = true, true
	return p.Save(16*vg.Centimeter, 10*vg.Centimeter, path)
}

// series is a line with error bars.
type series struct {
	plotter.XYs
	plotter.YErrors
}
