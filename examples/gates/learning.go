package main

import (
	"context"
	"path/filepath"

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
	if s.out == "" {
		return nil
	}
	if err := writeJSON(filepath.Join(s.out, what+".json"), report); err != nil {
		return err
	}
	return report.Plot(s.out)
}
