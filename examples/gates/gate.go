package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/repute-go/repute/examples/gates/collection"
	"github.com/repute-go/repute/examples/gates/falsealarm"
)

// bankFolder holds the gate's generic questions with vectors.
const bankFolder = "bank"

// runGate measures false alarms and retention on the collections of -data.
func runGate(ctx context.Context, s settings) error {
	if s.data == "" {
		return errNoData
	}
	collections, bank, err := loadCollections(s.data)
	if err != nil {
		return err
	}
	o := falsealarm.Options{Collections: collections, Bank: bank, Seeds: s.seeds, Union: !s.small}
	if s.small {
		o.Sizes = []int{100, 1000}
		o.Seeds = max(s.seeds, 2)
	}
	o.Progress = progress(s.log, "gate")
	report, err := falsealarm.Run(ctx, o)
	if err != nil {
		return err
	}
	if err := report.WriteTable(s.table); err != nil {
		return err
	}
	if s.out == "" {
		return nil
	}
	if err := writeJSON(filepath.Join(s.out, "gate.json"), report); err != nil {
		return err
	}
	return report.Plot(s.out)
}

// loadCollections reads every folder with documents and judgements, and the bank.
func loadCollections(dir string) (all []*collection.Collection, bank *collection.Collection, err error) {
	folders, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range folders {
		if !f.IsDir() {
			continue
		}
		c, err := collection.Load(filepath.Join(dir, f.Name()))
		switch {
		case err != nil:
			return nil, nil, err
		case f.Name() == bankFolder:
			bank = c
		case len(c.Judged()) > 0:
			all = append(all, c)
		}
	}
	return all, bank, nil
}

// progress shows a bar on a terminal, and nothing elsewhere.
func progress(w io.Writer, what string) func(done, total int) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	var bar *progressbar.ProgressBar
	return func(done, total int) {
		if bar == nil {
			bar = progressbar.NewOptions(total, progressbar.OptionSetDescription(what), progressbar.OptionSetWriter(w),
				progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
		}
		_ = bar.Set(done) // a bar that cannot be drawn is no reason to stop
	}
}

func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}
