package mc

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
)

// An Exploration is the result of a visit of all moments. It references the moments, and so keeps their memory.
type Exploration struct {
	States int // distinct moments
	Steps  int // from each of them, by each action with its arguments, to each moment where it may lead
	Depth  int // how many moments are on the longest of the shortest ways from the initial ones

	memo *memo
	seen *keySet
}

// Explore visits the machine's moments breadth first, with that many workers, and checks every moment and every step against the invariants and
// properties that the configuration names. It does not check liveness. The error says what is violated, and where.
//
// It is exact: two moments are identified only if they are equal in every part, whatever their hashes. See also memo.
func (machine *Machine) Explore(workers int) (*Exploration, error) {
	inStates, ofSteps, err := machine.checks()
	if err != nil {
		return nil, err
	}
	found := &Exploration{memo: newMemo(machine), seen: newKeySet()}
	visitors := make([]*visitor, workers)
	for i := range visitors {
		visitors[i] = &visitor{reader: found.memo.newReader(), seen: found.seen, inStates: inStates, ofSteps: ofSteps,
			from: machine.init[0].clone(), to: machine.init[0].clone()}
	}
	for i := range machine.init {
		visitors[0].come(visitors[0].write(nil, &machine.init[i]))
	}
	var level []uint32
	for {
		level = level[:0]
		for _, v := range visitors {
			level = append(level, v.next...)
			v.next = v.next[:0]
		}
		if len(level) == 0 {
			return found, found.memo.intact()
		}
		found.Depth++
		var taken atomic.Int64
		var wait sync.WaitGroup
		for _, v := range visitors {
			wait.Go(func() { v.work(level, &taken) })
		}
		wait.Wait()
		found.States += len(level) / len(machine.parts)
		for _, v := range visitors {
			if v.err != nil {
				return nil, v.err
			}
			v.tell(found.States)
			found.Steps, v.taken = found.Steps+v.taken, 0
		}
	}
}

// A visitor takes steps from the moments of one level to those of the next. Moments are written as numbers.
type visitor struct {
	reader
	seen     *keySet
	inStates []namedInvariant
	ofSteps  []namedProperty
	err      error

	next     []uint32 // the next level, as far as this visitor has found it
	taken    int      // steps
	from, to Moment   // of a step, if there is anything to check; scratch, and so are these
	numbers  []uint32 // of the moment where the step leads
	key      []byte
}

// come puts a moment into the next level if it is new.
func (v *visitor) come(numbers []uint32) {
	v.key = v.key[:0]
	for _, n := range numbers {
		v.key = binary.AppendUvarint(v.key, uint64(n))
	}
	if v.seen.add(v.key) {
		v.next = append(v.next, numbers...)
	}
}

// together is how many moments of a level a visitor takes at a time.
const together = 64

// work visits moments of a level that no other visitor has taken.
func (v *visitor) work(level []uint32, taken *atomic.Int64) {
	width := len(v.parts)
	for v.err == nil {
		last := int(taken.Add(together)) * width
		first := last - together*width
		if first >= len(level) {
			return
		}
		for i := first; i < min(last, len(level)) && v.err == nil; i += width {
			v.err = v.visit(level[i : i+width])
		}
	}
}

func (v *visitor) visit(from []uint32) error {
	v.numbers = append(v.numbers[:0], from...)
	if len(v.inStates)+len(v.ofSteps) > 0 {
		v.read(&v.from, from)
		v.read(&v.to, from)
	}
	for _, check := range v.inStates {
		if !check.holds(&v.from) {
			return fmt.Errorf("%s does not hold in %+v", check.name, v.from.state)
		}
	}
	for i, g := range v.groups {
		steps, err := v.steps(i, from)
		if err != nil {
			return err
		}
		for ; len(steps) > 0; steps = steps[1+len(g.parts):] {
			for k, part := range g.parts {
				v.put(part, steps[1+k])
			}
			if err := v.take(&v.machine.steps[steps[0]]); err != nil {
				return err
			}
		}
		for _, part := range g.parts {
			v.put(part, from[part])
		}
	}
	return nil
}

// put gives a part of the moment where a step leads another value.
func (v *visitor) put(part int, number uint32) {
	v.numbers[part] = number
	if len(v.ofSteps) > 0 {
		v.parts[part].put(&v.to, number)
	}
}

// take handles a step from v.from to v.to, which is the moment of v.numbers.
func (v *visitor) take(s *step) error {
	v.taken++
	for _, check := range v.ofSteps {
		if !check.holds(&v.from, &v.to, s.action) {
			return fmt.Errorf("%s does not hold of %+v\nfrom %+v\nto   %+v", check.name, s.action, v.from.state, v.to.state)
		}
	}
	v.come(v.numbers)
	return nil
}

type (
	namedInvariant struct {
		name  string
		holds invariant
	}
	namedProperty struct {
		name  string
		holds property
	}
)

// checks returns the functions of the names that the configuration checks.
func (machine *Machine) checks() (inStates []namedInvariant, ofSteps []namedProperty, err error) {
	for _, name := range machine.Checked {
		if holds, ok := invariants[name]; ok {
			inStates = append(inStates, namedInvariant{name, holds})
		} else if holds, ok := properties[name]; ok {
			ofSteps = append(ofSteps, namedProperty{name, holds})
		} else if _, ok := liveness[name]; !ok {
			return nil, nil, fmt.Errorf("the specification checks %s, which is not known here", name)
		}
	}
	return inStates, ofSteps, nil
}
