package mc

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
)

// An Exploration is what a visit of all moments found.
type Exploration struct {
	States int   // distinct moments
	Depth  int   // how many are on the longest of the shortest ways from the initial ones
	Bytes  int64 // that were needed to remember the moments
}

// Explore visits the machine's moments breadth first, on so many processors, and holds every one, and every step, against the
// invariants and properties that the configuration names. Liveness is not looked at. The error says what does not hold where.
//
// It is exact: two moments are one only if their keys are the same, whatever their hashes.
func (machine *Machine) Explore(workers int) (Exploration, error) {
	inStates, ofSteps, err := machine.checks()
	if err != nil {
		return Exploration{}, err
	}
	seen := newKeySet()
	visitors := make([]visitor, workers)
	for i := range visitors {
		visitors[i] = visitor{machine: machine, seen: seen, inStates: inStates, ofSteps: ofSteps}
	}
	for _, m := range machine.init {
		visitors[0].come(&m)
	}
	var found Exploration
	for {
		var level [][]place
		for i := range visitors {
			level = append(level, visitors[i].leave()...)
		}
		if len(level) == 0 {
			break
		}
		found.Depth++
		var taken atomic.Int64
		var wait sync.WaitGroup
		for i := range visitors {
			wait.Go(func() { visitors[i].work(level, &taken) })
		}
		wait.Wait()
		for i := range visitors {
			if err := visitors[i].err; err != nil {
				return Exploration{}, err
			}
		}
	}
	found.States, found.Bytes = seen.size()
	return found, nil
}

// A place is a moment that is to be visited, with its key.
type place struct {
	Moment
	key []byte
}

// together is how many places are handed from one level to the next at a time.
const together = 64

// A visitor takes steps from the moments of one level, to those of the next.
type visitor struct {
	machine  *Machine
	seen     *keySet
	inStates []namedInvariant
	ofSteps  []namedProperty
	err      error

	next    [][]place // all but the last are full
	spare   [][]place // were visited, and have room for others
	key     []byte    // scratch, as are the moments
	moments []Moment
}

// come puts a moment into the next level if it is new.
func (v *visitor) come(m *Moment) {
	v.key = v.machine.AppendKey(v.key[:0], *m)
	key, added := v.seen.add(v.key)
	if !added {
		return
	}
	last := len(v.next) - 1
	if last < 0 || len(v.next[last]) == together {
		last++
		if n := len(v.spare); n > 0 {
			v.next, v.spare = append(v.next, v.spare[n-1][:0]), v.spare[:n-1]
		} else {
			v.next = append(v.next, make([]place, 0, together))
		}
	}
	v.next[last] = append(v.next[last], place{*m, key})
}

// leave returns the next level, as far as this visitor has found it.
func (v *visitor) leave() [][]place {
	next := v.next
	v.next = nil
	return next
}

// work visits parts of a level that no other visitor has taken.
func (v *visitor) work(level [][]place, taken *atomic.Int64) {
	for v.err == nil {
		i := int(taken.Add(1) - 1)
		if i >= len(level) {
			return
		}
		v.err = v.visit(level[i])
		v.spare = append(v.spare, level[i])
	}
}

func (v *visitor) visit(level []place) error {
	for i := range level {
		m := &level[i].Moment
		if v.key = v.machine.AppendKey(v.key[:0], *m); !bytes.Equal(v.key, level[i].key) {
			return fmt.Errorf("a step elsewhere changed a state to %+v", m.state)
		}
		for _, check := range v.inStates {
			if !check.holds(*m) {
				return fmt.Errorf("%s does not hold in %+v", check.name, m.state)
			}
		}
		for k := range v.machine.steps {
			if err := v.take(m, &v.machine.steps[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// take takes one step from a moment, in every way that there is.
func (v *visitor) take(m *Moment, s *step) error {
	v.moments, _ = v.machine.try(m, s, v.moments[:0])
	for i := range v.moments {
		n := &v.moments[i]
		for _, check := range v.ofSteps {
			if !check.holds(*m, *n, s.action) {
				return fmt.Errorf("%s does not hold of %+v\nfrom %+v\nto   %+v", check.name, s.action, m.state, n.state)
			}
		}
		v.come(n)
	}
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
