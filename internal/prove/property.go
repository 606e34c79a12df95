package prove

import (
	"ndkoracle/internal/prove/sany"
	"ndkoracle/internal/prove/smt"
)

// property evaluates a property in a step. It has to be [][A]_v, or a conjunction of such formulas, or such a formula for all members of
// a constant set: these hold of a behaviour where each step has them. No other formula with [] has a rule.
func (p *Proof) property(name string, now, next map[string]value) (t *smt.Term, err error) {
	uid, err := p.engine.module.Definition(name)
	if err != nil {
		return nil, err
	}
	err = p.engine.try(func() {
		t = p.engine.always(only(p.engine.module.Symbols[uid].Child("body")), nil, steady{now: now, next: next})
	})
	return t, err
}

// always evaluates the [A]_v of a property in a step.
func (e *engine) always(n *sany.Node, s *scope, st steady) *smt.Term {
	e.where = n.Where
	switch n.Tag {
	case "LetInNode":
		return e.always(only(n.Child("body")), let(n, s), st)
	case "SubstInNode":
		e.identity(n)
		return e.always(only(n.Child("body")), s, st)
	case "OpApplNode":
	default:
		panic(unsupported("a property of the kind %s", n.Tag))
	}
	ref, operands := only(n.Child("operator")), n.Child("operands").Children
	name := e.name(ref)
	switch {
	case ref.Tag == "UserDefinedOpKindRef":
		body, inner := e.enter(ref, operands, s, st)
		return e.always(body, inner, st)
	case ref.Tag != "BuiltInKindRef":
	case name == "\\land" || name == "$ConjList":
		var parts []*smt.Term
		for _, o := range operands {
			parts = append(parts, e.always(o, s, st))
		}
		return smt.And(parts...)
	case name == "$BoundedForall":
		for _, b := range bounds(n) {
			if e.isFlexible(b.set, s) {
				panic(unsupported("a property of the members of a set that is not constant"))
			}
		}
		return e.quantified(call{n, operands, s, st}, (*engine).each, (*engine).always)
	case name == "[]" && e.isSquareAction(operands[0]):
		return e.logical(e.eval(operands[0], s, st))
	}
	panic(unsupported("a property that is not [][A]_v: %s", name))
}

// isSquareAction says whether an expression is written as [A]_v.
func (e *engine) isSquareAction(n *sany.Node) bool {
	if n.Tag != "OpApplNode" {
		return false
	}
	ref := only(n.Child("operator"))
	return ref.Tag == "BuiltInKindRef" && e.name(ref) == "$SquareAct"
}
