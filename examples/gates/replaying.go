package main

import (
	"context"
	"path/filepath"

	"github.com/repute-go/repute/examples/gates/replay"
)

// runReplay asks the questions of judged collections again and again.
func runReplay(ctx context.Context, s settings) error {
	if s.data == "" {
		return errNoData
	}
	collections, _, err := loadCollections(s.data)
	if err != nil {
		return err
	}
	report, err := replay.Run(ctx, replay.Options{Collections: collections, Seeds: s.seeds, Small: s.small, Progress: progress(s.log, "replay")})
	if err != nil {
		return err
	}
	if err := report.WriteTable(s.table); err != nil || s.out == "" {
		return err
	}
	if err := writeJSON(filepath.Join(s.out, "replay.json"), report); err != nil {
		return err
	}
	return report.Plot(s.out)
}
