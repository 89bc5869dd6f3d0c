package godoc

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/token"
	"path/filepath"
	"strings"
)

// maxListed bounds the names of a group that its text lists.
const maxListed = 40

// reader collects the entries of one package.
type reader struct {
	src      string
	set      *token.FileSet
	from     *doc.Package
	parser   *comment.Parser
	printer  *comment.Printer
	synopsis string
	notice   string // the package's deprecation notice
	found    []Entry
}

func newReader(src string, set *token.FileSet, pkg *doc.Package) *reader {
	r := &reader{src: src, set: set, from: pkg, parser: pkg.Parser(), printer: pkg.Printer()}
	r.printer.TextWidth = -1 // one line per paragraph: lines are for those who show the text
	r.synopsis = pkg.Synopsis(pkg.Doc)
	return r
}

// pkg adds everything the package documents.
func (r *reader) pkg(clause token.Pos) {
	text, notice := r.plain(r.from.Doc)
	r.notice = notice
	if text != "" || notice != "" {
		e := Entry{Kind: KindPackage, Symbol: r.from.ImportPath, Signature: "package " + r.from.Name, Doc: text}
		r.add(e, notice, clause)
	}
	r.values(KindConst, r.from.Consts, "")
	r.values(KindVar, r.from.Vars, "")
	for _, f := range r.from.Funcs {
		r.function(KindFunc, "", f, "")
	}
	for _, t := range r.from.Types {
		r.typ(t)
	}
}

// typ adds a type, what it declares and what go/doc associates with it.
func (r *reader) typ(t *doc.Type) {
	text, notice := r.plain(t.Doc)
	spec := typeSpec(t)
	if text != "" || notice != "" {
		e := Entry{Kind: KindType, Symbol: r.name(t.Name), Signature: typeSignature(r.set, spec), Doc: text}
		r.add(e, notice, t.Decl.Pos())
	}
	r.values(KindConst, t.Consts, "")
	r.values(KindVar, t.Vars, "")
	for _, f := range t.Funcs {
		r.function(KindFunc, "", f, "")
	}
	for _, f := range t.Methods {
		r.function(KindMethod, t.Name, f, notice)
	}
	r.members(t.Name, spec, notice)
}

// function adds a function or a method. A method of a deprecated type is
// deprecated with it.
func (r *reader) function(kind Kind, owner string, f *doc.Func, inherited string) {
	text, notice := r.plain(f.Doc)
	if text == "" && notice == "" {
		return
	}
	symbol := f.Name
	if owner != "" {
		symbol = owner + "." + f.Name
	}
	e := Entry{Kind: kind, Symbol: r.name(symbol), Signature: funcSignature(r.set, f.Decl), Doc: text}
	r.add(e, first(notice, inherited), f.Decl.Pos())
}

// members adds the documented fields of a struct and methods of an interface.
func (r *reader) members(owner string, spec *ast.TypeSpec, inherited string) {
	list, kind := memberList(spec)
	for _, field := range list {
		text, notice := r.plain(field.Doc.Text())
		names := r.visible(field.Names)
		if len(names) == 0 || text == "" && notice == "" {
			continue
		}
		e := Entry{Kind: kind, Symbol: r.name(owner + "." + names[0]), Doc: text}
		e.Signature = memberSignature(r.set, owner, names, field, kind)
		for _, n := range names[1:] {
			e.Names = append(e.Names, owner+"."+n)
		}
		if e.Names != nil {
			e.Names = append([]string{owner + "." + names[0]}, e.Names...)
		}
		r.add(e, first(notice, inherited), field.Pos())
	}
}

// add completes an entry and keeps it.
func (r *reader) add(e Entry, notice string, pos token.Pos) {
	e.Package, e.Synopsis = r.from.ImportPath, r.synopsis
	e.Replacement = first(notice, r.notice)
	e.Deprecated = e.Replacement != ""
	at := r.set.Position(pos)
	if rel, err := filepath.Rel(r.src, at.Filename); err == nil {
		e.File, e.Line = filepath.ToSlash(rel), at.Line
	}
	r.found = append(r.found, e)
}

// name puts the import path in front of a name.
func (r *reader) name(symbol string) string { return r.from.ImportPath + "." + symbol }

// plain renders a comment as plain text and takes the deprecation notice out.
func (r *reader) plain(text string) (body, notice string) {
	if strings.TrimSpace(text) == "" {
		return "", ""
	}
	parsed := r.parser.Parse(text)
	kept := make([]comment.Block, 0, len(parsed.Content))
	for _, block := range parsed.Content {
		if said, ok := r.noticeOf(block); ok {
			notice = first(notice, said)
			continue
		}
		kept = append(kept, block)
	}
	parsed.Content = kept
	return strings.TrimSpace(string(r.printer.Text(parsed))), notice
}

// noticeOf is the text of a block that is a deprecation notice.
func (r *reader) noticeOf(block comment.Block) (string, bool) {
	if _, ok := block.(*comment.Paragraph); !ok {
		return "", false
	}
	one := &comment.Doc{Content: []comment.Block{block}}
	said, ok := strings.CutPrefix(string(r.printer.Text(one)), "Deprecated:")
	return strings.TrimSpace(said), ok
}

// first is the first text that is not empty.
func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// listed joins the names of a group, bounded.
func listed(names []string) string {
	if len(names) <= maxListed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), len(names)-maxListed)
}
