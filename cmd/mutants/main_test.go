package main

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/mutate"
	"ndkoracle/internal/tlc"
	"ndkoracle/model/mc"
)

func parse(t *testing.T, args ...string) options {
	t.Helper()
	root := filepath.Join("..", "..")
	o, err := parseOptions(append([]string{"-root", root, "-build", filepath.Join(root, "build")}, args...))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Misuse is told before anything runs.
func TestMisuse(t *testing.T) {
	for want, args := range map[string][]string{
		"unexpected argument": {"cq.go"},
		"-jobs 0":             {"-jobs", "0"},
		"-sample -1":          {"-sample", "-1"},
		"-run: error parsing": {"-run", "("},
	} {
		if _, err := parseOptions(args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", args, err, want)
		}
	}
}

// A sample is the same for the same seed, another for another, and without a seed it has one that can be printed.
func TestSample(t *testing.T) {
	mutants := make([]mutate.Edit, 1000)
	first, again := choose(parse(t, "-sample", "5", "-seed", "1"), mutants), choose(parse(t, "-sample", "5", "-seed", "1"), mutants)
	other := choose(parse(t, "-sample", "5", "-seed", "2"), mutants)
	if len(first) != 5 || !slices.Equal(first, again) || slices.Equal(first, other) {
		t.Errorf("%v, %v, %v", first, again, other)
	}
	if parse(t).seed == 0 {
		t.Error("there is no seed")
	}
}

// A mutant counts as it should be only if what is expected of it has happened.
func TestTally(t *testing.T) {
	for name, test := range map[string]struct {
		fate          fate
		expected, why string
		want          tally
	}{
		"by a property":                {fate{found: "P"}, "P", "", tally{byOther: 1}},
		"by a test":                    {fate{found: "TestP"}, "TestP", "for a reason", tally{byOther: 1}},
		"by its graph":                 {fate{found: mutate.ByGraph, where: "CQ"}, mutate.ByGraph, "", tally{byGraph: 1}},
		"by something else":            {fate{found: "Q"}, "P", "", tally{bad: 1}},
		"by a test only":               {fate{found: "TestP"}, mutate.ByGraph, "", tally{bad: 1}},
		"not found":                    {fate{}, "P", "", tally{bad: 1}},
		"the same":                     {fate{}, mutate.Same, "for a reason", tally{same: 1}},
		"found in spite of its reason": {fate{found: "P"}, mutate.Same, "for a reason", tally{bad: 1}},
		"another graph all the same":   {fate{found: mutate.ByGraph, where: "CQ"}, mutate.Same, "for a reason", tally{bad: 1}},
		"a test's, and the same":       {fate{}, "TestP", "for a reason", tally{bad: 1}},
		"not tried":                    {fate{err: errors.New("no")}, mutate.Same, "for a reason", tally{bad: 1}},
	} {
		var got tally
		if got.report(name, test.fate, test.expected, test.why); got != test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}

// Every mutant is Go.
func TestMutantsAreGo(t *testing.T) {
	mutants, sources, err := modelMutants(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	all := map[int]mutate.Mutant{}
	for i, m := range mutants {
		all[i+1] = m
	}
	files := token.NewFileSet()
	parse := func(name string, text any) *ast.File {
		file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	pkg := []*ast.File{parse("mutant.go", mutate.Chooser)}
	names, err := filepath.Glob(filepath.Join("..", "..", "model", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		switch text, ok := sources[filepath.Base(name)]; {
		case ok:
			together, err := mutate.Together(filepath.Base(name), text, all)
			if err != nil {
				t.Fatal(err)
			}
			pkg = append(pkg, parse(name, together))
		case !strings.HasSuffix(name, "_test.go"):
			pkg = append(pkg, parse(name, nil))
		}
	}
	checks := types.Config{Importer: importer.ForCompiler(files, "source", nil), Error: func(err error) { t.Error(err) }}
	if _, err := checks.Check("model", files, pkg, nil); err != nil {
		t.Errorf("of %d mutants, not all are Go: %v", len(all), err)
	}
}

// Each of survivors.tsv is a mutant.
func TestSurvivors(t *testing.T) {
	explained, err := survivors()
	if err != nil {
		t.Fatal(err)
	}
	mutants, _, err := modelMutants(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if len(mutants) < 200 {
		t.Errorf("there are %d mutants of the model", len(mutants))
	}
	seen := map[string]bool{}
	for _, m := range mutants {
		if seen[m.String()] {
			t.Errorf("two mutants are named %s", m)
		}
		seen[m.String()] = true
	}
	for name := range explained {
		if !seen[name] {
			t.Errorf("survivors.tsv explains what is no mutant: %s", name)
		}
	}
}

func configuration(t *testing.T, o options, name string) tlc.Configuration {
	t.Helper()
	manifest, err := tlc.ReadManifest(o.tla())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(manifest, func(c tlc.Configuration) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("there is no configuration %s", name)
	}
	return manifest[i]
}

// keptGraph has TLC's graph of a configuration kept.
func keptGraph(t *testing.T, o options, name string) tlc.Configuration {
	t.Helper()
	jar, err := tlc.FindJar(t.Context(), filepath.Join(o.build, "tlc"))
	if err != nil {
		t.Fatal(err)
	}
	c := configuration(t, o, name)
	machine, err := mc.Read(os.DirFS(o.tla()), c.Module, c.Name)
	if err != nil {
		t.Fatal(err)
	}
	runner := o.runner()
	runner.Jar = jar
	if _, err := runner.Graph(t.Context(), c, machine.Actions()); err != nil {
		t.Fatal(err)
	}
	return c
}

// An operator of the model is replaced (of CQs, QPs, tokens, or of the three together): the comparison with TLC's graph finds it, and
// prints what the step does on either side, and the rule by which the model refuses it. The model that is not changed has the same graph.
func TestDifferenceLeadsToTheStepOfTheModel(t *testing.T) {
	o := parse(t)
	ways := map[string]struct {
		configuration, test string // in which it is found, and what of the model's own tests finds it
		want                []string
	}{
		"cq.go close: Closing is Closed in `q.Open = Closing`": {"CQ-verbs-live", "TestClausesOfCq", []string{`
Then MCNdkCloseCq("q") differs.
     Only tla/ leads to
       cq.q.open = "CLOSING"
     Only the model leads to
       cq.q.open = "CLOSED"
`}},
		"cq.go place: >= is > in `len(q.Entries) >= capacity`": {"CQ-verbs-live", "TestClausesOfCq", []string{`
       cq.q.fresh = 2
Then MCPlace("q", `, ` differs.
     In tla/ it cannot be taken.
     Only the model leads to
`}},
		"cq.go Match: `c.Solicited || failed` without `failed`": {"CQ-verbs-live", "TestClausesOfCq", []string{`
Then MCPlace("q", `, `status |-> "FAILED"`}},
		"cq.go age: `q.Fresh, q.Uncounted, q.Taken = 0, false, 0` without `q.Fresh`": {"CQ-verbs-live", "TestClausesOfCq", []string{`
     Only tla/ leads to
       cq.q.due = 0
       cq.q.fresh = 0
     Only the model leads to
       cq.q.due = 0
`}},
		"qp.go canExecute: Deferred is Indicated in `case requests[i].Phase == Deferred:`": {"QP-reading-A29-told", "TestClausesOfQp", []string{`
     In the model it cannot be taken: DEF-02: the request has not been indicated to the hardware.
`}},
		"qp.go end: CANCELLED is SUCCESS in `requests[i].Phase = executedAs(CANCELLED)`": {"QP-reading-A29-told", "TestClausesOfQp", []string{`
Then MCNdkFlush("a") differs.
`, `phase |-> "CANCELLED"`, `phase |-> "SUCCESS"`}},
		"token.go executeToken: Valid is Undefined in `return s.withToken(r.Token, Valid), nil`": {"Ndk-reading-A8-inline", "TestClausesOfTokens", []string{`
       token.t = "VALID"
     Only the model leads to
`, `
       token.t = "UNDEFINED"
`}},
		"token.go executeToken: `r.Op == Invalidate && dead` without `dead`": {"Ndk-reading-A8-inline", "TestClausesOfTokens", []string{`
     In the model it cannot be taken: POLL-08: the token was invalid already.
`}},
		"step.go failCq: without `s = s.withQp(i, s.Qps[i].breakDown())`": {"Ndk-overflow", "TestClausesOfCqErrors", []string{`
Then MCOverflow("qr") differs.
     Only tla/ leads to
`, `
       qp.a.state = "BROKEN"
       qp.b.state = "BROKEN"
     Only the model leads to
`}},
		"step.go execute: `r.Op.IsSend() || r.Op == ReceiveOp` without `r.Op.IsSend()`": {"Ndk-overflow", "TestClausesOfConnection", []string{`
     In tla/ it cannot be taken.
     Only the model leads to
`}},
	}
	mutants, sources, err := modelMutants(o.root)
	if err != nil {
		t.Fatal(err)
	}
	chosen := map[int]mutate.Mutant{}
	for i, m := range mutants {
		if _, ok := ways[m.String()]; ok {
			chosen[i+1] = m
		}
	}
	if len(chosen) != len(ways) {
		t.Fatalf("of %d mutants there are %v", len(ways), chosen)
	}
	program, err := buildMutants(t.Context(), o.root, t.TempDir(), sources, chosen)
	if err != nil {
		t.Fatal(err)
	}
	workers := newPool(o, program)
	defer workers.stop()
	for number, m := range chosen {
		way := ways[m.String()]
		c := keptGraph(t, o, way.configuration)
		a, err := workers.ask(t.Context(), question{number, []string{c.Name}})
		if err != nil || a.Difference == nil {
			t.Errorf("%s: not found, %v", m, err)
			continue
		}
		told := a.Difference.String()
		for _, want := range way.want {
			if !strings.Contains(told, want) {
				t.Errorf("%s: the way does not lead there:\n%swant\n%s", m, told, want)
			}
		}
		if test, err := program.test(t.Context(), o.root, number); err != nil || test != way.test {
			t.Errorf("%s: the tests of the model that fail are %q, %v", m, test, err)
		}
	}
	// A configuration that cannot be read is an error, not something that finds the mutant.
	if f := workers.try(t.Context(), question{nothing, []string{"no-such"}}); f.found != "" || f.err == nil || !strings.Contains(f.err.Error(), "no configuration no-such") {
		t.Errorf("without a specification: %+v", f)
	}
	if f := workers.try(t.Context(), question{nothing, []string{"CQ-verbs-live"}}); f != (fate{}) {
		t.Errorf("nothing is changed, and found: %+v", f)
	}
}

// A mutant that does not end is found, and takes nothing from the next one.
func TestMutantWithoutEnd(t *testing.T) {
	o := parse(t, "-jobs", "1")
	mutants, sources, err := modelMutants(o.root)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(mutants, func(m mutate.Mutant) bool { return m.String() == "cq.go matchedBy: without `i++`" })
	if i < 0 {
		t.Fatal("there is no such mutant")
	}
	program, err := buildMutants(t.Context(), o.root, t.TempDir(), sources, map[int]mutate.Mutant{1: mutants[i]})
	if err != nil {
		t.Fatal(err)
	}
	workers := newPool(o, program)
	defer workers.stop()
	c := keptGraph(t, o, "CQ-verbs-reading-A25-yes")
	if a, err := workers.ask(t.Context(), question{1, []string{c.Name}}); err != nil || a.Found != "it does not end" {
		t.Errorf("without an end: found by %q, %v", a.Found, err)
	}
	if a, err := workers.ask(t.Context(), question{nothing, []string{c.Name}}); err != nil || a != (answer{}) {
		t.Errorf("nothing is changed, and found: %+v, %v", a, err)
	}
}

// An edit is found by the property that is named, and by no other; what changes nothing is not found.
func TestSpecification(t *testing.T) {
	o := parse(t)
	jar, err := tlc.FindJar(t.Context(), filepath.Join(o.build, "tlc"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSpecification(t.Context(), o, jar, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	lastArmWins := mutate.Edit{Module: "CompletionQueue", Definition: "Merge", Old: "ELSE first", New: "ELSE second", What: "the last arm wins",
		Configuration: "CQ-reading-A35-exact"}
	neverOverflows := mutate.Edit{Module: "CompletionQueue", Definition: "CanOverflow", Old: ">= r.depth", New: "> Room", What: "nothing overflows",
		Configuration: "CQ-verbs-live"}
	nothingChanges := mutate.Edit{Module: "CompletionQueue", Definition: "Overflow", Old: "CanOverflow(cq[q])", New: "CanOverflow(cq[q]) /\\ TRUE", What: "nothing",
		Configuration: "CQ-verbs-live"}
	for _, test := range []struct {
		edit         mutate.Edit
		by           string
		any          bool
		want, inText string
	}{
		{lastArmWins, "ArmIsTheJoin", false, "ArmIsTheJoin", ""},
		{lastArmWins, "ArmNotMissed", false, "", ""},
		{lastArmWins, "", true, "ArmIsTheJoin", ""},
		{lastArmWins, "NoSuchProperty", false, "", "NoSuchProperty is not among what is checked"},
		{neverOverflows, mutate.ByGraph, false, mutate.ByGraph, ""},
		{nothingChanges, mutate.Same, false, "", ""},
	} {
		e := test.edit
		e.Found = test.by
		found, err := s.find(t.Context(), e, test.any)
		if found != test.want || (err != nil) != (test.inText != "") || err != nil && !strings.Contains(err.Error(), test.inText) {
			t.Errorf("%s, by %q: found by %q, %v", e, test.by, found, err)
		}
	}
}
