package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/examples/chroma-rag/godoc"
	"github.com/repute-go/repute/examples/chroma-rag/terminal"
)

// passageSize is the length of a passage's documentation in bytes. Nearly every
// symbol fits into one passage; the documentation of packages does not.
const passageSize = 1500

// library is the documentation of the Go standard library on this machine.
type library struct {
	source   *godoc.Source
	entries  map[string]godoc.Entry
	passages []core.Candidate
	// version changes with every text, so that a new Go release gets a new
	// collection.
	version string
}

func readLibrary(ctx context.Context, notes io.Writer) (*library, error) {
	source, err := godoc.Open("")
	if err != nil {
		return nil, err
	}
	show, end := terminal.Progress(notes, "reading the Go documentation")
	entries, err := source.Load(ctx, show)
	end()
	if err != nil {
		return nil, err
	}
	lib := &library{source: source, entries: make(map[string]godoc.Entry, len(entries))}
	for _, e := range entries {
		lib.entries[e.Symbol] = e
		lib.passages = append(lib.passages, candidates(e)...)
	}
	distinct(lib.passages)
	lib.version = versionOf(lib.passages)
	return lib, nil
}

// candidates makes the passages of an entry ready for the collection.
func candidates(e godoc.Entry) []core.Candidate {
	texts := e.Passages(passageSize)
	made := make([]core.Candidate, len(texts))
	for i, text := range texts {
		made[i] = core.Candidate{
			ID: fmt.Sprintf("%s#%d", e.Symbol, i), DocID: e.Symbol, Title: e.Symbol,
			Path: fmt.Sprintf("%s:%d", e.File, e.Line), Text: text, ChunkIndex: i, TotalChunks: len(texts),
		}
	}
	return made
}

// distinct lengthens ids until the files that chromem names after the first four
// bytes of their SHA-256 are all different.
func distinct(passages []core.Candidate) {
	taken := make(map[[4]byte]bool, len(passages))
	for i := range passages {
		id := &passages[i].ID
		for taken[fileName(*id)] {
			*id += "'"
		}
		taken[fileName(*id)] = true
	}
}

func fileName(id string) [4]byte {
	sum := sha256.Sum256([]byte(id))
	return [4]byte(sum[:4])
}

// versionOf names a set of passages by what they say.
func versionOf(passages []core.Candidate) string {
	h := sha256.New()
	for _, p := range passages {
		fmt.Fprintf(h, "%d %s %d %s\n", len(p.ID), p.ID, len(p.Text), p.Text)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// describe says in a line what was read.
func (l *library) describe() string {
	packages := map[string]bool{}
	for _, e := range l.entries {
		packages[e.Package] = true
	}
	return fmt.Sprintf("%s, %d packages, %d symbols, %d passages", l.source.Version(), len(packages), len(l.entries), len(l.passages))
}
