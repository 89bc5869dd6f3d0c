package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/repute-go/repute/examples/gates/worlds"
)

// runWorlds measures how fast rankings learn in made-up worlds.
func runWorlds(ctx context.Context, s settings) error { return runLearning(ctx, s, "worlds") }

// runRaters measures what is learned from raters that err and lie.
func runRaters(ctx context.Context, s settings) error { return runLearning(ctx, s, "raters") }

func runLearning(ctx context.Context, s settings, what string) error {
	report, err := worlds.Run(ctx, worlds.Options{Seeds: s.seeds, Small: s.small, Only: what, Progress: progress(s.log, what)})
	if err != nil {
		return err
	}
	if err := report.WriteTable(s.table); err != nil {
		return err
	}
	if s.out != "" {
		if err := writeJSON(filepath.Join(s.out, what+".json"), report); err != nil {
			return err
		}
		if err := report.Plot(s.out); err != nil {
			return err
		}
	}
	return judged(&report)
}

// judged is an error that names the rows that miss their bars in a full run. A quick
// look is too short for them.
func judged(report *worlds.Report) error {
	missed := report.Missed()
	if report.Small || len(missed) == 0 {
		return nil
	}
	return fmt.Errorf("%w in %d rows: %s", errMissed, len(missed), strings.Join(missed, "; "))
}
