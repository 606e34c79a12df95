package clauses

import (
	"slices"

	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
)

// recordOutcome records the outcome of r, which the trace now shows, and by when r had completed.
func (e *Engine) recordOutcome(r *request, outcome model.Outcome, by bound, m facts.Moment, point bool) {
	w, p, s := r.queue, r.queue.qp, e.Solver
	if p.open || r.told {
		return
	}
	e.recall(r)
	r.loose = r.loose || w.cq.overlap && !point // it may not be the next to be delivered of its queue
	w.loosened = w.loosened || r.loose
	if !e.completeEarlier(r, by, m, point) {
		return
	}
	r.told, r.outcome, r.toldAt = true, outcome, m.At
	s.NotAfter(r.c, by.at, by.rule, by.line)
	s.NotAfter(r.x, by.at-1, by.rule, by.line)
	if empty := w.cq.empty; empty.At > r.called && p.closeCall > empty.At {
		s.NotBefore(r.c, timeline.At(empty.At), foundEmpty, empty.Line, timeline.None)
	}
	w.order.complete(s, r, m)
	if r.silent && r.returned != 0 {
		s.Resting(r.c, r.x, timeline.At(r.returned), owedAtRest, r.line)
	}
	if r.flush != nil && outcome != model.CANCELLED {
		s.Edge(r.x, r.flush.at, 1, flushSpares, m.Line)
	}
	e.ends(r, m)
	if p.open {
		return
	}
	if outcome != model.SUCCESS {
		e.registered(r, false, m.Line)
	}
	if outcome != model.SUCCESS && r.message {
		w.messages.failures++
	}
	if outcome != model.SUCCESS && w.kind == model.Receive {
		e.receiveFailed(w, r, m)
	}
	e.inTurn(w, m)
	if p.open {
		return
	}
	e.settle(r)
	e.raiseFirstFailure(w)
	if r.message && r.loose {
		w.waited = timeline.At(m.At)
		e.waitsForNone(w)
	}
}

// waitsForNone handles the end of a message that may have been ahead of others of its queue, because their posts overlapped. A request that is
// not a message waits for the provider alone, once no message may be ahead of it.
func (e *Engine) waitsForNone(w *workQueue) {
	for _, r := range w.waiting {
		if r.loose && !r.message && r.ready != timeline.Never && !w.mayWaitBehind(r) {
			e.waitsForProvider(r, max(r.ready, w.waited))
		}
	}
}

// completeEarlier applies what the end of r shows about the requests ahead of it on its queue, and removes r from those that wait. It
// reports whether the queue pair is still decided.
func (e *Engine) completeEarlier(r *request, by bound, m facts.Moment, point bool) bool {
	w, p := r.queue, r.queue.qp
	at := slices.Index(w.waiting, r)
	if at < 0 {
		e.Undecided["a request that is not outstanding"]++
		e.openQp(p)
		return false
	}
	earlier, kept, over := slices.Clone(w.waiting[:at]), 0, (*request)(nil)
	for _, y := range earlier {
		switch {
		case !r.isBehind(y):
			w.waiting[kept] = y
			kept++
		case point || w.cq.overlap: // y has been placed as well; it is not delivered, or only by a poll that has not returned
			if y.silent { // or y has succeeded without a completion
				e.Solver.NotAfter(y.x, by.at, inOrder, m.Line)
			} else {
				e.Solver.NotAfter(y.c, by.at-1, completedInOrder, m.Line)
			}
			w.waiting[kept] = y
			kept++
		case y.silent && !e.comes(y):
			e.isOverSilently(y, by, m)
			over = y
		case p.closeCall != never:
			w.messages.vanished = true
			e.drop(y)
			e.settled.add(y, completedInOrder)
		default:
			e.fails(p, completedInOrder, y.line, timeline.Label{Deed: completedAt, Of: y.wr})
		}
		if p.open {
			return false
		}
	}
	if kept == 0 {
		w.waiting = withoutFirst(w.waiting, at+1)
	} else {
		w.waiting = slices.Delete(w.waiting, kept, at+1)
	}
	if over == nil {
		return true
	}
	if e.failedByRest(over); p.open {
		e.settle(r)
	}
	return !p.open
}

// failedByRest looks for a conflict that involves r, a silent request that is over. If r had failed, its completion had to be placed by the first
// moment of rest after r waited for the provider alone.
func (e *Engine) failedByRest(r *request) {
	n := len(e.Findings)
	if e.solve(r.queue.qp); len(e.Findings) > n {
		e.Findings[n].Rest = e.Solver.RestLine(r.ready)
	}
}

