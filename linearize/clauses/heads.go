package clauses

import (
	"slices"

	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
)

// look updates the oldest requests of the queues of a CQ: a request that is not delivered had not completed when the CQ was last found empty, nor before
// the completion that it delivered last. The amortised cost per event is constant.
func (e *Engine) look(q *completionQueue) {
	q.seen.rests = e.rests
	before := e.Solver.Raises
	defer func() { q.seen.next = e.now.At + (e.Solver.Raises-before+len(q.queues))/4 }()
	for _, w := range q.queues {
		if p := w.qp; !p.open && p.closeCall == never && len(w.waiting) > 0 {
			e.lookAt(w)
		}
	}
}

func (e *Engine) lookAt(w *workQueue) {
	p := w.qp
	for _, r := range w.waiting {
		if e.isPending(r); !r.silent {
			break
		}
	}
	if e.solve(p); p.open {
		return
	}
	if w.waiting[0].silent {
		e.settleSilent(w)
	}
	if p.open {
		return
	}
	e.raiseFirstFailure(w)
	if e.solve(p); p.open {
		return
	}
	switch {
	case w.kind == model.Initiator:
		e.silentSend(w)
	case p.peer != nil:
		e.silentSend(p.peer.queues[model.Initiator])
	}
}

// isPending states that r has not been delivered, so it had not completed when its CQ was found empty, nor before what that delivered: unless its queue pair
// was being closed by then, as completions vanish with that (A21).
func (e *Engine) isPending(r *request) {
	q, closing := r.queue.cq, r.queue.qp.closeCall
	e.recall(r)
	if q.empty.At > 0 && q.empty.At < closing {
		e.Solver.NotBefore(r.c, timeline.At(q.empty.At), foundEmpty, q.empty.Line, timeline.None)
	}
	if q.last != timeline.None && !r.silent && closing == never {
		e.Solver.NotBefore(r.c, e.Solver.Lower(q.last)+1, leftBehind, e.now.Line, q.last)
	}
	if q.overflowed != timeline.None { // more moments of rest may count than before
		for _, v := range r.variables() {
			if v != timeline.None {
				e.Solver.Again(v)
			}
		}
	}
}

// mostSilent is how many requests of a queue may precede a silent send whose fate is looked for.
const mostSilent = 16

// silentSend states of the oldest message, if it is silent, that it failed, or succeeded with a receive that no other message took.
func (e *Engine) silentSend(w *workQueue) {
	p := w.qp
	if p.open || p.peer == nil {
		return
	}
	i := slices.IndexFunc(w.waiting, func(r *request) bool { return r.message })
	to := p.peer.queues[model.Receive]
	if i < 0 || i > mostSilent || w.waiting[i].loose || !w.waiting[i].silent || len(to.messages.met) > 0 || to.cq == nil {
		return
	}
	r, from, least := w.waiting[i], timeline.None, timeline.At(e.now.At)
	if r.op == model.SendAndInvalidate && to.messages.failed != nil && !e.hadValidToken(r) {
		return // it may have ended the connection, and that receive
	}
	e.isPending(r)
	if k := len(to.messages.unmet); k < len(to.left()) {
		those := to.maybeAt(k)
		if len(those) > mostSilent {
			return
		}
		if p.peer.closeCall == never {
			for _, o := range append(those, to.left()[0]) {
				if !o.told {
					e.isPending(o)
				}
			}
		}
		if e.solve(p); p.open {
			return
		}
		for _, o := range those {
			if t := e.Solver.Lower(o.x); t < least {
				least, from = t, o.x
			}
		}
	}
	if t := e.Solver.Lower(r.s); t < least {
		least, from = t, r.s
	}
	e.Solver.NotBefore(r.x, least, tookReceive, r.line, from)
	e.solve(p)
}

// maybeAt returns the requests of a queue that may be the k'th of those that wait: where their posts overlap, each of these.
func (w *workQueue) maybeAt(k int) []*request {
	left := w.left()
	if !left[k].loose {
		return slices.Clip(left[k : k+1])
	}
	var those []*request
	for _, r := range left {
		if r.loose {
			those = append(those, r)
		}
	}
	return those
}

// settleSilent states that silent requests have succeeded which would have had a completion by a moment of rest before the latest
// poll that found nothing.
func (e *Engine) settleSilent(w *workQueue) {
	settled := false
	for len(w.waiting) > 0 && e.hasSucceeded(w.waiting[0]) {
		w.waiting, settled = w.waiting[1:], true // before the next: a message is paired once nothing before it waits
	}
	if settled && !w.qp.open {
		e.solve(w.qp)
	}
}

// hasSucceeded settles one silent request, if it has succeeded.
func (e *Engine) hasSucceeded(r *request) bool {
	w := r.queue
	if !r.silent || r.loose || r.ready == timeline.Never || r.flush != nil && (r.message || !r.flush.done) || w.qp.open {
		return false
	}
	at, line, ok := e.Solver.RestedBy(r.x, timeline.At(w.cq.empty.At), r.ready)
	if !ok {
		return false
	}
	if r.message {
		o := w.qp.peer
		if o == nil || w.messages.failures > 0 {
			return false
		}
		to := &o.queues[model.Receive].messages
		if w.messages.succeeded >= to.succeeded || len(to.met) == 0 || e.Solver.Upper(to.met[0].x) >= at {
			return false
		}
	}
	if m := r.before; m != nil && (!m.told || m.toldAt >= at.Event()) {
		return false // whether it was over by then is not known
	}
	if r.flush != nil {
		e.Solver.Edge(r.x, r.flush.at, 1, passedOver, line) // else it was cancelled, and would have had a completion by then
	}
	e.Solver.NotAfter(r.x, at-1, owedAtRest, line)
	e.succeeds(r, e.now)
	if w.qp.open {
		return false
	}
	if e.failedByRest(r); w.qp.open {
		return false
	}
	r.told, r.toldAt = true, at.Event()-1
	e.settled.add(r, silentAtRest)
	delete(e.requests, r.wr)
	w.cq.outstanding--
	e.settle(r)
	return true
}
