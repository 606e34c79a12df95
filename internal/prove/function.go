package prove

import (
	"slices"
	"strings"

	"ndkoracle/internal/prove/sany"
	"ndkoracle/internal/prove/smt"
)

func (e *engine) recordConstructor(c call) value {
	fields := map[string]value{}
	for _, pair := range c.operands {
		parts := pair.Child("operands").Children
		fields[parts[0].Field("StringValue")] = e.eval(parts[1], c.scope, c.state)
	}
	return newRecord(fields)
}

// functionConstructor is [x \in S |-> f(x)]: a record where S has known strings, a sequence where it is 1..n.
func (e *engine) functionConstructor(c call) value {
	list := bounds(c.node)
	if len(list) != 1 {
		panic(unsupported("a function of several variables"))
	}
	image := func(x value) value { return e.eval(c.operands[0], list[0].in(c.scope, x), c.state) }
	from := isSet(e.eval(list[0].set, c.scope, c.state))
	if places, ok := from.(interval); ok {
		if low, known := places.low.Known(); !known || low != 1 {
			panic(unsupported("a function on numbers that do not begin at 1"))
		}
		if n, known := places.high.Known(); known {
			return listed(itemsOf(n, func(i *smt.Term) value { return image(scalar{i}) }))
		}
		return &sequence{length: places.size(), at: func(i *smt.Term) value { return image(scalar{i}) }}
	}
	fields := map[string]value{}
	for _, k := range e.keys(from) {
		fields[k] = image(text(k))
	}
	return newRecord(fields)
}

func itemsOf(n int64, at func(*smt.Term) value) []value {
	var items []value
	for i := int64(1); i <= n; i++ {
		items = append(items, at(smt.Number(i)))
	}
	return items
}

// field returns r.key.
func field(r value, key string) value {
	switch r := r.(type) {
	case *record:
		if v, ok := r.fields[key]; ok {
			return v
		}
		panic(unsupported("the field %s of a record that has %s", key, strings.Join(r.keys, ", ")))
	case nowhere:
		return r
	}
	panic(unsupported("the field %s of %s", key, r.describe()))
}

// except is [f EXCEPT ![...]... = ...], one change after the other.
func (e *engine) except(c call) value {
	v := e.operand(c, 0)
	for _, pair := range c.operands[1:] {
		parts := pair.Child("operands").Children
		var path []value
		for _, p := range parts[0].Child("operands").Children {
			path = append(path, e.eval(p, c.scope, c.state))
		}
		v = e.updated(v, path, parts[1], c)
	}
	return v
}

func (e *engine) updated(v value, path []value, by *sany.Node, c call) value {
	if len(path) == 0 {
		old := c.scope.bind(at, v)
		old.flexible, old.primed = e.isFlexible(c.operands[0], c.scope), c.state.primed
		return e.eval(by, old, c.state)
	}
	switch v := v.(type) {
	case *record:
		key, ok := path[0].(scalar)
		if !ok || key.Sort != smt.String {
			panic(unsupported("EXCEPT of a record at %s", path[0].describe()))
		}
		if key.Op != smt.OpText { // each field may be the one
			fields := map[string]value{}
			for _, k := range v.keys {
				fields[k] = choose(smt.Equal(key.Term, smt.Text(k)), e.updated(v.fields[k], path[1:], by, c), v.fields[k])
			}
			return &record{v.keys, fields}
		}
		if _, has := v.fields[key.Name]; !has {
			return v // so TLA+ has it: what is outside of the domain changes nothing
		}
		return v.with(key.Name, e.updated(v.fields[key.Name], path[1:], by, c))
	case *sequence:
		place := e.numeric(path[0])
		changed := e.updated(v.at(place), path[1:], by, c)
		if n, known := place.Known(); known && v.listed {
			if n < 1 || n > int64(len(v.items)) {
				return v
			}
			items := slices.Clone(v.items)
			items[n-1] = changed
			return listed(items)
		}
		return &sequence{length: v.length, at: func(i *smt.Term) value { return choose(smt.Equal(i, place), changed, v.at(i)) }}
	}
	panic(unsupported("EXCEPT of %s", v.describe()))
}

