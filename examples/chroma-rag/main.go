// Command chroma-rag is Repute at work on text that every Go user has: the
// documentation of the standard library, read from the Go installation on this
// machine into a persistent chromem database. Without flags it gives a short tour
// that needs no key and no network. See -help for asking one's own questions, of
// one's own documents, with other embeddings and language models.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "chroma-rag:", err)
		}
		os.Exit(1)
	}
}

// run is the whole program: results go to out, progress and remarks to notes.
func run(ctx context.Context, args []string, in io.Reader, out, notes io.Writer) error {
	set, err := parseSettings(args, notes)
	if err != nil {
		return err
	}
	s, err := openSession(ctx, set, out, notes)
	if err != nil {
		return err
	}
	switch {
	case set.ask != "":
		err = s.ask(ctx, set.ask)
	case set.chat:
		err = s.chat(ctx, in)
	default:
		err = s.tour(ctx)
	}
	return errors.Join(err, s.Close())
}
