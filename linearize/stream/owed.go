package stream

import (
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/model"
)

// What is known later of a moment of rest: a request that was outstanding then had to have completed, or had not.

// order returns how many receives before r, which is outstanding, may have taken a message: one that failed took none, but one that names a bad
// token (INV-05).
func (r *request) order() int {
	p := r.wq.qp
	if p.isRemote() || p.peer.wqs[model.Initiator].names > 0 {
		return r.position
	}
	return r.position - r.wq.lost
}

// learnOwed notes, once a poll of a CQ has returned, which requests had to have completed by the moment of rest at which that was open: of the queues that
// complete into it, and of those at the other ends of their connections.
func (s *Stream) learnOwed(q *cq) {
	s.undecided = slices.DeleteFunc(s.undecided, func(l *workQueue) bool {
		o := l.other()
		return (l.cq == q || o != nil && o.cq == q) && l.learnOwed()
	})
}

// learnOwed does that for a queue, which completes in order. It reports whether all is decided.
func (l *workQueue) learnOwed() bool {
	if l.cq.stopped() || l.qp.closing != 0 { // what was placed may have vanished since
		return true
	}
	for _, r := range l.waiting {
		switch {
		case r.place != 0 || r.owed != 0 || r.missed || r.certain:
		case r.rested == 0:
			return true
		case r.hadCompleted(r.rested) && r.silent && !r.cancelled:
			r.certain = true
		case r.hadCompleted(r.rested):
			l.cq.takeNow(r.wasOwed(nil))
		case !r.silent:
			return false
		}
	}
	return false
}

// takeNow handles observations that come with the present event.
func (q *cq) takeNow(seen []observation) {
	for _, e := range seen {
		e.at = q.s.at
		q.take(e)
	}
}

// mayHold reports whether an explanation is left in which r, which the poll delivers, had been placed by the moment of rest at which that
// was open. Behind others of a poll during which more was seen only what came before it is asked.
func (q *cq) mayHold(p *poll, r *request, kinds automaton.Kinds) bool {
	return q.holds(q.queue.Clone(), p, r, kinds)
}

// mayHoldTold does the same where a consumer has told of all callbacks that were entered by now.
func (q *cq) mayHoldTold(p *poll, r *request, kinds automaton.Kinds) bool {
	a := q.queue.Clone()
	if q.s.consumer {
		a.Readers(0, automaton.Moment(q.s.at))
	}
	return q.holds(a, p, r, kinds)
}

func (q *cq) holds(a *automaton.Queue, p *poll, r *request, kinds automaton.Kinds) bool {
	at := automaton.Moment(q.s.at)
	rested, from := automaton.Moment(r.rested), automaton.Moment(r.called)
	if !a.Owe(rested, from, at) || len(p.delivered) > 0 && p.to > 0 {
		return a.Alive()
	}
	for _, before := range p.delivered {
		before.at, before.pending = q.s.at, -1
		if !q.show(a, &before) {
			return false
		}
	}
	return a.Delivered(automaton.Delivery{Kinds: kinds, From: from, Counted: automaton.Moment(r.countedFrom()), Called: from, Owed: rested}, at)
}

// wasOwed records that r had to have completed at the moment of rest at which that was open.
func (r *request) wasOwed(out []observation) []observation {
	if r.rested == 0 || r.owed != 0 {
		return out
	}
	r.owed = r.rested
	r.wq.cq.owed++
	return append(out, observation{what: owes, owed: r.rested, request: r, pending: -1})
}

// notOwed records that r need not have completed at the moment of rest at which that was undecided.
func (r *request) notOwed(out []observation) []observation {
	if r.rested == 0 || r.owed != 0 {
		return out
	}
	return append(out, observation{what: owesNot, owed: r.rested, request: r, pending: -1})
}
