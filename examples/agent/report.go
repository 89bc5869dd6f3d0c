package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// table prints the pass rates with their intervals.
func (r rates) table(w io.Writer) {
	fmt.Fprintf(w, "\n%-7s", "epoch")
	for _, arm := range arms {
		fmt.Fprintf(w, "%22s", arm)
	}
	fmt.Fprintln(w)
	for epoch := range r[noMemory] {
		fmt.Fprintf(w, "%-7d", epoch+1)
		for arm := range arms {
			mean, low, high := interval(r[arm][epoch])
			if math.IsNaN(mean) {
				fmt.Fprintf(w, "%22s", "-")
				continue
			}
			fmt.Fprintf(w, "%22s", fmt.Sprintf("%.0f %% [%.0f, %.0f]", 100*mean, 100*low, 100*high))
		}
		fmt.Fprintln(w)
	}
}

// Shape of the curve in the terminal.
const (
	curveStep  = 5 // per cent a line
	curveWidth = 8 // columns an epoch
)

// curveMarks are the marks of the arms; a later arm hides an earlier one.
var curveMarks = [len(arms)]rune{noMemory: '·', plain: 'o', repute: '●'}

// curve draws the pass rates over the epochs.
func (r rates) curve(w io.Writer) {
	grid := make([][]rune, 100/curveStep+1)
	for i := range grid {
		grid[i] = []rune(strings.Repeat(" ", curveWidth*len(r[noMemory])))
	}
	for arm := range arms {
		r.drawCurve(grid, arm)
	}
	fmt.Fprintln(w, "\nprograms mended, in per cent")
	for line := len(grid) - 1; line >= 0; line-- {
		label := "    "
		if line%4 == 0 {
			label = fmt.Sprintf("%4d", line*curveStep)
		}
		fmt.Fprintln(w, strings.TrimRight(label+" ┤"+string(grid[line]), " "))
	}
	fmt.Fprint(w, "     └")
	for epoch := range r[noMemory] {
		n := fmt.Sprintf(" %d ", epoch+1)
		left := (curveWidth - len(n)) / 2
		fmt.Fprint(w, strings.Repeat("─", left), n, strings.Repeat("─", curveWidth-len(n)-left))
	}
	fmt.Fprintln(w, " epoch")
	for arm, name := range arms {
		fmt.Fprintf(w, "      %c %s", curveMarks[arm], name)
	}
	fmt.Fprintln(w)
}

// drawCurve joins the means of one arm.
func (r rates) drawCurve(grid [][]rune, arm int) {
	at := func(epoch int) float64 {
		mean, _, _ := interval(r[arm][epoch])
		return mean * 100 / curveStep
	}
	put := func(x int, y float64, mark rune) { grid[int(y+.5)][x] = mark }
	for epoch := range r[arm] {
		x := epoch*curveWidth + curveWidth/2 - 1
		if epoch > 0 {
			from, to := at(epoch-1), at(epoch)
			for i := 1; i < curveWidth; i++ {
				put(x-curveWidth+i, from+(to-from)*float64(i)/curveWidth, '·')
			}
		}
		put(x, at(epoch), curveMarks[arm])
	}
}
