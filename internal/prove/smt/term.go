// Package smt builds formulas, prints them in SMT-LIB 2.6, evaluates them on small instances, and asks solvers about them.
//
// There are three sorts: truth values, whole numbers, and strings. A string is a number to the solver: all that is said of
// strings is that two are equal or not. The constructors fold what they can decide; each fold is an equivalence of its own line.
package smt

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
)

// Sort is the sort of a term.
type Sort uint8

// The sorts.
const (
	Bool Sort = iota
	Int
	String
)

// Op is the operator of a term.
type Op uint8

// The operators.
const (
	OpTrue Op = iota
	OpFalse
	OpText   // a string that is known: Name
	OpSum    // Number + Coefficients[0]*Args[0] + ..., in the order of compare; no Args: a number that is known
	OpVar    // an unknown or bound variable: Name
	OpApply  // the uninterpreted function Name at Args
	OpAnd    // of Args, which are not conjunctions
	OpOr     // of Args, which are not disjunctions
	OpNot    // of Args[0], which is not a negation
	OpEqual  // of Args[0] and Args[1]
	OpNotNeg // Args[0] >= 0
	OpIte    // IF Args[0] THEN Args[1] ELSE Args[2]
	OpForall // of Args[0], for all values of Vars
	OpExists // of Args[0], for some values of Vars
)

// Term is a formula or an expression. Terms are immutable.
type Term struct {
	Op           Op
	Sort         Sort
	Args         []*Term
	Coefficients []int64
	Number       int64
	Name         string
	Vars         []*Term

	hash uint64
}

// True and False are the truth values.
var (
	True  = finish(&Term{Op: OpTrue, Sort: Bool})
	False = finish(&Term{Op: OpFalse, Sort: Bool})
)

// finish adds the hash. It is the same in each run, so that the solvers are asked the same questions each time.
func finish(t *Term) *Term {
	h := fnv.New64a()
	h.Write([]byte{byte(t.Op), byte(t.Sort)})
	h.Write([]byte(t.Name))
	number := func(n uint64) {
		var bytes [8]byte
		for i := range bytes {
			bytes[i] = byte(n)
			n >>= 8
		}
		h.Write(bytes[:])
	}
	number(uint64(t.Number))
	for _, c := range t.Coefficients {
		number(uint64(c))
	}
	for _, list := range [][]*Term{t.Args, t.Vars} {
		number(uint64(len(list)))
		for _, a := range list {
			number(a.hash)
		}
	}
	t.hash = h.Sum64()
	return t
}

// Same says whether two terms are the same expression.
func Same(a, b *Term) bool { return compare(a, b) == 0 }

// compare orders terms: those are equal that are the same expression.
func compare(a, b *Term) int {
	if a == b {
		return 0
	}
	if c := cmp.Compare(a.hash, b.hash); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(a.Sort, b.Sort), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Number, b.Number),
		slices.Compare(a.Coefficients, b.Coefficients), slices.CompareFunc(a.Args, b.Args, compare), slices.CompareFunc(a.Vars, b.Vars, compare))
}

// Truth returns the truth value as a term.
func Truth(b bool) *Term {
	if b {
		return True
	}
	return False
}

// Text returns a string that is known.
func Text(s string) *Term { return finish(&Term{Op: OpText, Sort: String, Name: s}) }

// Number returns a number that is known.
func Number(n int64) *Term { return finish(&Term{Op: OpSum, Sort: Int, Number: n}) }

// Var returns a variable.
func Var(name string, s Sort) *Term { return finish(&Term{Op: OpVar, Sort: s, Name: name}) }

// Apply returns the value of an uninterpreted function of numbers.
func Apply(name string, s Sort, args ...*Term) *Term {
	return finish(&Term{Op: OpApply, Sort: s, Name: name, Args: args})
}

// Known returns the number, if it is known.
func (t *Term) Known() (int64, bool) { return t.Number, t.Op == OpSum && len(t.Args) == 0 }

// IsKnown says whether the term is a value.
func (t *Term) IsKnown() bool {
	return t.Op <= OpText || t.Op == OpSum && len(t.Args) == 0
}

// Add returns a + k*b. Sums are kept as linear combinations of terms that are not sums, in their order: equal ones are the same term.
func Add(a *Term, k int64, b *Term) *Term {
	args, coefficients, number := summands(a)
	args, coefficients = slices.Clone(args), slices.Clone(coefficients)
	more, by, n := summands(b)
	number += k * n
	for i, t := range more {
		if k == 0 {
			break
		}
		at, known := slices.BinarySearchFunc(args, t, compare)
		if !known {
			args, coefficients = slices.Insert(args, at, t), slices.Insert(coefficients, at, k*by[i])
		} else if coefficients[at] += k * by[i]; coefficients[at] == 0 {
			args, coefficients = slices.Delete(args, at, at+1), slices.Delete(coefficients, at, at+1)
		}
	}
	if number == 0 && len(args) == 1 && coefficients[0] == 1 {
		return args[0]
	}
	return finish(&Term{Op: OpSum, Sort: Int, Args: args, Coefficients: coefficients, Number: number})
}

// summands returns a term as a sum.
func summands(t *Term) ([]*Term, []int64, int64) {
	if t.Op == OpSum {
		return t.Args, t.Coefficients, t.Number
	}
	return []*Term{t}, []int64{1}, 0
}

// Times returns the product, if one of the factors is known.
func Times(a, b *Term) (*Term, bool) {
	if n, ok := a.Known(); ok {
		return Add(Number(0), n, b), true
	}
	if n, ok := b.Known(); ok {
		return Add(Number(0), n, a), true
	}
	return nil, false
}

