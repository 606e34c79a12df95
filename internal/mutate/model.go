// Package mutate changes one clause at a time of the contract, in Go and in TLA+, to see that each change is found.
package mutate

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// A Mutant is one change of a function of the model.
type Mutant struct {
	File   string
	Place  string // the function that is changed
	Change string // what is changed, in words; with File and Place it tells a mutant from all others

	from, to int    // what is changed of the file
	text     string // and what it becomes
}

// String names the mutant.
func (m Mutant) String() string { return m.File + " " + m.Place + ": " + m.Change }

// Apply returns the mutant's file, changed.
func (m Mutant) Apply(source []byte) []byte {
	return slices.Concat(source[:m.from], []byte(m.text), source[m.to:])
}

// Model returns the mutants of those functions of a Go file that are reached, in the order of the file. Constants, by name,
// tells what each may be replaced by.
//
// Conditions are negated, and lose an operand; comparisons become their neighbours, or ask for equality; numbers are one more;
// assignments and elements of lists are dropped; truths are inverted; constants become others of their kind, so that MUST
// becomes MAY and MAY becomes MUST. What is dropped still stands there, without effect: Go wants every variable used, and each
// mutant is Go.
func Model(file string, source []byte, constants map[string][]string, reached map[string]bool) ([]Mutant, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var mutants []Mutant
	for _, declaration := range parsed.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || !reached[function.Name.Name] {
			continue
		}
		m := mutator{files: files, source: source, constants: constants, file: file, place: function.Name.Name,
			refuses: refuses(function.Type), said: map[string]int{}, cases: map[*ast.Ident]map[string]bool{}}
		ast.Inspect(function.Body, m.visit)
		slices.SortStableFunc(m.mutants, func(a, b Mutant) int { return a.from - b.from })
		mutants = append(mutants, m.mutants...)
	}
	return mutants, nil
}

// Constants returns for each constant of the file's enumerations, by name, those that may stand in its place: the two others
// of three, or the next of more.
func Constants(file string, source []byte) (map[string][]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	others := replacements{}
	for _, declaration := range parsed.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs { // the answers to one question stand on one line
			if names := spec.(*ast.ValueSpec).Names; len(names) > 1 {
				others.add(names)
			}
		}
		first := group.Specs[0].(*ast.ValueSpec)
		if len(first.Values) != 1 {
			continue
		}
		if value, ok := first.Values[0].(*ast.Ident); !ok || value.Name != "iota" {
			continue
		}
		var names []*ast.Ident
		for _, spec := range group.Specs {
			names = append(names, spec.(*ast.ValueSpec).Names[0])
		}
		others.add(names)
	}
	return others, nil
}

// replacements maps constants to those that may stand in their place.
type replacements map[string][]string

func (r replacements) add(names []*ast.Ident) {
	for i, name := range names {
		for k := range min(len(names)-1, 2) {
			if k == 0 || len(names) == 3 {
				r[name.Name] = append(r[name.Name], names[(i+k+1)%len(names)].Name)
			}
		}
	}
}

// Reached returns the names of the functions that roots call, and those that these call, and so on, in the Go files. Two of
// the same name are not distinguished.
func Reached(sources map[string][]byte, roots ...string) (map[string]bool, error) {
	calls := map[string][]string{}
	for file, source := range sources {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, declaration := range parsed.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok {
				ast.Inspect(function.Body, func(node ast.Node) bool {
					if n, ok := node.(*ast.Ident); ok {
						calls[function.Name.Name] = append(calls[function.Name.Name], n.Name)
					}
					return true
				})
			}
		}
	}
	reached := map[string]bool{}
	for len(roots) > 0 {
		name := roots[0]
		if roots = roots[1:]; !reached[name] {
			reached[name] = true
			roots = append(roots, calls[name]...)
		}
	}
	return reached, nil
}

// A mutator collects the mutants of one function.
type mutator struct {
	files     *token.FileSet
	source    []byte
	constants map[string][]string
	file      string
	place     string
	refuses   bool // the last of its results is a refusal, or nil
	said      map[string]int
	cases     map[*ast.Ident]map[string]bool // of a case: the names of all cases of its switch
	mutants   []Mutant
}

func refuses(f *ast.FuncType) bool {
	if f.Results == nil {
		return false
	}
	last, ok := f.Results.List[len(f.Results.List)-1].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	name, ok := last.X.(*ast.Ident)
	return ok && name.Name == "Refusal"
}

func (m *mutator) offset(p token.Pos) int { return m.files.Position(p).Offset }

func (m *mutator) text(from, to token.Pos) string {
	return string(m.source[m.offset(from):m.offset(to)])
}

// add adds the mutant in which the source between two places is another text.
func (m *mutator) add(from, to token.Pos, text, change string, args ...any) {
	change = strings.Join(strings.Fields(fmt.Sprintf(change, args...)), " ")
	if m.said[change]++; m.said[change] > 1 {
		change += fmt.Sprintf(" (%d)", m.said[change])
	}
	m.mutants = append(m.mutants, Mutant{m.file, m.place, change, m.offset(from), m.offset(to), text})
}

