package prove

import (
	"slices"
	"strconv"
	"strings"

	"ndkoracle/internal/prove/smt"
)

// value is a TLA+ value of which parts may be unknown.
type value interface{ describe() string }

type (
	// scalar is a truth value, a number or a string.
	scalar struct{ *smt.Term }

	// record is a record, or a function on strings that are known.
	record struct {
		keys   []string // sorted
		fields map[string]value
	}

	// sequence is a sequence, or a function on 1..n. The values at other places are whatever at returns: TLC stops where a
	// specification asks for one.
	sequence struct {
		length *smt.Term
		at     func(place *smt.Term) value
		items  []value // all of them, if listed
		listed bool
	}

	// nowhere is the value at a place of the empty sequence: any value of any form, another one each time.
	nowhere struct{}

	// operator is an operator that is an argument of another.
	operator struct {
		apply func(args []value) value
	}
)

// nowhereName is what the names of unknowns begin with that stand for values nowhere.
const nowhereName = "nowhere"

func (v scalar) describe() string {
	return [...]string{smt.Bool: "a truth value", smt.Int: "a number", smt.String: "a string"}[v.Sort]
}
func (*record) describe() string   { return "a record" }
func (*sequence) describe() string { return "a sequence" }
func (nowhere) describe() string   { return "an element of the empty sequence" }
func (operator) describe() string  { return "an operator" }

func truth(b bool) value                  { return scalar{smt.Truth(b)} }
func text(s string) value                 { return scalar{smt.Text(s)} }
func number(n int64) value                { return scalar{smt.Number(n)} }
func plus(t *smt.Term, n int64) *smt.Term { return smt.Add(t, n, smt.Number(1)) }

func newRecord(fields map[string]value) *record {
	r := &record{fields: fields}
	for k := range fields {
		r.keys = append(r.keys, k)
	}
	slices.Sort(r.keys)
	return r
}

// with returns the record with another value of one field.
func (r *record) with(key string, v value) *record {
	fields := make(map[string]value, len(r.fields))
	for k, old := range r.fields {
		fields[k] = old
	}
	fields[key] = v
	return &record{r.keys, fields}
}

// listed returns the sequence of these values.
func listed(items []value) *sequence {
	at := func(place *smt.Term) value {
		if n, known := place.Known(); known && n >= 1 && n <= int64(len(items)) {
			return items[n-1]
		}
		if len(items) == 0 {
			return nowhere{}
		}
		v := items[len(items)-1]
		for i := len(items) - 2; i >= 0; i-- {
			v = choose(smt.Equal(place, smt.Number(int64(i+1))), items[i], v)
		}
		return v
	}
	return &sequence{smt.Number(int64(len(items))), at, items, true}
}

// choose returns IF c THEN a ELSE b.
func choose(c *smt.Term, a, b value) value {
	switch {
	case c == smt.True:
		return a
	case c == smt.False:
		return b
	}
	if _, ok := a.(nowhere); ok {
		return b
	}
	switch b := b.(type) {
	case nowhere:
		return a
	case scalar:
		if a, ok := a.(scalar); ok && a.Sort == b.Sort {
			return scalar{smt.Ite(c, a.Term, b.Term)}
		}
	case *record:
		if a, ok := a.(*record); ok && slices.Equal(a.keys, b.keys) {
			fields := map[string]value{}
			for _, k := range a.keys {
				fields[k] = choose(c, a.fields[k], b.fields[k])
			}
			return &record{a.keys, fields}
		}
	case *sequence:
		if a, ok := a.(*sequence); ok {
			return chooseSequence(c, a, b)
		}
	case set:
		if a, ok := a.(set); ok {
			return either{c, a, b}
		}
	}
	panic(unsupported("IF or CASE of which one arm is %s, and another %s", a.describe(), b.describe()))
}

