package automaton

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/model"
)

// example returns the kind of something that a CQ with the content of x may hold, or 0.
func (x explanation) example() Kinds {
	for _, c := range x.cells {
		if c.kinds != 0 {
			return c.kinds & -c.kinds
		}
	}
	return 0
}

// Polls with room for one completion.
var (
	pollOne  = act{name: model.NdkGetCqResults, found: 1}
	pollNone = act{name: model.NdkGetCqResults}
)

// deliver removes the oldest completion: one that was in the CQ, or one that is placed only now.
func (t *transition) deliver(x explanation) {
	e, m := t.event, t.machine
	if _, refusal := m.step(x.control, pollOne, Plain, 0); refusal != nil {
		t.refuse(refusal)
		return
	}
	for i, c := range x.cells {
		from := x.from(i)
		if !from.holdsThose() {
			t.refuse(breach.OtherExpected)
			return
		}
		fits := c.kinds&e.kinds != 0 && c.by >= e.rank && (c.form == point) == e.is
		switch {
		case c.form == fence:
			t.refuse(breach.BehindFence)
			return
		case c.form == many && fits:
			t.polled(from, c.kinds&e.kinds, i >= x.old)
		case c.form == lost:
			if fits {
				t.polled(from.from(1).isThere(), c.kinds&e.kinds, i >= x.old)
			}
		case c.form == one || c.form == point:
			if fits {
				t.polled(from.from(1), c.kinds&e.kinds, i >= x.old)
			} else {
				t.refuse(breach.OtherExpected)
			}
			return
		}
	}
	if e.is || x.stay > 0 {
		t.refuse(breach.OtherExpected)
		return
	}
	p := m.placing(x.control)
	y := x.emptied()
	t.polled(y, p.loop&e.kinds, !x.uncounted)
	for _, c := range p.changes {
		y.control = c.to
		t.polled(y, c.kinds&e.kinds, !x.uncounted)
	}
	if len(t.alive) == 0 {
		kind := e.kinds & -e.kinds
		_, refusal := m.step(x.control, act{name: model.Place, kind: kind}, 0, 0)
		t.refuse(refusal)
	}
}

// polled keeps the successors of y by the poll of a completion of one of the kinds, which may count on if it was fresh (A25).
func (t *transition) polled(y explanation, kinds Kinds, wasFresh bool) {
	var room [4]control
	next := room[:0]
	kinds.each(func(kind Kinds) {
		after, _ := t.machine.step(y.control, pollOne, kind, inside(wasFresh))
		for _, to := range after {
			if !slices.Contains(next, to) {
				next = append(next, to)
			}
		}
	})
	for _, y.control = range next {
		t.keep(y)
	}
}

// from returns x without its first n cells.
func (x explanation) from(n int) explanation {
	x.cells, x.old = x.cells[n:], max(x.old-n, 0)
	return x
}

// empty handles a poll that had room and returned nothing.
func (t *transition) empty(x explanation) {
	m := t.machine
	_, refusal := m.step(x.control, pollNone, Plain, 0)
	if refusal == nil {
		t.keep(x) // also of a CQ that is not empty
		return
	}
	if !x.nullable() {
		t.refuse(refusal)
		return
	}
	if _, refusal = m.step(x.control, pollNone, 0, 0); refusal != nil {
		t.refuse(refusal)
		return
	}
	t.keep(x.emptied())
}
