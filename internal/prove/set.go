package prove

import (
	"slices"

	"ndkoracle/internal/prove/smt"
)

// set is a set.
type set interface {
	value
	// contains says whether a value is a member.
	contains(e *engine, v value) *smt.Term
	// branches lists the members.
	branches() []branch
}

// branch stands for the members that at gives for the values of some unknowns of these sorts, where its guard is true.
type branch struct {
	sorts []smt.Sort
	at    func(unknowns []*smt.Term) (guard *smt.Term, member value)
}

func (e *engine) unknowns(kind string, b branch) []*smt.Term {
	list := make([]*smt.Term, len(b.sorts))
	for i, s := range b.sorts {
		list[i] = e.fresh(kind, s)
	}
	return list
}

// each returns \A x \in s : f(x).
func (e *engine) each(s set, f func(value) *smt.Term) *smt.Term {
	var parts []*smt.Term
	for _, b := range s.branches() {
		unknowns := e.unknowns("b", b)
		guard, member := b.at(unknowns)
		if guard != smt.False {
			parts = append(parts, smt.Forall(unknowns, smt.Implies(guard, f(member))))
		}
	}
	return smt.And(parts...)
}

// some returns \E x \in s : f(x).
func (e *engine) some(s set, f func(value) *smt.Term) *smt.Term {
	var parts []*smt.Term
	for _, b := range s.branches() {
		unknowns := e.unknowns("b", b)
		guard, member := b.at(unknowns)
		if guard != smt.False {
			parts = append(parts, smt.Exists(unknowns, smt.And(guard, f(member))))
		}
	}
	return smt.Or(parts...)
}

func (e *engine) subset(a, b set) *smt.Term {
	return e.each(a, func(v value) *smt.Term { return b.contains(e, v) })
}

// union is the union of sets, each where its guard is true, as a list of branches. It stands for all sets that can be listed.
type union struct{ list []branch }

func (union) describe() string     { return "a set" }
func (s union) branches() []branch { return s.list }
func (s union) contains(e *engine, v value) *smt.Term {
	return e.some(s, func(x value) *smt.Term { return e.equal(v, x) })
}

// cardinality counts the members that a set has of those that it may have: those that are listed, and numbers up to longest.
func (e *engine) cardinality(s set) *smt.Term {
	var all []value
	add := func(v value) {
		for _, known := range all {
			switch e.equal(v, known) {
			case smt.True:
				return
			case smt.False:
			default:
				panic(unsupported("Cardinality of a set of which two members may be the same"))
			}
		}
		all = append(all, v)
	}
	for _, b := range s.branches() {
		switch {
		case len(b.sorts) == 0:
			if guard, v := b.at(nil); guard != smt.False {
				add(v)
			}
		case e.longest > 0 && len(b.sorts) == 1 && b.sorts[0] == smt.Int:
			for n := int64(0); n <= e.longest; n++ {
				add(number(n))
			}
		default:
			panic(unsupported("Cardinality of a set of unknown size"))
		}
	}
	count := smt.Number(0)
	for _, v := range all {
		count = smt.Add(count, 1, smt.Ite(s.contains(e, v), smt.Number(1), smt.Number(0)))
	}
	return count
}

func single(guard *smt.Term, v value) branch {
	return branch{at: func([]*smt.Term) (*smt.Term, value) { return guard, v }}
}

// enumerated returns the set of these values.
func enumerated(values ...value) union {
	var s union
	for _, v := range values {
		s.list = append(s.list, single(smt.True, v))
	}
	return s
}

func texts(list []string) union {
	values := make([]value, len(list))
	for i, t := range list {
		values[i] = text(t)
	}
	return enumerated(values...)
}

// guarded returns the branches where a condition holds of the members.
func guarded(list []branch, condition func(value) *smt.Term) []branch {
	var found []branch
	for _, b := range list {
		found = append(found, branch{b.sorts, func(unknowns []*smt.Term) (*smt.Term, value) {
			guard, member := b.at(unknowns)
			if guard == smt.False {
				return guard, member
			}
			return smt.And(guard, condition(member)), member
		}})
	}
	return found
}

// mapped returns the branches of {f(x) : x \in s}.
func mapped(list []branch, f func(value) value) []branch {
	var found []branch
	for _, b := range list {
		found = append(found, branch{b.sorts, func(unknowns []*smt.Term) (*smt.Term, value) {
			guard, member := b.at(unknowns)
			if guard == smt.False {
				return guard, nowhere{}
			}
			return guard, f(member)
		}})
	}
	return found
}

// product returns the branches of the tuples with a member of each set, as f makes them.
func product(sets []set, f func([]value) value) []branch {
	all := []branch{{at: func([]*smt.Term) (*smt.Term, value) { return smt.True, listed(nil) }}}
	for _, s := range sets {
		var longer []branch
		for _, b := range all {
			for _, c := range s.branches() {
				longer = append(longer, branch{slices.Concat(b.sorts, c.sorts), func(unknowns []*smt.Term) (*smt.Term, value) {
					guard, before := b.at(unknowns[:len(b.sorts)])
					also, member := c.at(unknowns[len(b.sorts):])
					return smt.And(guard, also), listed(append(slices.Clip(before.(*sequence).items), member))
				}})
			}
		}
		all = longer
	}
	return mapped(all, func(v value) value { return f(v.(*sequence).items) })
}

// either is IF condition THEN yes ELSE no.
type either struct {
	condition *smt.Term
	yes, no   set
}

