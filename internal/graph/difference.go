package graph

import (
	"fmt"
	"slices"
	"strings"

	"ndkoracle/internal/tlc"
)

// A Difference is where two graphs differ first: a way there from the initial state, which both have, and what comes next on
// each side.
type Difference struct {
	Path   []Stop
	Action string // the action, with its arguments, whose steps differ; "" if the initial states do
	// Where the steps of the action lead, on either side: what they change. Steps that both sides have are not among them.
	InTla, InModel [][]string
	Both           int    // steps of the action that both sides have
	Refusal        string // the rule by which the model refuses the action, and why, where it does not take it at all
}

// A Stop is a state on the way: the action that led there and what it changed, or all variables of the first state.
type Stop struct {
	Action string // "" for the initial state
	Lines  []string
}

// initialDifference is a difference of the initial states. Variables in which all of them agree are left out.
func (w *walk) initialDifference(ofModel []place) *Difference {
	var inTla, inModel [][]string
	for _, state := range w.g.Initial {
		inTla = append(inTla, w.valuesOf(state))
	}
	for _, p := range ofModel {
		inModel = append(inModel, w.values(p))
	}
	all := slices.Concat(inTla, inModel)
	lines := func(states [][]string) [][]string {
		var kept [][]string
		for _, values := range states {
			var differing []string
			for i, line := range w.lines(values) {
				if slices.ContainsFunc(all, func(other []string) bool { return other[i] != values[i] }) {
					differing = append(differing, line)
				}
			}
			kept = append(kept, differing)
		}
		return kept
	}
	return &Difference{InTla: lines(inTla), InModel: lines(inModel)}
}

// difference describes that an action has other steps from a place on one side than on the other.
func (w *walk) difference(at place, action uint32, ofModel []edge) *Difference {
	d := &Difference{Action: w.g.Actions[action], Path: w.path(at.state)}
	var inTla []uint32
	for k := w.g.First[at.state]; k < w.g.First[at.state+1]; k++ {
		if w.g.Taken[k] == action {
			inTla = append(inTla, w.g.To[k])
		}
	}
	before := w.valuesOf(at.state)
	taken := false
	for _, e := range ofModel {
		if e.action != action {
			continue
		}
		taken = true
		if i := slices.Index(inTla, e.to); i >= 0 {
			inTla = slices.Delete(inTla, i, i+1)
			d.Both++
		} else {
			d.InModel = append(d.InModel, w.changes(before, w.values(e.place)))
		}
	}
	for _, to := range inTla {
		d.InTla = append(d.InTla, w.changes(before, w.valuesOf(to)))
	}
	if !taken {
		d.Refusal = w.machine.WhyNot(at.moment, int(action))
	}
	return d
}

// path returns the way to a state.
func (w *walk) path(state uint32) []Stop {
	var stops []Stop
	for w.from[state] != none {
		from := w.from[state]
		stops = append(stops, Stop{w.g.Actions[w.by[state]], w.changes(w.valuesOf(from), w.valuesOf(state))})
		state = from
	}
	stops = append(stops, Stop{Lines: w.lines(w.valuesOf(state))})
	slices.Reverse(stops)
	return stops
}

// valuesOf returns the values of a state of the graph, values those of a place, both in the order of the model's variables.
func (w *walk) valuesOf(state uint32) []string {
	values := make([]string, len(w.columns))
	for i, column := range w.columns {
		values[i] = w.g.Value(state, column)
	}
	return values
}

func (w *walk) values(p place) []string {
	values := make([]string, len(w.columns))
	for i := range values {
		values[i] = w.machine.Value(p.moment, i)
		if canonical, err := tlc.Canonical(values[i]); err == nil {
			values[i] = canonical
		}
	}
	return values
}

func (w *walk) lines(values []string) []string {
	var lines []string
	for i, name := range w.machine.Variables() {
		lines = append(lines, name+" = "+values[i])
	}
	return lines
}

func (w *walk) changes(before, after []string) []string {
	var lines []string
	for i, name := range w.machine.Variables() {
		lines = append(lines, tlc.Changes(name, before[i], after[i])...)
	}
	if lines == nil {
		lines = []string{"(nothing changes)"}
	}
	return lines
}

// String describes the difference as a way that can be followed by hand.
func (d *Difference) String() string {
	var b strings.Builder
	indent := func(lines []string) {
		for _, line := range lines {
			fmt.Fprintf(&b, "       %s\n", line)
		}
	}
	for i, stop := range d.Path {
		action := stop.Action
		if action == "" {
			action = "the initial state"
		}
		fmt.Fprintf(&b, "%3d  %s\n", i+1, action)
		indent(stop.Lines)
	}
	if d.Action == "" {
		b.WriteString("The initial states differ.\n")
	} else {
		fmt.Fprintf(&b, "Then %s differs.\n", d.Action)
	}
	side := func(name string, steps [][]string, refusal string) {
		switch {
		case len(steps) > 0:
			for _, lines := range steps {
				fmt.Fprintf(&b, "     Only %s leads to\n", name)
				indent(lines)
			}
		case d.Both > 0:
			fmt.Fprintf(&b, "     In %s there is no such step.\n", name)
		default:
			fmt.Fprintf(&b, "     In %s it cannot be taken%s.\n", name, refusal)
		}
	}
	why := ""
	if d.Refusal != "" {
		why = ": " + d.Refusal
	}
	side("tla/", d.InTla, "")
	side("the model", d.InModel, why)
	return b.String()
}
