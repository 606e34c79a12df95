package search

import (
	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// performRest checks the state against what must have happened when the provider is at rest.
func (c *component) performRest(w *walk, o *operation) {
	w.each(func(w *walk, s state) {
		for i, q := range s.model.Cqs {
			if q.Open == model.Closed || q.Running || !c.notified(i, o.call) {
				continue
			}
			waits := len(q.Entries) == 0 && c.contract.Dialect.A6 == model.A6Never
			if q.Due > 0 && !waits {
				w.refuse(breach.CallbackDue)
				return
			}
			if q.ErrorDue {
				w.refuse(breach.ErrorUntoldOf(c.cqs[i].name))
				return
			}
		}
		for i := range c.qps {
			for _, queue := range []model.Queue{model.Initiator, model.Receive} {
				c.restQueue(w, i, queue, o.call)
				if w.stuck() {
					return
				}
			}
			if send, receive := c.waitForEachOther(s, i, o.call); send != nil {
				w.refuse(breach.WaitForEachOther(send.wr, receive.wr))
				return
			}
		}
	})
}

// notified reports whether a notification that is owed has somewhere to go: an event waits in its channel until it is read.
func (c *component) notified(cq int, mark moment) bool {
	return !c.contract.Dialect.EventsAreRead || c.h.awaited[mark][c.cqs[cq].name]
}

// restQueue refuses when a queue holds a request that must have completed; silent ones are taken to have succeeded.
func (c *component) restQueue(w *walk, p int, queue model.Queue, mark moment) {
	w.each(func(w *walk, s state) {
		requests := s.model.Qps[p].Initiator
		if queue == model.Receive {
			requests = s.model.Qps[p].Receive
		}
		if len(requests) == 0 || s.model.Cqs[c.qps[p].cq(queue).index].Health != model.OK {
			return
		}
		for i, q := range requests {
			r := c.h.requests[q.Id]
			succeeded := q.Phase == model.Executed+model.Phase(model.SUCCESS)
			if r.silent && !r.told && (succeeded || r.owed <= mark && q.Phase < model.Executed) {
				c.completeSilent(w, requests[i:i+1])
				if w.stuck() {
					return
				}
				continue
			}
			if r.owed > mark {
				if c.isUnfinished(s, r, q, mark) {
					w.refuse(owed(r, mark))
				} else if c.completesUntold(w, s, r, mark) {
					continue
				}
				return
			}
			w.refuse(owed(r, mark))
			return
		}
	})
}

// completesUntold completes r, the first of its queue, if trails are kept, the contract owes the completion by rest, and no later poll finds the CQ empty.
// It reports whether it did.
func (c *component) completesUntold(w *walk, s state, r *request, mark moment) bool {
	if !c.keepsTrails || r.told || c.h.foundEmptyBy(r.qp, r.qp.cq(r.queue), never) >= mark || !c.contract.Owes(s.model, r.qp.index, r.queue) {
		return false
	}
	c.completeOne(w, r)
	return true
}

// isUnfinished reports whether r, the first of its queue, was executed or ended by a moment of rest, and has a completion, so that it had to complete by
// then.
func (c *component) isUnfinished(s state, r *request, q model.Request, mark moment) bool {
	return (q.Phase >= model.Executed || r.indicated < mark && !c.waitsForPeer(s, r, mark)) && c.completesBy(r, q, mark)
}

// waitsForPeer reports whether r, the first of its queue, may wait at a moment of rest for its peer. A connection that has ended by now ended all waiting,
// however late the search executes the end. There are two exceptions: a loss may be that of an attempt to connect, behind which the connection goes on; and
// a send queue of libibverbs may stop alone if it is not reliable. A silent request that the search has not executed may have succeeded, if anything can.
func (c *component) waitsForPeer(s state, r *request, mark moment) bool {
	d, i := c.contract.Dialect, r.qp.index
	connection := s.model.Qps[i].State
	d.ExecutesLate = false
	switch {
	case r.silent && !r.told:
		return connection != model.Aborted && (connection != model.Flushed || d.A15 != model.A15Cancelled)
	case r.queue == model.Initiator && !r.op.IsSend():
		return false
	case r.queue == model.Receive && mark < r.qp.unsure: // what seems to have ended may never have been connected
		return true
	case connection == model.Ended && !d.ErrorState, r.queue == model.Receive && !calls.IsReliable(r.qp.creation()):
		return true
	}
	return d.MayWait(connection, c.contract.Qps[i].Type, r.queue)
}

// waitForEachOther returns a send of p and a receive of its peer if neither had ended by a moment of rest, or nil. A send waits for its peer only if the
// peer has no receive (A15), or may not be connected yet.
func (c *component) waitForEachOther(s state, p int, mark moment) (send, receive *request) {
	peer := c.contract.Qps[p].Peer
	if peer < 0 || s.model.Qps[peer].State.Unconnected() || mark < c.qps[peer].unsure {
		return nil, nil
	}
	for _, q := range s.model.Qps[peer].Receive {
		if r := c.h.requests[q.Id]; q.Phase < model.Executed && c.completesBy(r, q, mark) {
			receive = r
		}
	}
	if receive == nil {
		return nil, nil
	}
	for _, q := range s.model.Qps[p].Initiator {
		switch r := c.h.requests[q.Id]; {
		case r.silent && !r.told: // it may have succeeded
		case !r.op.IsSend() || q.Phase >= model.Executed || r.indicated >= mark:
			return nil, nil
		case c.completesBy(r, q, mark):
			return r, receive
		}
	}
	return nil, nil
}

// completesBy reports whether r, which was executed and is the first of its queue, has a completion that had to be placed by a moment of rest and was
// not: it was recorded later, or a later poll found nothing. After a close nothing is owed (A21).
func (c *component) completesBy(r *request, q model.Request, mark moment) bool {
	switch cq := r.qp.cq(r.queue); {
	case r.qp.closed != nil && r.qp.closed.call < mark:
		return false
	case r.told:
		return true
	case r.silent && q.Phase == model.Executed+model.Phase(model.SUCCESS):
		return false
	default:
		return c.h.foundEmptyBy(r.qp, cq, never) >= mark
	}
}

// owed says which rule r breaks by not having completed by a moment of rest.
func owed(r *request, mark moment) *model.Refusal {
	late := r.overdue(r.qp.flushedAfter(r) < mark)
	return &model.Refusal{Rule: late.Rule, Why: late.Message}
}