func chooseSequence(c *smt.Term, a, b *sequence) value {
	if a.listed && b.listed && len(a.items) == len(b.items) {
		items := make([]value, len(a.items))
		for i := range items {
			items[i] = choose(c, a.items[i], b.items[i])
		}
		return listed(items)
	}
	return &sequence{
		length: smt.Ite(c, a.length, b.length),
		at:     func(place *smt.Term) value { return choose(c, a.at(place), b.at(place)) },
	}
}

// equal returns a = b.
func (e *engine) equal(a, b value) *smt.Term {
	if a == (nowhere{}) || b == (nowhere{}) {
		return e.fresh(nowhereName, smt.Bool)
	}
	switch a := a.(type) {
	case scalar:
		if b, ok := b.(scalar); ok && a.Sort == b.Sort {
			return smt.Equal(a.Term, b.Term)
		}
	case *record:
		if b, ok := b.(*record); ok {
			if !slices.Equal(a.keys, b.keys) {
				return smt.False
			}
			parts := make([]*smt.Term, len(a.keys))
			for i, k := range a.keys {
				parts[i] = e.equal(a.fields[k], b.fields[k])
			}
			return smt.And(parts...)
		}
	case *sequence:
		if b, ok := b.(*sequence); ok {
			return e.equalSequences(a, b)
		}
	case set:
		if b, ok := b.(set); ok {
			return smt.And(e.subset(a, b), e.subset(b, a))
		}
	}
	panic(unsupported("a comparison of %s with %s", a.describe(), b.describe()))
}

func (e *engine) equalSequences(a, b *sequence) *smt.Term {
	lengths := smt.Equal(a.length, b.length)
	if lengths == smt.False {
		return smt.False
	}
	n, known := a.length.Known()
	if m, also := b.length.Known(); also && !known {
		n, known = m, true
	}
	parts := []*smt.Term{lengths}
	if known {
		for i := int64(1); i <= n; i++ {
			parts = append(parts, e.equal(a.at(smt.Number(i)), b.at(smt.Number(i))))
		}
		return smt.And(parts...)
	}
	i := e.fresh("i", smt.Int)
	same := e.equal(a.at(i), b.at(i))
	inside := smt.And(smt.LessOrEqual(smt.Number(1), i), smt.LessOrEqual(i, a.length))
	return smt.And(lengths, smt.Forall([]*smt.Term{i}, smt.Implies(inside, same)))
}

// fresh returns a variable that is nowhere else.
func (e *engine) fresh(kind string, s smt.Sort) *smt.Term {
	e.names++
	return smt.Var(kind+"!"+strconv.Itoa(e.names), s)
}

// axiom says what is known of a new symbol.
type axiom struct {
	symbol string
	terms  []*smt.Term
}

// define adds what is known of a new symbol, which stands for one value in a state: not one for each value of a quantifier.
func (e *engine) define(symbol, operator string, terms ...*smt.Term) {
	for _, t := range terms {
		for _, v := range smt.Free(t) {
			if strings.HasPrefix(v.Name, "b!") || strings.HasPrefix(v.Name, "i!") {
				panic(unsupported("%s in the scope of a quantifier", operator))
			}
		}
	}
	e.axiomOf[symbol] = len(e.axioms)
	e.axioms = append(e.axioms, axiom{symbol, terms})
}

// about returns the axioms on the symbols that some terms have, or that such axioms have.
func (e *engine) about(terms ...*smt.Term) (list []*smt.Term) {
	taken := make([]bool, len(e.axioms))
	seen := map[*smt.Term]bool{}
	var take func(t *smt.Term)
	take = func(t *smt.Term) {
		symbol, _, _ := strings.Cut(t.Name, ".")
		if i, known := e.axiomOf[symbol]; known && !taken[i] {
			taken[i] = true
			for _, t := range e.axioms[i].terms {
				smt.Visit(t, seen, take)
			}
		}
	}
	for _, t := range terms {
		smt.Visit(t, seen, take)
	}
	for i, a := range e.axioms {
		if taken[i] {
			list = append(list, a.terms...)
		}
	}
	return list
}
