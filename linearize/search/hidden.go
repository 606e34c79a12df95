package search

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// listHidden adds the hidden steps, each with the interval in which it can have happened.
func (c *component) listHidden() {
	for _, q := range c.cqs {
		q.fails = c.failureMatters(q)
		q.keeps = q.fails && (q.reports || c.undelivered(q) > 1)
	}
	losses := 0
	for _, p := range c.qps {
		for _, l := range p.losses {
			c.add(operation{effect: doLose, call: l.from, ret: l.from, qp: p.index, loss: losses})
			losses++
		}
		for _, q := range []model.Queue{model.Initiator, model.Receive} {
			c.findUnseen(p, q)
			for _, r := range p.queue(q) {
				c.listRequest(r)
			}
		}
		c.listVanish(p)
	}
	for _, q := range c.cqs {
		c.listErrors(q)
	}
}

// listRequest adds the execution of r if it has an effect of its own (a failure breaks the QP, a token changes). It adds the completion of r, unless the
// trace shows that there was none.
func (c *component) listRequest(r *request) {
	o := operation{request: r, qp: r.qp.index, cq: r.qp.cq(r.queue).index, call: r.post.call, ret: never, maybe: true}
	if r.message != nil && (r.told || !c.h.breaks(r.qp)) {
		o.call = max(o.call, r.message.post.call)
	}
	o.call = max(o.call, r.sent)
	to := r.reached
	if to == nil && r.told && !failed(r) {
		to = r.receive
	}
	if to != nil { // it is received before it is over
		o.call = max(o.call, to.post.call, to.qp.connected.call)
	}
	until := never
	if closed := c.h.doneAt(r.qp.closed); o.call < closed {
		until = closed // by then it was placed, if ever (LIFE-07)
	}
	o.ret = until
	switch {
	case r.point != nil:
		o.ret, o.maybe = r.point.call, false
	case r.delivery != nil:
		o.ret, o.maybe = min(r.delivery.poll.ret, r.owed, until), false
	case r.owed != never:
		o.ret, o.maybe = r.owed, false
	}
	c.listExecution(o)
	if r.point != nil {
		o.call = r.point.call
	} else if r.delivery != nil {
		o.call = max(o.call, r.qp.cq(r.queue).refuted(r.delivery.poll.call, o.ret))
	}
	if r.delivery == nil && r.point == nil {
		empty := r.qp.unseen[r.queue].from
		if r.silent {
			o.maybe, o.ret = true, until // success leaves nothing that would be owed
		}
		if o.ret < empty || o.maybe && !c.mayMatter(r) {
			r.unseen = r.overtaken && c.mayVanish(r.qp) // it was executed, perhaps, and lost
			r.leftOut = r.qp.lane != nil
			return // it can't have been placed, or it makes no difference
		}
		o.call = max(o.call, empty)
		r.unseen = true
	}
	o.effect = doComplete
	c.add(o)
}

// mayMatter reports whether a completion that no poll delivered could explain anything. It is placed after all delivered ones, also those of its own
// queue, and after the last poll that found the CQ empty. It can only explain a callback, which needs one completion, a CQ that was full, a point
// that places one behind it, or the outcome of a silent request that could not succeed.
func (c *component) mayMatter(r *request) bool {
	switch {
	case r.overtaken:
		return false
	case r.passed && !r.silent:
		return true // or it came out of turn
	case r.silent && (c.executesElsewhere(r) || c.h.breaks(r.qp)):
		return true // it may have had to fail
	}
	return r.waiting < r.qp.unseen[r.queue].needed
}

// breaks reports whether anything may have cancelled the requests of p.
func (h *history) breaks(p *qp) bool {
	return p.ends || p.lostFrom != never || h.mayFail(p.initiatorCq) || h.mayFail(p.receiveCq)
}

// failureMatters reports whether q failed by what a callback says, or whether its overflow could explain anything: that
// a completion is missing, that a poll found nothing (A33), or that requests were cancelled.
func (c *component) failureMatters(q *cq) bool {
	if q.reports || q.overrun == never {
		return c.h.mayFail(q)
	}
	emptyHanded := slices.ContainsFunc(q.empty, func(s *span) bool { return s.ret > q.overrun })
	for _, p := range c.qps {
		if p.initiatorCq != q && p.receiveCq != q {
			continue
		}
		for _, r := range slices.Concat(p.initiator, p.receive) {
			missing := r.delivery == nil && p.cq(r.queue) == q && (r.owed != never || emptyHanded)
			if missing || r.outcome == model.CANCELLED {
				return true
			}
		}
	}
	return false
}

