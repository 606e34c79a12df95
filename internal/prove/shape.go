package prove

import (
	"fmt"
	"strings"

	"ndkoracle/internal/prove/sany"
	"ndkoracle/internal/prove/smt"
)

// shapes returns the sets to which a definition says that the variables belong: /\ x \in S /\ ...
func (e *engine) shapes(name string) (map[string]set, error) {
	uid, err := e.module.Definition(name)
	if err != nil {
		return nil, err
	}
	shapes := map[string]set{}
	err = e.try(func() {
		w := walker{engine: e, initial: true}
		body := only(e.module.Symbols[uid].Child("body"))
		parts := []*sany.Node{body}
		if e.name(only(body.Child("operator"))) != "\\in" {
			parts = body.Child("operands").Children
		}
		for _, p := range parts {
			operands := p.Child("operands").Children
			variable := w.assigned(operands[0])
			if e.name(only(p.Child("operator"))) != "\\in" || variable == "" {
				panic(unsupported("%s with another part than x \\in S", name))
			}
			shapes[variable] = isSet(e.eval(operands[1], nil, steady{}))
		}
	})
	if err == nil {
		for _, v := range e.module.Variables {
			if shapes[v] == nil {
				return nil, fmt.Errorf("%s does not say to which set %s belongs", name, v)
			}
		}
	}
	return shapes, err
}

// unknown returns a value that has the form of the members of a set. The shape says as an invariant that it is a member.
func (e *engine) unknown(s set, name string, places ...*smt.Term) value {
	scalarOf := func(sort smt.Sort) value {
		if len(places) == 0 {
			return scalar{smt.Var(name, sort)}
		}
		return scalar{smt.Apply(name, sort, places...)}
	}
	switch s := s.(type) {
	case all:
		return scalarOf(s.sort)
	case interval:
		return scalarOf(smt.Int)
	case records:
		fields := map[string]value{}
		for _, k := range s.keys {
			fields[k] = e.unknown(s.of[k], name+"."+k, places...)
		}
		return &record{s.keys, fields}
	case sequences:
		length := scalarOf(smt.Int).(scalar).Term
		if len(places) > 0 {
			panic(unsupported("a sequence in a sequence, as the shape of a variable"))
		}
		length = smt.Var(name+".len", smt.Int)
		return &sequence{length: length, at: func(i *smt.Term) value { return e.unknown(s.of, name, i) }}
	case subsets:
		return e.unknownSubset(s.of, name, places)
	case union:
		if list := members(s); len(list) == 1 {
			return list[0]
		} else if len(list) > 1 {
			if first, ok := list[0].(scalar); ok {
				return scalarOf(first.Sort)
			}
		}
	}
	panic(unsupported("this set as the shape of a variable: %s", s.describe()))
}

// unknownSubset has a truth value for each value of the unknowns of each branch.
func (e *engine) unknownSubset(of set, name string, places []*smt.Term) value {
	var list []branch
	for n, b := range of.branches() {
		part := fmt.Sprintf("%s.%d", name, n)
		if len(b.sorts) == 0 {
			if _, member := b.at(nil); isText(member) {
				part = name + "." + member.(scalar).Name
			}
		}
		list = append(list, branch{b.sorts, func(unknowns []*smt.Term) (*smt.Term, value) {
			guard, member := b.at(unknowns)
			args := append(append([]*smt.Term{}, places...), unknowns...)
			is := smt.Var(part, smt.Bool)
			if len(args) > 0 {
				is = smt.Apply(part, smt.Bool, args...)
			}
			return smt.And(guard, is), member
		}})
	}
	return union{list}
}

func isText(v value) bool {
	t, ok := v.(scalar)
	return ok && t.Op == smt.OpText
}

// lengths returns that no sequence in the values is shorter than empty.
func lengths(values map[string]value) []*smt.Term {
	var list []*smt.Term
	var visit func(v value)
	visit = func(v value) {
		switch v := v.(type) {
		case *record:
			for _, k := range v.keys {
				visit(v.fields[k])
			}
		case *sequence:
			list = append(list, smt.LessOrEqual(smt.Number(0), v.length))
		}
	}
	for _, k := range sortedKeys(values) {
		visit(values[k])
	}
	return list
}

// describeCall returns an operator with its arguments, as far as they are known.
func (c step) String() string {
	var args []string
	for _, a := range c.args {
		switch a := a.(type) {
		case scalar:
			if a.IsKnown() {
				args = append(args, a.Value())
				continue
			}
			args = append(args, "_")
		default:
			args = append(args, "_")
		}
	}
	if len(args) == 0 {
		return c.name
	}
	return c.name + "(" + strings.Join(args, ", ") + ")"
}
