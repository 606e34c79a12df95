package prove

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ndkoracle/internal/prove/sany"
	"ndkoracle/internal/prove/smt"
	"ndkoracle/internal/tlc"
)

var (
	tla   = filepath.Join("..", "..", "tla")
	build = filepath.Join("..", "..", "build", "tlc")
)

func jar(t *testing.T) tlc.Jar {
	t.Helper()
	found, err := tlc.FindJar(t.Context(), build)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func checker(t *testing.T, folders ...string) *Checker {
	t.Helper()
	folders = append(folders, tla, filepath.Join(tla, "proof"), filepath.Join(tla, "wrong"))
	return &Checker{
		Folder: tla, Reader: sany.Reader{Jar: jar(t).Path, Folders: folders}, Solvers: []smt.Solver{smt.Z3}, Limit: 20 * time.Second,
	}
}

// module has SANY parse a module of this text.
func module(t *testing.T, text string) *sany.Module {
	t.Helper()
	folder := t.TempDir()
	text = "---- MODULE M ----\n" + text + "\n====\n"
	if err := os.WriteFile(filepath.Join(folder, "M.tla"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := checker(t, folder).Reader.Read(t.Context(), "M")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func claims(t *testing.T) []Claim {
	t.Helper()
	list, err := ReadManifest(filepath.Join(tla, "proof"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func claimOf(t *testing.T, name string) Claim {
	t.Helper()
	list := claims(t)
	i := slices.IndexFunc(list, func(c Claim) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("there is no claim %s", name)
	}
	return list[i]
}

// counter is a system with one variable, and an invariant that is inductive for its steps.
const counter = `EXTENDS Integers
CONSTANT Most
VARIABLE v
Shape == v \in Int
Bounds == 1 <= Most
MCInit == v = 0
Up == v < Most /\ v' = v + 1
Jump == \E n \in 2..Most : v' = n
Never == v < 0 /\ v' = 7
MCNext == Up \/ Jump \/ Never
Small == 0 <= v /\ v <= Most
NotNegative == [][v' >= 0]_v
Even == v # 3
`

// load loads a claim of the counter.
func load(t *testing.T, text, configuration string) *Proof {
	t.Helper()
	p, err := Load("counter", Safety, 0, module(t, text), "CONSTANT Most = Most\n"+configuration)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// An invariant that is inductive is proved, with the same conditions each time; one that is not has a counter-example to induction.
// Both solvers say so.
func TestInduction(t *testing.T) {
	for _, solver := range []smt.Solver{smt.Z3, smt.CVC5} {
		if err := solver.Check(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			configuration, failing string
			conditions             int
		}{
			{"INVARIANT Small\nPROPERTY NotNegative", "", 6},
			{"PROPERTY NotNegative", "Up NotNegative", 2},
			{"INVARIANTS Small Even", "Up Even, Jump Even", 6},
		} {
			p := load(t, counter, c.configuration)
			conditions, err := p.Conditions()
			if err != nil {
				t.Fatal(err)
			}
			failures, err := p.Solve(t.Context(), solver, 5*time.Second, conditions)
			if err != nil {
				t.Fatal(err)
			}
			var failing []string
			for _, f := range failures {
				failing = append(failing, f.Step+" "+f.Property)
				if f.Answer != smt.Sat || !strings.Contains(f.Model, "then v = ") {
					t.Errorf("%s: %s, with the model %q", f.Step, f.Answer, f.Model)
				}
			}
			if got := strings.Join(failing, ", "); got != c.failing || len(conditions) != c.conditions || p.Paths() != 3 {
				t.Errorf("%s, %q: %q fail of %d conditions on %d paths", solver.Name, c.configuration, got, len(conditions), p.Paths())
			}
		}
	}
}

// What SelectSeq leaves of a sequence of any length is known: all that passes, in its order, and nothing else (DEF-04, A34). What is
// not true of it is not proved.
func TestSelectSeq(t *testing.T) {
	const text = `EXTENDS Integers, Sequences
CONSTANT Most
VARIABLE v
Shape == v \in Seq(Int)
Bounds == 1 <= Most
Large(n) == n > Most
MCInit == v = <<>>
MCNext == v' = SelectSeq(v, Large)
OnlyThose == [][\A i \in DOMAIN v' : v'[i] > Most]_v
AllOfThem == [][\A i \in DOMAIN v : v[i] > Most => \E j \in DOMAIN v' : v'[j] = v[i]]_v
NoneMore == [][Len(v') <= Len(v)]_v
AllOrFewer == [][Len(v') = Len(v) => \A i \in DOMAIN v : v'[i] = v[i]]_v
Same == [][\A i \in DOMAIN v' : v'[i] = v[i]]_v
Fewer == [][Len(v') < Len(v)]_v
None == [][v' = <<>>]_v
`
	for property, want := range map[string]bool{"OnlyThose": true, "AllOfThem": true, "NoneMore": true, "AllOrFewer": true, "Fewer": true, "Same": false, "None": false} {
		p := load(t, text, "PROPERTY "+property)
		conditions, err := p.Conditions()
		if err != nil {
			t.Fatal(err)
		}
		failures, err := p.Solve(t.Context(), smt.Z3, 5*time.Second, conditions)
		if proved := len(failures) == 0; err != nil || proved != want {
			t.Errorf("%s: proved is %v, %v", property, proved, err)
		}
	}
}

// CHOOSE of a place that is not known is a member with the property, if there is one, and the same each time (INV-05). Nothing else is proved
// of it: not that there is one, nor which one it is.
func TestChoose(t *testing.T) {
	const text = `EXTENDS Integers, Sequences
CONSTANT Most
VARIABLE v
Shape == v \in Seq(Int)
Bounds == 1 <= Most
Large == {i \in DOMAIN v : v[i] > Most}
Place == CHOOSE i \in Large : TRUE
MCInit == v = <<>>
MCNext == Large # {} /\ v' = [v EXCEPT ![Place] = v[Place] - 1]
Anyway == v' = [v EXCEPT ![Place] = v[Place] - 1]
IsLarge == [][v[Place] > Most]_v
Lowered == [][v'[Place] = v[Place] - 1]_v
OnlyThere == [][\A i \in DOMAIN v : v'[i] # v[i] => v[i] > Most]_v
First == [][\A i \in Large : Place <= i]_v
Before == [][Place = (CHOOSE i \in Large : i < 3)]_v
`
	for _, c := range []struct {
		property, next string
		proved         bool
	}{
		{"IsLarge", "MCNext", true}, {"Lowered", "MCNext", true}, {"OnlyThere", "MCNext", true},
		{"First", "MCNext", false}, {"Before", "MCNext", false}, {"IsLarge", "Anyway", false},
	} {
		p := load(t, text, "PROPERTY "+c.property)
		var err error
		if p.paths, err = p.engine.pathsOf(c.next, p.state); err != nil {
			t.Fatal(err)
		}
		solvers := []smt.Solver{smt.Z3}
		if c.proved {
			solvers = append(solvers, smt.CVC5) // which looks for a model until its time is over
		}
		for _, solver := range solvers {
			conditions, err := p.Conditions()
			if err != nil {
				t.Fatal(err)
			}
			failures, err := p.Solve(t.Context(), solver, 5*time.Second, conditions)
			if proved := len(failures) == 0; err != nil || proved != c.proved {
				t.Errorf("%s of %s by %s: proved is %v, %v", c.property, c.next, solver.Name, proved, err)
			}
		}
	}
}

// A path that no state with the invariants can take is told.
func TestDeadPaths(t *testing.T) {
	p := load(t, counter, "INVARIANT Small")
	dead, undecided, err := p.Dead(t.Context(), smt.Z3, 5*time.Second)
	if err != nil || !slices.Equal(dead, []string{"Never"}) || len(undecided) > 0 {
		t.Errorf("dead are %q, not decided %q, %v", dead, undecided, err)
	}
	_, undecided, err = p.Dead(t.Context(), fake(t, "echo sat; while true; do echo unknown; done"), 5*time.Second)
	if err != nil || len(undecided) != p.Paths() {
		t.Errorf("not decided are %q, %v", undecided, err)
	}
	claim := Claim{Verdict: Proved, Paths: 3, Conditions: 5, Dead: 0}
	if got := claim.Complaints(Result{Paths: 3, Conditions: 5, Undecided: []string{"Never"}}); !slices.Equal(got, []string{"whether a path of Never can be taken is not decided"}) {
		t.Errorf("got %q", got)
	}
}

// What a solver does not decide it is asked once more, and no more often.
func TestAskedAgain(t *testing.T) {
	p := load(t, counter, "INVARIANT Small")
	conditions, err := p.Conditions()
	if err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(t.TempDir(), "asked")
	for times, want := range map[string]int{"": 0, "x": len(conditions)} { // how often it was asked before it decides
		script := "[ \"$(cat " + mark + ")\" = 'x" + times + "' ] && say=unsat || say=unknown; printf x >> " + mark + "; echo sat; while true; do echo $say; done"
		if err := os.WriteFile(mark, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		failures, err := p.prove(t.Context(), fake(t, script), 5*time.Second, conditions)
		if err != nil || len(failures) != want {
			t.Errorf("%d of %d conditions are not proved, %v", len(failures), len(conditions), err)
		}
	}
}

// A step that gives a variable a value of another form breaks the shape.
func TestShapeIsClosed(t *testing.T) {
	p := load(t, counter+"Wide == v \\in {1, 2, 3}\n", "INVARIANT Wide")
	conditions, err := p.Conditions()
	if err != nil {
		t.Fatal(err)
	}
	failures, err := p.Solve(t.Context(), smt.Z3, 5*time.Second, conditions)
	if err != nil || !slices.ContainsFunc(failures, func(f Failure) bool { return f.Step == "Init" && f.Property == "Wide" }) {
		t.Errorf("got %v, %v", failures, err)
	}
	_, err = Load("other", Safety, 0, module(t, strings.Replace(counter, "v' = 7", `v' = "seven"`, 1)), "CONSTANT Most = Most")
	if err == nil {
		p, err := Load("other", Safety, 0, module(t, strings.Replace(counter, "v' = 7", `v' = "seven"`, 1)), "CONSTANT Most = Most")
		if err != nil {
			t.Fatal(err)
		}
		if conditions, err = p.Conditions(); err == nil {
			last := conditions[len(conditions)-1]
			if last.Property != shapeName || last.goal != smt.False {
				t.Errorf("a string in the place of a number keeps the shape")
			}
		}
	}
}

// A rank is proved where each helper can go on and lowers it, and no step raises it; and some helper helps; each of these can fail.
func TestRanking(t *testing.T) {
	const right = `EXTENDS Integers
CONSTANT Most
VARIABLE v
Shape == v \in Int
Bounds == 1 <= Most
MCInit == v = 0
Up == v < Most /\ v' = v + 1
Rest == v' = v
MCNext == Up \/ Rest
Small == 0 <= v /\ v <= Most
Outstanding == v < Most
Helpers == {"Step"}
HelpsStep == TRUE
StepDoes == Up
NotRaised == Most - v' <= Most - v
Lowered == Most - v' < Most - v
`
	for _, c := range []struct{ old, new, failing string }{
		{"", "", ""},
		{"StepDoes == Up", "StepDoes == v < Most - 1 /\\ v' = v + 1", "Step can help HelpsStep"},
		{"StepDoes == Up", "StepDoes == Rest", "Step: Rest Lowered"},
		{"Rest == v' = v", "Rest == v > 0 /\\ v' = v - 1", "Rest NotRaised"},
		{"HelpsStep == TRUE", "HelpsStep == v > 0", "some helper helps Helpers"},
	} {
		p, err := Load("rank", Ranking, 0, module(t, strings.Replace(right, c.old, c.new, 1)), "CONSTANT Most = Most INVARIANT Small")
		if err != nil {
			t.Fatal(err)
		}
		conditions, err := p.Conditions()
		if err != nil {
			t.Fatal(err)
		}
		failures, err := p.Solve(t.Context(), smt.Z3, 5*time.Second, conditions)
		var failing []string
		for _, f := range failures {
			failing = append(failing, f.Step+" "+f.Property)
		}
		if got := strings.Join(failing, ", "); err != nil || got != c.failing {
			t.Errorf("%s: %q fail, not %q, %v", c.new, got, c.failing, err)
		}
	}
}

// Counts that are others than the pinned ones are told, and counts that are not pinned.
func TestComplaints(t *testing.T) {
	proved := Claim{Verdict: Proved, Paths: 3, Conditions: 5, Dead: 1}
	fails := Claim{Verdict: Fails, Property: "P", Paths: 3, Conditions: 5, Dead: 0}
	broken := []Failure{{Condition: Condition{Step: "Up", Property: "P"}, Solver: "z3", Answer: smt.Sat}}
	undecided := []Failure{{Condition: Condition{Step: "Up", Property: "P"}, Solver: "z3", Answer: smt.Unknown}}
	for _, c := range []struct {
		claim  Claim
		result Result
		want   string
	}{
		{proved, Result{Paths: 3, Conditions: 5, Dead: []string{"x"}}, ""},
		{proved, Result{Paths: 4, Conditions: 5, Dead: []string{"x"}}, "4 paths, pinned are 3"},
		{proved, Result{Paths: 3, Conditions: 4, Dead: []string{"x"}}, "4 conditions, pinned are 5"},
		{proved, Result{Paths: 3, Conditions: 5}, "0 paths that cannot be taken, pinned are 1"},
		{proved, Result{Paths: 3, Conditions: 5, Dead: []string{"x"}, Failures: broken}, "Up may break P: z3 says sat"},
		{proved, Result{Paths: 3, Conditions: 5, Dead: []string{"x"}, Failures: undecided}, "P of Up is not decided: z3 says unknown, or did not answer in time"},
		{fails, Result{Paths: 3, Conditions: 5, Failures: broken}, ""},
		{fails, Result{Paths: 3, Conditions: 5}, "P must not be provable, and no solver has a step that breaks it"},
		{fails, Result{Paths: 3, Conditions: 5, Failures: undecided}, "P must not be provable, and no solver has a step that breaks it"},
		{Claim{Verdict: Proved, Paths: 3, Conditions: 5, Dead: -1}, Result{Paths: 3, Conditions: 5}, "the number of paths that cannot be taken is not pinned: 0"},
	} {
		if got := strings.Join(c.claim.Complaints(c.result), "; "); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A claim of the manifest is as it says, and so is one about a wrong rule (ARM-07); pins that are others are found.
func TestClaims(t *testing.T) {
	c := checker(t)
	for _, name := range []string{"CQ-verbs-reading-A25-yes", "wrong/last-arm-wins", "polled/verbs: arm, drain, sleep"} {
		claim := claimOf(t, name)
		result, err := c.Check(t.Context(), claim)
		if err != nil {
			t.Fatal(err)
		}
		for _, complaint := range claim.Complaints(result) {
			t.Errorf("%s: %s", name, complaint)
		}
		claim.Conditions++
		if len(claim.Complaints(result)) == 0 {
			t.Errorf("%s: a condition more is not told", name)
		}
	}
}
