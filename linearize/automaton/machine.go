// Package automaton decides, one event after the other, whether the contract of package model explains what is seen of one
// completion queue. It keeps every explanation that no other makes needless, as a set; what an event makes of a set is
// computed once, from the model's own steps, and remembered.
//
// docs/streaming.md says why that is exact.
package automaton

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"sync/atomic"
	"unsafe"

	"ndkoracle/model"
)

// A Machine remembers sets of explanations and what events make of them, for all CQs of one dialect. It is not safe for
// concurrent use.
type Machine struct {
	contract model.Contract

	// freshServesAsOld: where a fresh completion is, an old one would allow nothing more; oldServesAsFresh: the other way.
	freshServesAsOld, oldServesAsFresh bool

	agesAtEntry  bool // what the CQ holds is old once a callback is entered
	looksAtEntry bool // agesAtEntry, and no check when the callback returns

	places  map[control]*placing
	latest  [1 << 7]*placing // of those that were asked for, by a few bits of their control states
	classes map[control]int  // the numbers of control states without their intervals
	answers map[question]answer
	looked  map[look][]outcome
	sets    map[string]*set
	size    int // about, in bytes, of what is remembered
	limit   int
	halted  atomic.Bool

	matches [model.ANY + 1][levels + 1]Kinds // the kinds that count for an arm as a level or more
	scratch
}

// scratch is memory that a machine uses again for each set.
type scratch struct {
	arena      arena
	taken      []explanation
	staged     []explanation
	found      []explanation
	candidates []candidate
	kept       coverings
	owed       []Moment
	owedLeft   []Moment
	order      []*candidate
	alive      []explanation
	number     []uint16
	key        []byte
	parts      [][]byte
}

// ErrTooMany is the answer when the explanations of one CQ are more than are kept.
var ErrTooMany = errors.New("more explanations than are kept are alive")

// ErrHalted is the answer of a machine that was halted while it worked one out.
var ErrHalted = errors.New("the check was ended")

// Halt ends what the machine is working out, and all that it would have to from now on. It may be called at any time.
func (m *Machine) Halt() { m.halted.Store(true) }

// Halted reports whether Halt was called.
func (m *Machine) Halted() bool { return m.halted.Load() }

// The bounds of one set: what is beyond them is not decided.
const (
	maxAlive  = 1 << 10 // explanations
	maxStaged = 1 << 14 // explanations on the way to the next set
	maxRanks  = 1 << 12 // moments that explanations refer to
)

// DefaultMemory bounds what a machine remembers, in bytes.
const DefaultMemory = 32 << 20

// New returns a machine for a dialect whose cache uses about memory bytes, or DefaultMemory for 0.
func New(d model.Dialect, memory int) *Machine {
	if memory == 0 {
		memory = DefaultMemory
	}
	d.A35 = model.A35AtLeast // whether there was room is the caller's to know
	m := &Machine{contract: model.Contract{Dialect: d, Depth: []int{unlimited}}, limit: memory,
		places: map[control]*placing{}, classes: map[control]int{}, answers: map[question]answer{}, looked: map[look][]outcome{}, sets: map[string]*set{}}
	polledCounts := d.A25 == model.A25Yes && d.FreshAtArm != model.MustNot // a fresh completion does, when it has left the CQ
	m.freshServesAsOld = d.FreshAtArm == model.May || d.FreshAtArm == d.OldAtArm && !polledCounts
	m.agesAtEntry = !d.Serialised || d.A3 != model.A3Return
	m.looksAtEntry = m.agesAtEntry && d.A28 == model.A28AtOnce
	for a := range m.matches {
		AnyKind.each(func(kind Kinds) {
			for level := range m.strength(model.Arm(a), kind) + 1 {
				m.matches[a][level] |= kind
			}
		})
	}
	m.oldServesAsFresh = !polledCounts && (d.OldAtArm == model.May || d.FreshAtArm == d.OldAtArm)
	return m
}

// A set is what is known of one CQ: the explanations that are alive, none of which covers another, with what they share.
type set struct {
	alive   []explanation
	flights []model.Arm // NdkArmCq that were called and have not returned, in the order of the calls
	readers uint8       // how many callbacks may have been entered before the trace records it; anyReaders is no limit
	need    []int       // for each rank: how many completions one explanation has had placed by then, at most
	next    steps
	seen
}

const anyReaders = ^uint8(0)

// A step leads from a set to another by an event.
type step struct {
	to    *set
	shift uint32           // how many callbacks fewer may be owed in to than in truth
	keep  []uint16         // the ranks that to refers to, in the order of its own
	why   []*model.Refusal // when nothing is alive in to: why, once each
	err   error
}

// intern returns the step to the set of such explanations. What another covers is left out.
func (m *Machine) intern(alive []explanation, flights []model.Arm, readers uint8, ranks uint16) *step {
	return m.lowered(m.uncovered(alive), flights, readers, ranks)
}

// lowered is intern of explanations none of which covers another, as those are that are left of a set.
func (m *Machine) lowered(alive []explanation, flights []model.Arm, readers uint8, ranks uint16) *step {
	shift := lower(alive)
	s := m.known(alive, flights, readers, ranks)
	s.shift = shift
	return s
}

