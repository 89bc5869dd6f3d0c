package main

import (
	"image/color"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var armColours = [len(arms)]color.RGBA{noMemory: {130, 130, 130, 255}, plain: {214, 96, 30, 255}, repute: {20, 90, 170, 255}}

// picture writes the curves with their intervals as a PNG.
func (r rates) picture(path, title string) error {
	p := plot.New()
	p.Title.Text, p.Title.Padding = title, vg.Points(8)
	p.X.Label.Text, p.Y.Label.Text = "epoch", "programs mended (%)"
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = 0, 100, every(20)
	p.X.Min, p.X.Max, p.X.Tick.Marker = .7, float64(len(r[noMemory]))+.3, every(1)
	p.Legend.Padding, p.Legend.XOffs, p.Legend.YOffs = vg.Points(3), vg.Points(-6), vg.Points(112)
	for _, style := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		style.Font.Variant = "Sans"
	}
	grid := plotter.NewGrid()
	grid.Vertical.Width, grid.Horizontal.Color = 0, color.Gray{225}
	p.Add(grid)
	for arm := range arms {
		if err := r.addArm(p, arm); err != nil {
			return err
		}
	}
	return p.Save(16*vg.Centimeter, 10*vg.Centimeter, path)
}

// addArm adds a line with a band of 95 % around it.
func (r rates) addArm(p *plot.Plot, arm int) error {
	var line, top, bottom plotter.XYs
	for epoch, xs := range r[arm] {
		mean, low, high := interval(xs)
		x := float64(epoch + 1)
		line = append(line, plotter.XY{X: x, Y: 100 * mean})
		top = append(top, plotter.XY{X: x, Y: 100 * high})
		bottom = append(plotter.XYs{{X: x, Y: 100 * low}}, bottom...)
	}
	band, err := plotter.NewPolygon(append(top, bottom...))
	if err != nil {
		return err
	}
	c := armColours[arm]
	band.LineStyle.Width, band.Color = 0, color.NRGBA{c.R, c.G, c.B, 45}
	curve, dots, err := plotter.NewLinePoints(line)
	if err != nil {
		return err
	}
	curve.Width, curve.Color = vg.Points(2), c
	dots.Color, dots.Shape, dots.Radius = c, draw.CircleGlyph{}, vg.Points(3.5)
	p.Add(band, curve, dots)
	p.Legend.Add(arms[arm], curve, dots)
	return nil
}

// every marks an axis at the multiples of a step.
type every int

// Ticks implements plot.Ticker.
func (e every) Ticks(low, high float64) (ticks []plot.Tick) {
	for x := 0; float64(x) <= high; x += int(e) {
		if float64(x) >= low {
			ticks = append(ticks, plot.Tick{Value: float64(x), Label: strconv.Itoa(x)})
		}
	}
	return ticks
}
