package stream

import "ndkoracle/model"

// A silent request that succeeds has no completion: as a rule a later one of its queue tells that it is over. Where none comes, a poll that finds
// nothing after a moment of rest does. The latest of these are kept, as what is told of them later may contradict that, and be told by its rule.
// The others are over, as if a later one had been delivered: else they would pile up, and be looked through, for as long as nothing follows them.

// mostSettled is how many are kept of a queue.
const mostSettled = 1 << 7

// settle handles a poll that found nothing after a moment of rest, with no other poll under way. It adds to the poll the silent requests that are
// over: all of a queue that have succeeded by then but the latest.
func (q *cq) settle(p *poll) {
	for _, l := range q.wqs {
		if !l.maySettle() {
			continue
		}
		n := 0
		for n < len(l.waiting) && l.waiting[n].isSettled() {
			n++
		}
		for ; n > min(mostSettled, q.depth/2); n-- {
			if q.stopped() || !q.s.succeedsSilently(&p.delivered, q, p, l.waiting[0]) {
				return
			}
			q.s.past.silenced(foundSettled)
			l.settled++
			q.s.requestCases.settles(1)
		}
	}
}

// maySettle reports whether nothing that is told later can cast a doubt on what has succeeded silently of a queue.
func (l *workQueue) maySettle() bool {
	p := l.qp
	sound := p.closing == 0 && l.cq.failed.at == 0 && !p.mayBeBroken() && p.doubt == "" && p.group.root().doubt == ""
	return l.queue == model.Initiator && sound && (p.peer == nil || !p.mayHaveEnded())
}

// isSettled reports whether r is a silent request that has succeeded, because its CQ was found empty after a moment of rest by which a failed r would have
// had a completion. For a message, that is known only once its receive is recorded: until then the message may turn out to have waited for one.
func (r *request) isSettled() bool {
	return r.foundOver() && r.place == 0 && !r.vanished && !r.fenced
}

// foundOver reports the same of one whose QP may be closed by now.
func (r *request) foundOver() bool {
	l, by := r.wq, r.silentBy()
	if by == 0 || by > l.emptyAtRest() || r.owed != 0 || r.cancelled || r.missed {
		return false
	}
	return !r.op.IsSend() || r.op != model.SendAndInvalidate && l.known == never && l.other() != nil && l.other().took > r.index()
}

// tellSettled handles the completion of a later request of the queue: it shows that the requests assumed to be over are over. They count from now
// on.
func (l *workQueue) tellSettled() {
	l.qp.s.seen[aSilent] += l.settled
	l.qp.s.requestCases.settles(-l.settled)
	l.settled = 0
}
