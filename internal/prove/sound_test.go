package prove

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ndkoracle/internal/prove/smt"
)

// system is a module with one constant N, and a configuration, as text.
func system(variables, shape, initial, next, definitions string) string {
	return "EXTENDS Integers, Sequences, FiniteSets\nCONSTANT N\nVARIABLES " + variables + "\nBounds == 1 <= N\nShape ==\n  /\\ " +
		strings.ReplaceAll(shape, " /\\ ", "\n  /\\ ") + "\n" + definitions +
		"\nMCInit == " + initial + "\nMCNext == " + next + "\n"
}

// failing decides a claim on a text, and returns the steps and properties that z3 does not prove, or the error.
func failing(t *testing.T, text, configuration string) string {
	t.Helper()
	p, err := Load("system", Safety, 0, module(t, text), "CONSTANT N = N\n"+configuration)
	if err != nil {
		return err.Error()
	}
	conditions, err := p.Conditions()
	if err != nil {
		return err.Error()
	}
	failures, err := p.Solve(t.Context(), smt.Z3, 5*time.Second, conditions)
	if err != nil {
		return err.Error()
	}
	var list []string
	for _, f := range failures {
		list = append(list, f.Step+" "+f.Property)
	}
	return strings.Join(list, ", ")
}

// Of systems that TLC finds broken nothing is proved, and what has no meaning in a proof is an error.
func TestNothingFalseIsProved(t *testing.T) {
	for name, c := range map[string]struct{ text, configuration, want string }{
		"sums in another order": {system("x, y, z", `x \in Int /\ y \in Int /\ z \in BOOLEAN`, "x = 0 /\\ y = 0 /\\ z = FALSE",
			"x + y = y + x /\\ z' = TRUE /\\ UNCHANGED <<x, y>>", "Never == ~z"), "INVARIANT Never", "MCInit Never"},
		"a prime in CHOOSE": {system("x, y", `x \in Int /\ y \in Int`, "x = 5 /\\ y = 5", "\\/ x' = 5 /\\ y' = C\n          \\/ x' = 7 /\\ y' = C",
			"C == CHOOSE k \\in 1..(N + 20) : k = x'\nFive == y = 5"), "INVARIANT Five", "a prime in CHOOSE"},
		"an implication of []": {system("x", `x \in Int`, "x = 0", "x' = x + 1", "P == x = 0 => [](x = 0)"), "PROPERTY P", "a property that is not [][A]_v: =>"},
		"a disjunction of []":  {system("x", `x \in Int`, "x = 0", "x' = 1 - x", "P == [](x = 0) \\/ [](x = 1)"), "PROPERTY P", "a property that is not [][A]_v: \\lor"},
		"[] of a state":        {system("x", `x \in Int`, "x = 0", "x = 0 /\\ x' = 7", "P == [](x = 0)"), "PROPERTY P", "a property that is not [][A]_v: []"},
		"a state":              {system("x", `x \in Int`, "x = 0", "x = 0 /\\ x' = 7", "P == x = 0"), "PROPERTY P", "a property that is not [][A]_v: ="},
		"[] in an invariant":   {system("x", `x \in Int`, "x = 0", "x' = x + 1", "P == x = 0 => [](x = 0)"), "INVARIANT P", "the operator []"},
		"a set of the state": {system("s", `s \in SUBSET {"a"}`, "s = {}", "s' = {\"a\"}", "P == \\A k \\in s : [][FALSE]_s"),
			"PROPERTY P", "the members of a set that is not constant"},
		"a function on an interval that ends before 1": {system("s, n", `s \in Seq(Int) /\ n \in Int`, "s = <<>> /\\ n = 0",
			"n' = n - 1 /\\ s' = [i \\in 1..n' |-> 0]", "Long == Len(s) = n"), "INVARIANT Long", "MCInit Long"},
		"@ in the next state": {system("x, y", `x \in [a : Int] /\ y \in [a : Int]`, "x = [a |-> 0] /\\ y = x", "x' = [a |-> x.a + 1] /\\ y' = [x EXCEPT !.a = @']",
			"Behind == y.a <= x.a"), "INVARIANT Behind", "the prime of @"},
	} {
		got := failing(t, c.text, c.configuration)
		if got != c.want && (strings.HasPrefix(c.want, "MCInit ") || !strings.Contains(got, c.want)) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// What a property of steps may be: a conjunction, for all members of a constant set, by names (TLC's configurations).
func TestPropertiesOfSteps(t *testing.T) {
	text := system("x", `x \in [{"a", "b"} -> Int]`, "x = [k \\in {\"a\", \"b\"} |-> 0]", "\\E k \\in {\"a\", \"b\"} : x' = [x EXCEPT ![k] = @ + 1]",
		"Rises(k) == [][x'[k] >= x[k]]_x\nP == (\\A k \\in {\"a\", \"b\"} : Rises(k)) /\\ [][x' # x]_x\nQ == \\A k \\in {\"a\", \"b\"} : [][x'[k] > x[k]]_x")
	for property, want := range map[string]string{"P": "", "Q": "MCInit Q, MCInit Q"} {
		if got := failing(t, text, "PROPERTY "+property); got != want {
			t.Errorf("%s: got %q, want %q", property, got, want)
		}
	}
}

// Where all constants are known, sequences are bounded: so nothing of such a configuration counts as proved.
func TestKnownConstantsProveNothing(t *testing.T) {
	folder := t.TempDir()
	text := "---- MODULE M ----\n" + system("s, t", `s \in Seq(Int) /\ t \in Seq(Int)`, "s = <<>> /\\ t = <<>>", "s' = Append(s, 1) /\\ t' = SelectSeq(s, IsOne)",
		"IsOne(k) == k = 1\nShort == Len(t) <= 3") + "====\n"
	for name, text := range map[string]string{"M.tla": text, "known.cfg": "CONSTANT N = 3\nINVARIANT Short", "any.cfg": "CONSTANT N = N\nINVARIANT Short"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := checker(t, folder)
	c.Folder = folder
	claim := Claim{Name: "M", Kind: Safety, Modules: []string{"M"}, Configuration: "known", Verdict: Proved}
	if _, err := c.Check(t.Context(), claim); err == nil || !strings.Contains(err.Error(), "M: all constants are known") {
		t.Errorf("got %v", err)
	}
	claim.Configuration = "any"
	if r, err := c.Check(t.Context(), claim); err != nil || len(r.Failures) == 0 {
		t.Errorf("proved, %v", err)
	}
	claim.Verdict, claim.Configuration = "", "known" // for a graph
	if _, err := c.Load(t.Context(), claim); err != nil {
		t.Error(err)
	}
}

// What a step chooses from another member, or selects from its sequence, is not apart (ARM-06).
func TestChosenFromAnotherIsNotApart(t *testing.T) {
	for of, want := range map[string]int{"a": 0, "b": 1} {
		for _, f := range []string{`Len(SelectSeq(s["` + of + `"], IsOne))`, `CHOOSE k \in 1..N : \E i \in DOMAIN s["` + of + `"] : k = s["` + of + `"][i]`} {
			text := system("x, s", `x \in [{"a", "b"} -> Int] /\ s \in [{"a", "b"} -> Seq(Int)]`, "x = [k \\in {\"a\", \"b\"} |-> 0] /\\ s = [k \\in {\"a\", \"b\"} |-> <<>>]",
				`x' = [x EXCEPT !["a"] = `+f+`] /\ s' = s`, "IsOne(k) == k = 1")
			p, err := Load("apart", Apart, 0, module(t, text), "CONSTANT N = N")
			if err != nil {
				t.Fatal(err)
			}
			if _, failures, err := p.Apart(); err != nil || len(failures) != want {
				t.Errorf("%s: %d steps are not apart, %v", f, len(failures), err)
			}
		}
	}
}

// Outside of its domain a function has any value, and so has a CASE of which no arm holds: none of them is proved to be one.
func TestOutsideOfTheDomainIsAnyValue(t *testing.T) {
	for next, want := range map[string]string{
		"x' = <<5, 6>>[N + 2]":                                  "MCInit Known",
		"x' = <<6>>[7]":                                         "MCInit Known",
		"x' = <<5, 6>>[2]":                                      "",
		"\\E i \\in {1, 2} : x' = <<5, 6>>[i]":                  "",
		"x' = CASE x = 1 -> 5 [] x = 2 -> 6":                    "MCInit Known",
		"x' = CASE x <= N -> 5 [] x > N -> 6":                   "",
		"x' = IF x = 6 THEN <<>>[1] ELSE 6":                     "MCInit Known",
		"x' = CASE x = 1 -> 5 [] OTHER -> <<>>[1]":              "MCInit Known",
		"x' = (IF x = 6 THEN [a |-> <<>>[1]] ELSE [a |-> 6]).a": "MCInit Known",
		"x' = IF x = 6 THEN 6 ELSE <<>>[1]":                     "MCInit Known",
		"\\E k \\in STRING : x' = [a |-> 5, b |-> 6][k]":        "MCInit Known",
		"x' = [a |-> 5, b |-> 6].b":                             "",
		"x' = 7 /\\ <<6>>[7] # <<6>>[7]":                        "",
		"x' = 7 /\\ \\A i \\in 2..3 : <<6>>[i] = i + N":         "MCInit Known",
		"x' = 7 /\\ \\A i \\in 1..N : 3 = CASE i < N -> 3":      "MCInit Known",
		"x' = 7 /\\ \\E i \\in 1..N : i # N /\\ <<>>[i] = <<>>": "MCInit Known",
	} {
		if got := failing(t, system("x", `x \in Int`, "x = 6", next, "Known == x \\in {5, 6}"), "INVARIANT Known"); got != want {
			t.Errorf("%s: got %q, want %q", next, got, want)
		}
	}
}

// What a CASE without an arm is depends on the variables that a quantifier around it binds, and on none that it binds itself.
func TestBoundedVariables(t *testing.T) {
	b, x := smt.Var("b!1", smt.Int), smt.Var("x", smt.Int)
	open := smt.LessOrEqual(b, x)
	for want, terms := range map[int][]*smt.Term{0: {smt.Exists([]*smt.Term{b}, open), x}, 1: {open, open, x}} {
		if got := newEngine(nil).bounded(terms); len(got) != want {
			t.Errorf("%d variables are bound, not %d", len(got), want)
		}
	}
}
