package godoc

import (
	"go/ast"
	"strings"
)

// declarations is what a package declares, with the comments on each name.
type declarations struct {
	pkg      []string            // comments on the package
	comments map[string][]string // by name, or type and member: "Server.Shutdown"
	embedded map[string][]string // names of the types a type embeds
}

// declare indexes the declarations of a package.
func declare(files []*ast.File) declarations {
	d := declarations{comments: map[string][]string{}, embedded: map[string][]string{}}
	for _, f := range files {
		d.pkg = append(d.pkg, f.Doc.Text())
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				d.function(decl)
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					d.spec(decl.Doc, spec)
				}
			}
		}
	}
	return d
}

func (d declarations) add(name string, comments ...*ast.CommentGroup) {
	for _, c := range comments {
		d.comments[name] = append(d.comments[name], c.Text())
	}
}

func (d declarations) function(decl *ast.FuncDecl) {
	name := decl.Name.Name
	if decl.Recv != nil && len(decl.Recv.List) > 0 {
		name = typeName(decl.Recv.List[0].Type) + "." + name
	}
	d.add(name, decl.Doc)
}

func (d declarations) spec(group *ast.CommentGroup, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			d.add(n.Name, group, s.Doc)
		}
	case *ast.TypeSpec:
		d.add(s.Name.Name, group, s.Doc)
		list, _ := memberList(s)
		for _, field := range list {
			for _, n := range field.Names {
				d.add(s.Name.Name+"."+n.Name, field.Doc)
			}
			if len(field.Names) == 0 {
				d.embedded[s.Name.Name] = append(d.embedded[s.Name.Name], typeName(field.Type))
			}
		}
	}
}

// about collects the comments that speak about a name: its own, its type's and
// the package's. ok is false when there is no such name.
func (d declarations) about(name string) (comments []string, ok bool) {
	if name == "" {
		return d.pkg, len(d.pkg) > 0
	}
	owner, member, _ := strings.Cut(name, ".")
	comments, ok = d.comments[owner]
	if ok && member != "" {
		var own []string
		own, ok = d.member(owner, member, map[string]bool{})
		comments = append(own, comments...)
	}
	return append(comments, d.pkg...), ok
}

// member finds a method or field of a type, or of a type that it embeds.
func (d declarations) member(owner, name string, seen map[string]bool) ([]string, bool) {
	if seen[owner] {
		return nil, false
	}
	seen[owner] = true
	if comments, ok := d.comments[owner+"."+name]; ok {
		return comments[:len(comments):len(comments)], true
	}
	for _, e := range d.embedded[owner] {
		if comments, ok := d.member(e, name, seen); ok {
			return comments, true
		}
	}
	return nil, false
}

// typeName is the name in a type expression such as *T or T[K].
func typeName(expr ast.Expr) string {
	for {
		switch t := expr.(type) {
		case *ast.StarExpr:
			expr = t.X
		case *ast.IndexExpr:
			expr = t.X
		case *ast.IndexListExpr:
			expr = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}
