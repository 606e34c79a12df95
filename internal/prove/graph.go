package prove

import (
	"encoding/binary"
	"fmt"
	"slices"

	"ndkoracle/internal/prove/smt"
)

// Graph is a state graph, as the formulas have it for a configuration in which all constants are known.
type Graph struct {
	States  []map[string]string // values of the variables, written in TLA+
	Initial []int
	Steps   []GraphStep // each once
	Depth   int         // how many states are on the longest of the shortest ways from the initial states
}

// GraphStep is a step from one state to another.
type GraphStep struct {
	From, To int
	Label    string // the action with its arguments, written in TLA+
}

// slot is a place of a state with the formula that a path gives it.
type slot struct {
	at    int
	value smt.Compiled
}

// compiledPath is a path whose formulas can be evaluated.
type compiledPath struct {
	guard    smt.Compiled
	slots    []slot
	lengths  []slot // of sequences: the items behind the last are put to 0
	unknowns []int
	sorts    []smt.Sort
	label    func(instance []int64) string
	checks   []check
}

// check is an invariant, or a property of the steps of a path.
type check struct {
	name string
	hold smt.Compiled
}

type explorer struct {
	proof   *Proof
	layout  *smt.Layout
	longest int64           // of a sequence
	size    int             // of a state
	items   map[int][][]int // of the length of a sequence: places of its items

	invariants []check // of states
	helpers    []compiledHelper
	only       string // what is to be broken; "": anything
	broken     string // what is: there the search ends
}

// Explore finds all states that the formulas reach. No sequence may be longer than longest, and no number that a step chooses
// greater. Each state has to have each invariant of the configuration, and each step each property.
func (p *Proof) Explore(longest int64) (*Graph, error) {
	g, broken, err := p.run(longest, "")
	if err == nil && broken != "" {
		err = fmt.Errorf("%s is broken at depth %d", broken, g.Depth)
	}
	return g, err
}

// Broken explores the states until one breaks an invariant of the configuration, or a step a property, and returns which, and how
// many states are on the way there; "" if none does. Of a ranking it is one of its conditions.
func (p *Proof) Broken(longest int64) (name string, depth int, err error) {
	g, name, err := p.run(longest, "")
	if err != nil {
		return "", 0, err
	}
	return name, g.Depth, nil
}

// run explores the states until something is broken, or only one invariant, property or condition is.
func (p *Proof) run(longest int64, only string) (g *Graph, broken string, err error) {
	x := &explorer{proof: p, layout: smt.NewLayout(-1, longest+2), longest: longest, items: map[int][][]int{}, only: only}
	x.layout.Any = nowhereName
	for _, v := range sortedKeys(p.state) {
		x.place(p.state[v])
	}
	x.size = x.layout.Size()
	start, err := x.compile(p.start)
	if err != nil {
		return nil, "", err
	}
	paths, err := x.compile(p.paths)
	if err != nil {
		return nil, "", err
	}
	check := x.checkClaim
	if p.ranking != nil {
		check = x.checkRanking
	}
	if err := check(paths); err != nil {
		return nil, "", err
	}
	g, err = x.explore(start, paths)
	return g, x.broken, err
}

// checkClaim adds the invariants, and to the paths the properties.
func (x *explorer) checkClaim(paths []compiledPath) (err error) {
	p := x.proof
	if x.invariants, err = x.checks(p.formula, p.Invariants, p.state, nil); err != nil {
		return err
	}
	for i := range paths {
		if paths[i].checks, err = x.checks(p.property, p.Properties, p.state, p.paths[i].next); err != nil {
			return err
		}
	}
	return nil
}

// evaluation evaluates a definition in a state, or in a step.
type evaluation func(name string, now, next map[string]value) (*smt.Term, error)

