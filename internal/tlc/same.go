package tlc

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
)

// errOther says that a graph is another one than it should be.
var errOther = errors.New("the graph is another one")

// Same reports whether the graph of a configuration, as TLC finds it now, is g. TLC is stopped at the first difference: at a
// state that g has not, one that has other steps there, or a step that is none of g's actions.
func (r Runner) Same(ctx context.Context, c Configuration, g *Graph) (bool, error) {
	_, err := r.write(ctx, c, g.Actions, newLikeness(g))
	if errors.Is(err, errOther) || errors.Is(err, ErrOtherActions) {
		return false, nil
	}
	return err == nil, err
}

// A likeness says which states of a graph g the states of one that is being built are. Their order may be another one.
type likeness struct {
	g       *Graph
	numbers []map[string]uint32 // of each variable: its values in g
	ofRow   map[string]uint32   // the states of g by their rows
	states  []uint32            // of the states found so far: which of g they are
	row     []byte              // scratch
}

func newLikeness(g *Graph) *likeness {
	l := &likeness{g: g, ofRow: map[string]uint32{}}
	for _, values := range g.Values {
		numbers := map[string]uint32{}
		for n, value := range values {
			numbers[value] = uint32(n)
		}
		l.numbers = append(l.numbers, numbers)
	}
	for state := range uint32(g.States()) {
		l.row = l.row[:0]
		for _, n := range g.Row(state) {
			l.row = binary.LittleEndian.AppendUint32(l.row, n)
		}
		l.ofRow[string(l.row)] = state
	}
	return l
}

// state handles the newest state of a graph.
func (l *likeness) state(b *Graph) error {
	if !slices.Equal(b.Variables, l.g.Variables) {
		return errOther
	}
	l.row = l.row[:0]
	for i, n := range b.Row(uint32(len(l.states))) {
		number, known := l.numbers[i][b.Values[i][n]]
		if !known {
			return errOther
		}
		l.row = binary.LittleEndian.AppendUint32(l.row, number)
	}
	state, known := l.ofRow[string(l.row)]
	if !known {
		return errOther
	}
	l.states = append(l.states, state)
	return nil
}

// steps handles the steps from a state, each of an action to another state.
func (l *likeness) steps(from uint32, steps []edge) error {
	from = l.states[from]
	first, last := l.g.First[from], l.g.First[from+1]
	if len(steps) != int(last-first) {
		return errOther
	}
	steps = slices.Clone(steps)
	for i := range steps {
		steps[i].to = l.states[steps[i].to]
	}
	slices.SortFunc(steps, edge.compare)
	for i, e := range steps {
		if k := first + uint32(i); e.label != l.g.Taken[k] || e.to != l.g.To[k] {
			return errOther
		}
	}
	return nil
}

// end checks the graph when it is complete. All its steps are g's: if there are as many, none is missing.
func (l *likeness) end(b *Graph) error {
	initial := make([]uint32, len(b.Initial))
	for i, state := range b.Initial {
		initial[i] = l.states[state]
	}
	slices.Sort(initial)
	if len(l.states) != l.g.States() || len(b.To) != len(l.g.To) || !slices.Equal(initial, slices.Sorted(slices.Values(l.g.Initial))) {
		return errOther
	}
	return nil
}