// undelivered counts the requests whose completions q never handed out. After an overflow one of them was lost, and the
// others may be in the CQ still (A33).
func (c *component) undelivered(q *cq) int {
	n := 0
	for _, p := range c.qps {
		for _, queue := range []model.Queue{model.Initiator, model.Receive} {
			for _, r := range p.queue(queue) {
				if r.delivery == nil && p.cq(queue) == q {
					n++
				}
			}
		}
	}
	return n
}

// unseen is where completions of a queue can have been placed that no poll delivered: from a moment on, and how many of them could
// explain anything.
type unseen struct {
	from   moment
	needed int
}

// findUnseen finds it for a queue of p.
func (c *component) findUnseen(p *qp, queue model.Queue) {
	q, until := p.cq(queue), never
	if c.mayVanish(p) {
		until = p.closed.call
	}
	u := &p.unseen[queue]
	u.from = q.lastEmpty(until)
	if u.needed = q.notifiedAfter(u.from); q.fails {
		u.needed += q.greatestDepth() // they may have filled it
	}
	if u.needed > 0 {
		for _, r := range p.queue(queue) {
			if r.delivery == nil && r.point == nil && r.owed != never {
				u.needed++ // it came in time for a moment of rest, and a callback behind that is for another one
			}
		}
	}
}

// lastEmpty returns when the last poll began that found the CQ empty and returned before a moment, or 0. A CQ that failed may keep
// what it has, so that its polls tell nothing (A33). Nor do they once another poll was called that never returned: it may have emptied the CQ.
func (q *cq) lastEmpty(until moment) moment {
	for _, s := range q.polls {
		if !s.returned() {
			until = min(until, s.call)
		}
	}
	for _, s := range slices.Backward(q.empty) {
		if !q.keeps && s.ret < until {
			return s.call
		}
	}
	return 0
}

// refuted returns when the last poll began that returned before a moment, and found nothing behind a callback, or 0: what is placed in time by a
// moment, and delivered later, is not what that callback was for. A CQ that failed may keep from a poll what a later one gets (A33).
func (q *cq) refuted(until, inTime moment) moment {
	empty := q.lastEmpty(until)
	if q.fails || empty >= inTime || !slices.ContainsFunc(q.notified, func(s *span) bool { return s.call < empty }) {
		return 0
	}
	return empty
}

// notifiedAfter counts the callbacks and events of q after a moment.
func (q *cq) notifiedAfter(at moment) int {
	n := 0
	for _, s := range q.notified {
		if s.call > at || s.ret > at {
			n++
		}
	}
	return n
}

// listExecution adds the execution of a request as a step of its own where it has an effect before the completion: a
// failure breaks the QP, a token changes. All other requests execute when they complete.
func (c *component) listExecution(o operation) {
	r := o.request
	switch {
	case c.delivers(r):
		receive := c.h.takenBy[r]
		if receive != nil && failed(r) {
			o.effect = doExecute
			c.add(o)
		}
		if o.effect = doDeliver; receive != nil {
			o.ret, o.maybe = min(o.ret, receive.delivery.poll.ret), false
		}
	case c.executesApart(r):
		o.effect = doExecute
	default:
		return
	}
	c.add(o)
}

// delivers reports whether r is a NdkSendAndInvalidate to a peer whose tokens the component knows: it and the peer's
// receive execute in one step. One that was cancelled never reached the peer, unless the receive tells that it did.
func (c *component) delivers(r *request) bool {
	if r.outcome == model.CANCELLED && c.h.takenBy[r] == nil {
		return false
	}
	return r.op == model.SendAndInvalidate && r.token != nil && r.qp.peer != nil && c.has(r.qp.peer)
}

// executesApart reports whether r executes in a step of its own, or in that of the peer's send.
func (c *component) executesApart(r *request) bool {
	switch r.op {
	case model.FastRegister, model.Bind, model.Invalidate:
		if r.token != nil {
			return true
		}
	}
	return r.outcome == model.FAILED
}

// executesElsewhere reports whether r can't just execute when it completes.
func (c *component) executesElsewhere(r *request) bool {
	return c.executesApart(r) || c.delivers(r) || r.message != nil && c.delivers(r.message) || r.arrived != nil && c.delivers(r.arrived)
}

// listErrors adds the moment at which q failed: one that a callback reported, or an overflow that may have gone unnoticed
// because more requests were outstanding than q has room for.
func (c *component) listErrors(q *cq) {
	for _, s := range q.notified {
		if status, ok := calls.HealthOf(s.begin.Status); ok && status != model.OK {
			c.add(operation{effect: doFailCq, call: 0, ret: s.call, cq: q.index, status: status})
			return
		}
	}
	switch {
	case q.failedBy != 0:
		c.add(operation{effect: doFailCq, call: 0, ret: q.failedBy, cq: q.index, status: model.InternalError})
	case q.fails:
		c.add(operation{effect: doFailCq, call: q.overrun, ret: never, maybe: true, cq: q.index, status: model.BufferOverflow})
	}
}