// known returns the step to a set of explanations as they are. A new set has memory of its own, so theirs may be used again.
func (m *Machine) known(alive []explanation, flights []model.Arm, readers uint8, ranks uint16) *step {
	if len(alive) > maxAlive {
		return &step{err: ErrTooMany}
	}
	keep := m.renumber(alive, ranks)
	if len(keep) > maxRanks {
		return &step{err: ErrTooMany}
	}
	key := m.keyOf(alive, flights, readers)
	s := m.sets[string(key)]
	if s == nil {
		s = &set{alive: owned(alive), flights: flights, readers: readers, need: need(alive, len(keep))}
		s.seen = m.see(alive)
		m.remember(s.size() + len(key))
		m.sets[string(key)] = s
	}
	return &step{to: s, keep: keep}
}

// size returns how many bytes the set takes, about, and the step that led to it.
func (s *set) size() int {
	n := int(unsafe.Sizeof(*s)+unsafe.Sizeof(step{})) + len(s.alive)*int(unsafe.Sizeof(explanation{})) + 8*len(s.need)
	for i := range s.alive {
		n += len(s.alive[i].cells) * int(unsafe.Sizeof(cell{}))
	}
	return n
}

// keyOf returns an encoding of a set, in memory that is used again: two sets are equal exactly when their keys are.
func (m *Machine) keyOf(alive []explanation, flights []model.Arm, readers uint8) []byte {
	key, parts := m.key[:0], m.parts[:0]
	for i := range alive {
		n := len(key)
		key = alive[i].appendKey(key)
		parts = append(parts, key[n:]) // where it was, if the key has moved on since
	}
	slices.SortFunc(parts, bytes.Compare)
	n := len(key)
	key = append(key, readers, byte(len(flights)))
	for _, a := range flights {
		key = append(key, byte(a))
	}
	for _, p := range parts {
		key = binary.AppendUvarint(key, uint64(len(p)))
		key = append(key, p...)
	}
	m.key, m.parts = key, parts
	return key[n:]
}

// remember accounts for memory; when there is too much, everything is forgotten, and computed again where it is needed.
func (m *Machine) remember(bytes int) {
	if m.size += bytes; m.size > m.limit {
		for _, s := range m.sets {
			s.next = steps{}
		}
		clear(m.sets)
		m.size = 0
	}
}

// renumber replaces the ranks of all cells by 0, 1, …, and returns the ranks that these were.
func (m *Machine) renumber(alive []explanation, ranks uint16) []uint16 {
	number := slices.Grow(m.number[:0], int(ranks))[:ranks]
	m.number = number
	clear(number)
	n := 0
	for _, x := range alive {
		for _, c := range x.cells {
			n += 1 - int(number[c.by])
			number[c.by] = 1
		}
	}
	if n == 0 {
		return nil
	}
	keep := make([]uint16, 0, n)
	for old, used := range number {
		if used != 0 {
			number[old] = uint16(len(keep))
			keep = append(keep, uint16(old))
		}
	}
	for i := range alive {
		cells := m.arena.empty(len(alive[i].cells))
		for _, c := range alive[i].cells {
			c.by = number[c.by]
			cells = append(cells, c)
		}
		alive[i].cells = cells
	}
	return keep
}

// owned returns a copy of explanations in memory of their own.
func owned(alive []explanation) []explanation {
	alive, n := slices.Clone(alive), 0
	for _, x := range alive {
		n += len(x.cells)
	}
	cells := make([]cell, 0, n)
	for i, x := range alive {
		first := len(cells)
		cells = append(cells, x.cells...)
		alive[i].cells = cells[first:len(cells):len(cells)]
	}
	return alive
}

// need returns, for each rank, how many completions an explanation says had been placed by then, at most.
func need(alive []explanation, ranks int) []int {
	most := make([]int, ranks)
	for _, x := range alive {
		n := 0
		for _, c := range x.cells {
			if c.form.isPlaced() {
				n++
				most[c.by] = max(most[c.by], n)
			}
		}
	}
	for i := 1; i < ranks; i++ {
		most[i] = max(most[i], most[i-1])
	}
	return most
}

// seen is what explanations say of the CQ that others ask for.
type seen struct {
	arms       model.Arms // that are outstanding, NONE included
	placedArms model.Arms // that would be outstanding once completions are placed
	owes       bool       // all say that a callback is owed
	mayOwe     bool       // one does
	firstMany  uint16     // the first moment by which any number of completions may have been placed, or anyTime
	aged       int        // completions that the CQ holds at least, none of these fresh, if all say the same, and else 0
}

func (m *Machine) see(alive []explanation) seen {
	s := seen{owes: len(alive) > 0, firstMany: anyTime}
	for i, x := range alive {
		if aged := x.aged(); i == 0 {
			s.aged = aged
		} else if aged != s.aged {
			s.aged = 0
		}
		for _, c := range x.cells {
			if c.form == many {
				s.firstMany = min(s.firstMany, c.by)
			}
		}
		s.arms |= 1 << x.arm
		s.placedArms |= 1 << x.arm
		for _, change := range m.placing(x.control).changes {
			s.placedArms |= 1 << change.to.arm
		}
		s.owes = s.owes && (x.least > 0 || x.errorDue)
		s.mayOwe = s.mayOwe || x.most > 0 || x.errorDue
	}
	return s
}
