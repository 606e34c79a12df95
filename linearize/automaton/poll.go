package automaton

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/model"
)

// example returns something that a CQ with the content of x may hold.
func (m *Machine) example(x explanation) []model.Completion {
	for _, c := range x.cells {
		for kind := Plain; kind <= Cancelled; kind <<= 1 {
			if c.kinds&kind != 0 {
				return []model.Completion{completions[kind]}
			}
		}
	}
	return nil
}

// pollOne is a poll that returns a completion.
var pollOne = model.Action{Name: model.NdkGetCqResults, N: 1, K: 1}

// deliver takes the oldest completion out: one that the CQ held, or one that is placed only now.
func (t *transition) deliver(x explanation) {
	e, m := t.event, t.machine
	if _, refusal := m.step(x.control, pollOne, m.contractEntry(), 0); refusal != nil {
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
		_, refusal := m.step(x.control, model.Action{Name: model.Place, Completion: completions[kind]}, nil, 0)
		t.refuse(refusal)
	}
}

// polled keeps what becomes of y by the poll of a completion of one of the kinds, which may count on if it was fresh (A25).
func (t *transition) polled(y explanation, kinds Kinds, wasFresh bool) {
	var next []control
	kinds.each(func(kind Kinds) {
		after, _ := t.machine.step(y.control, pollOne, []model.Completion{completions[kind]}, inside(wasFresh))
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

func (m *Machine) contractEntry() []model.Completion { return []model.Completion{completions[Plain]} }

// from returns x without its first n cells.
func (x explanation) from(n int) explanation {
	x.cells, x.old = x.cells[n:], max(x.old-n, 0)
	return x
}

// empty takes a poll that had room and returned nothing.
func (t *transition) empty(x explanation) {
	m := t.machine
	poll := model.Action{Name: model.NdkGetCqResults, N: 1}
	if _, refusal := m.step(x.control, poll, m.contractEntry(), 0); refusal == nil {
		t.keep(x) // of a CQ that holds something, too
		return
	}
	if !x.nullable() {
		_, refusal := m.step(x.control, poll, m.contractEntry(), 0)
		t.refuse(refusal)
		return
	}
	_, refusal := m.step(x.control, poll, nil, 0)
	if refusal != nil {
		t.refuse(refusal)
		return
	}
	t.keep(x.emptied())
}
