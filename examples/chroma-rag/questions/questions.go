// Package questions holds the questions that the tour of the Go documentation
// is asked and measured with, written down before anything was tuned.
package questions

import (
	_ "embed"
	"fmt"
	"strings"
)

// Kind says what a question is for.
type Kind string

// The kinds of questions.
const (
	// Answered questions have one or more symbols that answer them.
	Answered Kind = "answered"
	// Foreign questions have no answer in the Go documentation.
	Foreign Kind = "foreign"
	// Deprecated questions are matched as well or better by deprecated symbols
	// than by the living one that answers them, and come with a second wording.
	Deprecated Kind = "deprecated"
)

// Question is one question with what is known about it.
type Question struct {
	Kind Kind
	Text string
	// Symbols answer the question; any one of them will do. None for a
	// foreign question.
	Symbols []string
	// Outdated are the deprecated symbols that match, for a Deprecated question.
	Outdated []string
	// Reworded asks the same without a content word of Text, for a Deprecated
	// question.
	Reworded string
}

//go:embed questions.tsv
var file string

// All returns the questions in the order of the file.
func All() []Question {
	all, err := parse(file)
	if err != nil {
		panic(err) // the file is part of the program; a test reads it
	}
	return all
}

// Of returns the questions of one kind.
func Of(kind Kind) []Question {
	var found []Question
	for _, q := range All() {
		if q.Kind == kind {
			found = append(found, q)
		}
	}
	return found
}

// parse reads tab-separated lines of kind, question, answering symbols, outdated
// symbols and second wording; the last three may be missing.
func parse(text string) ([]Question, error) {
	var all []Question
	for i, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) < 2 || len(fields) > 5 {
			return nil, fmt.Errorf("questions: line %d has %d fields", i+1, len(fields))
		}
		fields = append(fields, "", "", "")
		all = append(all, Question{
			Kind: Kind(fields[0]), Text: fields[1],
			Symbols: list(fields[2]), Outdated: list(fields[3]), Reworded: fields[4],
		})
	}
	return all, nil
}

// list splits at commas; an empty text is an empty list.
func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}
