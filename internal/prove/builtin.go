package prove

import (
	"slices"
	"strings"

	"ndkoracle/internal/prove/sany"
	"ndkoracle/internal/prove/smt"
)

// call is an application of a built-in operator.
type call struct {
	node     *sany.Node
	operands []*sany.Node
	scope    *scope
	state    steady
}

func (e *engine) operand(c call, i int) value { return e.eval(c.operands[i], c.scope, c.state) }

// builtin has the rules of TLA+'s own operators, by SANY's names for them. They are filled in by init: rules call eval.
var builtin map[string]func(*engine, call) value

func init() {
	builtin = map[string]func(*engine, call) value{
		"TRUE":    func(*engine, call) value { return truth(true) },
		"FALSE":   func(*engine, call) value { return truth(false) },
		"BOOLEAN": func(*engine, call) value { return all{sort: smt.Bool} },
		"STRING":  func(*engine, call) value { return all{sort: smt.String} },

		"=":         formula(func(e *engine, c call) *smt.Term { return e.equal(e.operand(c, 0), e.operand(c, 1)) }),
		"/=":        formula(func(e *engine, c call) *smt.Term { return smt.Not(e.equal(e.operand(c, 0), e.operand(c, 1))) }),
		"\\lnot":    formula(func(e *engine, c call) *smt.Term { return smt.Not(e.logical(e.operand(c, 0))) }),
		"\\land":    formula((*engine).conjunction),
		"$ConjList": formula((*engine).conjunction),
		"\\lor":     formula((*engine).disjunction),
		"$DisjList": formula((*engine).disjunction),
		"=>":        formula((*engine).implication),
		"\\equiv":   formula(func(e *engine, c call) *smt.Term { return e.equal(e.operand(c, 0), e.operand(c, 1)) }),
		"\\in":      formula(func(e *engine, c call) *smt.Term { return isSet(e.operand(c, 1)).contains(e, e.operand(c, 0)) }),
		"\\notin": formula(func(e *engine, c call) *smt.Term {
			return smt.Not(isSet(e.operand(c, 1)).contains(e, e.operand(c, 0)))
		}),
		"\\subseteq":     formula(func(e *engine, c call) *smt.Term { return e.subset(isSet(e.operand(c, 0)), isSet(e.operand(c, 1))) }),
		"$BoundedForall": formula(func(e *engine, c call) *smt.Term { return e.quantified(c, (*engine).each, (*engine).holds) }),
		"$BoundedExists": formula(func(e *engine, c call) *smt.Term { return e.quantified(c, (*engine).some, (*engine).holds) }),
		"$SquareAct":     formula((*engine).squareAction),
		"'":              func(e *engine, c call) value { return e.prime(c.operands[0], c.scope, c.state) },
		"UNCHANGED": formula(func(e *engine, c call) *smt.Term {
			return e.equal(e.operand(c, 0), e.prime(c.operands[0], c.scope, c.state))
		}),

		"SUBSET": func(e *engine, c call) value { return subsets{isSet(e.operand(c, 0))} },
		"UNION":  (*engine).bigUnion,
		"$CartesianProd": func(e *engine, c call) value {
			var sets []set
			for _, v := range e.operandList(c) {
				sets = append(sets, isSet(v))
			}
			return union{product(sets, func(values []value) value { return listed(values) })}
		},
		"DOMAIN": func(e *engine, c call) value { return domain(e.operand(c, 0)) },
		"\\union": func(e *engine, c call) value {
			return union{slices.Concat(isSet(e.operand(c, 0)).branches(), isSet(e.operand(c, 1)).branches())}
		},
		"\\intersect": func(e *engine, c call) value {
			other := isSet(e.operand(c, 1))
			return union{guarded(isSet(e.operand(c, 0)).branches(), func(v value) *smt.Term { return other.contains(e, v) })}
		},
		"\\": func(e *engine, c call) value {
			other := isSet(e.operand(c, 1))
			return union{guarded(isSet(e.operand(c, 0)).branches(), func(v value) *smt.Term { return smt.Not(other.contains(e, v)) })}
		},
		"$SetEnumerate":  func(e *engine, c call) value { return enumerated(e.operandList(c)...) },
		"$Tuple":         func(e *engine, c call) value { return listed(e.operandList(c)) },
		"$SubsetOf":      (*engine).filter,
		"$SetOfAll":      (*engine).setOfAll,
		"$SetOfRcds":     (*engine).setOfRecords,
		"$SetOfFcns":     (*engine).setOfFunctions,
		"$BoundedChoose": (*engine).chooseMember,

		"$IfThenElse":     (*engine).ifThenElse,
		"$Case":           (*engine).cases,
		"$RcdConstructor": (*engine).recordConstructor,
		"$RcdSelect":      func(e *engine, c call) value { return field(e.operand(c, 0), c.operands[1].Field("StringValue")) },
		"$FcnConstructor": (*engine).functionConstructor,
		"$FcnApply":       func(e *engine, c call) value { return e.applied(e.operand(c, 0), e.operand(c, 1)) },
		"$Except":         (*engine).except,
	}
}

