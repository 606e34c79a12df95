package tlc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A module that is small enough to be told by heart: a light that is switched, dimmed to 0 or 1, or left alone.
const (
	lightModule = `---- MODULE Light ----
EXTENDS Naturals
CONSTANT Levels
VARIABLES on, level
MCInit == on = FALSE /\ level = 0
MCSwitch == on' = ~on /\ UNCHANGED level
MCDim(n) == on /\ level' = n /\ UNCHANGED on
MCWait(why) == on /\ UNCHANGED <<on, level>>
MCNext == MCSwitch \/ (\E n \in Levels : MCDim(n)) \/ MCWait("tired")
Spec == MCInit /\ [][MCNext]_<<on, level>>
NoProperty == FALSE
====
`
	lightConfiguration = "SPECIFICATION Spec\nCONSTANTS Levels = {0, 1}\nINVARIANTS NoProperty\nCHECK_DEADLOCK FALSE\n"
)

var lightActions = []string{"MCSwitch", "MCDim(0)", "MCDim(1)", `MCWait("tired")`}

func light(t *testing.T, module string) (Runner, Configuration) {
	t.Helper()
	r := runner(t)
	r.Dir = t.TempDir()
	for name, text := range map[string]string{"Light.tla": module, "light.cfg": lightConfiguration} {
		if err := os.WriteFile(filepath.Join(r.Dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return r, Configuration{Name: "light", Module: "Light"}
}

// The graph has every step with its arguments: steps of several actions to one state, and steps that change nothing.
func TestGraphIsComplete(t *testing.T) {
	r, c := light(t, lightModule)
	g, err := r.Graph(t.Context(), c, lightActions)
	if err != nil {
		t.Fatal(err)
	}
	type edge struct{ from, action, to string }
	name := func(state uint32) string {
		var words []string
		for i, v := range g.Variables {
			words = append(words, v+" = "+g.Value(state, i))
		}
		slices.Sort(words)
		return strings.Join(words, ", ")
	}
	got := map[edge]bool{}
	for s := range uint32(g.States()) {
		for k := g.First[s]; k < g.First[s+1]; k++ {
			got[edge{name(s), g.Actions[g.Taken[k]], name(g.To[k])}] = true
		}
	}
	off0, off1, on0, on1 := "level = 0, on = FALSE", "level = 1, on = FALSE", "level = 0, on = TRUE", "level = 1, on = TRUE"
	want := map[edge]bool{}
	for _, e := range []edge{
		{off0, "MCSwitch", on0}, {on0, "MCSwitch", off0}, {off1, "MCSwitch", on1}, {on1, "MCSwitch", off1},
		{on0, "MCDim(0)", on0}, {on0, "MCDim(1)", on1}, {on1, "MCDim(0)", on0}, {on1, "MCDim(1)", on1},
		{on0, `MCWait("tired")`, on0}, {on1, `MCWait("tired")`, on1},
	} {
		want[e] = true
	}
	if !reflect.DeepEqual(got, want) || len(g.To) != len(want) {
		t.Errorf("got %d steps %v, want %v", len(g.To), got, want)
	}
	if len(g.Initial) != 1 || name(g.Initial[0]) != off0 || g.Depth != 4 {
		t.Errorf("the initial states are %v, the depth is %d", g.Initial, g.Depth)
	}

	// It is kept until something changes that it is made from.
	again, err := r.Graph(unstartable(t), c, lightActions)
	if err != nil || !reflect.DeepEqual(again, g) {
		t.Errorf("the second time: %+v, %v", again, err)
	}
	changed := strings.Replace(lightModule, "level' = n", "level' = 1 - n", 1)
	if err := os.WriteFile(filepath.Join(r.Dir, "Light.tla"), []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Graph(unstartable(t), c, lightActions); !errors.Is(err, context.Canceled) {
		t.Errorf("with another module TLC has to run again: %v", err)
	}
}

// A graph is the same however TLC comes by it, and another one if there is another initial state, a state, a step or an
// action more or less.
func TestSame(t *testing.T) {
	r, c := light(t, lightModule)
	g, err := r.Graph(t.Context(), c, lightActions)
	if err != nil {
		t.Fatal(err)
	}
	for want, changes := range map[bool][][2]string{
		true: {{"MCDim(n) == on /\\", "MCDim(n) == n \\in {1, 0} /\\ on /\\"}, {"MCSwitch \\/ (", "MCWait(\"tired\") \\/ MCSwitch \\/ ("}},
		false: {{"level = 0", "level \\in {0, 1}"}, {"level' = n", "level' = n + 1"}, {"MCSwitch == on'", "MCSwitch == level = 0 /\\ on'"},
			{"MCDim(n) == on", "MCDim(n) == TRUE"}, {" \\/ MCWait(\"tired\")", ""}},
	} {
		for _, change := range changes {
			r, c := light(t, strings.Replace(lightModule, change[0], change[1], 1))
			if same, err := r.Same(t.Context(), c, g); err != nil || same != want {
				t.Errorf("%q: the same is %v, %v", change, same, err)
			}
		}
	}
	r, c = light(t, strings.Replace(lightModule, "on = FALSE", "on = FAL", 1))
	if same, err := r.Same(t.Context(), c, g); err == nil || same {
		t.Errorf("what TLC does not understand is the same: %v", same)
	}
}

// unstartable returns a context in which no program can be started.
func unstartable(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// An action that is missing in the table, or is not one of MCNext, is an error that names it.
func TestGraphNeedsAllActions(t *testing.T) {
	for want, actions := range map[string][]string{
		"MCNext takes a step of MCDim with arguments":      {"MCSwitch", "MCDim(0)", `MCWait("tired")`},
		"MCNext takes a step of MCWait with arguments":     {"MCSwitch", "MCDim(0)", "MCDim(1)"},
		"MCDim takes a step with arguments from the table": append([]string{"MCDim(2)"}, lightActions...),
		"Parsing or semantic analysis failed":              append([]string{"MCBreak"}, lightActions...),
	} {
		r, c := light(t, lightModule)
		if _, err := r.Graph(t.Context(), c, actions); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// What TLC can't evaluate is told in its own words: that steps are missing follows from it.
func TestGraphTellsWhatTLCSays(t *testing.T) {
	for _, broken := range []string{"level' = <<n>>[2]", "UNCHANGED on /\\ level' = Head(SubSeq(<<n>>, 0, 1))", "level' = 1 \\div n"} {
		r, c := light(t, strings.Replace(lightModule, "level' = n", broken, 1))
		if _, err := r.Graph(t.Context(), c, lightActions); err == nil || !strings.Contains(err.Error(), "output.txt: ") {
			t.Errorf("%s: got %v", broken, err)
		}
	}
}

const goodDump = `strict digraph DiskGraph {
nodesep=0.35;
subgraph cluster_graph {
color="white";
-1 [label="/\\ x = 0\n/\\ y = \"a\"",style = filled]
-1 -> 5 [label="MCUp",color="black",fontcolor="black"];
5 [label="/\\ x = 1\n/\\ y = \"a\""];
-1 -> 5 [label="Instance0",color="black",fontcolor="black"];
{rank = same; -1;}
}
}`

// A dump that is not as it should be is an error with its line, and never half a graph.
func TestReadDumpErrors(t *testing.T) {
	if g, err := readDump(strings.NewReader(goodDump), []string{"MCUp(1)"}, nil); err != nil || g.States() != 2 || len(g.To) != 1 {
		t.Fatalf("got %+v, %v", g, err)
	}
	for want, change := range map[string][2]string{
		"the dump breaks off":                        {"}\n}", ""},
		`line 5 of TLC's dump: neither a state`:      {"-1 [label", "-1 {label"},
		`line 2 of TLC's dump: neither a state`:      {"nodesep", "nodeshape"},
		"a state that does not end":                  {`"a\"",style`, `"a\"", style`},
		"a step without end or label":                {`5 [label="MCUp"`, `x [label="MCUp"`},
		"a step of Instance7, which is not defined":  {"Instance0", "Instance7"},
		"a step to a state that is not there: 6":     {"-1 -> 5 [label=\"Instance0", "-1 -> 6 [label=\"Instance0"},
		"a step from a state that was not there":     {"-1 -> 5 [label=\"MCUp", "7 -> 5 [label=\"MCUp"},
		"state 5 is there twice":                     {"{rank", "5 [label=\"/\\\\ x = 1\\n/\\\\ y = 2\"];\n{rank"},
		"a state with other variables":               {`x = 1`, `z = 1`},
		"a state with 1 variables, not 2":            {`x = 1\n/\\ y = \"a\"`, `x = 1`},
		"a state without variables":                  {`"/\\ x = 1`, `"x = 1`},
		"x: no value of TLA+":                        {`x = 1`, `x = <<1`},
		"MCNext takes a step of MCUp with arguments": {"-1 -> 5 [label=\"Instance0\",color=\"black\",fontcolor=\"black\"];\n", ""},
	} {
		text := strings.Replace(goodDump, change[0], change[1], 1)
		if text == goodDump {
			t.Fatalf("%q changes nothing", change)
		}
		if g, err := readDump(strings.NewReader(text), []string{"MCUp(1)"}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %+v, %v; want %q", g, err, want)
		}
	}
}
