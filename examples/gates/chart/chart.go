// Package chart holds what the pictures of the experiments have in common.
package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Colours that colour-blind readers can tell apart (Okabe and Ito).
var (
	Black      = color.RGBA{0, 0, 0, 255}
	Vermillion = color.RGBA{213, 94, 0, 255}
	Orange     = color.RGBA{230, 159, 0, 255}
	Blue       = color.RGBA{0, 114, 178, 255}
	SkyBlue    = color.RGBA{86, 180, 233, 255}
	Green      = color.RGBA{0, 158, 115, 255}
	Purple     = color.RGBA{204, 121, 167, 255}
	Yellow     = color.RGBA{240, 228, 66, 255}
)

// Line adds a line through points to a picture, dashed where dashes says how. One
// without a name is not in the legend, and one without points is left out.
func Line(p *plot.Plot, name string, points plotter.XYs, colour color.Color, dashes ...vg.Length) error {
	if len(points) == 0 {
		return nil
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.Color, line.Width, line.Dashes = colour, vg.Points(1.5), dashes
	p.Add(line)
	if name != "" {
		p.Legend.Add(name, line)
	}
	return nil
}

// Save writes a picture in the size that they share.
func Save(p *plot.Plot, path string) error { return p.Save(16*vg.Centimeter, 11*vg.Centimeter, path) }
