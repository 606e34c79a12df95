package stream

import (
	"ndkoracle/linearize/breach"
	"ndkoracle/model"
)

// The close of a QP completes when no request of it is pending (LIFE-07): whatever a poll delivers later had been placed by then. What
// no poll delivers may have vanished (A21).

// closeFinished handles the completion of the close of p.
func (p *qp) closeFinished() {
	if p.over != 0 {
		return
	}
	p.over, p.overLine = p.s.at, p.s.line()
	for _, l := range p.wqs {
		if l.cq == nil || l.queue == model.Receive && l.cq == p.wqs[model.Initiator].cq {
			continue
		}
		known := len(l.cq.closedQps.outstanding)
		for _, own := range p.wqs {
			if own.cq == l.cq {
				own.fence()
			}
		}
		if n := len(l.cq.closedQps.outstanding) - known; n > 0 {
			l.cq.take(observation{what: restful, at: p.over, n: n})
		}
		l.cq.vanish(p)
	}
}

// fence records that what is outstanding of l is placed by now, if it is delivered.
func (l *workQueue) fence() {
	if l.cq.stopped() {
		return // its polls tell nothing any more
	}
	for _, r := range l.waiting {
		if r.owed == 0 && r.place == 0 && !r.missed {
			r.fenced = true
			l.cq.closedQps.outstanding = append(l.cq.closedQps.outstanding, r)
		}
	}
}

// byClose handles r, which is over, and may have been delivered. It had been placed by the close of its QP, if that had completed.
func (r *request) byClose(out []observation, e *observation) []observation {
	if !r.fenced && !r.freed {
		return out
	}
	r.wq.cq.closedQps.outstanding = without(r.wq.cq.closedQps.outstanding, r)
	if e.what != delivered || r.owed != 0 && !r.freed || r.missed {
		return append(out, observation{what: owesNot, owed: r.inPlaceBy(), request: r, pending: -1})
	}
	e.owed = r.inPlaceBy()
	return append(out, observation{what: owes, owed: e.owed, request: r, pending: -1})
}

// inPlaceBy returns the moment of rest at which r was owed, or the close of its QP, by which it was placed if it is delivered.
func (r *request) inPlaceBy() eventIndex {
	if r.freed {
		return r.owed
	}
	return r.wq.qp.over
}

// inPlaceLine returns the line of that.
func (r *request) inPlaceLine() int {
	if r.owedLine != 0 {
		return r.owedLine
	}
	return r.wq.qp.overLine
}

// forgetClosed handles a poll that found nothing. What was placed by the close of a QP that had completed before is gone, and explains
// nothing that comes later.
func (q *cq) forgetClosed(p *poll) {
	for len(q.closedQps.outstanding) > 0 && q.closedQps.outstanding[0].wq.qp.over < p.call.call {
		r := q.closedQps.outstanding[0]
		p.delivered = append(p.delivered, observation{what: owesNot, owed: r.inPlaceBy(), request: r})
		r.fenced, r.freed, q.closedQps.outstanding = false, false, q.closedQps.outstanding[1:]
		if r.returned != 0 && r.returned < r.wq.qp.over {
			r.vanished = true
			q.pending--
			p.delivered = append(p.delivered, observation{what: gone, counted: r.countedFrom(), request: r})
		}
	}
}

// outlivesClose is LIFE-07: the poll delivers r, and one that came before it, called after the close of its QP had completed, found
// nothing.
func (r *request) outlivesClose(q *cq, poll *poll) {
	p := r.wq.qp
	if p.over == 0 || r.place != 0 || poll.emptied <= p.over || r.called > p.over || q.failed.at != 0 {
		return
	}
	late := breach.Late(q.name, p.name, r.wr)
	p.s.unexplained(q.group, late.Rule, p.overLine, []int{r.line, poll.line}, "%s", late.Message)
	p.s.also(late.Also...)
	p.allows("the completion of %s first", r.wr)
	r.missed = true
}
