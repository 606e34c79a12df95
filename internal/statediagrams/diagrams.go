// Package statediagrams writes docs/contract-states.md: the states of queue pairs, requests and completion queues as diagrams, and the steps that lead
// from one to another. It draws what the model does in configurations of tla/, so a diagram says nothing that TLC has not checked.
package statediagrams

//go:generate go run generate.go

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"ndkoracle/model/mc"
)

// File is where the page is, from the root of the repository.
const File = "docs/contract-states.md"

// A configuration is a module for TLC, and the name of a configuration of it.
type configuration struct{ module, name string }

// A diagram is one view of the states of a part: of each object of that part it tells states apart that differ to a person, and leaves out the rest.
type diagram struct {
	title, intro string
	variable     string // of the module
	// states returns the states that a value of the variable has, by object: those of one object before and behind a step have one key.
	states func(value string) map[string]string
	walked []configuration // between them they take each step of the diagram
	within string          // the name of the group of all states from which a step leads to the same one
	into   string          // that state
}

// An edge is a change of state by one step or another.
type edge struct{ from, to string }

// edges walks the configurations, and returns each change of state with the steps that make it.
func (d *diagram) edges(tla fs.FS) (map[edge][]string, error) {
	found := map[edge]map[string]bool{}
	for _, c := range d.walked {
		machine, err := mc.Read(tla, c.module, c.name)
		if err != nil {
			return nil, err
		}
		variable := slices.Index(machine.Variables(), d.variable)
		if variable < 0 {
			return nil, fmt.Errorf("%s has no variable %s", c.module, d.variable)
		}
		d.walk(machine, variable, func(e edge, action string) {
			if found[e] == nil {
				found[e] = map[string]bool{}
			}
			found[e][step(action)] = true
		})
	}
	edges := map[edge][]string{}
	for e, steps := range found {
		edges[e] = slices.Sorted(maps.Keys(steps))
	}
	return edges, nil
}

// walk visits each moment of a machine once, and calls found for each change of state.
func (d *diagram) walk(machine *mc.Machine, variable int, found func(e edge, action string)) {
	actions := machine.Actions()
	seen := map[string]map[string]string{} // the states of a moment
	var queue []mc.Moment
	come := func(m mc.Moment) map[string]string {
		key := string(machine.AppendKey(nil, m))
		states, ok := seen[key]
		if !ok {
			states = d.states(machine.Value(m, variable))
			seen[key] = states
			queue = append(queue, m)
		}
		return states
	}
	for _, m := range machine.Init() {
		come(m)
	}
	for n := 0; n < len(queue); n++ {
		before := come(queue[n])
		for action, next := range machine.Next(queue[n]) {
			after := come(next)
			for object := range union(before, after) {
				if e := (edge{before[object], after[object]}); e.from != e.to {
					found(e, actions[action])
				}
			}
		}
	}
}

func union(a, b map[string]string) map[string]string {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return both
}

var (
	actionText = regexp.MustCompile(`^MC(\w+)\((.*)\)$`)
	telling    = regexp.MustCompile(`"(SUCCESS|FAILED|CANCELLED|ERRORS|SOLICITED|ANY)"`)
)

// step names an action with what tells it apart: the outcome of an execution, the type of an arm.
func step(action string) string {
	m := actionText.FindStringSubmatch(action)
	if m == nil {
		return action
	}
	name := m[1]
	if name == "Execute" || name == "NdkArmCq" {
		if word := telling.FindStringSubmatch(m[2]); word != nil {
			name += " " + word[1]
		}
	}
	return name
}

// naturalSize has a wide diagram scroll in its column, and not shrink to it.
const naturalSize = `%%{init: {"state": {"useMaxWidth": false}}}%%` + "\n"

// mermaid draws the edges.
func (d *diagram) mermaid(edges map[edge][]string) string {
	var b strings.Builder
	b.WriteString("```mermaid\n")
	if d.into != "" {
		b.WriteString(naturalSize)
	}
	b.WriteString("stateDiagram-v2\n")
	states := map[string]bool{}
	var all []edge
	for e := range edges {
		states[e.from], states[e.to] = true, true
		all = append(all, e)
	}
	slices.SortFunc(all, func(x, y edge) int { return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.to, y.to)) })
	delete(states, "") // where there is no such object yet, or no more
	inside := map[string]bool{}
	var common []string
	for _, e := range all {
		if d.into != "" && e.to == d.into && (common == nil || slices.Equal(common, edges[e])) {
			inside[e.from], common = true, edges[e]
		}
	}
	for _, s := range slices.Sorted(maps.Keys(states)) {
		if !inside[s] {
			fmt.Fprintf(&b, "    state %q as %s\n", s, id(s))
		}
	}
	if len(inside) > 0 {
		fmt.Fprintf(&b, "    state %q as group {\n", d.within)
		for _, s := range slices.Sorted(maps.Keys(inside)) {
			fmt.Fprintf(&b, "        state %q as %s\n", s, id(s))
		}
		b.WriteString("    }\n")
		fmt.Fprintf(&b, "    group --> %s: %s\n", id(d.into), strings.Join(common, ", "))
	}
	for _, e := range all {
		if !inside[e.from] || e.to != d.into {
			fmt.Fprintf(&b, "    %s --> %s: %s\n", id(e.from), id(e.to), strings.Join(edges[e], ", "))
		}
	}
	b.WriteString("```\n")
	return b.String()
}

// id is a state as Mermaid takes it.
func id(state string) string {
	if state == "" {
		return "[*]"
	}
	return strings.NewReplacer(" ", "_", ",", "").Replace(state)
}

const written = "Written by \"go generate ./internal/statediagrams\" from the model, which has the state graphs of `tla/`."

// Page returns the page. The error says what can't be read in the repository.
func Page(repository fs.FS) (string, error) {
	tla, err := fs.Sub(repository, "tla")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# States of the contract\n\n" + written + about)
	for i := range diagrams {
		d := &diagrams[i]
		edges, err := d.edges(tla)
		if err != nil {
			return "", fmt.Errorf("%s: %w", d.title, err)
		}
		var names []string
		for _, c := range d.walked {
			names = append(names, "`"+c.name+"`")
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n%s\nWalked: %s.\n", d.title, d.intro, d.mermaid(edges), strings.Join(names, ", "))
	}
	return b.String(), nil
}
