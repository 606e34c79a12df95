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
}

// appendKey appends an encoding of x: two explanations are equal exactly when their keys are.
func (x explanation) appendKey(key []byte) []byte {
	key = append(key, byte(x.arm)<<4|byte(x.health)<<2|byte(x.open), bit(x.errorDue)|bit(x.running)<<1|bit(x.reported)<<2|bit(x.aheadOfError)<<3|
		bit(x.uncounted)<<4, byte(x.taken), x.done, x.ahead)
	key = binary.AppendUvarint(key, uint64(x.waiting))
	key = binary.AppendUvarint(key, uint64(x.least))
	key = binary.AppendUvarint(key, uint64(x.most))
	key = binary.AppendUvarint(key, uint64(x.old))
	key = binary.AppendUvarint(key, uint64(len(x.cells)))
	for _, c := range x.cells {
		key = append(key, byte(c.form)<<4|byte(c.kinds))
		key = binary.AppendUvarint(key, uint64(c.by))
	}
	return key
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// with returns x with one more cell, the newest.
func (x explanation) with(c cell) explanation {
	x.cells = append(slices.Clip(x.cells), c)
	if x.uncounted {
		x.old = len(x.cells)
	}
	return x
}

// extended returns x with all completions that may be placed now without any effect.
func (m *Machine) extended(x explanation, now uint16) explanation {
	if loop := m.placing(x.control).loop; loop != 0 {
		return x.with(cell{form: many, kinds: loop, by: now})
	}
	return x
}

// normal returns x in its shortest form: completions that may as well be placed later are left out, and so are cells that
// say nothing beside their neighbours.
func (m *Machine) normal(x explanation) explanation {
	loop := m.placing(x.control).loop
	n := len(x.cells)
	for n > 0 && x.cells[n-1].form == many && x.cells[n-1].kinds&^loop == 0 && (n > x.old || x.uncounted || m.freshServesAsOld) {
		n--
	}
	cells := make([]cell, 0, n)
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
	return x
}

// covers reports whether every course that y can still take, x can take too, perhaps by placing completions only now.
// It may miss some: then an explanation is kept that is not needed.
func (m *Machine) covers(x candidate, y explanation) bool {
	if x.control.includes(y.control) && m.holds(x.explanation, later(x.placing.loop), y) {
		return true
	}
	for _, c := range x.placing.changes {
		if !c.to.includes(y.control) {
			continue
		}
		steps := append(later(x.placing.loop), cell{form: one, kinds: c.kinds, by: anyTime})
		steps = append(steps, later(m.placing(c.to).loop)...)
		if m.holds(x.explanation, steps, y) {
			return true
		}
	}
	return false
}

// anyTime is the deadline of what is placed now or later: later than all others.
const anyTime = ^uint16(0)

func later(loop Kinds) []cell {
	if loop == 0 {
		return nil
	}
	return []cell{{form: many, kinds: loop, by: anyTime}}
}

// includes reports whether d is c, but for an interval within that of c.
func (c control) includes(d control) bool {
	if c.least > d.least || c.most < d.most {
		return false
	}
	c.least, c.most = d.least, d.most
	return c == d
}

// holds reports whether all that y may hold, x may hold too, when the steps follow it.
func (m *Machine) holds(x explanation, steps []cell, y explanation) bool {
	n := len(x.cells) + len(steps)
	// fits[i]: the cells of y from j on are within those of x from i on; after holds the same for j+1.
	after, fits := make([]bool, n+1), make([]bool, n+1)
	after[n] = true
	at := func(i int) (c cell, old bool) {
		if i < len(x.cells) {
			return x.cells[i], i < x.old
		}
		return steps[i-len(x.cells)], x.uncounted
	}
	for i := n - 1; i >= 0; i-- {
		c, _ := at(i)
		after[i] = c.form == many && after[i+1]
	}
	for j := len(y.cells) - 1; j >= 0; j-- {
		d, oldToo := y.cells[j], j < y.old
		fits[n] = false
		for i := n - 1; i >= 0; i-- {
			c, old := at(i)
			ageServes := old == oldToo || old && m.oldServesAsFresh || oldToo && m.freshServesAsOld
			serves := d.kinds&^c.kinds == 0 && d.by <= c.by && ageServes
			switch {
			case c.form == many:
				fits[i] = (d.form == many || d.form == one) && serves && after[i] || fits[i+1]
			case c.form == one:
				fits[i] = d.form == one && serves && after[i+1]
			default:
				fits[i] = d.form == c.form && d.by == c.by && serves && after[i+1]
			}
		}
		after, fits = fits, after
	}
	return after[0]
}
