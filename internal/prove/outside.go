package prove

import (
	"slices"
	"strings"

	"ndkoracle/internal/prove/smt"
)

// applied returns f[x]. Outside of its domain a function has any value, if it is listed or on known strings. A sequence of unknown length
// has there what at returns: of a variable any value, of another one what it was made from.
func (e *engine) applied(f, x value) value {
	switch f := f.(type) {
	case *sequence:
		return e.item(f, e.numeric(x))
	case *record:
		key, ok := x.(scalar)
		if !ok || key.Sort != smt.String {
			panic(unsupported("the application of a record to %s", x.describe()))
		}
		if key.Op == smt.OpText && len(f.keys) > 0 {
			return field(f, key.Name)
		}
		var arms []arm
		for _, k := range f.keys {
			arms = append(arms, arm{smt.Equal(key.Term, smt.Text(k)), f.fields[k]})
		}
		return e.first(arms, key.Term)
	}
	panic(unsupported("the application of %s", f.describe()))
}

// item returns s[place].
func (e *engine) item(s *sequence, place *smt.Term) value {
	n, known := place.Known()
	if !s.listed || known && n >= 1 && n <= int64(len(s.items)) {
		return s.at(place)
	}
	var arms []arm
	for i, v := range s.items {
		arms = append(arms, arm{smt.Equal(place, smt.Number(int64(i+1))), v})
	}
	return e.first(arms, place)
}

// arm is an arm of a CASE.
type arm struct {
	condition *smt.Term
	value     value
}

// first returns the value of the first arm whose condition holds. Where none does it is any value: another one for each value of the
// bound variables in the arms, and of some terms. No set stands for any set: of sets it is that of the last arm.
func (e *engine) first(arms []arm, of ...*smt.Term) value {
	if len(arms) == 0 {
		return nowhere{}
	}
	v := arms[len(arms)-1].value
	_, isSet := v.(set)
	if last := arms[len(arms)-1].condition; last != smt.True && !isSet {
		v = choose(last, v, e.elsewhere(arms, of))
	}
	for _, a := range slices.Backward(arms[:len(arms)-1]) {
		v = e.choose(a.condition, a.value, v)
	}
	return v
}

// elsewhere is what has a value where no arm holds, and that value.
type elsewhere struct {
	terms []*smt.Term
	value value
}

// elsewhere returns the value of arms where none holds: of the same arms it is the same.
func (e *engine) elsewhere(arms []arm, of []*smt.Term) value {
	terms := slices.Clip(of)
	for _, a := range arms {
		terms = append(append(terms, a.condition), e.terms(a.value)...)
	}
	for _, known := range e.anywhere {
		if slices.EqualFunc(known.terms, terms, smt.Same) {
			return known.value
		}
	}
	v := e.anyLike(arms[len(arms)-1].value, append(slices.Clip(of), e.bounded(terms)...))
	e.anywhere = append(e.anywhere, elsewhere{terms, v})
	return v
}

// bounded returns the variables in some terms, free there, that a quantifier around them may bind.
func (e *engine) bounded(terms []*smt.Term) (list []*smt.Term) {
	listed := map[string]bool{}
	for _, t := range terms {
		for _, v := range e.frees.Of(t) {
			if kind, _, _ := strings.Cut(v.Name, "!"); (kind == "b" || kind == "i" || kind == "p") && !listed[v.Name] {
				listed[v.Name] = true
				list = append(list, v)
			}
		}
	}
	return list
}

// anyLike returns any value of the form of another one, as a function of some terms.
func (e *engine) anyLike(v value, of []*smt.Term) value {
	unknown := func(sort smt.Sort) *smt.Term {
		x := e.fresh(nowhereName, sort)
		if len(of) > 0 {
			return smt.Apply(x.Name, sort, of...)
		}
		return x
	}
	switch v := v.(type) {
	case scalar:
		return scalar{unknown(v.Sort)}
	case *record:
		fields := map[string]value{}
		for _, k := range v.keys {
			fields[k] = e.anyLike(v.fields[k], of)
		}
		return &record{v.keys, fields}
	case *sequence:
		length := unknown(smt.Int)
		form := v.at(smt.Number(1))
		return &sequence{
			length: smt.Ite(smt.LessOrEqual(smt.Number(0), length), length, smt.Number(0)),
			at:     func(place *smt.Term) value { return e.anyLike(form, append(slices.Clip(of), place)) },
		}
	case nowhere:
		return v
	}
	panic(unsupported("any value in the place of %s", v.describe()))
}

// choose is IF condition THEN a ELSE b, of which a or b, or a field, may be nowhere.
func (e *engine) choose(condition *smt.Term, a, b value) value {
	if condition == smt.True {
		return a
	}
	if condition == smt.False {
		return b
	}
	x, isRecord := a.(*record)
	if y, also := b.(*record); isRecord && also && slices.Equal(x.keys, y.keys) {
		fields := map[string]value{}
		for _, k := range x.keys {
			fields[k] = e.choose(condition, x.fields[k], y.fields[k])
		}
		return &record{x.keys, fields}
	}
	if _, none := b.(nowhere); none {
		return e.first([]arm{{condition, a}})
	}
	if _, none := a.(nowhere); none {
		return e.first([]arm{{smt.Not(condition), b}})
	}
	return choose(condition, a, b)
}