func (either) describe() string { return "a set" }
func (s either) branches() []branch {
	return slices.Concat(
		guarded(s.yes.branches(), func(value) *smt.Term { return s.condition }),
		guarded(s.no.branches(), func(value) *smt.Term { return smt.Not(s.condition) }))
}
func (s either) contains(e *engine, v value) *smt.Term {
	return smt.Ite(s.condition, s.yes.contains(e, v), s.no.contains(e, v))
}

// all is the set of all values of a sort: Nat, Int, STRING, BOOLEAN.
type all struct {
	sort    smt.Sort
	natural bool
}

func (all) describe() string { return "a set" }
func (s all) has(t *smt.Term) *smt.Term {
	if s.natural {
		return smt.LessOrEqual(smt.Number(0), t)
	}
	return smt.True
}
func (s all) branches() []branch {
	if s.sort == smt.Bool {
		return enumerated(truth(false), truth(true)).list
	}
	return []branch{{[]smt.Sort{s.sort}, func(u []*smt.Term) (*smt.Term, value) { return s.has(u[0]), scalar{u[0]} }}}
}
func (s all) contains(e *engine, v value) *smt.Term {
	t, ok := v.(scalar)
	if !ok {
		panic(unsupported("whether %s is in a set of scalars", v.describe()))
	}
	if t.Sort != s.sort {
		return smt.False
	}
	return s.has(t.Term)
}

// subsets is SUBSET of.
type subsets struct{ of set }

func (subsets) describe() string   { return "a set of sets" }
func (subsets) branches() []branch { panic(unsupported("the list of all subsets")) }
func (s subsets) contains(e *engine, v value) *smt.Term {
	x, ok := v.(set)
	if !ok {
		panic(unsupported("whether %s is in a set of sets", v.describe()))
	}
	return e.subset(x, s.of)
}

// sequences is Seq(of).
type sequences struct{ of set }

func (sequences) describe() string   { return "a set of sequences" }
func (sequences) branches() []branch { panic(unsupported("the list of all sequences")) }
func (s sequences) contains(e *engine, v value) *smt.Term {
	x, ok := v.(*sequence)
	if !ok {
		panic(unsupported("whether %s is in a set of sequences", v.describe()))
	}
	return e.each(domain(x), func(i value) *smt.Term { return s.of.contains(e, x.at(e.numeric(i))) })
}

// merged returns a set of scalars as one branch with an unknown.
func merged(s set) set {
	list := s.branches()
	var sort smt.Sort
	for i, b := range list {
		if len(b.sorts) > 0 {
			return s
		}
		_, member := b.at(nil)
		t, ok := member.(scalar)
		if !ok || i > 0 && t.Sort != sort {
			return s
		}
		sort = t.Sort
	}
	return union{[]branch{{[]smt.Sort{sort}, func(u []*smt.Term) (*smt.Term, value) {
		var parts []*smt.Term
		for _, b := range list {
			guard, member := b.at(nil)
			parts = append(parts, smt.And(guard, smt.Equal(u[0], member.(scalar).Term)))
		}
		return smt.Or(parts...), scalar{u[0]}
	}}}}
}

// records is the set of records, or of functions on known strings, that have in each field a member of its set.
type records struct {
	keys []string // sorted
	of   map[string]set
}

func (records) describe() string { return "a set of records" }
func (s records) branches() []branch {
	list := make([]set, len(s.keys))
	total := 1
	for i, k := range s.keys {
		list[i] = s.of[k]
		total *= len(list[i].branches())
	}
	if total > longestListed {
		for i := range list {
			list[i] = merged(list[i])
		}
	}
	return product(list, func(values []value) value {
		fields := map[string]value{}
		for i, k := range s.keys {
			fields[k] = values[i]
		}
		return &record{s.keys, fields}
	})
}
func (s records) contains(e *engine, v value) *smt.Term {
	r, ok := v.(*record)
	if !ok {
		panic(unsupported("whether %s is in a set of records", v.describe()))
	}
	if !slices.Equal(r.keys, s.keys) {
		return smt.False
	}
	var parts []*smt.Term
	for _, k := range s.keys {
		parts = append(parts, s.of[k].contains(e, r.fields[k]))
	}
	return smt.And(parts...)
}

// domain returns DOMAIN f.
func domain(f value) set {
	switch f := f.(type) {
	case *record:
		return texts(f.keys)
	case *sequence:
		return interval{smt.Number(1), f.length, true}
	}
	panic(unsupported("the DOMAIN of %s", f.describe()))
}

// members returns the members of a set of which all are known.
func members(s set) []value {
	var list []value
	for _, b := range s.branches() {
		if len(b.sorts) > 0 {
			panic(unsupported("a set whose members are not known, where they have to be"))
		}
		switch guard, v := b.at(nil); guard {
		case smt.True:
			list = append(list, v)
		case smt.False:
		default:
			panic(unsupported("a set whose members are not known, where they have to be"))
		}
	}
	return list
}

func (e *engine) numeric(v value) *smt.Term {
	if t, ok := v.(scalar); ok && t.Sort == smt.Int {
		return t.Term
	}
	if _, ok := v.(nowhere); ok {
		return e.fresh(nowhereName, smt.Int)
	}
	panic(unsupported("%s where a number has to be", v.describe()))
}

func (e *engine) logical(v value) *smt.Term {
	if t, ok := v.(scalar); ok && t.Sort == smt.Bool {
		return t.Term
	}
	if _, ok := v.(nowhere); ok {
		return e.fresh(nowhereName, smt.Bool)
	}
	panic(unsupported("%s where a truth value has to be", v.describe()))
}

func isSet(v value) set {
	if s, ok := v.(set); ok {
		return s
	}
	panic(unsupported("%s where a set has to be", v.describe()))
}
