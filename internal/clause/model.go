package clause

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Model is the model's Go text.
type Model struct {
	sources   map[string][]byte
	files     *token.FileSet
	uses      map[*ast.Ident]types.Object
	types     map[ast.Expr]types.TypeAndValue
	functions map[types.Object]*ast.FuncDecl
	actions   map[string]string   // constants by the names of the actions
	refusals  map[string][]string // constants' names by what they say: "ARM-04: why"
}

// ReadModel reads the Go files in a folder, tests apart.
func ReadModel(dir string) (*Model, error) {
	sources, err := ReadSources(dir)
	if err != nil {
		return nil, err
	}
	return NewModel(sources)
}

// ReadSources returns the texts of the Go files in a folder, tests apart, by their names.
func ReadSources(dir string) (map[string][]byte, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	sources := map[string][]byte{}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no Go files: the model's text is not there", dir)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if sources[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			return nil, err
		}
	}
	return sources, nil
}

// NewModel takes the model's files by their names.
func NewModel(sources map[string][]byte) (*Model, error) {
	m := &Model{sources: sources, files: token.NewFileSet(), functions: map[types.Object]*ast.FuncDecl{},
		actions: map[string]string{}, refusals: map[string][]string{}}
	var files []*ast.File
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		file, err := parser.ParseFile(m.files, name, sources[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	checks := types.Config{Importer: importer.ForCompiler(m.files, "source", nil)}
	if _, err := checks.Check("model", m.files, files, &info); err != nil {
		return nil, err
	}
	m.uses, m.types = info.Uses, info.Types
	for _, file := range files {
		for _, declaration := range file.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				m.functions[info.Defs[d.Name]] = d
			case *ast.GenDecl:
				m.declare(d)
			}
		}
	}
	return m, nil
}

// declare takes note of the names of actions and of refusals.
func (m *Model) declare(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		values, ok := spec.(*ast.ValueSpec)
		if !ok || len(values.Names) != 1 || len(values.Values) != 1 {
			continue
		}
		name := values.Names[0].Name
		switch v := values.Values[0].(type) {
		case *ast.BasicLit:
			if kind, ok := values.Type.(*ast.Ident); ok && kind.Name == "Name" {
				m.actions[text(v)] = name
			}
		case *ast.UnaryExpr:
			if refusal, ok := v.X.(*ast.CompositeLit); ok && len(refusal.Elts) == 2 {
				said := text(refusal.Elts[0]) + ": " + text(refusal.Elts[1])
				m.refusals[said] = append(m.refusals[said], name)
			}
		}
	}
}

// text returns what a string says.
func text(e ast.Expr) string {
	if literal, ok := e.(*ast.BasicLit); ok {
		if said, err := strconv.Unquote(literal.Value); err == nil {
			return said
		}
	}
	return ""
}

// A Decision is all of the model's text that decides an action, in each function that the action calls.
type Decision struct {
	model    *Model
	action   string                 // its constant
	seen     map[*ast.FuncDecl]bool // functions
	all      []Clause               // conditions and statements
	refusals []refused
	sets     map[string][]Clause // statements, by the fields to which they give values
}

// A refused is a place where the model refuses the action.
type refused struct {
	condition Clause
	why       string // the refusal's name, or that of the function that chooses it
}

// Decide returns what decides an action of this name; "" are the initial states.
func (m *Model) Decide(action string) (*Decision, error) {
	d := &Decision{model: m, action: m.actions[action], seen: map[*ast.FuncDecl]bool{}, sets: map[string][]Clause{}}
	root := "Step"
	if action == "" {
		root = "Init"
	} else if d.action == "" {
		return nil, fmt.Errorf("the model has no action %s", action)
	}
	for object, function := range m.functions {
		if object.Name() == root {
			d.function(function)
		}
	}
	return d, nil
}

func (d *Decision) function(f *ast.FuncDecl) {
	if d.seen[f] || f.Body == nil {
		return
	}
	d.seen[f] = true
	w := walk{Decision: d, function: f}
	w.block(f.Body.List)
}

// A walk is through one function.
type walk struct {
	*Decision
	function *ast.FuncDecl
	within   []Clause // the conditions around the place, the nearest last
}

func (w *walk) clause(n ast.Node) Clause { return w.until(n, n.End()) }

// until returns the begin of a node as a clause.
func (w *walk) until(n ast.Node, end token.Pos) Clause {
	from, to := w.model.files.Position(n.Pos()), w.model.files.Position(end)
	source := w.model.sources[from.Filename]
	return Clause{"model/" + from.Filename, from.Line, to.Line, w.function.Name.Name, oneLine(string(source[from.Offset:to.Offset]))}
}

// block goes through statements. Where they switch on the name of the action, it takes its case only, and nothing that follows
// if that returns.
func (w *walk) block(statements []ast.Stmt) {
	for _, s := range statements {
		choice, ok := s.(*ast.SwitchStmt)
		if !ok || choice.Tag == nil || w.clause(choice.Tag).Text != "a.Name" {
			w.node(s)
			continue
		}
		for _, c := range choice.Body.List {
			c := c.(*ast.CaseClause)
			if slices.ContainsFunc(c.List, func(e ast.Expr) bool { return w.clause(e).Text == w.action }) {
				w.block(c.Body)
				if _, returns := c.Body[len(c.Body)-1].(*ast.ReturnStmt); returns {
					return
				}
			}
		}
	}
}

