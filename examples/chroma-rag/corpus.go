package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/examples/chroma-rag/godoc"
	"github.com/repute-go/repute/examples/chroma-rag/terminal"
)

// corpus is what is asked.
type corpus interface {
	// name names the collection.
	name() string
	// ingest brings the collection in step with the documents and describes them
	// in a line.
	ingest(ctx context.Context, c *repchromem.Collection, notes io.Writer) (string, error)
	// check says of every shown document whether it is known to be out of date,
	// by document id; documents that nothing is known of are missing.
	check(found *core.Response) (outdated map[string]bool, err error)
}

// newCorpus is the folder if there is one, else the Go documentation.
func newCorpus(dir string) (corpus, error) {
	if dir == "" {
		source, err := godoc.Open("")
		return &library{source}, err
	}
	path, err := filepath.Abs(dir)
	return &folder{path}, err
}

// library is the documentation of the Go standard library on this machine.
type library struct{ source *godoc.Source }

func (l *library) name() string { return "godoc" }

func (l *library) ingest(ctx context.Context, c *repchromem.Collection, notes io.Writer) (string, error) {
	show, end := terminal.Progress(notes, "reading the Go documentation")
	entries, err := l.source.Load(ctx, show)
	end()
	if err != nil {
		return "", err
	}
	docs := make([]repchromem.Document, len(entries))
	packages := map[string]bool{}
	for i, e := range entries {
		docs[i] = repchromem.Document{
			ID: e.Symbol, Title: e.Symbol, Path: fmt.Sprintf("%s:%d", e.File, e.Line), Text: e.Text(),
			Metadata: map[string]string{kindKey: string(e.Kind)},
		}
		packages[e.Package] = true
	}
	progress, end := ingestion(notes)
	report, err := c.IngestDocuments(ctx, docs, repchromem.IngestOptions{Progress: progress})
	end()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: %d packages, %d symbols, %d passages", l.source.Version(), len(packages), report.Documents, report.Chunks), leftOut(report)
}

// check asks the Go sources again whether the shown symbols are marked as
// deprecated. It does not look at the passages, which do not say.
func (l *library) check(found *core.Response) (map[string]bool, error) {
	deprecated := make(map[string]bool, len(found.Items))
	for _, it := range found.Items {
		if _, known := deprecated[it.DocID]; known {
			continue
		}
		old, err := l.source.Deprecated(it.DocID)
		if err != nil {
			return nil, err
		}
		deprecated[it.DocID] = old
	}
	return deprecated, nil
}

// kindKey is the metadata that says what a passage documents.
const kindKey = "kind"

// weight lets fields, variables and constants count half: who asks how to do a
// thing asks for what does it, and these, short and with a name made of the very
// words, crowd it out. Passages of a folder have no kind.
func weight(metadata map[string]string) float64 {
	switch godoc.Kind(metadata[kindKey]) {
	case godoc.KindField, godoc.KindVar, godoc.KindConst:
		return .5
	}
	return 1
}

// folder is the text files below a folder.
type folder struct{ path string }

// name is different for every folder: evidence belongs to it.
func (f *folder) name() string {
	sum := sha256.Sum256([]byte(f.path))
	return "folder-" + hex.EncodeToString(sum[:8])
}

func (f *folder) ingest(ctx context.Context, c *repchromem.Collection, notes io.Writer) (string, error) {
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return "", err
	}
	defer root.Close()
	progress, end := ingestion(notes)
	report, err := c.Ingest(ctx, root.FS(), repchromem.IngestOptions{Progress: progress})
	end()
	if err != nil {
		return "", err
	}
	for _, p := range report.Problems[:min(5, len(report.Problems))] {
		fmt.Fprintf(notes, "left out: %s: %s\n", terminal.Line(p.Document, 60), terminal.Line(p.Err.Error(), 80))
	}
	return fmt.Sprintf("%s: %d files, %d passages, %d left out", terminal.Line(f.path, 60), report.Documents, report.Chunks, report.Failed), nil
}

// check knows nothing of files.
func (f *folder) check(*core.Response) (map[string]bool, error) { return nil, nil }

// ingestion shows the progress of an ingestion.
func ingestion(notes io.Writer) (progress func(repchromem.Progress), end func()) {
	show, end := terminal.Progress(notes, "indexing")
	return func(p repchromem.Progress) { show(p.Done, p.Total) }, end
}

// leftOut is an error if documents that must be there are not.
func leftOut(report repchromem.IngestReport) error {
	if report.Failed == 0 {
		return nil
	}
	return fmt.Errorf("%d documents were left out, the first %s: %w", report.Failed, report.Problems[0].Document, report.Problems[0].Err)
}