func (m *mutator) visit(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.ReturnStmt: // no caller uses what is returned beside a refusal
		if m.refuses {
			last, ok := n.Results[len(n.Results)-1].(*ast.Ident)
			return !ok || last.Name == "nil"
		}
	case *ast.IfStmt:
		m.negate(n.Cond)
	case *ast.SwitchStmt:
		names := map[string]bool{}
		for _, clause := range n.Body.List {
			for _, condition := range clause.(*ast.CaseClause).List {
				if name, ok := condition.(*ast.Ident); ok && n.Tag != nil {
					names[name.Name], m.cases[name] = true, names
				} else if n.Tag == nil {
					m.negate(condition)
				}
			}
		}
	case *ast.BinaryExpr:
		m.binary(n)
	case *ast.BasicLit:
		if number, err := strconv.Atoi(n.Value); err == nil {
			m.add(n.Pos(), n.End(), strconv.Itoa(number+1), "%d is %d in %s", number, number+1, m.line(n))
		}
	case *ast.IncDecStmt:
		other := map[token.Token]string{token.INC: "--", token.DEC: "++"}[n.Tok]
		m.add(n.TokPos, n.TokPos+2, other, "`%s` is `%s%s`", m.text(n.Pos(), n.End()), m.text(n.X.Pos(), n.X.End()), other)
		m.add(n.Pos(), n.End(), "", "without `%s`", m.text(n.Pos(), n.End()))
	case *ast.AssignStmt:
		m.assignment(n)
	case *ast.CompositeLit:
		m.list(n)
	case *ast.Ident:
		m.name(n)
	case *ast.KeyValueExpr: // a field's name is not a constant
		ast.Inspect(n.Value, m.visit)
		return false
	case *ast.SelectorExpr:
		ast.Inspect(n.X, m.visit)
		return false
	}
	return true
}

// line returns the line of a node, without blanks around it.
func (m *mutator) line(n ast.Node) string {
	at := m.offset(n.Pos())
	start := strings.LastIndexByte(string(m.source[:at]), '\n') + 1
	end := at + strings.IndexByte(string(m.source[at:]), '\n')
	line, _, _ := strings.Cut(string(m.source[start:end]), "//")
	return "`" + strings.TrimSpace(line) + "`"
}

func (m *mutator) negate(condition ast.Expr) {
	if b, ok := condition.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
		return // the comparison becomes the other one
	}
	text := m.text(condition.Pos(), condition.End())
	m.add(condition.Pos(), condition.End(), "!("+text+")", "not `%s`", text)
}

var neighbours = map[token.Token][]string{token.LSS: {"<="}, token.LEQ: {"<", "=="}, token.GTR: {">="}, token.GEQ: {">", "=="},
	token.EQL: {"!="}, token.NEQ: {"=="}, token.LAND: {"||"}, token.LOR: {"&&"}, token.ADD: {"-"}, token.SUB: {"+"}, token.OR: {"&"},
	token.SHL: {">>"}}

func (m *mutator) binary(b *ast.BinaryExpr) {
	text := m.text(b.Pos(), b.End())
	if neutral := map[token.Token]string{token.LAND: "true || ", token.LOR: "false && "}[b.Op]; neutral != "" {
		for _, operand := range []ast.Expr{b.X, b.Y} {
			dropped := m.text(operand.Pos(), operand.End())
			m.add(operand.Pos(), operand.End(), "("+neutral+dropped+")", "`%s` without `%s`", text, dropped)
		}
	}
	if isText(b.X) || isText(b.Y) {
		return
	}
	for _, other := range neighbours[b.Op] {
		m.add(b.OpPos, b.OpPos+token.Pos(len(b.Op.String())), other, "%s is %s in `%s`", b.Op, other, text)
	}
}

// isText reports whether an expression is a string: there is no difference of two.
func isText(e ast.Expr) bool {
	literal, ok := e.(*ast.BasicLit)
	return ok && literal.Kind == token.STRING
}

func (m *mutator) assignment(a *ast.AssignStmt) {
	if a.Tok == token.DEFINE {
		return
	}
	whole := m.text(a.Pos(), a.End())
	if len(a.Lhs) == 1 {
		m.add(a.Pos(), a.Rhs[0].Pos(), "_ = ", "without `%s`", whole)
		return
	}
	for _, left := range a.Lhs {
		m.add(left.Pos(), left.End(), "_", "`%s` without `%s`", whole, m.text(left.Pos(), left.End()))
	}
}

// list drops one of a list's elements.
func (m *mutator) list(c *ast.CompositeLit) {
	if _, ok := c.Type.(*ast.ArrayType); !ok || len(c.Elts) < 2 {
		return
	}
	whole := m.text(c.Pos(), c.End())
	if len(c.Elts) > 5 {
		whole = m.text(c.Type.Pos(), c.Type.End()) + "{...}"
	}
	for i, element := range c.Elts {
		from, to := element.Pos(), element.End()
		if i > 0 {
			from = c.Elts[i-1].End()
		} else {
			to = c.Elts[1].Pos()
		}
		m.add(from, to, "", "`%s` without %s", whole, m.text(element.Pos(), element.End()))
	}
}

func (m *mutator) name(n *ast.Ident) {
	others := m.constants[n.Name]
	switch n.Name {
	case "true":
		others = []string{"false"}
	case "false":
		others = []string{"true"}
	}
	for _, other := range others {
		if m.cases[n][other] {
			continue // no switch has a case twice
		}
		m.add(n.Pos(), n.End(), other, "%s is %s in %s", n.Name, other, m.line(n))
	}
}
