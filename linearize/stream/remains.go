package stream

import (
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// A consumer need not poll to the end. What must have completed by the last moment of rest, and was not delivered, lies in its CQ:
// the next poll would deliver it. So it is held against what was seen of the CQ as if one had.

// takeRemains handles the completions in the CQs at the end of the trace. A call of the same group that never returned may have removed them, unless it
// only reads events.
func (s *Stream) takeRemains() {
	open := s.open.All()
	for _, q := range s.cqsInOrder {
		mayTake := func(u *underWay) bool {
			return u.Kind != calls.ReadEvent && u.group() != nil && u.group().root() == q.group.root()
		}
		if !slices.ContainsFunc(open, mayTake) {
			q.takeRemains()
		}
	}
}

// takeRemains handles the completions in the CQ at the end of the trace.
func (q *cq) takeRemains() {
	if q.group.root().broken || q.failed.at != 0 || q.closed != 0 || q.window.from != 0 || q.shown > 0 {
		return
	}
	all := q.remains()
	waits := func(l *workQueue) bool { return len(l.waiting) > 0 && len(all) > 0 && l != all[0].wq }
	mixed := slices.ContainsFunc(q.wqs, waits) // a receive that waits for a message may have failed before
	for _, r := range all {
		if q.s.machine.Halted() {
			return
		}
		e := observation{what: remaining, at: q.s.at, kinds: r.mayEndAs(), from: r.called, counted: r.countedFrom(),
			owed: r.owed, request: r}
		if mixed {
			e.kinds, e.from = e.kinds|automaton.Failed|automaton.Cancelled, 0
		}
		q.take(e)
		q.pending--
	}
}

// checkRemains does that where a QP is about to be closed, with which they may vanish: they lie there, or a poll delivers them first.
func (q *cq) checkRemains() {
	if q.owed == 0 || len(q.polls.list) > 0 || q.stopped() {
		return
	}
	before, pending := q.queue.Clone(), q.pending
	q.takeRemains()
	q.queue, q.pending = before, pending
}

// remains returns the requests whose completions lie in the CQ, oldest first, as far as that is known. How those of two queues
// were placed among each other is not.
func (q *cq) remains() []*request {
	var all []*request
	for _, l := range q.wqs {
		waiting := l.mayComplete()
		switch {
		case len(waiting) == 0, waiting[0].called > q.restedAt: // what is owed was placed before
		case len(all) > 0 || l.qp.closing != 0:
			return nil
		default:
			all = waiting
		}
	}
	if i := slices.IndexFunc(all, func(r *request) bool { return r.owed == 0 || r.missed }); i >= 0 {
		all = all[:i]
	}
	return all
}

// mayEndAs returns the possible kinds of the completion of r, which has not been delivered.
func (r *request) mayEndAs() automaton.Kinds {
	l := r.wq
	messages := l.other()
	switch {
	case l.qp.onlyCancelled(r.called):
		return automaton.Cancelled
	case r.silent, l.qp.connected == 0: // a success has no completion, or can't be (POST-08)
		return automaton.Failed | automaton.Cancelled
	case l.queue == model.Initiator:
		return automaton.Plain | automaton.Failed | automaton.Cancelled
	case messages == nil || messages.qp.mayGrow():
		return automaton.AnyKind
	case r.lacksMessage():
		return automaton.Failed | automaton.Cancelled
	case slices.Contains(l.taken, r) && (len(l.taken) == len(l.waiting) || !l.qp.mayHaveBroken()): // no other one took the message
		return r.kinds
	}
	return automaton.AnyKind
}

// lacksMessage reports whether r is a receive for which the peer has sent no message.
func (r *request) lacksMessage() bool {
	messages := r.wq.other()
	return r.wq.queue == model.Receive && messages != nil && !messages.qp.mayGrow() && messages.sends <= r.wq.took
}

// mayHaveBroken reports whether anything may have ended the connection of p, told or not, by a request that is outstanding at one of
// its ends.
func (p *qp) mayHaveBroken() bool {
	for _, end := range []*qp{p, p.peer} {
		if end == nil {
			continue
		}
		for _, l := range end.wqs {
			mayHave := func(r *request) bool { return !slices.Contains(l.taken, r) && (l.cq == nil || l.mayHaveBroken(r)) }
			if slices.ContainsFunc(l.waiting, mayHave) {
				return true
			}
		}
	}
	return p.mayBreak()
}
