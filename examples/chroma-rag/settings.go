package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// settings are what the command line says.
type settings struct {
	ask       string
	chat      bool
	dir       string
	embedding string
	model     string
	state     string
	cache     string
	compare   bool
	results   int
}

// touring says whether the program gives its tour.
func (s settings) touring() bool { return s.ask == "" && !s.chat }

// stateFile is where what was learned is kept. The tour starts from nothing unless
// it is given a file, so that it always shows the same; it keeps its state apart.
func (s settings) stateFile() string {
	switch {
	case s.state != "":
		return s.state
	case s.touring():
		return filepath.Join(s.cache, "tour.state")
	default:
		return filepath.Join(s.cache, "learned.state")
	}
}

var (
	embeddings = []string{"local", "ollama", "openai", "gemini"}
	models     = []string{"extract", "ollama", "gemini"}
)

func parseSettings(args []string, notes io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("chroma-rag", flag.ContinueOnError)
	flags.SetOutput(notes)
	flags.StringVar(&s.ask, "ask", "", "answer one `question` and exit")
	flags.BoolVar(&s.chat, "chat", false, "answer questions from the standard input")
	flags.StringVar(&s.dir, "dir", "", "ask the text files of a `folder` instead of the Go documentation")
	flags.StringVar(&s.embedding, "embed", "local", "where vectors come from: "+strings.Join(embeddings, ", "))
	flags.StringVar(&s.model, "llm", "extract", "what writes answers: "+strings.Join(models, ", "))
	flags.StringVar(&s.state, "state", "", "`file` that keeps what was learned (default: in the cache)")
	flags.StringVar(&s.cache, "cache", defaultCache(), "`folder` for the database and the state")
	flags.BoolVar(&s.compare, "compare", false, "with -ask or -chat: show first what plain search and sigma-rag's rule would pass on")
	flags.IntVar(&s.results, "k", 5, "number of passages shown, 1 to 50")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	return s, s.validate(flags.Args())
}

func (s settings) validate(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected %q: put a question in quotes after -ask", rest[0])
	case s.ask != "" && s.chat:
		return errors.New("-ask and -chat exclude each other")
	case s.dir != "" && s.touring():
		return errors.New("the tour is about the Go documentation; use -dir with -ask or -chat")
	case s.compare && s.touring():
		return errors.New("-compare needs a question: use it with -ask or -chat")
	case !slices.Contains(embeddings, s.embedding):
		return fmt.Errorf("-embed %q is none of %s", s.embedding, strings.Join(embeddings, ", "))
	case !slices.Contains(models, s.model):
		return fmt.Errorf("-llm %q is none of %s", s.model, strings.Join(models, ", "))
	case s.results < 1 || s.results > 50:
		return fmt.Errorf("-k %d is not from 1 to 50", s.results)
	case s.cache == "":
		return errors.New("this system names no folder for caches; give one with -cache")
	}
	return nil
}

// defaultCache is the program's folder in the user's cache, empty if there is none.
func defaultCache() string {
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "repute", "chroma-rag")
}
