package prove

import (
	"fmt"
	"strings"

	"ndkoracle/internal/tlc"
)

// Compare says in what a graph differs from that which TLC wrote of the same configuration: "" if in nothing. States are compared
// by the values of their variables, steps by their states, actions and arguments.
func Compare(g *Graph, t *tlc.Graph) (difference string, err error) {
	theirs := map[string]int{}
	for s := range t.States() {
		var parts []string
		for i, v := range t.Variables {
			parts = append(parts, v+" = "+t.Value(uint32(s), i))
		}
		theirs[strings.Join(parts, "\n")] = s
	}
	same := make([]int, len(g.States)) // TLC's number of each state
	for s, values := range g.States {
		var parts []string
		for _, v := range t.Variables {
			text, err := tlc.Canonical(values[v])
			if err != nil {
				return "", fmt.Errorf("%s = %s: %w", v, values[v], err)
			}
			parts = append(parts, v+" = "+text)
		}
		text := strings.Join(parts, "\n")
		n, known := theirs[text]
		if !known {
			return "the formulas reach a state that TLC does not:\n" + text, nil
		}
		same[s] = n
	}
	if len(g.States) != t.States() {
		return fmt.Sprintf("the formulas reach %d states, TLC %d", len(g.States), t.States()), nil
	}
	if g.Depth != t.Depth {
		return fmt.Sprintf("the formulas have a depth of %d, TLC of %d", g.Depth, t.Depth), nil
	}
	return compareSteps(g, t, same)
}

func compareSteps(g *Graph, t *tlc.Graph, same []int) (string, error) {
	type step struct {
		from, to int
		label    string
	}
	steps := map[step]bool{}
	labels := make([]string, len(t.Actions))
	for i, a := range t.Actions {
		label, err := canonicalLabel(a)
		if err != nil {
			return "", err
		}
		labels[i] = label
	}
	for s := range t.States() {
		for i := t.First[s]; i < t.First[s+1]; i++ {
			steps[step{s, int(t.To[i]), labels[t.Taken[i]]}] = true
		}
	}
	ours := map[string]string{}
	found := 0
	for _, x := range g.Steps {
		label, known := ours[x.Label]
		if !known {
			var err error
			if label, err = canonicalLabel(x.Label); err != nil {
				return "", err
			}
			ours[x.Label] = label
		}
		if !steps[step{same[x.From], same[x.To], label}] {
			return fmt.Sprintf("the formulas have a step %s that TLC has not, from\n%v", label, g.States[x.From]), nil
		}
		found++
	}
	if found != len(steps) {
		return fmt.Sprintf("the formulas have %d steps, TLC %d", found, len(steps)), nil
	}
	return "", nil
}

// canonicalLabel writes an action with the arguments in their canonical form: as a tuple, which TLC's values have.
func canonicalLabel(label string) (string, error) {
	name, args, ok := strings.Cut(strings.TrimSuffix(label, ")"), "(")
	if !ok {
		return label, nil
	}
	tuple, err := tlc.Canonical("<<" + args + ">>")
	if err != nil {
		return "", fmt.Errorf("%s: %w", label, err)
	}
	return name + tuple, nil
}
