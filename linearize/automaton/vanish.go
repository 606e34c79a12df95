package automaton

import (
	"slices"

	"ndkoracle/linearize/breach"
)

// Vanished handles the close of a QP: its completions in the CQ stay there, or all of them vanish just now (A21). again says that the latest
// Vanished was of the same QP. All outstanding requests had ended by the moment of rest ended, which is 0 where it is not known. points has the
// moments at which points placed completions of the QP. No explanation says which of the other completions are the QP's: if others is not 0, any
// may be. Completions of the QP that were owed need not be there any more, as Free has recorded.
func (q *Queue) Vanished(points []Moment, others int, again bool, ended, at Moment) bool {
	if q.err != nil || !q.Alive() || ended != 0 && !q.Ended(ended) {
		return q.Alive()
	}
	q.now, q.prior, q.owed = at, q.set, q.debt
	if n := len(q.moments); n == 0 || q.moments[n-1] != at {
		q.moments, q.pending = append(q.moments, at), append(q.pending, q.open)
	}
	var alive []explanation
	for _, x := range q.set.alive {
		may := []explanation{x}
		if others > 0 || len(q.set.flights) > 0 || q.set.readers > 0 {
			if may, q.err = q.machine.stage(q.set, x, uint16(len(q.moments)-1)); q.err != nil {
				return true
			}
		}
		for _, y := range may {
			if ended != 0 && q.placedBehind(y, ended) {
				continue
			}
			if y.gone = y.gone && again; !y.gone { // else the close has completed, and nothing of the QP was placed since
				alive = append(alive, q.withoutThose(y, points, others))
			}
			alive = append(alive, y)
		}
	}
	q.adopt(q.machine.intern(alive, q.set.flights, q.set.readers, uint16(len(q.moments))))
	return q.Alive()
}

// Stayed records that the completions of the latest Vanished stayed: a poll delivers one of them, or the close has not completed yet.
func (q *Queue) Stayed() bool {
	if q.err != nil || !q.Alive() {
		return q.Alive()
	}
	return q.only(func(x explanation) bool { return !x.gone }, breach.HaveVanished)
}

// withoutThose returns x without the completions that points told of, and if others may have gone with them, without the knowledge
// that these are there.
func (q *Queue) withoutThose(x explanation, points []Moment, others int) explanation {
	y, lostToo := x, 0
	y.gone = true
	y.cells = make([]cell, 0, len(x.cells))
	for i, c := range x.cells {
		if c.form == point && slices.Contains(points, q.moments[c.by]) {
			y.old -= inside(i < x.old)
			continue
		}
		if c.form == one && others > 0 {
			c.form = lost
			lostToo++
		}
		y.cells = append(y.cells, c)
	}
	y.stay += max(lostToo-others, 0)
	return y
}

// Free records that a completion may have left the CQ, which was owed at a moment of rest and could be placed from a moment on. Later Owe
// says that it is there, or NotOwed that it is not.
func (q *Queue) Free(from, rested, at Moment) bool {
	if q.err != nil || !q.Alive() {
		return q.Alive()
	}
	last := q.settle(from, rested)
	if f := q.fenceAt(rested); f != nil {
		f.open++
	}
	if !last {
		return true
	}
	return q.relax(rested, at)
}
