package smt

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// plain is a formula as a constructor gets it, with its value by the plain meaning of the operator.
type plain struct {
	term  *Term
	value func(x []int64) int64
}

var (
	numbers = []string{"m", "n", "o"}
	truths  = []string{"a", "b"}
	strs    = []string{"s", "t"}
)

func layout() *Layout {
	l := NewLayout(0, 2)
	for _, list := range [][]string{numbers, truths, strs} {
		for _, name := range list {
			l.Place(name)
		}
	}
	return l
}

// some makes a formula of a sort by chance.
func some(r *rand.Rand, l *Layout, sort Sort, depth int) plain {
	pick := func(names []string, sort Sort) plain {
		name := names[r.IntN(len(names))]
		at := l.Place(name)
		return plain{Var(name, sort), func(x []int64) int64 { return x[at] }}
	}
	known := func(t *Term, v int64) plain { return plain{t, func([]int64) int64 { return v }} }
	if depth == 0 {
		switch {
		case sort == Bool && r.IntN(4) > 0:
			return pick(truths, Bool)
		case sort == Bool:
			is := r.IntN(2) == 1
			return known(Truth(is), bit(is))
		case sort == Int && r.IntN(3) > 0:
			return pick(numbers, Int)
		case sort == Int:
			n := int64(r.IntN(3))
			return known(Number(n), n)
		case r.IntN(2) > 0:
			return pick(strs, String)
		}
		text := string(rune('x' + r.IntN(2)))
		return known(Text(text), l.Code(text))
	}
	sub := func(sort Sort) plain { return some(r, l, sort, r.IntN(depth)) }
	if r.IntN(3) == 0 {
		c, a, b := sub(Bool), sub(sort), sub(sort)
		return plain{Ite(c.term, a.term, b.term), func(x []int64) int64 {
			if c.value(x) == 1 {
				return a.value(x)
			}
			return b.value(x)
		}}
	}
	switch sort {
	case String:
		return some(r, l, String, 0)
	case Int:
		a, b, k := sub(Int), sub(Int), int64(r.IntN(5)-2)
		return plain{Add(a.term, k, b.term), func(x []int64) int64 { return a.value(x) + k*b.value(x) }}
	}
	switch r.IntN(7) {
	case 0:
		a := sub(Bool)
		return plain{Not(a.term), func(x []int64) int64 { return 1 - a.value(x) }}
	case 1:
		a, b := sub(Bool), sub(Bool)
		return plain{And(a.term, b.term), func(x []int64) int64 { return a.value(x) & b.value(x) }}
	case 2:
		a, b := sub(Bool), sub(Bool)
		return plain{Or(a.term, b.term), func(x []int64) int64 { return a.value(x) | b.value(x) }}
	case 3:
		a, b := sub(Bool), sub(Bool)
		return plain{Implies(a.term, b.term), func(x []int64) int64 { return 1 - a.value(x) | b.value(x) }}
	case 4:
		of := Sort(r.IntN(3))
		a, b := sub(of), sub(of)
		return plain{Equal(a.term, b.term), func(x []int64) int64 { return bit(a.value(x) == b.value(x)) }}
	case 5:
		a, b := sub(Int), sub(Int)
		return plain{LessOrEqual(a.term, b.term), func(x []int64) int64 { return bit(a.value(x) <= b.value(x)) }}
	}
	a, b := sub(Int), sub(Int)
	return plain{Less(a.term, b.term), func(x []int64) int64 { return bit(a.value(x) < b.value(x)) }}
}

// What the constructors fold is what they were given: the same value for all values of the unknowns.
func TestFoldsAreEquivalences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	l := layout()
	for range 30_000 {
		p := some(r, l, Sort(r.IntN(3)), 1+r.IntN(5))
		f, err := l.Compile(p.term)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]int64, l.Size())
		for range 12 {
			for _, name := range numbers {
				x[l.Place(name)] = int64(r.IntN(5) - 1)
			}
			for _, name := range truths {
				x[l.Place(name)] = int64(r.IntN(2))
			}
			for _, name := range strs {
				x[l.Place(name)] = int64(r.IntN(3))
			}
			if got, want := f(x), p.value(x); got != want {
				t.Fatalf("%s is %d, not %d", printed(p.term), got, want)
			}
		}
	}
}

func printed(t *Term) string {
	var b strings.Builder
	p := NewPrinter(&b)
	if t.Sort == Bool {
		p.Assert(t)
	} else {
		p.Assert(Equal(t, Var("result", t.Sort)))
	}
	return b.String()
}

// The solvers read a formula as it is evaluated here: with the values of all unknowns asserted, it has the value that it has here.
func TestSolversReadWhatIsPrinted(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, solver := range []Solver{Z3, CVC5} {
		if err := solver.Check(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		session, err := solver.Start(t.Context(), 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for range 300 {
			l := layout()
			p := some(r, l, Bool, 1+r.IntN(5))
			x := make([]int64, l.Size())
			session.Push()
			for _, name := range numbers {
				x[l.Place(name)] = int64(r.IntN(5) - 1)
				session.Assert(Equal(Var(name, Int), Number(x[l.Place(name)])))
			}
			for _, name := range truths {
				x[l.Place(name)] = int64(r.IntN(2))
				session.Assert(Equal(Var(name, Bool), Truth(x[l.Place(name)] == 1)))
			}
			for i, name := range strs {
				text := string(rune('x' + i))
				x[l.Place(name)] = l.Code(text)
				session.Assert(Equal(Var(name, String), Text(text)))
			}
			want := Unsat
			if p.value(x) == 1 {
				want = Sat
			}
			session.Assert(p.term)
			if got, err := session.Ask(); err != nil || got != want {
				t.Fatalf("%s: %s, %v, not %s", printed(p.term), got, err, want)
			}
			session.Pop()
		}
		session.Close()
	}
}

// Sums of the same terms are the same, in whatever order they are made, and no other ones: an equation of two is true.
func TestSumsHaveOneForm(t *testing.T) {
	x, y, z := Var("x", Int), Var("y", Int), Apply("z", Int, Number(1))
	one := Add(Add(Add(x, 1, y), -2, z), 1, Number(3))
	other := Add(Add(Add(Number(3), -2, z), 1, y), 1, x)
	if !Same(one, other) || Equal(one, other) != True || LessOrEqual(one, other) != True || Less(one, other) != False {
		t.Errorf("%s is not %s", printed(one), printed(other))
	}
	if Equal(one, Add(other, 1, Number(1))) != False {
		t.Errorf("%s is the next number", printed(one))
	}
	if none := Add(x, 0, y); !Same(none, x) {
		t.Errorf("%s is not x", printed(none))
	}
	if again := Add(Add(one, -1, x), 1, x); !Same(again, one) {
		t.Errorf("%s is not %s", printed(again), printed(one))
	}
}

// A term that comes twice is defined once, and one with a bound variable is not.
func TestSharedTermsAreDefined(t *testing.T) {
	a, b, n := Var("a", Bool), Var("b", Bool), Var("n", Int)
	shared := Or(a, b)
	inner := LessOrEqual(Number(3), n)
	got := printed(And(Not(shared), Equal(shared, Var("c", Bool)), Forall([]*Term{n}, Or(inner, Equal(inner, a)))))
	if strings.Count(got, "(define-fun") != 1 || strings.Count(got, "|n|") != 3 {
		t.Errorf("printed:\n%s", got)
	}
}
