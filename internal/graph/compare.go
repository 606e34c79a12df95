// Package graph compares two state graphs: that of the contract in tla/, as TLC finds it, and that of the model in Go.
package graph

import (
	"cmp"
	"fmt"
	"slices"

	"ndkoracle/internal/tlc"
	"ndkoracle/model/mc"
)

// Compare walks both graphs at once, breadth first from the initial states, as long as they are the same: from each state
// there must be the same steps, by the same actions with the same arguments, to the same states. It returns the first
// difference, or nil. The error is of graphs that cannot be compared: they have not the same variables, or not the same
// actions.
func Compare(machine *mc.Machine, g *tlc.Graph) (*Difference, error) {
	w, err := newWalk(machine, g)
	if err != nil {
		return nil, err
	}
	if difference, err := w.compareInitial(); difference != nil || err != nil {
		return difference, err
	}
	for len(w.queue) > 0 {
		at := w.queue[0]
		w.queue = w.queue[1:]
		if difference, err := w.compareSteps(at); difference != nil || err != nil {
			return difference, err
		}
	}
	if n := len(w.ofKey); n != g.States() {
		return nil, fmt.Errorf("TLC's graph has %d states, of which %d are reached from its initial states", g.States(), n)
	}
	return nil, nil
}

// none stands for no state.
const none = ^uint32(0)

// A walk is over the states of TLC's graph, each with the moment of the model that is the same.
type walk struct {
	machine *mc.Machine
	g       *tlc.Graph

	columns []int               // of each variable of the machine: its place among those of the graph
	numbers []map[string]uint32 // of each variable of the machine: its values in the graph, by the texts that either side has
	ofRow   map[string]uint32   // states of the graph by the values of their variables
	ofKey   map[string]uint32   // the same by the key of the moment
	queue   []place

	reached  []bool
	from, by []uint32 // of each state that was reached: the state before, and the action
	key, row []byte   // scratch
}

// A place is a moment of the model, and the state of the graph that is the same, or none.
type place struct {
	moment mc.Moment
	state  uint32
	seen   bool // the moment was visited before
}

// An edge is a step to a state, or to a place that the graph does not have.
type edge struct {
	action, to uint32
	place      place
}

func newWalk(machine *mc.Machine, g *tlc.Graph) (*walk, error) {
	if actions := machine.Actions(); !slices.Equal(actions, g.Actions) {
		return nil, otherActions(g.Actions, actions)
	}
	w := &walk{machine: machine, g: g, ofRow: map[string]uint32{}, ofKey: map[string]uint32{},
		reached: make([]bool, g.States()), from: make([]uint32, g.States()), by: make([]uint32, g.States())}
	ofModel := machine.Variables()
	for _, name := range g.Variables {
		if !slices.Contains(ofModel, name) {
			return nil, fmt.Errorf("the variable %s is in tla/, and not in the model: it has %q", name, ofModel)
		}
	}
	for _, name := range ofModel {
		i := slices.Index(g.Variables, name)
		if i < 0 {
			return nil, fmt.Errorf("the variable %s is in the model, and not in tla/: it has %q", name, g.Variables)
		}
		numbers := make(map[string]uint32, len(g.Values[i]))
		for n, value := range g.Values[i] {
			numbers[value] = uint32(n)
		}
		w.columns, w.numbers = append(w.columns, i), append(w.numbers, numbers)
	}
	for state := range uint32(g.States()) {
		w.ofRow[string(w.appendRow(g.Row(state)))] = state
	}
	return w, nil
}

// otherActions says in what two lists of actions differ.
func otherActions(ofGraph, ofModel []string) error {
	for i := range max(len(ofGraph), len(ofModel)) {
		if i >= len(ofModel) {
			return fmt.Errorf("TLC's graph was made for more actions than the model has: %s", ofGraph[i])
		}
		if i >= len(ofGraph) || ofGraph[i] != ofModel[i] {
			return fmt.Errorf("TLC's graph was made for other actions than the model has: not for %s, in this place", ofModel[i])
		}
	}
	return nil
}

