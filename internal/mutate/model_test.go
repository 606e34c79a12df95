package mutate

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

const source = `package model

type Modality uint8

const (
	Must Modality = iota
	May
	MustNot
)

func Step(n, m int) (int, bool) {
	if n > 0 && m == 1 {
		return n - 1, true
	}
	n++
	n, m = m, n
	refused(n)
	return help(n), false
}

func refused(n int) (int, *Refusal) {
	if n == 1 {
		return 1, deadToken
	}
	return 2, nil
}

func help(n ...int) int {
	switch {
	case len(n) <= 2:
		kind = May
	}
	switch kind {
	case Must:
		panic("no " + name)
	case May:
	}
	return 0
}

func unused(n int) int { return n + 1 }
`

func mutantsOf(t *testing.T) []Mutant {
	t.Helper()
	constants, err := Constants("x.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	reached, err := Reached(map[string][]byte{"x.go": []byte(source)}, "Step")
	if err != nil {
		t.Fatal(err)
	}
	mutants, err := Model("x.go", []byte(source), constants, reached)
	if err != nil {
		t.Fatal(err)
	}
	return mutants
}

// Conditions are negated and lose an operand, comparisons and numbers are off by one, assignments are dropped, and MAY and
// MUST change places; what no step uses is left alone, what is returned beside a refusal, and what would be no Go any more.
func TestModel(t *testing.T) {
	want := []string{
		"x.go Step: not `n > 0 && m == 1`",
		"x.go Step: `n > 0 && m == 1` without `n > 0`",
		"x.go Step: > is >= in `n > 0`",
		"x.go Step: 0 is 1 in `if n > 0 && m == 1 {`",
		"x.go Step: && is || in `n > 0 && m == 1`",
		"x.go Step: `n > 0 && m == 1` without `m == 1`",
		"x.go Step: == is != in `m == 1`",
		"x.go Step: 1 is 2 in `if n > 0 && m == 1 {`",
		"x.go Step: - is + in `n - 1`",
		"x.go Step: 1 is 2 in `return n - 1, true`",
		"x.go Step: true is false in `return n - 1, true`",
		"x.go Step: without `n++`",
		"x.go Step: `n++` is `n--`",
		"x.go Step: `n, m = m, n` without `n`",
		"x.go Step: `n, m = m, n` without `m`",
		"x.go Step: false is true in `return help(n), false`",
		"x.go help: not `len(n) <= 2`",
		"x.go help: <= is < in `len(n) <= 2`",
		"x.go help: <= is == in `len(n) <= 2`",
		"x.go help: 2 is 3 in `case len(n) <= 2:`",
		"x.go help: without `kind = May`",
		"x.go help: May is MustNot in `kind = May`",
		"x.go help: May is Must in `kind = May`",
		"x.go help: Must is MustNot in `case Must:`",
		"x.go help: May is MustNot in `case May:`",
		"x.go help: 0 is 1 in `return 0`",
		"x.go refused: == is != in `n == 1`",
		"x.go refused: 1 is 2 in `if n == 1 {`",
		"x.go refused: 2 is 3 in `return 2, nil`",
	}
	var got []string
	for _, m := range mutantsOf(t) {
		got = append(got, m.String())
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// All mutants are in one file, each as a function of its own, which the changed function chooses; complaints of the compiler
// name the mutant.
func TestTogether(t *testing.T) {
	mutants := mutantsOf(t)
	chosen := map[int]Mutant{3: mutants[0], 7: mutants[len(mutants)-1]}
	text, err := Together("x.go", []byte(source), chosen)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "x.go", text, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"//line x.go Step: not `n > 0 && m == 1`:1", "case 3:\n\t\treturn StepMutant3(n, m)", "func StepMutant3(n, m int) (int, bool) {", "case 7:\n\t\treturn helpMutant7(n...)"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "unusedMutant") {
		t.Errorf("a function without mutants is there twice:\n%s", text)
	}
}

// What is no Go, and a function whose arguments could not be handed on, are errors.
func TestTogetherErrors(t *testing.T) {
	if _, err := Model("x.go", []byte("func"), nil, nil); err == nil {
		t.Error("it is no Go, and nothing was said")
	}
	nameless := "package model\n\nfunc f(int) bool { return true }\n"
	mutants, err := Model("x.go", []byte(nameless), nil, map[string]bool{"f": true})
	if err != nil || len(mutants) != 1 {
		t.Fatalf("%v, %v", mutants, err)
	}
	if _, err := Together("x.go", []byte(nameless), map[int]Mutant{1: mutants[0]}); err == nil || !strings.Contains(err.Error(), "has no name") {
		t.Errorf("a parameter has no name, and the error is %v", err)
	}
}