// passesOver handles the delivery of r, which an earlier point has shown as placed: the silent requests ahead of r have no completion.
func (e *Engine) passesOver(r *request, m facts.Moment) {
	w := r.queue
	for _, y := range slices.Clone(w.waiting) {
		if !y.silent || !r.follows(y) || w.qp.open {
			continue
		}
		if e.isOverSilently(y, bound{timeline.Before(m.At), delivered, m.Line}, m); w.qp.open {
			return
		}
		w.waiting = slices.DeleteFunc(w.waiting, func(o *request) bool { return o == y })
	}
	e.inTurn(w, m)
}

// isOverSilently handles the silent request r after a later request of its queue has completed: r has succeeded.
func (e *Engine) isOverSilently(r *request, by bound, m facts.Moment) {
	r.told, r.outcome, r.toldAt, r.queue.silenced = true, model.SUCCESS, m.At, r
	e.Solver.NotAfter(r.x, by.at, overSilently, m.Line)
	if r.flush != nil {
		e.Solver.Edge(r.x, r.flush.at, 1, passedOver, m.Line)
	}
	e.succeeds(r, m)
	if r.queue.qp.open {
		return
	}
	r.queue.cq.outstanding--
	e.settle(r)
	e.settled.add(r, completedInOrder)
	delete(e.requests, r.wr)
}

// ends applies what the outcome of r shows about its connection.
func (e *Engine) ends(r *request, m facts.Moment) {
	switch {
	case r.outcome == model.SUCCESS:
		r.queue.silenced = nil // it had not failed
		e.succeeds(r, m)
	case r.outcome == model.CANCELLED && !e.dialect.ErrorState:
		e.cancelled(r, m)
		e.breaks(r, m)
	case r.outcome == model.CANCELLED:
		e.endsBy(r, m)
		e.flushedInVerbs(r, m)
	case e.flushedBy(r) != 0 && e.isWhole(r):
		e.fails(r.queue.qp, postedBehindFlush, r.line, timeline.Label{Deed: executedAt, Of: r.wr})
	default:
		e.endsBy(r, m)
		e.failed(r)
	}
}

// needsConnection records r, which succeeded, or which the initiator queue accepted, while a connect is pending. The connect may still be refused.
func (e *Engine) needsConnection(r *request) {
	if p := r.queue.qp; p.connects == never && p.connectCall != never && p.unproven == nil {
		p.unproven = r
	}
}

// foundUnconnected reports a violation: a request succeeded, or was accepted, on a queue pair that was never connected (POST-08).
func (e *Engine) foundUnconnected(r *request) {
	rule := connected
	if r.outcome != model.SUCCESS || !r.told {
		rule = acceptedUnconnected
	}
	e.fails(r.queue.qp, rule, r.line, timeline.Label{Deed: executedAt, Of: r.wr})
}

// succeeds records that the queue pair of r was connected when r succeeded, and that a message reached a receive.
func (e *Engine) succeeds(r *request, m facts.Moment) {
	p, s := r.queue.qp, e.Solver
	switch {
	case p.connectCall == never && r.called < p.madeBy:
		p.made = true
	case p.connectCall == never:
		e.foundUnconnected(r)
		return
	case p.connectCall > r.called && p.madeBy == 0:
		s.NotBefore(r.x, timeline.At(p.connectCall), connected, m.Line, timeline.None)
	}
	e.needsConnection(r)
	e.registered(r, true, m.Line)
	if r.op == model.Invalidate {
		rule := tokenDead
		if r.silent {
			rule = silentDead
		}
		e.invalidates(r.names, r, rule, m)
	}
	if e.flushedBy(r) != 0 {
		e.fails(p, postedBehindFlush, r.line, timeline.Label{Deed: executedAt, Of: r.wr})
		return
	}
	w := r.queue
	if w.ender != nil && r.follows(w.ender) {
		e.fails(p, endedByToken, r.line, timeline.Label{Deed: executedAt, Of: r.wr})
		return
	}
	if w.succeeded == nil || r.follows(w.succeeded) {
		w.succeeded = r
	}
	e.precedesFlushes(r, m)
	e.goesOn(r, m)
	if r.counts(); r.message {
		s.Edge(r.a, r.x, 1, executedFirst, m.Line)
	}
	switch {
	case r.queue.kind == model.Receive:
		if p.peer != nil && !p.open {
			e.metByRest(r, p.peer.queues[model.Initiator].lastSend)
		}
		e.awaitTurn(r, m)
	case r.message:
		if p.peer != nil && !p.open && (r.op == model.Send || e.hadValidToken(r)) {
			e.metByRest(r, p.peer.queues[model.Receive].lastReceive)
		}
		e.awaitTurn(r, m)
	}
}
