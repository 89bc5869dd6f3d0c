package godoc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Deprecated says whether the declaration of a symbol, of the type it belongs
// to, or of its package carries the notice "Deprecated:" at the start of a
// paragraph. It parses the sources each time and shares nothing with the
// entries but the parser, so it is a check of what they claim. The error is
// [ErrUnknownSymbol] when the symbol is not declared there.
func (s *Source) Deprecated(symbol string) (bool, error) {
	path, name := split(symbol)
	if !s.importable(path) {
		return false, fmt.Errorf("%w: %q", ErrUnknownSymbol, symbol)
	}
	_, files, err := s.files(path)
	if err != nil {
		return false, err
	}
	comments, ok := declare(files).about(name)
	if !ok {
		return false, fmt.Errorf("%w: %q", ErrUnknownSymbol, symbol)
	}
	for _, text := range comments {
		if marked(text) {
			return true, nil
		}
	}
	return false, nil
}

// split takes a symbol apart into import path and name; the name of a package
// is empty.
func split(symbol string) (path, name string) {
	base := strings.LastIndexByte(symbol, '/') + 1
	dot := strings.IndexByte(symbol[base:], '.')
	if dot < 0 {
		return symbol, ""
	}
	return symbol[:base+dot], symbol[base+dot+1:]
}

// importable says whether a path names a directory of the library. A symbol may
// come from a stored document, so it must not lead anywhere else.
func (s *Source) importable(path string) bool {
	local := filepath.FromSlash(path)
	if !filepath.IsLocal(local) || strings.ContainsAny(path, "\\\x00") {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		if hidden(part) {
			return false
		}
	}
	info, err := os.Stat(filepath.Join(s.src, local))
	return err == nil && info.IsDir()
}

// marked says whether a paragraph of a comment starts with the notice.
func marked(text string) bool {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(strings.TrimLeft(paragraph, "\n"), "Deprecated:") {
			return true
		}
	}
	return false
}
