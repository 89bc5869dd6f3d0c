package godoc

import (
	"go/ast"
	"go/doc"
	"strings"
)

// member is one line of a group of constants or variables.
type member struct {
	names   []string
	own     string // its documentation, empty if only the group has one
	notice  string
	comment string // the remark at the end of the line
	spec    *ast.ValueSpec
}

// values adds groups of constants or variables. A name that is documented on
// its own becomes an entry; the rest of the group becomes one.
func (r *reader) values(kind Kind, groups []*doc.Value, inherited string) {
	for _, g := range groups {
		text, notice := r.plain(g.Doc)
		notice = first(notice, inherited)
		var rest []member
		single := !g.Decl.Lparen.IsValid()
		members := r.group(kind, g)
		for _, m := range members {
			if m.own == "" && m.notice == "" {
				rest = append(rest, m)
			}
		}
		for _, m := range members {
			if m.own == "" && m.notice == "" {
				continue
			}
			own := m.own
			if len(rest) == 0 && !single { // nobody else carries what the group says
				own = joinParagraphs(own, text)
			}
			r.value(kind, m.names, own, first(m.notice, notice), m.spec)
		}
		if len(rest) > 0 && (text != "" || notice != "") {
			r.rest(kind, rest, text, notice)
		}
	}
}

// group reads the lines of a declaration.
func (r *reader) group(kind Kind, g *doc.Value) []member {
	var all []member
	for _, spec := range g.Decl.Specs {
		vs, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		m := member{names: r.visible(vs.Names), spec: vs}
		if len(m.names) == 0 {
			continue
		}
		m.comment = strings.TrimSpace(vs.Comment.Text())
		if g.Decl.Lparen.IsValid() {
			m.own, m.notice = r.plain(vs.Doc.Text())
		}
		if m.own == "" && kind == KindVar {
			m.own = m.comment // `ErrNotExist = errNotExist() // "file does not exist"`
		}
		all = append(all, m)
	}
	return all
}

// rest adds the entry for the names of a group without their own text.
func (r *reader) rest(kind Kind, rest []member, text, notice string) {
	var names, remarks []string
	for _, m := range rest {
		names = append(names, m.names...)
		if m.comment != "" && len(remarks) < maxListed {
			remarks = append(remarks, m.names[0]+": "+m.comment)
		}
	}
	r.value(kind, names, joinParagraphs(text, strings.Join(remarks, "\n")), notice, rest[0].spec)
}

// value adds one entry for one or more names.
func (r *reader) value(kind Kind, names []string, text, notice string, spec *ast.ValueSpec) {
	e := Entry{Kind: kind, Symbol: r.name(names[0]), Doc: text}
	if len(names) > 1 {
		e.Names = names
	}
	e.Signature = string(kind) + " " + listed(names)
	if spec.Type != nil {
		e.Signature += " " + printed(r.set, spec.Type)
	}
	r.add(e, notice, spec.Pos())
}

// joinParagraphs joins texts that are not empty by an empty line.
func joinParagraphs(texts ...string) string {
	kept := texts[:0:0]
	for _, t := range texts {
		if t != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, "\n\n")
}
