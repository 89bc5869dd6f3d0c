// Command gates runs the experiments behind the claims Repute makes: how well the
// gate tells questions with evidence from questions without, and how fast the
// ranking learns from outcomes, each next to the systems it is measured against.
//
//	go run ./examples/gates -run all -data DIR -out results
//
// Tables go to standard output, the same numbers as JSON and pictures to the
// folder named by -out. A full run of the learning experiments in which the library
// misses a bar names the rows, runs the other experiments and then fails.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
)

// settings are the command line.
type settings struct {
	data  string // folder with one collection in BEIR's layout per folder
	out   string // folder for JSON and pictures; empty = none
	seeds int    // 0 = the experiment's own number
	small bool   // a quick look
	table io.Writer
	log   io.Writer
}

// experiment is one thing that can be run.
type experiment struct {
	name string
	run  func(context.Context, settings) error
}

var experiments = []experiment{
	{"gate", runGate},
	{"worlds", runWorlds},
	{"raters", runRaters},
	{"replay", runReplay},
}

// errMissed says that a result is worse than the bar set for it.
var errMissed = errors.New("the library is not at its bar")

// errNoData says that an experiment needs -data.
var errNoData = errors.New("needs -data DIR, a folder of collections in BEIR layout with vectors")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "gates:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, table, log io.Writer) error {
	s := settings{table: table, log: log}
	flags := flag.NewFlagSet("gates", flag.ContinueOnError)
	flags.SetOutput(log)
	which := flags.String("run", "all", "what to run: all or "+strings.Join(names(), ", "))
	flags.StringVar(&s.data, "data", "", "folder of collections in BEIR layout with vectors")
	flags.StringVar(&s.out, "out", "", "folder for JSON and pictures")
	flags.IntVar(&s.seeds, "seeds", 0, "repetitions; 0 means each experiment's own number")
	flags.BoolVar(&s.small, "small", false, "a quick look: fewer sizes and repetitions")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *which != "all" && !slices.Contains(names(), *which) {
		return fmt.Errorf("there is no experiment %q; there are all, %s", *which, strings.Join(names(), ", "))
	}
	if s.out != "" {
		if err := os.MkdirAll(s.out, 0o755); err != nil {
			return err
		}
	}
	var missed error
	for _, e := range experiments {
		if *which != "all" && *which != e.name {
			continue
		}
		err := e.run(ctx, s)
		if errors.Is(err, errNoData) && *which == "all" {
			fmt.Fprintf(log, "%s: skipped, it %v\n", e.name, err)
			continue
		}
		if errors.Is(err, errMissed) {
			missed = errors.Join(missed, fmt.Errorf("%s: %w", e.name, err))
			continue
		}
		if err != nil {
			return errors.Join(missed, fmt.Errorf("%s: %w", e.name, err))
		}
	}
	return missed
}

func names() []string {
	out := make([]string, len(experiments))
	for i, e := range experiments {
		out[i] = e.name
	}
	return out
}
