package automaton

import "ndkoracle/model"

// A death is where the last explanations of a Queue went: these, at this event.
type death struct {
	set     *set
	event   event
	moments []Moment // that the explanations refer to, by rank
	pending []int
}

// Resume goes on after an unexplained event from the most plausible state: the event happened. A callback that was entered had been owed, a callback
// that was missing at a moment of rest had been entered, and what an arm asked for had been reported. If the event concerned the contents of the CQ, or
// if explanations are alive, the CQ may have any contents from now on.
func (q *Queue) Resume() {
	d, at := q.death, q.now
	if q.Alive() {
		d = death{set: q.set, event: event{what: pruned}}
	}
	if q.err != nil || d.set == nil {
		return
	}
	e := d.event
	if e.ofContent() {
		q.restart(d, true, at)
		return
	}
	if q.restart(d, false, at); q.take(e, at) {
		return
	}
	q.restart(d, true, at)
	e.is = false // also forget what was owed at a moment of rest
	resumed := *q
	if !q.take(e, at) {
		resumed.err = q.err
		*q = resumed // as if it had not been seen
	}
}

// ofContent reports whether what the CQ holds decides if the event is possible.
func (e event) ofContent() bool {
	switch e.what {
	case delivered, foundEmpty, placed, pruned, fenceGone, fenceShut, fenceOpened:
		return true
	}
	return false
}

// restart makes alive what a death took away, relaxed so that its event is possible. The queue may forget what the CQ holds.
func (q *Queue) restart(d death, forget bool, at Moment) {
	q.moments, q.pending = d.moments, d.pending
	if forget {
		q.moments, q.pending, q.fences = []Moment{at - 1}, []int{q.open}, nil
		q.unknown += points(d)
	}
	var alive []explanation
	for _, x := range plausible(d.set.alive) {
		for _, c := range q.machine.relaxed(x.control, d.event) {
			y := x
			if y.control = c; !forget {
				alive = append(alive, y)
				continue
			}
			y.cells = []cell{{form: many, kinds: AnyKind}}
			for y.old = range 2 { // placed before the last callback, or after it
				alive = append(alive, y)
			}
		}
	}
	q.adopt(q.machine.intern(alive, d.set.flights, d.set.readers, uint16(len(q.moments))))
}

// adopt replaces the present set by one that differs from it by no event.
func (q *Queue) adopt(s *step) {
	if q.err = s.err; q.err != nil {
		return
	}
	for i, rank := range s.keep { // in place: ranks only fall
		q.moments[i], q.pending[i] = q.moments[rank], q.pending[rank]
	}
	q.moments, q.pending = q.moments[:len(s.keep)], q.pending[:len(s.keep)]
	q.set, q.debt = s.to, q.debt+s.shift
}

// points counts the completions that the trace recorded as placed and that are still to be delivered after a death.
func points(d death) int {
	n := 0
	for _, c := range d.set.alive[0].cells {
		if c.form == point {
			n++
		}
	}
	switch {
	case d.event.what == placed:
		n++
	case d.event.what == delivered && d.event.is && n > 0:
		n--
	}
	return n
}

// relaxed returns what c becomes so that an event is possible which is not.
func (m *Machine) relaxed(c control, e event) []control {
	switch e.what {
	case callbackEntered:
		c.least, c.most, c.running = max(c.least, 1), max(c.most, 1), false
		spent := c
		spent.arm = model.NONE
		return []control{c, spent}
	case callbackExited:
		c.running = true
	case rested, notified:
		c.least, c.errorDue = 0, false
	case noEvent:
		c.least, c.unread = 0, false
	case readersAre:
		c.ahead, c.aheadOfError = min(c.ahead, uint8(e.n)), false
	case armReturned:
		c.done |= 1 << e.n
	case armRefused:
		c.done &^= 1 << e.n
	case closeDone:
		c.running, c.errorDue, c.least, c.most = false, false, 0, 0
	default:
		all := []control{c}
		for _, change := range m.placing(c).changes {
			change.to.least = 0 // as if the callback had been entered
			all = append(all, change.to)
		}
		return all
	}
	return []control{c}
}
