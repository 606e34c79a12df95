package clauses

import (
	"slices"

	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
)

// mostCauses is how many requests of a queue pair are kept that were cancelled for an unknown cause. Earlier ones are not examined any more.
const mostCauses = 64

// cancelled states that something had ended what a cancelled request waited for (RES-10).
func (e *Engine) cancelled(r *request, m facts.Moment) {
	p := r.queue.qp
	if p.isSpared(r) {
		return
	}
	alts := e.alts[:0]
	if p.attempted != never && e.tellsOfLoss(p) {
		alts = append(alts, timeline.Alt{V: e.lossOf(p), Floor: timeline.At(p.attempted)})
	}
	alts = p.flushed(alts, func(f *flush) bool { return !e.leavesWhole(f, r) })
	for _, w := range p.queues {
		alts = e.mayHaveFailed(w, r, alts, w != r.queue || r.op == model.Read || w.mayFailBefore(r))
	}
	e.isCaused(r, alts, causedBy, m)
}

// isSpared reports whether a failed attempt to connect may have cancelled r. It may cancel requests posted before the connection. If the connection may
// have been made and lost, or a receive was posted before it, it may also cancel later requests, as a flush may.
func (p *queuePair) isSpared(r *request) bool {
	return p.failedAt != 0 && (p.madeBy != 0 || p.received || r.called < p.connects)
}

// flushedInVerbs states the same of libibverbs, where no loss is without a cause: a request of the queue pair failed, or an initiator request of
// the peer, or the queue pair was moved to its error state. Of a peer that was moved there an RC end sees nothing. To UC and UD the peer does nothing.
func (e *Engine) flushedInVerbs(r *request, m facts.Moment) {
	w, p, o := r.queue, r.queue.qp, r.queue.qp.peer
	alone := p.loses || p.attempted == never // no other end breaks it
	if e.dialect.FailsAsFlushed || !alone && (p.unreliable || o == nil) {
		return // r may be what failed, or the peer
	}
	alts, rule := p.flushed(e.alts[:0], func(*flush) bool { return true }), failedItself
	for _, own := range p.queues {
		if own.stops(w) {
			alts = e.mayHaveFailed(own, r, alts, own != w || r.op == model.Read || w.mayFailBefore(r))
		} else {
			alts = e.overflowed(own, r, alts)
		}
	}
	if !alone {
		alts = e.mayHaveFailed(o.queues[model.Initiator], r, alts, true)
	}
	if !p.loses && w.kind == model.Receive {
		rule = causedBy
	}
	e.isCaused(r, alts, rule, m)
}

// leavesWhole reports whether a flush can't have cancelled r, which was posted behind it: what does ends the connection, where a failure ends that
// (FLUSH-06, A40). Where it does not, what is posted behind a flush may be cancelled with nothing else to tell why (A15).
func (e *Engine) leavesWhole(f *flush, r *request) bool {
	connected := r.queue.qp.connects < f.call.At // else what was posted before the connection may be cancelled, and leaves that whole
	return e.failureEnds() && connected && f.returned != 0 && f.returned < r.called && !f.disconnects && e.dialect.A15 != model.A15Cancelled
}

// flushed adds those flushes of p that may have cancelled a request to what may have.
func (p *queuePair) flushed(alts []timeline.Alt, may func(*flush) bool) []timeline.Alt {
	for _, f := range p.flushes {
		if !f.undone && may(f) {
			alts = append(alts, timeline.Alt{V: f.at})
		}
	}
	return alts
}

// mayHaveFailed adds what of a queue may have cancelled r: its failures, an overflow of its CQ, and, with those that wait, the first of these that may
// have failed.
func (e *Engine) mayHaveFailed(w *workQueue, r *request, alts []timeline.Alt, withThose bool) []timeline.Alt {
	for _, v := range w.failed {
		alts = append(alts, timeline.Alt{V: v, Steps: 1})
	}
	for _, m := range w.messages.mayEnd {
		alts = append(alts, timeline.Alt{V: m.x})
	}
	alts = e.overflowed(w, r, alts)
	if w.cq != nil && withThose && slices.ContainsFunc(w.waiting, e.explains) {
		alts = append(alts, timeline.Alt{V: e.firstFailureOf(w), Steps: 1})
	}
	return alts
}

// overflowed adds the overflow of the CQ of a queue to what may have cancelled r. What r itself completes into had not overflowed.
func (e *Engine) overflowed(w *workQueue, r *request, alts []timeline.Alt) []timeline.Alt {
	if w.cq != nil && w.cq.overflowed != timeline.None && w.cq != r.queue.cq {
		alts = append(alts, timeline.Alt{V: w.cq.overflowed})
	}
	return alts
}

// stops reports whether a request of w that fails cancels what is pending on another queue of its queue pair. A send that fails leaves the receives of UC
// and UD: the queue pair is in its send error state (RES-11).
func (w *workQueue) stops(other *workQueue) bool {
	return !w.qp.loses || w == other || w.kind == model.Receive
}

