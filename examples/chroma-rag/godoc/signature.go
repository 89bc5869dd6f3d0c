package godoc

import (
	"go/ast"
	"go/doc"
	"go/printer"
	"go/token"
	"strings"
)

// printed renders a node on one line.
func printed(set *token.FileSet, node any) string {
	var b strings.Builder
	if err := (&printer.Config{Mode: printer.RawFormat, Tabwidth: 1}).Fprint(&b, set, node); err != nil {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// funcSignature is a function declaration without comment and body.
func funcSignature(set *token.FileSet, decl *ast.FuncDecl) string {
	bare := *decl
	bare.Doc, bare.Body = nil, nil
	return printed(set, &bare)
}

// typeSpec is the declaration of a documented type.
func typeSpec(t *doc.Type) *ast.TypeSpec {
	for _, spec := range t.Decl.Specs {
		if ts, ok := spec.(*ast.TypeSpec); ok && ts.Name.Name == t.Name {
			return ts
		}
	}
	return nil
}

// typeSignature is a type declaration without fields and methods.
func typeSignature(set *token.FileSet, spec *ast.TypeSpec) string {
	if spec == nil {
		return ""
	}
	bare := *spec
	bare.Doc, bare.Comment = nil, nil
	switch spec.Type.(type) {
	case *ast.StructType:
		bare.Type = &ast.Ident{Name: "struct"}
	case *ast.InterfaceType:
		bare.Type = &ast.Ident{Name: "interface"}
	}
	return "type " + printed(set, &bare)
}

// memberList is the fields of a struct or the methods of an interface.
func memberList(spec *ast.TypeSpec) ([]*ast.Field, Kind) {
	if spec == nil {
		return nil, KindField
	}
	switch t := spec.Type.(type) {
	case *ast.StructType:
		return t.Fields.List, KindField
	case *ast.InterfaceType:
		return t.Methods.List, KindMethod
	default:
		return nil, KindField
	}
}

// memberSignature shows a field or an interface method with its type's name.
func memberSignature(set *token.FileSet, owner string, names []string, field *ast.Field, kind Kind) string {
	typ := printed(set, field.Type)
	if kind == KindMethod {
		return "func (" + owner + ") " + names[0] + strings.TrimPrefix(typ, "func")
	}
	return "field " + owner + "." + strings.Join(names, ", ") + " " + typ
}

// visible keeps the names users can refer to.
func (r *reader) visible(idents []*ast.Ident) []string {
	var names []string
	for _, id := range idents {
		if id.IsExported() || r.from.ImportPath == builtin {
			names = append(names, id.Name)
		}
	}
	return names
}
