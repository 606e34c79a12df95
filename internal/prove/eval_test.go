package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/prove/smt"
)

// Each rule of evaluation has an expression whose value TLA+ fixes.
func TestRulesOfEvaluation(t *testing.T) {
	const text = `EXTENDS Integers, Sequences, FiniteSets
Second(s) == s[2]
Twice(F(_), x) == F(F(x))
Next(n) == n + 1
R == [a |-> 1, b |-> <<"x", "y">>]
F == [k \in {"p", "q"} |-> k = "p"]
True1 == 2 + 3 * 2 - 1 = 7 /\ 3 > 2 /\ 2 >= 2 /\ 1 < 2 /\ 1 <= 1 /\ ~(2 < 2)
True2 == {1, 2} \union {3} = 1..3 /\ {1, 2, 3} \ {2} = {1, 3} /\ {1, 2} \intersect {2, 3} = {2} /\ UNION {{1}, {2}} = {1, 2}
True3 == {x \in 1..4 : x > 2} = {3, 4} /\ {x + y : x \in {1, 2}, y \in {10}} = {11, 12}
True4 == R.a = 1 /\ R.b[2] = "y" /\ [R EXCEPT !.a = @ + 1, !.b[1] = "z"] = [a |-> 2, b |-> <<"z", "y">>]
True5 == F["p"] /\ ~F["q"] /\ DOMAIN F = {"p", "q"} /\ DOMAIN <<7, 8>> = 1..2
True6 == Len(Append(<<1>>, 2)) = 2 /\ <<1>> \o <<2, 3>> = <<1, 2, 3>> /\ SubSeq(<<1, 2, 3>>, 2, 3) = <<2, 3>> /\ SubSeq(<<1>>, 2, 1) = <<>>
True7 == LET Odd(x) == x # 2 IN SelectSeq(<<1, 2, 3>>, Odd) = <<1, 3>>
True8 == (CASE 1 = 2 -> "no" [] 1 = 1 -> "yes") = "yes" /\ (CASE 1 = 2 -> "no" [] OTHER -> "other") = "other" /\ (IF 1 = 1 THEN 1 ELSE 2) = 1
True9 == Second(<<4, 5>>) = 5 /\ Twice(Next, 3) = 5 /\ (LET x == 4  y == x + 1 IN y) = 5
True10 == (\A x \in 1..3 : x > 0) /\ (\E x \in 1..3 : x = 2) /\ ~(\E x \in {} : TRUE) /\ (\A x, y \in {1, 2} : x + y > 1)
True11 == (CHOOSE x \in 1..5 : x * 2 = 6) = 3 /\ {1} \subseteq {1, 2} /\ {1} \in SUBSET {1, 2} /\ 3 \notin {1, 2}
True12 == [a |-> 1] \in [a : {1, 2}] /\ <<1, 2>> \in Seq({1, 2}) /\ 0 \in Nat /\ -1 \notin Nat /\ -1 \in Int /\ "x" \in STRING /\ TRUE \in BOOLEAN
True13 == [k \in {"p"} |-> 1] \in [{"p"} -> {1}] /\ [a |-> 1] # [b |-> 1] /\ (TRUE <=> TRUE) /\ (FALSE => FALSE) /\ [[k \in {"p"} |-> 1] EXCEPT !["z"] = 2] = [k \in {"p"} |-> 1]
True14 == {1} \X {2, 3} = {<<1, 2>>, <<1, 3>>} /\ Cardinality({1, 2, 1}) = 2 /\ {<<a, b>> \in {1, 2} \X {1, 2} : a = b} = {<<1, 1>>, <<2, 2>>}
True15 == LET RECURSIVE Sum(_)  Sum(s) == IF s = {} THEN 0 ELSE LET x == CHOOSE y \in s : TRUE IN x + Sum(s \ {x}) IN Sum({1, 2, 4}) = 7
`
	m := module(t, text)
	for n := 1; n <= 15; n++ {
		name := "True" + string(rune('0'+n))
		if n >= 10 {
			name = "True1" + string(rune('0'+n-10))
		}
		e := newEngine(m)
		var v value
		if err := e.try(func() { v = e.definition(name, steady{}) }); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if v.(scalar).Term != smt.True {
			t.Errorf("%s is not true", name)
		}
	}
}

// What has no rule is an error that names it, and where it is.
func TestUnsupportedIsNamed(t *testing.T) {
	var found []string
	wants := map[string]string{}
	for text, want := range map[string]string{
		"Cardinality(0..v)":   "Cardinality of a set of unknown size",
		"Cardinality({1, v})": "Cardinality of a set of which two members may be the same",
		"\\A n \\in 1..v : (CHOOSE m \\in 1..v : m > n) > n": "CHOOSE in the scope of a quantifier",
		"CHOOSE x : x = 1":                       "$UnboundedChoose",
		"\\A x : x = x":                          "$UnboundedForall",
		"ENABLED (v' = 1)":                       "ENABLED",
		"7 \\div 2":                              "the operator \\div of the module Naturals",
		"Head(<<1>>)":                            "the operator Head of the module Sequences",
		"1 = \"a\"":                              "a comparison of a number with a string",
		"IF v = 1 THEN 1 ELSE <<>>":              "IF or CASE of which one arm is a number, and another a sequence",
		"v * v":                                  "a product of two numbers that are not known",
		"[a |-> 1].b":                            "the field b of a record that has a",
		"CASE 1 = 2 -> 1":                        "CASE without an arm that can be taken",
		"P(v)":                                   "the prime of the parameter x",
		"{f \\in SUBSET {1} : TRUE} = {{}}":      "the list of all subsets",
		"[x \\in 0..v |-> 1] = <<>>":             "a function on numbers that do not begin at 1",
		"(CHOOSE x \\in {1, \"a\"} : v = 1) = 1": "CHOOSE by what is not known",
	} {
		found = append(found, text)
		wants[text] = want
	}
	slices.Sort(found)
	all := "EXTENDS Integers, Sequences, FiniteSets\nVARIABLE v\nP(x) == x'\n"
	for i, text := range found {
		all += fmt.Sprintf("X%d == %s\n", i, text)
	}
	m := module(t, all)
	for i, text := range found {
		e := newEngine(m)
		state := map[string]value{"v": scalar{smt.Var("v", smt.Int)}}
		err := e.try(func() { e.definition(fmt.Sprintf("X%d", i), steady{now: state, next: state}) })
		if want := fmt.Sprintf("M, line %d: no rule of evaluation for ", i+5); err == nil || text != "P(v)" && !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), wants[text]) {
			t.Errorf("%s: got %v, want %q, %q", text, err, want, wants[text])
		}
	}
}

// A module with an error is none, though SANY ends as if all were well.
func TestErrorsOfSany(t *testing.T) {
	for text, want := range map[string]string{"X == 1\nX == 2": "Operator X already defined", "X == Y": "Unknown operator: `Y'", "X == (": "arse", "EXTENDS N\nF == 1": "Multiply-defined symbol 'F'"} {
		folder := t.TempDir()
		for name, text := range map[string]string{"M": text, "N": "F(r) == r"} {
			module := "---- MODULE " + name + " ----\n" + text + "\n====\n"
			if err := os.WriteFile(filepath.Join(folder, name+".tla"), []byte(module), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := checker(t, folder).Reader.Read(t.Context(), "M"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
