package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/examples/chroma-rag/terminal"
)

// The note of step 7, before and after somebody has changed it.
const (
	noteID       = "notes/release-train.md"
	noteText     = "The release train leaves on Tuesdays at noon."
	noteChanged  = "The release train leaves on Thursdays at noon."
	noteQuestion = "when does the release train leave?"
)

// note pins a document of the user's own and changes it at its source: the saved
// text is checked before it is served.
func (g *guide) note(ctx context.Context) error {
	g.say("7. A note of your own is pinned, and then changed at its source")
	lib := g.engine.Library(user).In(g.collection)
	err := g.write(ctx, noteText)
	if err == nil {
		_, err = lib.Pin(ctx, noteID)
	}
	if err == nil {
		err = g.write(ctx, noteChanged)
	}
	if err == nil {
		err = g.readNote(ctx)
	}
	_, gone := lib.Remove(ctx, noteID) // the next tour begins without it
	return errors.Join(err, gone, g.write(ctx, ""))
}

// write makes text the user's note in the collection, beside the documentation; an
// empty one takes it out.
func (g *guide) write(ctx context.Context, text string) error {
	docs := []repchromem.Document{{ID: noteID, Title: noteID, Path: noteID, Text: text}}
	if text == "" {
		docs = nil
	}
	report, err := g.collection.IngestDocuments(ctx, docs, repchromem.IngestOptions{Set: "notes"})
	if err != nil {
		return err
	}
	return leftOut(report)
}

// readNote asks what the note answers, and prints where the answer comes from and
// what has become of saved documents.
func (g *guide) readNote(ctx context.Context) error {
	found, err := g.collection.Retrieve(ctx, core.Query{Text: noteQuestion, User: user, K: 1})
	if err != nil {
		return err
	}
	answer, err := g.answer(ctx, noteQuestion, found)
	if err != nil {
		return err
	}
	g.quote("Q", noteQuestion)
	g.quote("A", answer)
	g.provenance(found)
	return nil
}

// provenance prints the block that says where an answer comes from, and what became
// of saved documents at their source.
func (s *session) provenance(found *core.Response) {
	s.say("%s", strings.TrimSuffix(found.Provenance().Text(), "\n"))
	for _, n := range found.Library {
		s.say("Your library: %s: %s", terminal.Line(cmp.Or(n.Title, n.DocID), 60), n.Reason)
	}
}
