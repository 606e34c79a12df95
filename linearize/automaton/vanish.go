package automaton

import (
	"slices"
)

// Vanished takes that the close of a QP completed just now: its completions that are in the CQ stay there, or all of them have
// vanished (A21). Of those that points told of the moments of placement say which they are. Which of the others are the QP's no
// explanation says: where it has others, any may have been. What was owed of it is no longer known to be there: Free has told.
func (q *Queue) Vanished(points []Moment, others bool, at Moment) bool {
	if q.err != nil || !q.Alive() {
		return q.Alive()
	}
	q.now, q.prior = at, q.set
	q.moments, q.pending = append(q.moments, at), append(q.pending, q.open)
	var alive []explanation
	for _, x := range q.set.alive {
		may := []explanation{x}
		if others || len(q.set.flights) > 0 || q.set.readers > 0 {
			if may, q.err = q.machine.stage(q.set, x, uint16(len(q.moments)-1)); q.err != nil {
				return true
			}
		}
		for _, y := range may {
			alive = append(alive, y, q.withoutThose(y, points, others))
		}
	}
	q.adopt(q.machine.intern(alive, q.set.flights, q.set.readers, uint16(len(q.moments))))
	return q.Alive()
}

// withoutThose returns x without the completions that points told of, and if others may have gone with them, without the knowledge
// that these are there.
func (q *Queue) withoutThose(x explanation, points []Moment, others bool) explanation {
	y := x
	y.cells = make([]cell, 0, len(x.cells))
	for i, c := range x.cells {
		if c.form == point && slices.Contains(points, q.moments[c.by]) {
			y.old -= inside(i < x.old)
			continue
		}
		if c.form == one && others {
			c.form = many
		}
		y.cells = append(y.cells, c)
	}
	return y
}

// Free takes that a completion which was owed at a moment of rest, and could be placed from a moment on, may have left the CQ.
func (q *Queue) Free(from, rested, at Moment) bool {
	if q.err == nil && q.Alive() && q.settle(from, rested) {
		return q.relax(rested, at)
	}
	return q.Alive()
}
