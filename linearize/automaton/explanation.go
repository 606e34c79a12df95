package automaton

import (
	"encoding/binary"
	"slices"
)

// An explanation is one course of the hidden steps, as far as it matters from here on: the state of the CQ, and what has
// to be true of the completions that it holds. Completions that nothing has needed yet are not placed yet.
type explanation struct {
	control
	cells []cell // oldest first; never changed in place
	old   int    // how many of the cells are not fresh: placed before the last callback was entered, as a rule
	gone  bool   // what it held of the QP whose close completed last has vanished
	stay  int    // how many of those that may have vanished have not: the QP had no more requests
}

// appendKey appends an encoding of x: two explanations are equal exactly when their keys are.
func (x explanation) appendKey(key []byte) []byte {
	key = slices.Grow(key, 24+3*len(x.cells)) // about
	key = append(key, byte(x.arm)<<4|byte(x.health)<<2|byte(x.open), bit(x.errorDue)|bit(x.running)<<1|bit(x.reported)<<2|bit(x.aheadOfError)<<3|
		bit(x.uncounted)<<4|bit(x.gone)<<5|bit(x.unread)<<6, byte(x.taken), x.done, x.ahead)
	key = binary.AppendUvarint(key, uint64(x.waiting))
	key = binary.AppendUvarint(key, uint64(x.least))
	key = binary.AppendUvarint(key, uint64(x.most))
	key = binary.AppendUvarint(key, uint64(x.old))
	key = binary.AppendUvarint(key, uint64(x.stay))
	key = binary.AppendUvarint(key, uint64(len(x.cells)))
	for _, c := range x.cells {
		key = append(key, byte(c.form)<<4|byte(c.kinds))
		key = binary.AppendUvarint(key, uint64(c.by))
	}
	return key
}

// equal reports whether x and y are the same.
func (x explanation) equal(y explanation) bool {
	return x.control == y.control && x.old == y.old && x.gone == y.gone && x.stay == y.stay && slices.Equal(x.cells, y.cells)
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// aged returns how many completions x holds, at least, if none of these is fresh, and else 0.
func (x explanation) aged() int {
	n := 0
	for i, c := range x.cells {
		switch {
		case c.form == many:
		case c.form == one && i < x.old:
			n++
		default:
			return 0
		}
	}
	return n
}

// with returns x with one more cell, the newest.
func (m *Machine) with(x explanation, c cell) explanation {
	x.cells = append(append(m.arena.empty(len(x.cells)+1), x.cells...), c)
	if x.uncounted {
		x.old = len(x.cells)
	}
	return x
}

// extended returns x with all completions that may be placed now without any effect.
func (m *Machine) extended(x explanation, now uint16) explanation {
	if loop := m.placing(x.control).loop; loop != 0 {
		return m.with(x, cell{form: many, kinds: loop, by: now})
	}
	return x
}

// normalise reduces x to its shortest form. It omits completions that may as well be placed later, and cells that add nothing to their neighbours.
func (m *Machine) normalise(x *explanation) {
	loop := m.placing(x.control).loop
	n := len(x.cells)
	for n > 0 && x.cells[n-1].form == many && x.cells[n-1].kinds&^loop == 0 && (n > x.old || x.uncounted || m.freshServesAsOld) {
		n--
	}
	cells := m.arena.empty(n)
	old := 0
	for i, c := range x.cells[:n] {
		isOld := i < x.old
		for len(cells) > 0 && c.form == many {
			last := cells[len(cells)-1]
			sameAge := isOld == (len(cells) <= old)
			if last.form != many || last.kinds&^c.kinds != 0 || last.by > c.by || !sameAge {
				break
			}
			cells = cells[:len(cells)-1]
			old = min(old, len(cells))
		}
		if k := len(cells); k > 0 && c.form == many && cells[k-1].form == many && c.kinds&^cells[k-1].kinds == 0 && c.by == cells[k-1].by &&
			isOld == (k <= old) {
			continue
		}
		cells = append(cells, c)
		if isOld {
			old = len(cells)
		}
	}
	x.cells, x.old = cells, old
}
