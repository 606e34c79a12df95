package clauses

import (
	"slices"

	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
)

// tell handles that it is known how r ended, and by when it had completed.
func (e *Engine) tell(r *request, outcome model.Outcome, by bound, m facts.Moment, point bool) {
	w, p, s := r.queue, r.queue.qp, e.Solver
	if p.open || r.told {
		return
	}
	e.recall(r)
	r.loose = r.loose || w.cq.overlap && !point // it may not be the next to be delivered of its queue
	w.loosened = w.loosened || r.loose
	if !e.tellEarlier(r, by, m, point) {
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

// waitsForNone handles that a message is over that may have been before others of its queue, as their posts overlapped: those that are no messages
// wait for the provider alone, once no other may be before them.
func (e *Engine) waitsForNone(w *workQueue) {
	for _, r := range w.waiting {
		if r.loose && !r.message && r.ready != timeline.Never && !w.mayWaitBehind(r) {
			e.waitsForProvider(r, max(r.ready, w.waited))
		}
	}
}

// tellEarlier handles what the end of r says of the requests before it on its queue, and takes r from those that wait. It reports
// whether the queue pair is still decided.
func (e *Engine) tellEarlier(r *request, by bound, m facts.Moment, point bool) bool {
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
		case point || w.cq.overlap: // it has been placed, too, and is not delivered, or by a poll that has not returned
			if y.silent { // or it has succeeded
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

// failedByRest looks for a conflict that r, a silent request that is over, has to do with: if it had failed, that had to show at the first moment of
// rest since it waited for nobody.
func (e *Engine) failedByRest(r *request) {
	n := len(e.Findings)
	if e.solve(r.queue.qp); len(e.Findings) > n {
		e.Findings[n].Rest = e.Solver.RestLine(r.ready)
	}
}

// passesOver handles the delivery of r, which a point has shown before: the silent requests before it have no completion.
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

// isOverSilently handles a silent request behind which another of its queue has completed: it has succeeded.
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

// ends states what the outcome of r says of its connection.
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

// needsConnection notes a request that succeeded, or one of the initiator queue that was accepted, while a connect is pending, which may be refused.
func (e *Engine) needsConnection(r *request) {
	if p := r.queue.qp; p.connects == never && p.connectCall != never && p.unproven == nil {
		p.unproven = r
	}
}

// foundUnconnected notes a violation: a request succeeded, or was accepted, on a queue pair that was never connected (POST-08).
func (e *Engine) foundUnconnected(r *request) {
	rule := connected
	if r.outcome != model.SUCCESS || !r.told {
		rule = acceptedUnconnected
	}
	e.fails(r.queue.qp, rule, r.line, timeline.Label{Deed: executedAt, Of: r.wr})
}

// succeeds states that r was connected when it succeeded, and that a message met a receive.
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
