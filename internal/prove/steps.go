package prove

import (
	"maps"
	"slices"

	"ndkoracle/internal/prove/sany"
	"ndkoracle/internal/prove/smt"
)

// path is one way through an action: where its guard holds, the next state is this one. The guard and the next state may have
// unknowns of their own: what the action chooses.
type path struct {
	guard    *smt.Term
	next     map[string]value
	calls    []step // the operators that it went through, outermost first
	unknowns []*smt.Term
}

// step is an operator with its arguments.
type step struct {
	name string
	args []value
}

// walker finds the paths of an action as TLC finds next states: from left to right, where the first x' = e assigns x.
type walker struct {
	*engine
	now     map[string]value
	initial bool // of an initial predicate: x = e and x \in S assign
}

// paths calls a function for each path of an expression, which goes on from a path.
func (w walker) paths(n *sany.Node, s *scope, p path, found func(path)) {
	if p.guard == smt.False {
		return
	}
	before := w.where
	w.where = n.Where
	w.follow(n, s, p, found)
	w.where = before
}

func (w walker) follow(n *sany.Node, s *scope, p path, found func(path)) {
	switch n.Tag {
	case "LetInNode":
		w.paths(only(n.Child("body")), let(n, s), p, found)
		return
	case "SubstInNode":
		w.identity(n)
		w.paths(only(n.Child("body")), s, p, found)
		return
	}
	if !w.changes(n) {
		w.condition(n, s, p, found)
		return
	}
	if n.Tag != "OpApplNode" {
		panic(unsupported("an action of the kind %s", n.Tag))
	}
	ref, operands := only(n.Child("operator")), n.Child("operands").Children
	if ref.Tag == "UserDefinedOpKindRef" {
		state := w.state(p)
		if s.defining(ref.Field("UID")) == nil {
			var args []value
			for _, o := range operands {
				args = append(args, w.argument(o, s, state))
			}
			p.calls = append(slices.Clip(p.calls), step{base(w.name(ref)), args})
		}
		body, inner := w.enter(ref, operands, s, state)
		w.paths(body, inner, p, found)
		return
	}
	if ref.Tag != "BuiltInKindRef" {
		panic(unsupported("an action of the kind %s", ref.Tag))
	}
	switch name := w.name(ref); name {
	case "\\land", "$ConjList":
		w.sequence(operands, s, p, found)
	case "\\lor", "$DisjList":
		for _, o := range operands {
			w.paths(o, s, p, found)
		}
	case "$BoundedExists":
		w.choice(bounds(n), operands[0], s, s, p, found)
	case "$IfThenElse":
		condition := w.logical(w.eval(operands[0], s, w.state(p)))
		w.paths(operands[1], s, p.where(condition), found)
		w.paths(operands[2], s, p.where(smt.Not(condition)), found)
	case "$Case":
		w.arms(operands, s, p, found)
	case "UNCHANGED":
		w.unchanged(operands[0], p, found)
	case "=", "\\in":
		w.assignment(name, n, operands, s, p, found)
	default:
		w.condition(n, s, p, found)
	}
}

// arms is CASE of which the arms are actions: the first one whose condition holds is the one that is taken.
func (w walker) arms(pairs []*sany.Node, s *scope, p path, found func(path)) {
	for _, pair := range pairs {
		parts := pair.Child("operands").Children
		condition := smt.True
		if len(parts) == 2 && !isOther(parts[0]) {
			condition = w.logical(w.eval(parts[0], s, w.state(p)))
		}
		w.paths(parts[len(parts)-1], s, p.where(condition), found)
		p = p.where(smt.Not(condition))
	}
}

func (p path) where(condition *smt.Term) path {
	p.guard = smt.And(p.guard, condition)
	return p
}

func (w walker) state(p path) steady {
	if w.initial {
		return steady{now: p.next}
	}
	return steady{now: w.now, next: p.next}
}

func (w walker) condition(n *sany.Node, s *scope, p path, found func(path)) {
	if p = p.where(w.logical(w.eval(n, s, w.state(p)))); p.guard != smt.False {
		found(p)
	}
}

func (w walker) sequence(parts []*sany.Node, s *scope, p path, found func(path)) {
	if len(parts) == 0 {
		found(p)
		return
	}
	w.paths(parts[0], s, p, func(p path) { w.sequence(parts[1:], s, p, found) })
}

