package automaton

import (
	"ndkoracle/model"
)

// place records that a completion was placed at this very moment.
func (t *transition) place(x explanation) {
	p := t.machine.placing(x.control)
	if kinds := p.loop & t.event.kinds; kinds != 0 {
		t.keep(t.machine.with(x, cell{form: point, kinds: kinds, by: t.now}))
	}
	for _, c := range p.changes {
		if kinds := c.kinds & t.event.kinds; kinds != 0 {
			y := t.machine.with(x, cell{form: point, kinds: kinds, by: t.now})
			y.control = c.to
			t.keep(y)
		}
	}
	if len(t.alive) == 0 {
		kind := t.event.kinds & -t.event.kinds
		_, refusal := t.machine.step(x.control, act{name: model.Place, kind: kind}, 0, 0)
		t.refuse(refusal)
	}
}

// placedBy counts the completions that x says had been placed by the moment of a rank.
func placedBy(x explanation, rank uint16) int {
	n := 0
	for _, c := range x.cells {
		if c.form.isPlaced() && c.by <= rank {
			n++
		}
	}
	return n
}
