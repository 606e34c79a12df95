package mc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// The explorer encodes a moment as numbers, one for the value of each part. A part has few values, and moments are their combinations, so the numbers are
// small. The effect of a step on the parts that it touches is computed once for each combination of their values. The first technique is known as state
// compression (Laarman, van de Pol, Weber: Parallel Recursive State Compression for Free, SPIN 2011). The second is known as transition caching over a
// dependency matrix (Blom, van de Pol, Weber: LTSmin: Distributed and Symbolic Reachability, CAV 2010).
//
// It is exact. Two values have one number only if their keys are the same. Steps are those of Machine.try, and so of the contract's Step. They are
// computed from a moment whose untouched parts have their initial values, so a result depends only on the memo's key. One assumption remains: a step
// touches no more than its parts say. Each computation checks that the step changes no more. TestSameStatesAsTla checks that it reads no more: it compares
// the steps from every moment with those of Machine.Next.

// A memo has the numbers of a machine's parts, and the steps between them as far as they are known.
type memo struct {
	machine *Machine
	parts   []*values
	groups  []*group
}

// values are those values of a part that were met. Each has a number.
type values struct {
	part
	sync.RWMutex
	numbers map[string]uint32 // by key
	all     []any             // by number
}

// atFirst is the number of the value that a part has in the first initial moment.
const atFirst = 0

// A group is of the steps that touch the same parts.
type group struct {
	steps, parts []int
	known        map[string][]uint32 // by the numbers of the parts: each step from there, followed by the numbers afterwards
	fleeting     bool                // the same numbers hardly ever come again: nothing is remembered
}

func newMemo(machine *Machine) *memo {
	o := &memo{machine: machine}
	for _, p := range machine.parts {
		of := &values{part: p, numbers: map[string]uint32{}}
		of.number(&machine.init[0], nil)
		o.parts = append(o.parts, of)
	}
	for k := range machine.steps {
		var parts []int
		for i, p := range machine.parts {
			if p.touched(&machine.steps[k]) {
				parts = append(parts, i)
			}
		}
		i := slices.IndexFunc(o.groups, func(g *group) bool { return slices.Equal(g.parts, parts) })
		if i < 0 {
			i = len(o.groups)
			all := len(parts) == len(machine.parts) // and a moment is visited once
			o.groups = append(o.groups, &group{parts: parts, known: map[string][]uint32{}, fleeting: all})
		}
		o.groups[i].steps = append(o.groups[i].steps, k)
	}
	return o
}

// number returns the number of the value that the part has in a moment.
func (of *values) number(m *Moment, scratch []byte) uint32 {
	key := of.appendKey(scratch[:0], m)
	of.RLock()
	n, known := of.numbers[string(key)]
	of.RUnlock()
	if known {
		return n
	}
	of.Lock()
	defer of.Unlock()
	if n, known := of.numbers[string(key)]; known {
		return n
	}
	n = uint32(len(of.all))
	of.numbers[string(key)] = n
	of.all = append(of.all, of.value(m))
	return n
}

// put gives the part the value of a number.
func (of *values) put(m *Moment, number uint32) {
	of.RLock()
	value := of.all[number]
	of.RUnlock()
	of.set(m, value)
}

// intact returns an error if a value is not what it was when it got its number: states are values, and share what does not
// change.
func (o *memo) intact() error {
	m := o.machine.init[0].clone()
	for _, of := range o.parts {
		for key, number := range of.numbers {
			if of.put(&m, number); !bytes.Equal(of.appendKey(nil, &m), []byte(key)) {
				return fmt.Errorf("a step elsewhere changed a value to %+v", of.value(&m))
			}
		}
	}
	return nil
}

// A reader looks steps up in a memo, and finds out those that are not there. Each goroutine has one of its own, and what it
// finds out is its own until it is told.
type reader struct {
	*memo
	found   []map[string][]uint32 // of each group
	moment  Moment                // scratch, with all parts as they are at first; and so are these
	moments []Moment
	key     []byte
	list    []uint32
}

func (o *memo) newReader() reader {
	r := reader{memo: o, moment: o.machine.init[0].clone(), key: make([]byte, 0, 256)}
	for range o.groups {
		r.found = append(r.found, map[string][]uint32{})
	}
	return r
}

// read makes m the moment of these numbers, write appends those of m.
func (r *reader) read(m *Moment, numbers []uint32) {
	for i, of := range r.parts {
		of.put(m, numbers[i])
	}
}

func (r *reader) write(numbers []uint32, m *Moment) []uint32 {
	for _, of := range r.parts {
		numbers = append(numbers, of.number(m, r.key))
	}
	return numbers
}

// steps returns the steps of a group from the moment of these numbers: of each its own number, then those of the parts that
// the group touches, as they are afterwards. The list is good until the next one is asked for.
func (r *reader) steps(i int, from []uint32) ([]uint32, error) {
	g := r.groups[i]
	if g.fleeting {
		err := r.findOut(g, from)
		return r.list, err
	}
	r.key = r.key[:0]
	for _, part := range g.parts {
		r.key = binary.AppendUvarint(r.key, uint64(from[part]))
	}
	if steps, known := g.known[string(r.key)]; known {
		return steps, nil
	}
	if steps, known := r.found[i][string(r.key)]; known {
		return steps, nil
	}
	key := string(r.key)
	err := r.findOut(g, from)
	r.found[i][key] = slices.Clone(r.list)
	return r.list, err
}

// findOut puts the steps of a group into r.list.
func (r *reader) findOut(g *group, from []uint32) error {
	r.list = r.list[:0]
	for _, part := range g.parts {
		r.parts[part].put(&r.moment, from[part])
	}
	for _, k := range g.steps {
		s := &r.machine.steps[k]
		r.moments, _ = r.machine.try(&r.moment, s, r.moments[:0])
		for i := range r.moments {
			r.list = append(r.list, uint32(k))
			touched := g.parts
			for part, of := range r.parts {
				n := of.number(&r.moments[i], r.key)
				switch {
				case len(touched) > 0 && touched[0] == part:
					r.list, touched = append(r.list, n), touched[1:]
				case n != atFirst:
					return fmt.Errorf("%s is not said to touch what it changes to %+v", s.text, of.value(&r.moments[i]))
				}
			}
		}
	}
	for _, part := range g.parts {
		r.parts[part].put(&r.moment, atFirst)
	}
	return nil
}

// tell publishes what the reader has found. No other reader may use the memo meanwhile. A group with many entries for the number of visited
// moments is rarely hit: it is not worth its memory, and is dropped.
func (r *reader) tell(visited int) {
	for i, g := range r.groups {
		if !g.fleeting {
			maps.Copy(g.known, r.found[i])
		}
		clear(r.found[i])
		if visited > 10_000 && len(g.known) > visited/2 {
			g.fleeting, g.known = true, nil
		}
	}
}
