package automaton

import (
	"slices"

	"ndkoracle/model"
)

// returned keeps the courses on which the arm has taken effect, or, where it was refused, those on which it has not.
func (t *transition) returned(x explanation) {
	f, done := t.event.n, uint8(1)
	if t.event.what == armRefused {
		done = 0
	}
	finish := func(y explanation) {
		if y.done>>f&1 == done {
			low := y.done & (1<<f - 1)
			y.done = low | y.done>>(f+1)<<f
			t.keep(y)
		}
	}
	if done == 0 || x.done>>f&1 == 1 {
		finish(x)
		return
	}
	t.staged(x, finish)
	if len(t.alive) == 0 {
		_, refusal := t.machine.step(x.control, act{name: model.NdkArmCq, arm: t.set.flights[f]}, 0, 0)
		t.refuse(refusal)
	}
}

// enter handles the entry of a callback, which may have happened before the trace records.
func (t *transition) enter(x explanation) {
	if t.event.status == model.OK && x.ahead > 0 {
		y := x
		y.ahead--
		t.keep(y)
	}
	if t.event.status != model.OK && x.aheadOfError {
		y := x
		y.aheadOfError = false
		t.keep(y)
	}
	t.staged(x, func(y explanation) {
		for _, z := range t.machine.entered(y, t.event.status) {
			t.keep(z)
		}
		if t.event.status == model.InternalError || t.event.status != model.OK && t.event.depth == NotFollowed {
			for _, z := range t.machine.failed(y, t.event.status) {
				for _, told := range t.machine.entered(z, t.event.status) {
					t.keep(told)
				}
			}
		}
		if len(t.alive) == 0 {
			enter := act{name: model.NdkCqNotificationCallbackEnter, status: t.event.status}
			_, refusal := t.machine.step(y.control, enter, y.example(), 0)
			if refusal == nil {
				_, refusal = t.machine.step(y.control, enter, 0, 0) // of an empty CQ (A6)
			}
			t.refuse(refusal)
		}
	})
}

// fail handles an error that gives no callback: the CQ has failed by now.
func (t *transition) fail(x explanation) {
	if x.health != model.OK || x.open == model.Closed {
		t.keep(x)
		return
	}
	t.staged(x, func(y explanation) {
		for _, z := range t.machine.failed(y, model.InternalError) {
			t.keep(z)
		}
	})
}

// failed returns the successors of y when the CQ fails just before that is told. A CQ that overflows is full:
// the caller knows that there are as many completions, and y must have a place for each.
func (m *Machine) failed(y explanation, status model.Health) []explanation {
	name := model.CqInternalError
	if status == model.BufferOverflow {
		if name = model.Overflow; !slices.ContainsFunc(y.cells, func(c cell) bool { return c.form == many }) {
			return nil
		}
	}
	next, _ := m.step(y.control, act{name: name}, 0, 0)
	var all []explanation
	for _, to := range next {
		z := y
		z.control = to
		all = append(all, z)
	}
	return all
}