// LessOrEqual returns a <= b.
func LessOrEqual(a, b *Term) *Term {
	difference := Add(b, -1, a)
	if n, ok := difference.Known(); ok {
		return Truth(n >= 0)
	}
	return finish(&Term{Op: OpNotNeg, Sort: Bool, Args: []*Term{difference}})
}

// Less returns a < b.
func Less(a, b *Term) *Term { return LessOrEqual(Add(a, 1, Number(1)), b) }

// Equal returns a = b, of two terms of one sort. What is equal to a known value in an IF is asked of its arms.
func Equal(a, b *Term) *Term {
	switch {
	case Same(a, b):
		return True
	case a.Sort == Bool:
		return equivalent(a, b)
	case a.Op == OpText && b.Op == OpText:
		return False
	case a.Sort == Int:
		if difference, known := Add(a, -1, b).Known(); known {
			return Truth(difference == 0)
		}
	}
	if a.IsKnown() {
		a, b = b, a
	}
	if b.IsKnown() && a.Op == OpIte && (foldable(a.Args[1]) || foldable(a.Args[2])) {
		return Ite(a.Args[0], Equal(a.Args[1], b), Equal(a.Args[2], b))
	}
	if compare(a, b) > 0 && !b.IsKnown() && a.Op != OpVar {
		a, b = b, a
	}
	return finish(&Term{Op: OpEqual, Sort: Bool, Args: []*Term{a, b}})
}

// foldable says whether a comparison with a known value has a known arm.
func foldable(t *Term) bool { return t.IsKnown() || t.Op == OpIte }

func equivalent(a, b *Term) *Term {
	switch {
	case a.Op == OpTrue:
		return b
	case b.Op == OpTrue:
		return a
	case a.Op == OpFalse:
		return Not(b)
	case b.Op == OpFalse:
		return Not(a)
	case Same(a, Not(b)):
		return False
	}
	return finish(&Term{Op: OpEqual, Sort: Bool, Args: []*Term{a, b}})
}

// Not returns the negation.
func Not(t *Term) *Term {
	switch t.Op {
	case OpTrue:
		return False
	case OpFalse:
		return True
	case OpNot:
		return t.Args[0]
	case OpNotNeg: // x < 0 is -x - 1 >= 0
		return finish(&Term{Op: OpNotNeg, Sort: Bool, Args: []*Term{Add(Number(-1), -1, t.Args[0])}})
	}
	return finish(&Term{Op: OpNot, Sort: Bool, Args: []*Term{t}})
}

// And returns the conjunction.
func And(list ...*Term) *Term { return junction(OpAnd, True, False, list) }

// Or returns the disjunction.
func Or(list ...*Term) *Term { return junction(OpOr, False, True, list) }

// Implies returns a => b.
func Implies(a, b *Term) *Term { return Or(Not(a), b) }

func junction(op Op, neutral, absorbing *Term, list []*Term) *Term {
	var parts []*Term
	seen := map[uint64][]*Term{}
	has := func(t *Term) bool {
		return slices.ContainsFunc(seen[t.hash], func(x *Term) bool { return Same(x, t) })
	}
	var add func(t *Term) bool
	add = func(t *Term) bool {
		switch {
		case t.Op == absorbing.Op || has(Not(t)):
			return false
		case t.Op == neutral.Op || has(t):
			return true
		case t.Op == op:
			return !slices.ContainsFunc(t.Args, func(x *Term) bool { return !add(x) })
		}
		seen[t.hash] = append(seen[t.hash], t)
		parts = append(parts, t)
		return true
	}
	for _, t := range list {
		if !add(t) {
			return absorbing
		}
	}
	switch len(parts) {
	case 0:
		return neutral
	case 1:
		return parts[0]
	}
	return finish(&Term{Op: op, Sort: Bool, Args: parts})
}

// Ite returns IF c THEN a ELSE b.
func Ite(c, a, b *Term) *Term {
	switch {
	case c.Op == OpTrue || Same(a, b):
		return a
	case c.Op == OpFalse:
		return b
	case a.Op == OpTrue:
		return Or(c, b)
	case a.Op == OpFalse:
		return And(Not(c), b)
	case b.Op == OpTrue:
		return Or(Not(c), a)
	case b.Op == OpFalse:
		return And(c, a)
	}
	return finish(&Term{Op: OpIte, Sort: a.Sort, Args: []*Term{c, a, b}})
}

// Forall returns the universal quantification of a formula.
func Forall(vars []*Term, t *Term) *Term { return quantified(OpForall, vars, t) }

// Exists returns the existential quantification of a formula.
func Exists(vars []*Term, t *Term) *Term { return quantified(OpExists, vars, t) }

// No sort is empty, so a quantifier of what is known is that.
func quantified(op Op, vars []*Term, t *Term) *Term {
	if t.IsKnown() || len(vars) == 0 {
		return t
	}
	return finish(&Term{Op: op, Sort: Bool, Args: []*Term{t}, Vars: vars})
}

// Conjuncts returns the parts of a conjunction.
func Conjuncts(t *Term) []*Term {
	switch t.Op {
	case OpTrue:
		return nil
	case OpAnd:
		return t.Args
	}
	return []*Term{t}
}

// Value returns how a known term is written.
func (t *Term) Value() string {
	switch t.Op {
	case OpTrue:
		return "TRUE"
	case OpFalse:
		return "FALSE"
	case OpText:
		return strconv.Quote(t.Name)
	}
	return strconv.FormatInt(t.Number, 10)
}