// base returns the name of an operator without that of the instance that it comes from.
func base(name string) string { return name[strings.LastIndex(name, "!")+1:] }

// standard returns the rule of an operator of a standard module, or nil.
func (e *engine) standard(ref *sany.Node, s *scope) func(*engine, []value) value {
	symbol := e.module.Symbols[ref.Field("UID")]
	if symbol == nil || s.defining(ref.Field("UID")) != nil {
		return nil
	}
	home := e.home(ref)
	if home != "Naturals" && home != "Integers" && home != "Sequences" && home != "FiniteSets" {
		return nil
	}
	name := base(symbol.Field("uniquename"))
	if rule, ok := standard[name]; ok {
		return rule
	}
	panic(unsupported("the operator %s of the module %s", name, home))
}

func arithmetic(f func(a, b *smt.Term) *smt.Term) func(*engine, []value) value {
	return func(e *engine, args []value) value { return scalar{f(e.numeric(args[0]), e.numeric(args[1]))} }
}

// standard has the rules of the modules Naturals, Integers and Sequences.
var standard = map[string]func(*engine, []value) value{
	"Nat": func(*engine, []value) value { return all{sort: smt.Int, natural: true} },
	"Int": func(*engine, []value) value { return all{sort: smt.Int} },
	"+":   arithmetic(func(a, b *smt.Term) *smt.Term { return smt.Add(a, 1, b) }),
	"-":   arithmetic(func(a, b *smt.Term) *smt.Term { return smt.Add(a, -1, b) }),
	"-.":  func(e *engine, args []value) value { return scalar{smt.Add(smt.Number(0), -1, e.numeric(args[0]))} },
	"*": arithmetic(func(a, b *smt.Term) *smt.Term {
		if t, ok := smt.Times(a, b); ok {
			return t
		}
		panic(unsupported("a product of two numbers that are not known"))
	}),
	"<":      arithmetic(smt.Less),
	">":      arithmetic(func(a, b *smt.Term) *smt.Term { return smt.Less(b, a) }),
	"\\leq":  arithmetic(smt.LessOrEqual),
	"\\geq":  arithmetic(func(a, b *smt.Term) *smt.Term { return smt.LessOrEqual(b, a) }),
	"..":     func(e *engine, args []value) value { return interval{e.numeric(args[0]), e.numeric(args[1]), false} },
	"Seq":    func(e *engine, args []value) value { return sequences{isSet(args[0])} },
	"Len":    func(e *engine, args []value) value { return scalar{isSequence(args[0]).length} },
	"Append": func(e *engine, args []value) value { return appended(isSequence(args[0]), args[1]) },
	"\\o":    func(e *engine, args []value) value { return concatenated(isSequence(args[0]), isSequence(args[1])) },
	"SelectSeq": func(e *engine, args []value) value {
		if test, ok := args[1].(operator); ok {
			return e.selected(isSequence(args[0]), test)
		}
		panic(unsupported("SelectSeq by %s", args[1].describe()))
	},
	"Cardinality": func(e *engine, args []value) value { return scalar{e.cardinality(isSet(args[0]))} },
	"SubSeq": func(e *engine, args []value) value {
		return part(isSequence(args[0]), e.numeric(args[1]), e.numeric(args[2]))
	},
}