// choice is \E of an action: each branch of the set is a path.
func (w walker) choice(list []bound, body *sany.Node, outer, s *scope, p path, found func(path)) {
	if len(list) == 0 {
		w.paths(body, s, p, found)
		return
	}
	for _, b := range isSet(w.eval(list[0].set, outer, w.state(p))).branches() {
		unknowns := w.engine.unknowns("p", b)
		guard, member := b.at(unknowns)
		chosen := p.where(guard)
		chosen.unknowns = append(slices.Clip(p.unknowns), unknowns...)
		if chosen.guard != smt.False {
			w.choice(list[1:], body, outer, list[0].in(s, member), chosen, found)
		}
	}
}

// assignment is x' = e or x' \in S. It assigns x, if nothing has, and is a condition otherwise.
func (w walker) assignment(operator string, n *sany.Node, operands []*sany.Node, s *scope, p path, found func(path)) {
	variable := w.assigned(operands[0])
	if _, done := p.next[variable]; variable == "" || done {
		w.condition(n, s, p, found)
		return
	}
	assign := func(p path, v value) {
		p.next = maps.Clone(p.next)
		p.next[variable] = v
		found(p)
	}
	v := w.eval(operands[1], s, w.state(p))
	if operator == "=" {
		assign(p, v)
		return
	}
	for _, b := range isSet(v).branches() {
		unknowns := w.engine.unknowns("p", b)
		guard, member := b.at(unknowns)
		chosen := p.where(guard)
		chosen.unknowns = append(slices.Clip(p.unknowns), unknowns...)
		if chosen.guard != smt.False {
			assign(chosen, member)
		}
	}
}

// assigned returns the variable that an equation assigns of which this is the left side, or "".
func (w walker) assigned(n *sany.Node) string {
	if n.Tag != "OpApplNode" {
		return ""
	}
	ref := only(n.Child("operator"))
	if !w.initial {
		if ref.Tag != "BuiltInKindRef" || w.name(ref) != "'" {
			return ""
		}
		n = n.Child("operands").Children[0]
		if n.Tag != "OpApplNode" {
			return ""
		}
		ref = only(n.Child("operator"))
	}
	if name := w.name(ref); ref.Tag == "OpDeclNodeRef" && slices.Contains(w.module.Variables, name) {
		return name
	}
	return ""
}

// unchanged assigns each variable that has no value yet its old one.
func (w walker) unchanged(n *sany.Node, p path, found func(path)) {
	p.next = maps.Clone(p.next)
	for _, v := range w.variables(n) {
		if changed, done := p.next[v]; done {
			p = p.where(w.equal(changed, w.now[v]))
		} else {
			p.next[v] = w.now[v]
		}
	}
	if p.guard != smt.False {
		found(p)
	}
}

// variables returns the variables in a tuple of variables.
func (w walker) variables(n *sany.Node) []string {
	ref := only(n.Child("operator"))
	switch {
	case ref.Tag == "OpDeclNodeRef":
		return []string{w.name(ref)}
	case ref.Tag == "UserDefinedOpKindRef":
		return w.variables(only(w.module.Symbols[ref.Field("UID")].Child("body")))
	case w.name(ref) == "$Tuple":
		var list []string
		for _, o := range n.Child("operands").Children {
			list = append(list, w.variables(o)...)
		}
		return list
	}
	panic(unsupported("UNCHANGED of what is not a tuple of variables"))
}

// change is a question of changes.
type change struct {
	node    *sany.Node
	initial bool
}

// changes says whether an expression has a prime in it; of an initial predicate, whether it has a variable.
func (w walker) changes(n *sany.Node) bool {
	asked := change{n, w.initial}
	if known, ok := w.primed[asked]; ok {
		return known
	}
	w.primed[asked] = false // a definition that comes back to itself adds nothing
	has := !n.Walk(func(x *sany.Node) bool {
		switch x.Tag {
		case "BuiltInKindRef":
			name := w.name(x)
			return w.initial || name != "'" && name != "UNCHANGED"
		case "OpDeclNodeRef":
			return !w.initial || !slices.Contains(w.module.Variables, w.name(x))
		case "UserDefinedOpKindRef":
			uid, _ := w.resolve(x, nil)
			body := w.module.Symbols[uid].Child("body")
			return body == nil || !w.changes(body)
		}
		return true
	})
	w.primed[asked] = has
	return has
}

// pathsOf finds the paths of the definition of an action from a state; of an initial predicate, if now is nil.
func (e *engine) pathsOf(name string, now map[string]value) (list []path, err error) {
	uid, err := e.module.Definition(name)
	if err != nil {
		return nil, err
	}
	w := walker{e, now, now == nil}
	err = e.try(func() {
		body := only(e.module.Symbols[uid].Child("body"))
		w.paths(body, nil, path{guard: smt.True, next: map[string]value{}}, func(p path) { list = append(list, p) })
	})
	return list, err
}