func formula(f func(*engine, call) *smt.Term) func(*engine, call) value {
	return func(e *engine, c call) value { return scalar{f(e, c)} }
}

func (e *engine) operandList(c call) []value {
	var list []value
	for i := range c.operands {
		list = append(list, e.operand(c, i))
	}
	return list
}

// conjunction evaluates one part after the other, until one is false: as TLC does, so the later parts may be without meaning then.
func (e *engine) conjunction(c call) *smt.Term {
	var parts []*smt.Term
	for i := range c.operands {
		t := e.logical(e.operand(c, i))
		if t == smt.False {
			return t
		}
		parts = append(parts, t)
	}
	return smt.And(parts...)
}

func (e *engine) disjunction(c call) *smt.Term {
	var parts []*smt.Term
	for i := range c.operands {
		t := e.logical(e.operand(c, i))
		if t == smt.True {
			return t
		}
		parts = append(parts, t)
	}
	return smt.Or(parts...)
}

func (e *engine) implication(c call) *smt.Term {
	condition := e.logical(e.operand(c, 0))
	if condition == smt.False {
		return smt.True
	}
	return smt.Implies(condition, e.logical(e.operand(c, 1)))
}

// squareAction is [A]_v: the action, or v stays the same.
func (e *engine) squareAction(c call) *smt.Term {
	action := e.logical(e.operand(c, 0))
	if action == smt.True {
		return action
	}
	return smt.Or(action, e.equal(e.operand(c, 1), e.prime(c.operands[1], c.scope, c.state)))
}

// bound is a bound variable, or a tuple of them, and the expression of its set.
type bound struct {
	names []string
	tuple bool
	set   *sany.Node
}

func bounds(n *sany.Node) []bound {
	var list []bound
	for _, b := range n.Child("boundSymbols").Children {
		if b.Tag != "bound" {
			panic(unsupported("a bound variable that has no set"))
		}
		var names []string
		tuple := false
		for _, p := range b.Children[:len(b.Children)-1] {
			if p.Tag == "tuple" {
				tuple = true
				continue
			}
			names = append(names, p.Field("UID"))
		}
		from := b.Children[len(b.Children)-1]
		if tuple {
			list = append(list, bound{names, true, from})
			continue
		}
		for _, name := range names {
			list = append(list, bound{[]string{name}, false, from})
		}
	}
	return list
}

// in returns the scope in which the variable has a value.
func (b bound) in(s *scope, v value) *scope {
	if !b.tuple {
		return s.bind(b.names[0], v)
	}
	for i, name := range b.names {
		s = s.bind(name, isSequence(v).at(smt.Number(int64(i+1))))
	}
	return s
}

// quantified is a quantifier, of a body to which a rule gives its meaning.
func (e *engine) quantified(c call, over func(*engine, set, func(value) *smt.Term) *smt.Term,
	rule func(*engine, *sany.Node, *scope, steady) *smt.Term,
) *smt.Term {
	list := bounds(c.node)
	var from func(i int, s *scope) *smt.Term
	from = func(i int, s *scope) *smt.Term {
		if i == len(list) {
			return rule(e, c.operands[0], s, c.state)
		}
		members := isSet(e.eval(list[i].set, c.scope, c.state))
		return over(e, members, func(v value) *smt.Term { return from(i+1, list[i].in(s, v)) })
	}
	return from(0, c.scope)
}

// holds is the truth value of a formula.
func (e *engine) holds(n *sany.Node, s *scope, st steady) *smt.Term {
	return e.logical(e.eval(n, s, st))
}

