package godoc

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
)

// files parses the files of a package that belong to this platform. It returns
// none, and no error, for a directory that holds no package for it.
func (s *Source) files(path string) (*token.FileSet, []*ast.File, error) {
	dir := filepath.Join(s.src, filepath.FromSlash(path))
	info, err := s.env.ImportDir(dir, 0)
	var none *build.NoGoError
	if errors.As(err, &none) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("godoc: package %s: %w", path, err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, names := range [][]string{info.GoFiles, info.CgoFiles} {
		for _, name := range names {
			file, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, nil, fmt.Errorf("godoc: package %s: %w", path, err)
			}
			files = append(files, file)
		}
	}
	return set, files, nil
}

// entries reads the documentation of one package.
func (s *Source) entries(path string) ([]Entry, error) {
	set, files, err := s.files(path)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	clause := packageClause(files)
	mode := doc.Mode(0)
	if path == builtin {
		mode = doc.AllDecls // its names are lower case, yet everybody's
	}
	pkg, err := doc.NewFromFiles(set, files, path, mode)
	if err != nil {
		return nil, fmt.Errorf("godoc: package %s: %w", path, err)
	}
	r := newReader(s.src, set, pkg)
	r.pkg(clause)
	return r.found, nil
}

// builtin documents the predeclared names of the language.
const builtin = "builtin"

// packageClause is where the package's own documentation stands.
func packageClause(files []*ast.File) token.Pos {
	for _, f := range files {
		if f.Doc != nil {
			return f.Package
		}
	}
	return files[0].Package
}
