package tlc

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Graph is a complete state graph as TLC found it: every initial state, every state, and every step with its action and
// arguments. A state is a row of numbers, which say for each variable which of its values it has.
type Graph struct {
	Actions   []string // with their arguments, as they are written in TLA+
	Variables []string
	Values    [][]string // of each variable, in the canonical form
	Rows      []uint32   // of all states, one after the other
	Initial   []uint32
	First     []uint32 // the steps from state s are those from First[s] to First[s+1]
	Taken     []uint32 // of each step: its action
	To        []uint32 // of each step: the state that it leads to

	// Depth is how many states are on the longest of the shortest ways from the initial states, as TLC counts it.
	Depth int
}

// States returns the number of states.
func (g *Graph) States() int { return len(g.First) - 1 }

// Row returns which values the variables have in a state.
func (g *Graph) Row(state uint32) []uint32 {
	n := len(g.Variables)
	return g.Rows[int(state)*n : (int(state)+1)*n]
}

// Value returns the value of a variable in a state.
func (g *Graph) Value(state uint32, variable int) string {
	return g.Values[variable][g.Row(state)[variable]]
}

// graphBuilder accepts states and steps in the order in which TLC writes them: all steps from one state together.
type graphBuilder struct {
	Graph
	operators map[string]uint32   // numbers for the operators of the MC module, after those of the actions
	names     []string            // of the operators
	ofAction  []uint32            // the operator of each action
	known     map[int64]uint32    // states by TLC's fingerprint
	raw       []map[string]uint32 // values of each variable as TLC printed them
	canonical []map[string]uint32

	source int64 // whose steps these are
	steps  []step

	like *likeness // to the graph that this one should be, or nil
}

type step struct {
	label uint32 // an action, or an operator
	to    int64
}

// An edge is a step to a state that has its number.
type edge struct{ label, to uint32 }

func (x edge) compare(y edge) int {
	return cmp.Or(cmp.Compare(x.label, y.label), cmp.Compare(x.to, y.to))
}

func newGraphBuilder(actions []string, like *likeness) *graphBuilder {
	b := &graphBuilder{Graph: Graph{Actions: actions}, operators: map[string]uint32{}, known: map[int64]uint32{}, like: like}
	for _, action := range actions {
		operator, _, _ := strings.Cut(action, "(")
		b.ofAction = append(b.ofAction, b.operator(operator))
	}
	return b
}

func (b *graphBuilder) operator(name string) uint32 {
	n, known := b.operators[name]
	if !known {
		n = uint32(len(b.Actions) + len(b.names))
		b.operators[name] = n
		b.names = append(b.names, name)
	}
	return n
}

// finish ends the steps from one state. Each must be there twice: as the step of an operator of the MC module, which
// MCNext takes, and as that of one of the actions with its arguments. So the actions are all that there are.
func (b *graphBuilder) finish() error {
	if len(b.steps) == 0 {
		return nil
	}
	source, known := b.known[b.source]
	if !known {
		return fmt.Errorf("a step from a state that was not there before: %d", b.source)
	}
	if int(source) < len(b.First) {
		return fmt.Errorf("the steps from state %d are in two places", source)
	}
	for len(b.First) <= int(source) {
		b.First = append(b.First, uint32(len(b.To)))
	}
	var ofActions, ofOperators, ofInstances []edge
	for _, s := range b.steps {
		to, known := b.known[s.to]
		switch {
		case !known:
			return fmt.Errorf("a step to a state that is not there: %d", s.to)
		case int(s.label) < len(b.Actions):
			ofActions = append(ofActions, edge{s.label, to})
			ofInstances = append(ofInstances, edge{b.ofAction[s.label], to})
		default:
			ofOperators = append(ofOperators, edge{s.label, to})
		}
	}
	b.steps = b.steps[:0]
	for _, edges := range []*[]edge{&ofActions, &ofOperators, &ofInstances} {
		slices.SortFunc(*edges, edge.compare)
		*edges = slices.Compact(*edges)
	}
	if !slices.Equal(ofOperators, ofInstances) {
		return b.notTheSame(source, func(yield func(uint32, bool) bool) {
			for _, e := range ofOperators {
				if !slices.Contains(ofInstances, e) && !yield(e.label, true) {
					return
				}
			}
			for _, e := range ofInstances {
				if !slices.Contains(ofOperators, e) && !yield(e.label, false) {
					return
				}
			}
		})
	}
	for _, e := range ofActions {
		b.Taken, b.To = append(b.Taken, e.label), append(b.To, e.to)
	}
	if b.like != nil {
		return b.like.steps(source, ofActions)
	}
	return nil
}

// ErrOtherActions says that MCNext takes other steps than the actions of which a graph was to be made.
var ErrOtherActions = errors.New("the actions are others")

// notTheSame says of the first step that is not there twice which side lacks it.
func (b *graphBuilder) notTheSame(source uint32, differences func(yield func(label uint32, inSpecification bool) bool)) error {
	var state []string
	for i, name := range b.Variables {
		state = append(state, name+" = "+b.Value(source, i))
	}
	for label, inSpecification := range differences {
		name := b.names[int(label)-len(b.Actions)]
		if inSpecification {
			return fmt.Errorf("%w: MCNext takes a step of %s with arguments that are not in the table of actions, or that the "+
				"table's bounds leave out, from\n%s", ErrOtherActions, name, strings.Join(state, "\n"))
		}
		return fmt.Errorf("%w: %s takes a step with arguments from the table of actions that MCNext does not take, from\n%s",
			ErrOtherActions, name, strings.Join(state, "\n"))
	}
	return nil
}