func (e *engine) bigUnion(c call) value {
	var list []branch
	for _, b := range isSet(e.operand(c, 0)).branches() {
		if len(b.sorts) > 0 {
			panic(unsupported("UNION of a set that cannot be listed"))
		}
		if guard, member := b.at(nil); guard != smt.False {
			list = append(list, guarded(isSet(member).branches(), func(value) *smt.Term { return guard })...)
		}
	}
	return union{list}
}

func (e *engine) filter(c call) value {
	list := bounds(c.node)
	if len(list) != 1 {
		panic(unsupported("a filter of several variables"))
	}
	from := isSet(e.eval(list[0].set, c.scope, c.state))
	return union{guarded(from.branches(), func(v value) *smt.Term {
		return e.logical(e.eval(c.operands[0], list[0].in(c.scope, v), c.state))
	})}
}

func (e *engine) setOfAll(c call) value {
	list := bounds(c.node)
	sets := make([]set, len(list))
	for i, b := range list {
		sets[i] = isSet(e.eval(b.set, c.scope, c.state))
	}
	return union{product(sets, func(values []value) value {
		s := c.scope
		for i, v := range values {
			s = list[i].in(s, v)
		}
		return e.eval(c.operands[0], s, c.state)
	})}
}

func (e *engine) setOfRecords(c call) value {
	s := records{of: map[string]set{}}
	for _, pair := range c.operands {
		parts := pair.Child("operands").Children
		key := parts[0].Field("StringValue")
		s.keys = append(s.keys, key)
		s.of[key] = isSet(e.eval(parts[1], c.scope, c.state))
	}
	slices.Sort(s.keys)
	return s
}

func (e *engine) setOfFunctions(c call) value {
	to := isSet(e.operand(c, 1))
	s := records{of: map[string]set{}}
	for _, k := range e.keys(isSet(e.operand(c, 0))) {
		s.keys = append(s.keys, k)
		s.of[k] = to
	}
	return s
}

// keys returns the members of a set of known strings, sorted.
func (e *engine) keys(s set) []string {
	var list []string
	for _, v := range members(s) {
		t, ok := v.(scalar)
		if !ok || t.Op != smt.OpText {
			panic(unsupported("a function on %s", v.describe()))
		}
		list = append(list, t.Name)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// chooseMember is CHOOSE x \in S : P(x). Where each P(x) is known it is the first x, of equal ones the same.
func (e *engine) chooseMember(c call) value {
	list := bounds(c.node)
	from := isSet(e.eval(list[0].set, c.scope, c.state)).branches()
	for i, b := range from {
		if len(b.sorts) > 0 {
			return e.chosen(c, list[0], union{from[i:]})
		}
		guard, v := b.at(nil)
		if guard != smt.False {
			guard = smt.And(guard, e.logical(e.eval(c.operands[0], list[0].in(c.scope, v), c.state)))
		}
		switch guard {
		case smt.True:
			return v
		case smt.False:
		default:
			return e.chosen(c, list[0], union{from[i:]})
		}
	}
	panic(unsupported("CHOOSE where there is nothing to choose"))
}

func (e *engine) ifThenElse(c call) value {
	switch condition := e.logical(e.operand(c, 0)); condition {
	case smt.True:
		return e.operand(c, 1)
	case smt.False:
		return e.operand(c, 2)
	default:
		return e.choose(condition, e.operand(c, 1), e.operand(c, 2))
	}
}

// isOther says whether a node is what SANY has in the place of the condition of OTHER.
func isOther(n *sany.Node) bool {
	return n.Tag == "StringNode" && n.Child("StringValue") != nil && strings.Contains(n.Field("StringValue"), "$Other") ||
		n.Tag == "StringNode" && n.Child("StringValue") == nil
}

// cases is CASE. Of the arms whose condition may be true the first counts.
func (e *engine) cases(c call) value {
	var arms []arm
	for _, pair := range c.operands {
		parts := pair.Child("operands").Children
		condition := smt.True
		if len(parts) == 2 && !isOther(parts[0]) {
			condition = e.logical(e.eval(parts[0], c.scope, c.state))
		}
		if condition == smt.False {
			continue
		}
		arms = append(arms, arm{condition, e.eval(parts[len(parts)-1], c.scope, c.state)})
		if condition == smt.True {
			break
		}
	}
	if len(arms) == 0 {
		panic(unsupported("CASE without an arm that can be taken"))
	}
	return e.first(arms)
}