func (x *explorer) checks(evaluate evaluation, names []string, now, next map[string]value) (list []check, err error) {
	for _, n := range names {
		t, err := evaluate(n, now, next)
		if err != nil {
			return nil, err
		}
		f, err := x.layout.Compile(t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
		list = append(list, check{n, f})
	}
	return list, nil
}

// hold records the first check that fails.
func (x *explorer) hold(checks []check, instance []int64) {
	for _, c := range checks {
		if x.broken == "" && c.hold(instance) == 0 {
			x.breaks(c.name)
		}
	}
}

func (x *explorer) breaks(name string) {
	if x.only == "" || x.only == name {
		x.broken = name
	}
}

func (x *explorer) explore(start, paths []compiledPath) (*Graph, error) {
	g := &Graph{}
	known := map[string]int{}
	var all [][]int64
	add := func(s []int64) int {
		key := make([]byte, 0, 2*len(s))
		for _, n := range s {
			key = binary.AppendVarint(key, n)
		}
		n, old := known[string(key)]
		if !old {
			n = len(all)
			known[string(key)] = n
			all = append(all, slices.Clone(s))
		}
		return n
	}
	instance := make([]int64, x.layout.Size())
	next := make([]int64, x.size)
	for i := range start {
		err := x.take(&start[i], instance, next, func(string) { g.Initial = append(g.Initial, add(next)) })
		if err != nil {
			return nil, err
		}
	}
	end := 0
	for from := 0; from < len(all); from++ {
		if from == end {
			end = len(all)
			g.Depth++
		}
		copy(instance, all[from])
		if x.hold(x.invariants, instance); x.broken != "" {
			return g, nil
		}
		if further, err := x.help(instance, all[from], next); err != nil || x.broken != "" {
			g.Depth += further
			return g, err
		}
		seen := map[GraphStep]bool{}
		for i := range paths {
			copy(instance, all[from])
			err := x.take(&paths[i], instance, next, func(label string) {
				step := GraphStep{from, add(next), label}
				if !seen[step] {
					seen[step] = true
					g.Steps = append(g.Steps, step)
				}
			})
			if err != nil {
				return nil, err
			}
			if x.broken != "" {
				g.Depth++ // the state after it
				return g, nil
			}
		}
	}
	for _, s := range all {
		values := map[string]string{}
		for v, shape := range x.proof.state {
			values[v] = x.stateText(shape, s)
		}
		g.States = append(g.States, values)
	}
	return g, nil
}

// take finds the states to which a path leads from a state, for all values of what it chooses.
func (x *explorer) take(p *compiledPath, instance, next []int64, found func(label string)) error {
	var from func(i int) error
	from = func(i int) error {
		if i < len(p.unknowns) {
			high := x.longest
			if p.sorts[i] == smt.Bool {
				high = 1
			}
			for n := int64(0); n <= high; n++ {
				instance[p.unknowns[i]] = n
				if err := from(i + 1); err != nil {
					return err
				}
			}
			return nil
		}
		if p.guard(instance) == 0 {
			return nil
		}
		clear(next)
		for _, s := range p.slots {
			next[s.at] = s.value(instance)
		}
		for _, s := range p.lengths {
			if next[s.at] > x.longest {
				return fmt.Errorf("a sequence is longer than %d", x.longest)
			}
			for _, places := range x.items[s.at][next[s.at]:] {
				for _, at := range places {
					next[at] = 0
				}
			}
		}
		if x.hold(p.checks, instance); x.broken == "" {
			found(p.label(instance))
		}
		return nil
	}
	return from(0)
}

// longestName is the definition, in a module that has it, of a number that no sequence is longer than in the configurations of TLC.
const longestName = "Longest"

// Largest returns the largest number that is a constant, or what the module has in its place: it bounds the sequences of a state graph. That
// none is longer is checked.
func (p *Proof) Largest() (largest int64) {
	if _, err := p.engine.module.Definition(longestName); err == nil {
		err := p.engine.try(func() { largest, _ = p.engine.numeric(p.engine.definition(longestName, steady{})).Known() })
		if err == nil {
			return largest
		}
	}
	for _, v := range p.engine.constants {
		if s, ok := v.(scalar); ok && s.Sort == smt.Int {
			n, _ := s.Known()
			largest = max(largest, n)
		}
	}
	return largest
}
