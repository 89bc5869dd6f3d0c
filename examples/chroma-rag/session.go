package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/philippgille/chromem-go"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/judge"
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
	judge     judge.Judge // nil for quoted answers
	corpus    corpus

	state      store.Store
	engine     *core.Engine
	collection *repchromem.Collection
	described  string // the corpus in a line
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
	if s.judge, err = newJudge(ctx, set.model); err != nil {
		return nil, err
	}
	if s.corpus, err = newCorpus(set.dir); err != nil {
		return nil, err
	}
	if set.touring() && set.state == "" {
		if err := removeState(set.stateFile()); err != nil {
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
		return errors.Join(err, s.state.Close())
	}
	db, err := s.database()
	if err == nil {
		err = s.openCollection(ctx, db)
	}
	if err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// Close closes everything; what was learned is on disk. The session can be opened
// again.
func (s *session) Close() error {
	return errors.Join(s.engine.Close(), s.state.Close())
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

// openCollection opens the collection of the corpus, brings it in step with the
// documents, and lets the gate know them.
func (s *session) openCollection(ctx context.Context, db *chromem.DB) error {
	err := s.connect(db)
	if errors.Is(err, core.ErrFingerprint) {
		fmt.Fprintln(s.notes, "The embedding model is another one now; the passages are indexed again.")
		if err = db.DeleteCollection(s.corpus.name()); err == nil {
			err = s.connect(db)
		}
	}
	if err != nil {
		return err
	}
	if s.described == "" { // not when the session is opened again: the documents are the same
		if s.described, err = s.corpus.ingest(ctx, s.collection, s.notes); err != nil {
			return err
		}
	}
	return s.engine.Calibrate(ctx, s.collection)
}

// connect puts the engine in front of the collection.
func (s *session) connect(db *chromem.DB) error {
	var err error
	s.collection, err = repchromem.Open(s.engine, db, s.corpus.name(), s.embedding.embed, repchromem.Options{
		Model: s.embedding.model, Hybrid: true, Weight: weight,
	})
	return err
}

// retrieve asks the engine for what belongs to a question.
func (s *session) retrieve(ctx context.Context, question string) (*core.Response, error) {
	return s.collection.Retrieve(ctx, core.Query{Text: question, User: user, K: s.set.results})
}
