package main

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/clause"
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
func keptGraph(t *testing.T, o options, name string) (tlc.Runner, tlc.Configuration) {
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
	return runner, c
}

var lineNumbers = regexp.MustCompile(`(\.(?:tla|go):)[0-9-]+`)

// One operator of the model is another (a rule of CQs, QPs, tokens, or of the three together): the comparison with TLC's graph finds it, and the way that it prints leads there, with
// the clause of either side. The model that is not changed has the same graph.
func TestDifferenceLeadsToTheOperatorOfTheModel(t *testing.T) {
	o := parse(t)
	ways := map[string]struct {
		configuration, test string // in which it is found, and what of the model's own tests finds it
		want                []string
	}{
		"cq.go close: Closing is Closed in `q.Open = Closing`": {"CQ-verbs-live", "TestClausesOfCq", []string{`
Then MCNdkCloseCq("q") differs.
     Only tla/ leads to
       cq.q.open = "CLOSING"
     What sets cq.q.open:
       tla/CompletionQueue.tla:`, ` NdkCloseCq: Become(q, {[cq[q] EXCEPT !.open = "CLOSING"]})
`, `
     Only the model leads to
       cq.q.open = "CLOSED"
     What can set cq.q.open:
       model/cq.go:`, ` close: q.Open = Closed
`}},
		"cq.go place: >= is > in `len(q.Entries) >= capacity`": {"CQ-verbs-live", "TestClausesOfCq", []string{`
       cq.q.fresh = 2
Then MCPlace("q", `, ` differs.
     In tla/ it cannot be taken.
     What is false there:
       tla/CompletionQueue.tla:`, ` CanPlace: Len(r.entries) < Capacity(r)
`, `
     Only the model leads to
`, `
     What could refuse it, the likest first:
`, ` place: len(q.Entries) > capacity
`}},
		"cq.go Match: `c.Solicited || failed` without `failed`": {"CQ-verbs-live", "TestClausesOfCq", []string{`
     What is evaluated besides, the nearest first:
`, ` Match: c.solicited
`, ` Match: ~Succeeded(c)
`, `
     What may be done besides, the nearest first:
`, ` Match: a == ANY, a == SOLICITED && (c.Solicited || (false && failed)), a == ERRORS && failed && d.A4 == A4Must
`}},
		"cq.go age: `q.Fresh, q.Uncounted, q.Taken = 0, false, 0` without `q.Fresh`": {"CQ-verbs-live", "TestClausesOfCq", []string{`
     What sets cq.q.fresh:
       tla/CompletionQueue.tla:`, ` Aged: [r EXCEPT !.fresh = 0, !.uncounted = FALSE, !.taken = {}]
`, `
     What can set cq.q.fresh:
       nothing by its own name
`, ` age: _, q.Uncounted, q.Taken = 0, false, 0
`}},
		"qp.go canExecute: Deferred is Indicated in `case requests[i].Phase == Deferred:`": {"QP-reading-A29-told", "TestClausesOfQp", []string{`
       tla/QueuePair.tla: CanExecute: ~Deferred(queue[i])
`, `
     In the model it cannot be taken: DEF-02: the request has not been indicated to the hardware.
     What can refuse it so:
       model/qp.go: canExecute: requests[i].Phase == Indicated
`}},
		"qp.go end: CANCELLED is SUCCESS in `requests[i].Phase = executedAs(CANCELLED)`": {"QP-reading-A29-told", "TestClausesOfQp", []string{`
Then MCNdkFlush("a") differs.
`, `
       tla/QueuePair.tla: Cancelled: [i \in DOMAIN queue |-> IF queue[i].phase \in phases THEN [queue[i] EXCEPT !.phase = "CANCELLED"] ELSE queue[i]]
     What is evaluated besides`, `
       model/qp.go: end: requests[i].Phase = executedAs(SUCCESS)
     What may be done besides`}},
		"token.go executeToken: Valid is Undefined in `return s.withToken(r.Token, Valid), nil`": {"Ndk-reading-A8-inline", "TestClausesOfTokens", []string{`
       token.t = "VALID"
     What sets token.t:
       tla/Tokens.tla: Become: token' = [token EXCEPT ![t] = validity]
     What is evaluated besides, the nearest first:
       tla/Tokens.tla: Execute: Become(r.token, "VALID")
`, `
       token.t = "UNDEFINED"
     What can set token.t:
`, `
       model/token.go: withToken: s.Tokens[t] = v
     What may be done besides, the nearest first:
`, `
       model/token.go: executeToken: return s.withToken(r.Token, Undefined), nil
`}},
		"token.go executeToken: `r.Op == Invalidate && dead` without `dead`": {"Ndk-reading-A8-inline", "TestClausesOfTokens", []string{`
     What is evaluated there, the likest first:
       tla/Tokens.tla: Execute: r.op = "Invalidate"
       tla/Tokens.tla: Execute: CanInvalidate(r.token)
`, `
     In the model it cannot be taken: POLL-08: the token was invalid already.
     What can refuse it so:
       model/token.go: executeToken: r.Op == Invalidate && (true || dead)
     Where`}},
		"step.go failCq: without `s = s.withQp(i, s.Qps[i].breakDown())`": {"Ndk-overflow", "TestClausesOfCqErrors", []string{`
Then MCOverflow("qr") differs.
`, `
     What sets qp.a.state, qp.b.state:
       tla/QueuePair.tla: Break: qp' = [p \in QP |-> IF p \in P THEN [qp[p] EXCEPT !.state = Broken(@)] ELSE qp[p]]
     What is evaluated besides, the nearest first:
       tla/Ndk.tla: Overflow: Qp!Break(Users(q))
`, `
     What may be done besides, the nearest first:
       model/step.go: failCq: _ = s.withQp(i, s.Qps[i].breakDown())
`}},
		"step.go execute: `r.Op.IsSend() || r.Op == ReceiveOp` without `r.Op.IsSend()`": {"Ndk-overflow", "TestClausesOfConnection", []string{`
     In tla/ it cannot be taken.
     What is false there:
       tla/Ndk.tla: Execute: outcome = "SUCCESS" => ByItself(qp[p][queue][i]) \/ Qp!Unacknowledged(qp[p][queue][i])
     Where`, `
     What could refuse it, the likest first:
       model/step.go: execute: c.Composed && a.Outcome == SUCCESS && r.Phase != Unacknowledged && ((false && r.Op.IsSend()) || r.Op == ReceiveOp)
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
	texts, err := clause.ReadSources(filepath.Join(o.root, "model"))
	if err != nil {
		t.Fatal(err)
	}
	for number, m := range chosen {
		way := ways[m.String()]
		runner, c := keptGraph(t, o, way.configuration)
		a, err := workers.ask(t.Context(), question{number, []string{c.Name}})
		if err != nil || a.Difference == nil {
			t.Errorf("%s: not found, %v", m, err)
			continue
		}
		changed := maps.Clone(texts)
		changed[m.File] = m.Apply(changed[m.File])
		model, err := clause.NewModel(changed)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Difference.Explain(t.Context(), runner, c, model); err != nil {
			t.Fatal(err)
		}
		told := lineNumbers.ReplaceAllString(a.Difference.String(), "$1")
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
	_, c := keptGraph(t, o, "CQ-verbs-reading-A25-yes")
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
