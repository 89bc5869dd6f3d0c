// Package godoc reads the documentation of the Go standard library from the
// sources of the Go installation on this machine. It is the corpus of the tour:
// real text that every Go user has, with real facts about it that can be
// checked without asking anybody.
//
// The sources answer two different questions, and the package keeps them
// apart on purpose. [Source.Load] turns documentation into entries to search;
// [Source.Deprecated] says whether one symbol is marked as deprecated, by
// parsing the sources again. The text that is searched ([Entry.Text]) leaves
// the deprecation notice out, so nothing that only reads the text can know the
// answer: it has to be learned from the check.
package godoc

import "errors"

// ErrNoSource means that no Go installation with its sources was found.
var ErrNoSource = errors.New("godoc: no Go installation with sources found")

// ErrUnknownSymbol means that the sources declare no such exported symbol.
var ErrUnknownSymbol = errors.New("godoc: unknown symbol")

// Kind says what an entry documents.
type Kind string

// The kinds of entries. A const or var entry covers one documented name or a
// whole group, a method entry a method of a type or of an interface.
const (
	KindPackage Kind = "package"
	KindConst   Kind = "const"
	KindVar     Kind = "var"
	KindFunc    Kind = "func"
	KindType    Kind = "type"
	KindMethod  Kind = "method"
	KindField   Kind = "field"
)

// Entry is the documentation of one symbol.
type Entry struct {
	// Symbol is the unique name: import path, type and name, as in
	// "net/http.Server.Shutdown". A package is its import path. A group of
	// constants or variables goes by the first name that has no entry of its
	// own.
	Symbol string
	// Package is the import path, as in "net/http".
	Package string
	// Kind says what is documented.
	Kind Kind
	// Names are the names a group documents, Symbol's own included; nil for
	// a single symbol.
	Names []string
	// Signature is the declaration on one line, without body or fields.
	Signature string
	// Synopsis is the first sentence of the package's documentation.
	Synopsis string
	// Doc is the documentation as plain text without the deprecation notice,
	// one paragraph per line group, separated by empty lines.
	Doc string
	// Deprecated is set when the symbol, or the type or package it belongs
	// to, is marked as deprecated.
	Deprecated bool
	// Replacement is the text of the deprecation notice, which usually names
	// what to use instead; empty when not deprecated.
	Replacement string
	// File is the source file relative to the src directory, and Line the
	// line of the declaration.
	File string
	Line int
}