// under goes through statements that are done where a condition holds.
func (w *walk) under(condition Clause, statements []ast.Stmt) {
	w.all = append(w.all, condition)
	w.within = append(w.within, condition)
	w.block(statements)
	w.within = w.within[:len(w.within)-1]
}

func (w *walk) node(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			w.block(n.List)
			return false
		case *ast.IfStmt:
			if n.Init != nil {
				w.node(n.Init)
			}
			w.node(n.Cond)
			w.under(w.clause(n.Cond), n.Body.List)
			if n.Else != nil {
				w.node(n.Else)
			}
			return false
		case *ast.SwitchStmt:
			w.choice(n)
			return false
		case *ast.ForStmt:
			if n.Cond != nil {
				w.all = append(w.all, w.clause(n.Cond))
			}
		case *ast.RangeStmt:
			w.all = append(w.all, w.until(n, n.X.End()))
		case *ast.ReturnStmt:
			if !w.refuses(n) {
				w.statement(n)
			}
		case *ast.AssignStmt:
			w.statement(n, n.Lhs...)
		case *ast.IncDecStmt:
			w.statement(n, n.X)
		case *ast.ExprStmt:
			w.statement(n)
		case *ast.Ident:
			if called := w.model.functions[w.model.uses[n]]; called != nil {
				w.Decision.function(called)
			}
		}
		return true
	})
}

// statement takes note of a statement, with the fields that it sets: those that stand on its left, and all those of a struct that
// it writes down, where what is left out is zero.
func (w *walk) statement(n ast.Node, left ...ast.Expr) {
	set := map[string]bool{}
	for _, e := range left {
		set[field(e)] = true
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if literal, ok := n.(*ast.CompositeLit); ok {
			if made, ok := w.model.types[literal].Type.Underlying().(*types.Struct); ok {
				for f := range made.Fields() {
					set[f.Name()] = true
				}
			}
		}
		return true
	})
	c := w.clause(n)
	w.all = append(w.all, c)
	for name := range set {
		w.sets[name] = append(w.sets[name], c)
	}
}

// choice goes through the cases of a switch.
func (w *walk) choice(n *ast.SwitchStmt) {
	if n.Init != nil {
		w.node(n.Init)
	}
	for _, c := range n.Body.List {
		c := c.(*ast.CaseClause)
		if c.List == nil {
			w.block(c.Body)
			continue
		}
		for _, e := range c.List {
			w.node(e)
		}
		condition := w.clause(c)
		condition.To = condition.From
		condition.Text, _, _ = strings.Cut(condition.Text, ":")
		condition.Text = strings.TrimPrefix(condition.Text, "case ")
		if n.Tag != nil {
			condition.Text = w.clause(n.Tag).Text + " is " + condition.Text
		}
		w.under(condition, c.Body)
	}
}

// field returns the field of an expression that is assigned to.
func field(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return field(e.X)
	}
	return ""
}

// refuses takes note of a refusal that is returned, and reports whether one is.
func (w *walk) refuses(n *ast.ReturnStmt) bool {
	if len(n.Results) == 0 {
		return false
	}
	condition := w.clause(n)
	if len(w.within) > 0 {
		condition = w.within[len(w.within)-1]
	}
	last := n.Results[len(n.Results)-1]
	if call, ok := last.(*ast.CallExpr); ok {
		last = call.Fun
	}
	why, ok := last.(*ast.Ident)
	if ok = ok && isRefusal(w.model.uses[why]); ok {
		w.refusals = append(w.refusals, refused{condition, why.Name})
	}
	return ok
}

// isRefusal reports whether an object is a refusal that is always the same, or a function that chooses one.
func isRefusal(o types.Object) bool {
	if o == nil || o.Parent() == nil || o.Parent() != o.Pkg().Scope() {
		return false
	}
	result := o.Type()
	if f, ok := result.(*types.Signature); ok {
		if f.Results().Len() != 1 {
			return false
		}
		result = f.Results().At(0).Type()
	}
	pointer, ok := result.(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := pointer.Elem().(*types.Named)
	return ok && named.Obj().Name() == "Refusal"
}

// Refusing returns the conditions under which the model refuses the action for a reason; for "", for any.
func (d *Decision) Refusing(reason string) []Clause {
	names := slices.Clone(d.model.refusals[reason])
	for _, r := range d.refusals {
		if slices.Contains(names, r.why) {
			names = append(names, r.condition.In) // it may be a function that chooses the reason
		}
	}
	var found []Clause
	for _, r := range d.refusals {
		if (reason == "" || slices.Contains(names, r.why)) && !slices.Contains(found, r.condition) {
			found = append(found, r.condition)
		}
	}
	return found
}

// Set returns the statements that give a field a value.
func (d *Decision) Set(field string) []Clause { return d.sets[field] }

// All returns all conditions and statements.
func (d *Decision) All() []Clause { return d.all }

// Functions returns the functions that the action calls, each as a clause that says nothing but where it is.
func (d *Decision) Functions() []Clause {
	var found []Clause
	for f := range d.seen {
		w := walk{Decision: d, function: f}
		c := w.clause(f)
		c.Text = ""
		found = append(found, c)
	}
	slices.SortFunc(found, func(a, b Clause) int { return cmp.Or(strings.Compare(a.File, b.File), a.From-b.From) })
	return found
}
