package prove

import (
	"slices"
	"strings"

	"ndkoracle/internal/prove/smt"
)

// Apart looks whether the members of the set over which all variables are functions have nothing to do with each other: each path
// reads and changes one member alone, and each invariant is a conjunction of formulas on one member each. What is inductive of one member
// is then so of any number: the evaluator gives each member the same formulas. It returns how many formulas it has looked at, and which
// of them are not so.
func (p *Proof) Apart() (looked int, failures []Failure, err error) {
	var members []string
	for _, v := range sortedKeys(p.state) {
		r, ok := p.state[v].(*record)
		if !ok || members != nil && !slices.Equal(members, r.keys) || len(r.keys) < 2 {
			return 0, nil, unsupported("%s, which is not a function on the same two members as the other variables", v)
		}
		members = r.keys
	}
	owners := func(terms []*smt.Term) (list []string) {
		terms = append(slices.Clip(terms), p.engine.about(terms...)...) // what is chosen or selected is of that which it is chosen from
		for _, m := range members {
			of := func(t *smt.Term) bool {
				return slices.ContainsFunc(sortedKeys(p.state), func(v string) bool { return smt.Uses(t, v+"."+m) })
			}
			if slices.ContainsFunc(terms, of) {
				list = append(list, m)
			}
		}
		return list
	}
	see := func(step, property string, apart bool) {
		looked++
		if !apart {
			failures = append(failures, Failure{Condition: Condition{Step: step, Property: property}, Solver: "the evaluator", Answer: smt.Sat})
		}
	}
	for i := range p.paths {
		w := &p.paths[i]
		terms, changed := []*smt.Term{w.guard}, []string{}
		for v, old := range p.state {
			next, ok := w.next[v].(*record)
			for _, m := range members {
				if !ok {
					changed = members // it is not known to be a function
					continue
				}
				before, after := p.engine.terms(old.(*record).fields[m]), p.engine.terms(next.fields[m])
				if !slices.EqualFunc(before, after, smt.Same) {
					terms, changed = append(terms, after...), append(changed, m)
				}
			}
		}
		used := append(owners(terms), changed...)
		slices.Sort(used)
		see(w.label(), "Apart", len(slices.Compact(used)) <= 1)
	}
	for _, n := range p.Invariants {
		t, err := p.formula(n, p.state, nil)
		if err != nil {
			return 0, nil, err
		}
		each := map[string]int{} // how many formulas on each member
		for _, part := range smt.Conjuncts(t) {
			of := owners([]*smt.Term{part})
			see(n, "Apart", len(of) <= 1)
			each[strings.Join(of, " ")]++
		}
		for _, m := range members {
			see(n, "Apart", each[m] == each[members[0]])
		}
	}
	return looked, failures, nil
}

// terms returns the terms of which a value is made; of a sequence, and of a set, those at a place and a member that are always the same.
func (e *engine) terms(v value) (list []*smt.Term) {
	switch v := v.(type) {
	case scalar:
		return []*smt.Term{v.Term}
	case *record:
		for _, k := range v.keys {
			list = append(list, e.terms(v.fields[k])...)
		}
	case *sequence:
		list = append([]*smt.Term{v.length}, e.terms(v.at(smt.Var("any place", smt.Int)))...)
	case set:
		for _, b := range v.branches() {
			var unknowns []*smt.Term
			for _, s := range b.sorts {
				unknowns = append(unknowns, smt.Var("any member", s))
			}
			guard, member := b.at(unknowns)
			list = append(append(list, guard), e.terms(member)...)
		}
	}
	return list
}
