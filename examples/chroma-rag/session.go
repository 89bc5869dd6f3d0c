package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/philippgille/chromem-go"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/examples/chroma-rag/terminal"
)

// user owns the questions asked here.
const user = "you"

// session is everything between opening and closing: documents, engine, and what
// was learned.
type session struct {
	set       settings
	out       io.Writer
	notes     io.Writer
	started   time.Time
	embedding embedding
	answer    answerer
	library   *library

	state      store.Store
	engine     *core.Engine
	collection *repchromem.Collection
}

func openSession(ctx context.Context, set settings, out, notes io.Writer) (*session, error) {
	s := &session{set: set, out: out, notes: notes, started: time.Now()}
	var err error
	if s.embedding, err = newEmbedding(ctx, set.embedding); err != nil {
		return nil, err
	}
	if s.answer, err = newAnswerer(ctx, set.model); err != nil {
		return nil, err
	}
	if s.library, err = readLibrary(ctx, notes); err != nil {
		return nil, err
	}
	if set.touring() && set.state == "" {
		if err := os.Remove(set.stateFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return s, s.open(ctx)
}

// open opens what Close closes: the state, the engine and the database.
func (s *session) open(ctx context.Context) error {
	var err error
	if s.state, err = openState(ctx, s.set.stateFile()); err != nil {
		return err
	}
	if s.engine, err = core.New(core.Options{Store: s.state, Namespace: namespace}); err != nil {
		return err
	}
	db, err := s.database()
	if err != nil {
		return errors.Join(err, s.engine.Close())
	}
	if err := s.openCollection(ctx, db); err != nil {
		return errors.Join(err, s.engine.Close())
	}
	return nil
}

// Close writes what was learned and closes everything. The session can be opened
// again.
func (s *session) Close() error {
	err := s.engine.Close()
	// The program may be ending because it was interrupted; what was learned is
	// written all the same.
	return errors.Join(err, saveState(context.Background(), s.state, s.set.stateFile()), s.state.Close())
}

// database opens the database of the embedding. It only holds what can be made
// again, so one that cannot be read is made anew.
func (s *session) database() (*chromem.DB, error) {
	path := filepath.Join(s.set.cache, "chromem", s.set.embedding)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	db, err := chromem.NewPersistentDB(path, false)
	if err == nil {
		return db, nil
	}
	fmt.Fprintf(s.notes, "The database cannot be read (%v) and is built again.\n", err)
	if err := os.RemoveAll(path); err != nil {
		return nil, err
	}
	return chromem.NewPersistentDB(path, false)
}

// openCollection opens the collection of this version of the documentation, adds
// what it lacks, and drops those of other versions.
func (s *session) openCollection(ctx context.Context, db *chromem.DB) error {
	name := "godoc-" + s.library.version
	for other := range db.ListCollections() {
		if strings.HasPrefix(other, "godoc-") && other != name {
			if err := db.DeleteCollection(other); err != nil {
				return err
			}
		}
	}
	var err error
	s.collection, err = repchromem.Open(s.engine, db, name, s.embedding.embed, repchromem.Options{
		Source: "godoc", Model: s.embedding.model, Hybrid: true,
	})
	if err != nil {
		return err
	}
	return s.fill(ctx)
}

// batch is the number of passages added at a time: often enough to show progress,
// and a small loss where the program is stopped.
const batch = 256

// fill adds the passages that the collection lacks: all of them the first time,
// the rest after an interruption.
func (s *session) fill(ctx context.Context) error {
	missing, err := s.missing()
	if err != nil || len(missing) == 0 {
		return err
	}
	show, end := terminal.Progress(s.notes, "indexing passages")
	defer end()
	for done := 0; done < len(missing); done += batch {
		show(done, len(missing))
		if _, err := s.collection.Add(ctx, missing[done:min(done+batch, len(missing))]); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) missing() ([]core.Candidate, error) {
	ids, err := s.collection.IDs("", len(s.library.passages))
	if err != nil {
		return nil, err
	}
	there := make(map[string]bool, len(ids))
	for _, id := range ids {
		there[id] = true
	}
	var missing []core.Candidate
	for _, p := range s.library.passages {
		if !there[p.ID] {
			missing = append(missing, p)
		}
	}
	return missing, nil
}

// retrieve asks the engine for what belongs to a question.
func (s *session) retrieve(ctx context.Context, question string) (*core.Response, error) {
	return s.collection.Retrieve(ctx, core.Query{Text: question, User: user, K: s.set.results})
}
