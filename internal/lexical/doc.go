// Package lexical is the text side of Repute: one analyzer, word sets, overlap,
// BM25 over small collections and rank fusion.
//
// One analyzer ([Terms]) serves the gate, BM25, overlap and query signatures, so
// that a word means the same everywhere. It folds compatibility forms, case and
// accents, takes words from scripts that write spaces and character bigrams from
// those that do not, drops English function words and cuts English endings.
//
// Words are found by a scanner of this package and not by Unicode's word boundaries
// (UAX 29), which are made for moving a cursor: they keep "os.WriteFile", "3.14",
// "example.com" and "snake_case" whole, so that a search for a part of them finds
// nothing, and cut Han and Thai into single characters, which would have to be put
// together again.
//
// The package is pure: no clock, no randomness, no I/O. Except for [Index], which
// locks, its values are immutable, and every function is safe for concurrent use.
package lexical