// explains reports whether a failure of r may have cancelled what the loss of its connection did not. One on a connection that may be lost cancels
// nothing before it has ended that (A40): only what may have failed before that was made does.
func (e *Engine) explains(r *request) bool {
	p := r.queue.qp
	return !e.tellsOfLoss(p) || p.connects >= r.called && e.Solver.Lower(r.failing()) <= timeline.At(p.connects)
}

// failing returns when r had failed, if it did. With a bad token a message ends the connection, and may succeed.
func (r *request) failing() timeline.Var {
	if r.op == model.SendAndInvalidate {
		return r.x
	}
	return r.end()
}

// isCaused states that a request which was cancelled was so no earlier than one of the alternatives.
func (e *Engine) isCaused(r *request, alts []timeline.Alt, rule timeline.Rule, m facts.Moment) {
	p := r.queue.qp
	if r.queue.silenced != nil {
		rule = silentFailed
	}
	if len(p.causes) == mostCauses {
		e.Solver.Drop(p.causes[0].choice)
		p.causes = withoutFirst(p.causes, 1)
	}
	e.alts = alts
	p.causes = append(p.causes, cause{e.Solver.OneOf(r.x, alts, rule, m.Line), r})
}

// mayFailBefore reports whether something waits on the queue that may have failed before r: polls overlap, or posts did.
func (w *workQueue) mayFailBefore(r *request) bool {
	for _, o := range w.waiting {
		if o != r && !o.follows(r) {
			return true
		}
		if !o.loose {
			return false
		}
	}
	return false
}

// failed adds a request that failed to what may have cancelled others of its queue pair.
func (e *Engine) failed(r *request) {
	w, p := r.queue, r.queue.qp
	if !e.explains(r) {
		return
	}
	if !w.failedAll {
		w.failed = append(w.failed, e.Solver.Keep(r.x))
		w.failedAll = r.op != model.Read && !r.loose
	}
	if w.kind == model.Initiator && e.dialect.ErrorState {
		e.mayHaveCaused(p.peer, timeline.Alt{V: r.x, Steps: 1})
	}
	for _, c := range p.causes {
		if e.Solver.Undecided(c.choice) && w.stops(c.of.queue) && (c.of.queue != w || c.of.op == model.Read && r.passesReads() || r.loose || r.number < c.of.number) {
			e.Solver.Also(c.choice, timeline.Alt{V: r.x, Steps: 1})
		}
	}
}

// mayHaveCaused adds an alternative to all that was cancelled of a queue pair.
func (e *Engine) mayHaveCaused(p *queuePair, a timeline.Alt) {
	if p == nil {
		return
	}
	for _, c := range p.causes {
		if e.Solver.Undecided(c.choice) {
			e.Solver.Also(c.choice, a)
		}
	}
}

// mayEnd adds a message that succeeded, and whose receive is not known, to what may have cancelled others: it may have ended the connection (INV-05).
func (e *Engine) mayEnd(r *request) {
	if r.op != model.SendAndInvalidate || !e.dialect.ErrorState {
		return
	}
	w := r.queue
	w.messages.mayEnd = slices.DeleteFunc(w.messages.mayEnd, func(o *request) bool {
		over := r.follows(o) // as r has succeeded
		if over {
			e.Solver.Release(o.x)
		}
		return over
	})
	e.Solver.Keep(r.x)
	w.messages.mayEnd = append(w.messages.mayEnd, r)
	e.mayHaveCaused(w.qp, timeline.Alt{V: r.x})
	e.mayHaveCaused(w.qp.peer, timeline.Alt{V: r.x})
}

// firstFailureOf returns when the first request of a queue whose outcome is not known may have failed.
func (e *Engine) firstFailureOf(w *workQueue) timeline.Var {
	if w.firstFailure == timeline.None {
		label := timeline.Label{Deed: firstFailure, Of: "the first of " + w.qp.name + " that may have failed"}
		w.firstFailure = e.Solver.New(label, 0, mayCause, e.now.Line)
	}
	e.raiseFirstFailure(w)
	return w.firstFailure
}

// mostLooked is how many of those that wait are looked at for the first failure.
const mostLooked = 64

// raiseFirstFailure updates the time of the first failure of a queue.
func (e *Engine) raiseFirstFailure(w *workQueue) {
	if w.firstFailure == timeline.None || w.messages.vanished { // of what vanished nothing is told
		return
	}
	least, from := timeline.At(e.now.At), timeline.None
	for i, r := range w.waiting {
		e.isPending(r)
		if v := r.failing(); e.explains(r) && e.Solver.Lower(v) < least {
			least, from = e.Solver.Lower(v), v
		}
		if i > mostLooked {
			least, from = min(least, timeline.At(w.waiting[0].called)), timeline.None
			break
		}
		if !r.silent && r.op != model.Read && !r.loose {
			break
		}
	}
	e.Solver.NotBefore(w.firstFailure, least, mayCause, e.now.Line, from)
}