func (w *walk) appendRow(row []uint32) []byte {
	w.row = w.row[:0]
	for _, n := range row {
		w.row = append(w.row, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	return w.row
}

// find returns the place of a moment.
func (w *walk) find(m mc.Moment) (place, error) {
	w.key = w.machine.AppendKey(w.key[:0], m)
	if state, known := w.ofKey[string(w.key)]; known {
		return place{m, state, true}, nil
	}
	row := make([]uint32, len(w.columns))
	for i, column := range w.columns {
		text := w.machine.Value(m, i)
		n, known := w.numbers[i][text]
		if !known {
			value, err := tlc.Canonical(text)
			if err != nil {
				return place{}, fmt.Errorf("%s: %w", w.g.Variables[column], err)
			}
			if n, known = w.numbers[i][value]; !known {
				return place{m, none, false}, nil
			}
			w.numbers[i][text] = n
		}
		row[column] = n
	}
	state, known := w.ofRow[string(w.appendRow(row))]
	if !known {
		state = none
	}
	return place{m, state, false}, nil
}

// visit puts a place that is seen for the first time into the queue. Two moments of the model that are one state in tla/ are
// an error: they differ in something that the table between the two leaves out.
func (w *walk) visit(p place, from, by uint32) error {
	key := string(w.machine.AppendKey(nil, p.moment))
	if _, seen := w.ofKey[key]; seen {
		return nil
	}
	if w.reached[p.state] {
		return fmt.Errorf("two states of the model are one in tla/; what they differ in is not written. The second is %+v", p.moment)
	}
	w.ofKey[key] = p.state
	w.reached[p.state], w.from[p.state], w.by[p.state] = true, from, by
	w.queue = append(w.queue, p)
	return nil
}

// compareInitial compares the initial states, and visits them.
func (w *walk) compareInitial() (*Difference, error) {
	var ofModel []place
	inBoth := map[uint32]bool{}
	for _, m := range w.machine.Init() {
		p, err := w.find(m)
		if err != nil {
			return nil, err
		}
		ofModel = append(ofModel, p)
		inBoth[p.state] = slices.Contains(w.g.Initial, p.state)
	}
	for _, state := range w.g.Initial {
		if !inBoth[state] {
			return w.initialDifference(ofModel), nil
		}
	}
	for _, p := range ofModel {
		if !inBoth[p.state] {
			return w.initialDifference(ofModel), nil
		}
		if err := w.visit(p, none, 0); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// compareSteps compares the steps from a place, and visits where they lead.
func (w *walk) compareSteps(at place) (*Difference, error) {
	var ofModel []edge
	for action, m := range w.machine.Next(at.moment) {
		p, err := w.find(m)
		if err != nil {
			return nil, err
		}
		ofModel = append(ofModel, edge{uint32(action), p.state, p})
	}
	slices.SortStableFunc(ofModel, func(x, y edge) int { return cmp.Or(cmp.Compare(x.action, y.action), cmp.Compare(x.to, y.to)) })
	ofModel = slices.CompactFunc(ofModel, func(x, y edge) bool { return x.action == y.action && x.to == y.to && x.to != none })
	first, last := w.g.First[at.state], w.g.First[at.state+1]
	for i := range max(len(ofModel), int(last-first)) {
		k := first + uint32(i)
		if i < len(ofModel) && k < last && ofModel[i].action == w.g.Taken[k] && ofModel[i].to == w.g.To[k] {
			continue
		}
		// The lists are sorted: the lower of the two actions is the first that differs.
		action := none
		if i < len(ofModel) {
			action = ofModel[i].action
		}
		if k < last {
			action = min(action, w.g.Taken[k])
		}
		return w.difference(at, action, ofModel), nil
	}
	for _, e := range ofModel {
		if !e.place.seen {
			if err := w.visit(e.place, at.state, e.action); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}