// selected is SelectSeq(s, test). It is defined by axioms on new symbols: from says at which place of s each item was, to at which
// place of the result one that passes is. There is one such sequence for each s, so that the axioms suppose nothing. The last two follow
// from the others by induction, which a solver does not do: from is strictly increasing, so that no item is before its own place, and as
// many places are behind it in s as in the result, at least; and where all items pass, there are as many.
func (e *engine) selected(s *sequence, test operator) value {
	if s.listed {
		var items []value
		for _, v := range s.items {
			switch e.logical(test.apply([]value{v})) {
			case smt.True:
				items = append(items, v)
			case smt.False:
			default:
				panic(unsupported("SelectSeq of a listed sequence by what is not known"))
			}
		}
		return listed(items)
	}
	if e.longest > 0 {
		return e.selectedOf(s, test)
	}
	length := e.fresh("selected", smt.Int)
	from := func(i *smt.Term) *smt.Term { return smt.Apply(length.Name+".from", smt.Int, i) }
	to := func(i *smt.Term) *smt.Term { return smt.Apply(length.Name+".to", smt.Int, i) }
	passes := func(place *smt.Term) *smt.Term { return e.logical(test.apply([]value{s.at(place)})) }
	within := func(i, n *smt.Term) *smt.Term {
		return smt.And(smt.LessOrEqual(smt.Number(1), i), smt.LessOrEqual(i, n))
	}
	i, j := e.fresh("i", smt.Int), e.fresh("i", smt.Int)
	list := []*smt.Term{
		smt.LessOrEqual(smt.Number(0), length),
		smt.Forall([]*smt.Term{i}, smt.Implies(within(i, length), smt.And(within(from(i), s.length), passes(from(i))))),
		smt.Forall([]*smt.Term{i, j}, smt.Implies(smt.And(within(i, length), within(j, length), smt.Less(i, j)), smt.Less(from(i), from(j)))),
		smt.Forall([]*smt.Term{i}, smt.Implies(smt.And(within(i, s.length), passes(i)), smt.And(within(to(i), length), smt.Equal(from(to(i)), i)))),
		smt.LessOrEqual(length, s.length),
		smt.Forall([]*smt.Term{i}, smt.Implies(within(i, length),
			smt.And(smt.LessOrEqual(i, from(i)), smt.LessOrEqual(smt.Add(from(i), 1, length), smt.Add(s.length, 1, i))))),
		smt.Or(smt.Equal(length, s.length), smt.Exists([]*smt.Term{i}, smt.And(within(i, s.length), smt.Not(passes(i))))),
	}
	e.define(length.Name, "SelectSeq", list...)
	return &sequence{length: length, at: func(i *smt.Term) value { return s.at(from(i)) }}
}

// selectedOf is SelectSeq of a sequence that is no longer than longest: place by place.
func (e *engine) selectedOf(s *sequence, test operator) value {
	var passes []*smt.Term
	length := smt.Number(0)
	var before []*smt.Term // how many items before each place pass
	for n := int64(1); n <= e.longest; n++ {
		place := smt.Number(n)
		pass := smt.And(smt.LessOrEqual(place, s.length), e.logical(test.apply([]value{s.at(place)})))
		passes, before = append(passes, pass), append(before, length)
		length = smt.Add(length, 1, smt.Ite(pass, smt.Number(1), smt.Number(0)))
	}
	return &sequence{length: length, at: func(i *smt.Term) value {
		v := s.at(smt.Number(e.longest))
		for n := e.longest - 1; n >= 1; n-- {
			here := smt.And(passes[n-1], smt.Equal(before[n-1], plus(i, -1)))
			v = choose(here, s.at(smt.Number(n)), v)
		}
		return v
	}}
}

func isSequence(v value) *sequence {
	if s, ok := v.(*sequence); ok {
		return s
	}
	panic(unsupported("%s where a sequence has to be", v.describe()))
}

func appended(s *sequence, v value) value {
	if s.listed {
		return listed(append(slices.Clip(s.items), v))
	}
	last := plus(s.length, 1)
	return &sequence{length: last, at: func(i *smt.Term) value { return choose(smt.Equal(i, last), v, s.at(i)) }}
}

func concatenated(a, b *sequence) value {
	if a.listed && b.listed {
		return listed(slices.Concat(a.items, b.items))
	}
	return &sequence{
		length: smt.Add(a.length, 1, b.length),
		at: func(i *smt.Term) value {
			return choose(smt.LessOrEqual(i, a.length), a.at(i), b.at(smt.Add(i, -1, a.length)))
		},
	}
}

// part is SubSeq(s, from, to).
func part(s *sequence, from, to *smt.Term) value {
	length := plus(smt.Add(to, -1, from), 1)
	if n, known := length.Known(); known && s.listed {
		return listed(itemsOf(n, func(i *smt.Term) value { return s.at(plus(smt.Add(i, 1, from), -1)) }))
	}
	return &sequence{
		length: smt.Ite(smt.LessOrEqual(from, to), length, smt.Number(0)),
		at:     func(i *smt.Term) value { return s.at(plus(smt.Add(i, 1, from), -1)) },
	}
}
