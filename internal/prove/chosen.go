package prove

import (
	"reflect"
	"slices"
	"strings"

	"ndkoracle/internal/prove/sany"
	"ndkoracle/internal/prove/smt"
)

// choice is a CHOOSE in one state, with what its parameters are.
type choice struct {
	node       *sany.Node
	state      uintptr // its address, which is no other state's: the engine keeps it
	parameters string
}

// chosen is CHOOSE x \in S : P(x) of scalars, where P(x) is not known. It is a new symbol with the axiom of section 16.1.2: if there is a
// member of S with P, it is one. That the same CHOOSE is the same value each time is the other axiom there: in one state the symbol is the
// same where the parameters are. Where they are not known, or the state is another one, the symbol is another one: that supposes less.
// Of one with a prime the next state would be a parameter as well: it has no rule.
func (e *engine) chosen(c call, b bound, from union) value {
	if (walker{engine: e}).changes(c.node) {
		panic(unsupported("a prime in CHOOSE"))
	}
	passing := union{guarded(from.list, func(v value) *smt.Term {
		return e.logical(e.eval(c.operands[0], b.in(c.scope, v), c.state))
	})}
	if e.longest > 0 {
		return e.chosenOf(passing)
	}
	key, repeats := e.choice(c)
	if known, ok := e.choices[key]; ok && repeats {
		return scalar{known}
	}
	x := e.fresh("chosen", e.sortOf(passing))
	is := passing.contains(e, scalar{x})
	axiom := smt.Implies(e.some(passing, func(value) *smt.Term { return smt.True }), is)
	e.define(x.Name, "CHOOSE", axiom)
	if repeats {
		e.choices[key] = x
		e.kept[key.state] = c.state.now
	}
	return scalar{x}
}

// chosenOf is CHOOSE where no sequence is longer than longest: the first of what is listed, or of the places.
func (e *engine) chosenOf(passing union) value {
	first := value(nowhere{})
	for _, b := range slices.Backward(passing.list) {
		if len(b.sorts) == 0 {
			guard, v := b.at(nil)
			first = choose(guard, v, first)
			continue
		}
		if e.sortOf(union{[]branch{b}}) != smt.Int {
			panic(unsupported("CHOOSE by what is not known"))
		}
		for n := e.longest; n >= 0; n-- {
			first = choose(union{[]branch{b}}.contains(e, number(n)), number(n), first)
		}
	}
	return first
}

// choice returns what tells a CHOOSE from others, and whether all of it is known.
func (e *engine) choice(c call) (key choice, known bool) {
	var parameters []string
	for s := c.scope; s != nil; s = s.outer {
		if s.value == nil {
			continue // of a LET, which defines and binds nothing
		}
		v, ok := s.value.(scalar)
		if !ok || !v.IsKnown() {
			return choice{}, false
		}
		parameters = append(parameters, s.name+" "+v.Value())
	}
	return choice{c.node, reflect.ValueOf(c.state.now).Pointer(), strings.Join(parameters, "\n")}, true
}

// sortOf returns the sort of the members of a set of scalars.
func (e *engine) sortOf(s union) smt.Sort {
	var sorts []smt.Sort
	for _, b := range s.list {
		_, member := b.at(e.unknowns("b", b))
		v, ok := member.(scalar)
		if !ok || len(sorts) > 0 && sorts[0] != v.Sort {
			panic(unsupported("CHOOSE by what is not known"))
		}
		sorts = append(sorts, v.Sort)
	}
	return sorts[0]
}
