package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/tmc/langchaingo/llms"
)

// options are the flags.
type options struct {
	epochs, seeds, programs int
	llm, name, picture      string
	allowExec               bool
}

// errExec says that a real model's code would be run without the user's leave.
var errExec = errors.New("a real model's code would be run on this machine: add -allow-exec if you want that")

func parse(args []string) (options, error) {
	var o options
	fs := flag.NewFlagSet("agent", flag.ContinueOnError)
	fs.IntVar(&o.epochs, "epochs", 6, "passes over the programs")
	fs.IntVar(&o.seeds, "seeds", 10, "repetitions with other programs, memories, reports and orders")
	fs.IntVar(&o.programs, "programs", 20, fmt.Sprintf("programs drawn for each seed, at most %d", len(problems())))
	fs.StringVar(&o.llm, "llm", "scripted", "scripted or gemini (needs GEMINI_API_KEY)")
	fs.StringVar(&o.name, "model", "gemini-3.5-flash-lite", "model name for -llm gemini")
	fs.StringVar(&o.picture, "picture", "", "write the curves to this PNG `file`")
	fs.BoolVar(&o.allowExec, "allow-exec", false, "run code that a real model wrote")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	return o, o.validate()
}

func (o options) validate() error {
	switch {
	case o.epochs < 1 || o.epochs > 100 || o.seeds < 1 || o.seeds > 1000 || o.programs < 1 || o.programs > len(problems()):
		return fmt.Errorf("-epochs 1 to 100, -seeds 1 to 1000, -programs 1 to %d", len(problems()))
	case o.llm != "scripted" && o.llm != "gemini":
		return fmt.Errorf("-llm %q is neither scripted nor gemini", o.llm)
	case o.llm == "gemini" && !o.allowExec:
		return errExec
	}
	return nil
}

// announce says, before a model that costs money is asked, how often it may be.
func (o options) announce(w io.Writer) {
	if o.llm == "scripted" {
		return
	}
	attempts := o.seeds * o.epochs * o.programs * len(arms)
	fmt.Fprintf(w, "%d attempts with %s, of at most %d calls each: up to %d calls. Fewer: -seeds, -epochs, -programs\n",
		attempts, o.name, maxSteps, attempts*maxSteps)
}

// model makes the model that plays the agent.
func (o options) model(ctx context.Context) (llms.Model, error) {
	if o.llm == "scripted" {
		return scripted{}, nil
	}
	for _, key := range []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"} {
		if k := os.Getenv(key); k != "" {
			return newGemini(ctx, k, o.name, "")
		}
	}
	return nil, errors.New("-llm gemini needs GEMINI_API_KEY")
}
