// Command agent lets a langchaingo agent mend small broken Go programs from a
// memory of fix patterns, some of which are plausible and wrong. What a pattern is
// worth is decided by go test. Over the epochs the agent with Repute mends more,
// because recall learns which patterns helped with failures like this one.
//
//	go run ./examples/agent
//
// By default a scripted model plays the agent's part: it applies the first pattern
// it recalls and knows nothing else, so that only the memory can make a difference. With -llm gemini -allow-exec a real model does; its code is
// then run on this machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "agent:", err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, w io.Writer) (err error) {
	o, err := parse(args)
	if err != nil {
		return err
	}
	llm, err := o.model(ctx)
	if err != nil {
		return err
	}
	o.announce(w)
	v, err := newVerifier(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	start := time.Now()
	bar := progress(o)
	s := study{epochs: o.epochs, seeds: o.seeds, programs: o.programs, llm: llm, verifier: v, progress: func() { _ = bar.Add(1) }}
	got, err := s.run(ctx)
	_ = bar.Finish()
	if err != nil {
		fmt.Fprintln(w, "\nstopped before the end; measured until then:")
		got.table(w)
		return err
	}
	fmt.Fprintf(w, "%d programs of %d, %d seeds; go test ran on %d different programs%s, in %.0f s\n",
		o.programs, len(problems()), o.seeds, v.runs(), network(v), time.Since(start).Seconds())
	got.table(w)
	got.curve(w)
	if o.picture == "" {
		return nil
	}
	if err := got.picture(o.picture, fmt.Sprintf("Programs mended over %d seeds, with 95 %% intervals", o.seeds)); err != nil {
		return err
	}
	fmt.Fprintln(w, "\npicture:", o.picture)
	return nil
}

func network(v *verifier) string {
	if v.offline {
		return ", without a network"
	}
	return ""
}

// progress is a bar on a terminal and nothing elsewhere.
func progress(o options) *progressbar.ProgressBar {
	n := o.seeds * o.epochs * len(arms)
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return progressbar.DefaultSilent(int64(n))
	}
	return progressbar.Default(int64(n), "epochs")
}
