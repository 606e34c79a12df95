package mc

import "fmt"

// Explore visits the machine's moments breadth first and holds every one, and every step, against the invariants and
// properties that the configuration names. It returns the number of distinct moments, and how many are on the longest of the
// shortest ways. Liveness is not looked at. The error says what does not hold where.
func (machine *Machine) Explore() (states, depth int, err error) {
	inStates, ofSteps, err := machine.checks()
	if err != nil {
		return 0, 0, err
	}
	key := func(m Moment) string { return string(machine.AppendKey(nil, m)) }
	type visit struct {
		Moment
		key string
	}
	seen := map[string]bool{}
	var level []visit
	for _, m := range machine.init {
		level = append(level, visit{m, key(m)})
		seen[key(m)] = true
	}
	for ; len(level) > 0; depth++ {
		var next []visit
		for _, v := range level {
			m := v.Moment
			if key(m) != v.key {
				return 0, 0, fmt.Errorf("a step elsewhere changed a state to %+v", m.state)
			}
			for name, holds := range inStates {
				if !holds(m) {
					return 0, 0, fmt.Errorf("%s does not hold in %+v", name, m.state)
				}
			}
			for i, n := range machine.Next(m) {
				a := machine.steps[i].action
				for name, holds := range ofSteps {
					if !holds(m, n, a) {
						return 0, 0, fmt.Errorf("%s does not hold of %+v\nfrom %+v\nto   %+v", name, a, m.state, n.state)
					}
				}
				if key := key(n); !seen[key] {
					seen[key] = true
					next = append(next, visit{n, key})
				}
			}
		}
		level = next
	}
	return len(seen), depth, nil
}

// checks returns the functions of the names that the configuration checks.
func (machine *Machine) checks() (inStates map[string]invariant, ofSteps map[string]property, err error) {
	inStates, ofSteps = map[string]invariant{}, map[string]property{}
	for _, name := range machine.Checked {
		if holds, ok := invariants[name]; ok {
			inStates[name] = holds
		} else if holds, ok := properties[name]; ok {
			ofSteps[name] = holds
		} else if _, ok := liveness[name]; !ok {
			return nil, nil, fmt.Errorf("the specification checks %s, which is not known here", name)
		}
	}
	return inStates, ofSteps, nil
}
