package search

import (
	"slices"
	"sort"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/clauses"
	"ndkoracle/trace"
)

// findOwed finds, of each request, the first moment of rest at which it must have completed.
func (h *history) findOwed() {
	unpolled := clauses.Recall(h.dialect, unpolled(h.trace))
	for _, p := range h.qps {
		p.findChains()
		h.findFlushed(p)
		for _, r := range slices.Concat(p.initiator, p.receive) {
			for _, hidden := range []*clauses.Engine{h.hidden, unpolled} {
				if by := hidden.OwedBy(r.wr); by != 0 {
					r.owed = min(r.owed, by-1)
				}
			}
		}
	}
}

// unpolled returns a trace whose polls ask for no more than they are given, so that none tells what was not there: what is late is not a contradiction
// then, and had to be over all the same. Those that are given nothing are not polls there: what comes behind them was not there at the moment of rest
// before. Nothing in it is unclear: what the search finds there is left open as it is found.
func unpolled(t *trace.Trace) *trace.Trace {
	results, less := map[string]int64{}, *t
	less.Events = slices.Clone(t.Events)
	for i := range t.Events {
		if e := &t.Events[i]; e.Ph == trace.Ret {
			results[e.Op] = int64(len(e.Results))
		}
	}
	for i := range less.Events {
		e := &less.Events[i]
		if e.Unclear = ""; e.Ph == trace.Call && calls.KindOf(e) == calls.PollCq {
			n := results[e.Op]
			if e.N = &n; n == 0 {
				e.Fn = ""
			}
		}
	}
	return &less
}

// marksTo returns how many moments of rest there are up to a moment.
func (h *history) marksTo(at moment) int {
	return sort.Search(len(h.marks), func(i int) bool { return h.marks[i] > at })
}

// findChains finds, of each deferred request, when its chain has ended: by a request without DEFER, or by one that was
// refused (DEF-05, A11).
func (p *qp) findChains() {
	ended, end := never, (*span)(nil)
	for _, s := range slices.Backward(p.posts) {
		for _, r := range s.requests {
			if r.deferred {
				r.indicated, r.chainEnd = ended, end
			}
		}
		if s.fn != "NdkReceive" && (!s.succeeded() || !slices.Contains(s.begin.Flags, "DEFER")) {
			ended, end = min(ended, s.ret), s
		}
	}
}

// endedByRefusal reports whether the chain of a deferred request ended with a post that was refused.
func (r *request) endedByRefusal() bool { return r.chainEnd != nil && !r.chainEnd.succeeded() }

// flushedAfter returns by when a flush had flushed r, or never. One that was called before the post of r returned may have
// come before r (POST-04, A15).
func (p *qp) flushedAfter(r *request) moment {
	i := sort.Search(len(p.flushes), func(i int) bool { return p.flushes[i].call > r.post.ret })
	return p.flushed[i]
}

// findFlushed finds by when the first of each flush and those after it had flushed.
func (h *history) findFlushed(p *qp) {
	p.flushed = slices.Repeat([]moment{never}, len(p.flushes)+1)
	for i, s := range slices.Backward(p.flushes) {
		p.flushed[i] = min(h.flushedBy(s), p.flushed[i+1])
	}
}

// flushedBy returns by when a call had flushed its QP, or never where it need not have. A pending NdkDisconnect may wait for the peer, and requests
// may end as usual meanwhile. It completes when the QP has nothing left to do (DISC-01, DISC-08). Whether a failed one flushes is not specified.
func (h *history) flushedBy(s *span) moment {
	switch by := h.answers[s.begin.Op]; {
	case s.refused():
		return never
	case !s.pending():
		return s.ret
	case len(by) > 0 && calls.ReportsSuccess(by[0].begin):
		return by[0].call
	}
	return never
}

// endedFrom returns from when on the consumer, or a bad token, may have ended the connection of a QP.
func (p *qp) endedFrom() moment {
	from := p.aborted
	for _, s := range p.flushes {
		from = min(from, s.call)
	}
	if p.closed != nil {
		from = min(from, p.closed.call)
	}
	return from
}

// findUndelivered finds, of each request, what polls delivered of its queue: later ones, and not all of the earlier ones that
// have a completion for certain.
func (h *history) findUndelivered() {
	for _, p := range h.qps {
		for _, queue := range [][]*request{p.initiator, p.receive} {
			waiting, overtaken, passed := 0, false, false
			for _, r := range queue {
				r.waiting = waiting
				if r.delivery == nil && !r.silent && r.point == nil {
					waiting++
				}
			}
			for _, r := range slices.Backward(queue) {
				r.overtaken, r.passed = overtaken, passed
				overtaken, passed = overtaken || r.delivery != nil, passed || r.point != nil
			}
		}
	}
}

// emptyAfter returns the first poll of a CQ that began after the moment, or at it, and found nothing, or nil.
func (q *cq) emptyAfter(mark moment) *span {
	i := sort.Search(len(q.empty), func(i int) bool { return q.empty[i].call >= mark })
	if i == len(q.empty) {
		return nil
	}
	return q.empty[i]
}

// vanishesBy reports whether completions of p may have vanished by a moment (A21): while its close was running, if that returned success,
// or else when it completed. The search follows them.
func (h *history) vanishesBy(p *qp, at moment) bool {
	done := h.doneAt(p.closed)
	return p.closed != nil && (done < at || done == p.closed.ret && p.closed.call < at)
}

// foundEmpty reports whether a poll had room and returned nothing.
func (s *span) foundEmpty() bool {
	return s.end != nil && len(s.end.Results) == 0 && (s.begin.N == nil || *s.begin.N > 0)
}

// checkOwed reports each request that must have completed at a moment of rest, when a later poll found the CQ empty and
// had not delivered it: whatever the provider did unseen, it had not placed the completion, or the poll left it behind.
func (h *history) checkOwed() {
	for _, r := range h.requests {
		q := r.qp.cq(r.queue)
		if h.outlivesClose(q, r) {
			continue
		}
		placed := r.point != nil && r.point.call < r.owed // then it is the poll that is wrong
		if !r.accepted || q == nil || r.silent && r.delivery == nil || r.owed == never || placed {
			continue
		}
		poll := q.emptyAfter(r.owed)
		if poll == nil || r.delivery != nil && r.delivery.poll.call < poll.ret || h.vanishesBy(r.qp, poll.ret) {
			continue
		}
		if h.mayFail(q) && !h.heldAll(q, q.resizedBetween(r.owed, poll.call), poll) {
			continue
		}
		late := r.overdue(r.qp.flushedAfter(r) < r.owed)
		doubt := earlier(r.doubt(), q.strangers)
		if resize := q.resizedBetween(r.owed, poll.call); resize != nil {
			h.reportBreachInOrder(doubt, breach.LostByResize(q.name, r.wr), r.owed, r.post, resize)
			h.shownAt(poll.ret, late.Rule)
			continue
		}
		h.providerInOrder(doubt, late.Rule, r.owed, []*span{r.post, poll},
			"the provider was at rest, and %s: a poll of %s found nothing afterwards", late.Message, q.name)
		f := &h.findings[len(h.findings)-1]
		if f.shown = poll.ret; r.delivery != nil {
			f.Also = late.Also
		}
	}
}

// outlivesClose is LIFE-07: a poll delivered r, and one before it, called after the close of its QP had completed, found nothing. It
// reports whether that is so.
func (h *history) outlivesClose(q *cq, r *request) bool {
	closed := h.doneAt(r.qp.closed)
	if r.delivery == nil || r.point != nil || closed == never || h.mayFail(q) {
		return false
	}
	poll := q.emptyAfter(closed)
	if poll == nil || r.post.call > closed || r.delivery.poll.call < poll.ret {
		return false
	}
	late := breach.Late(q.name, r.qp.name, r.wr)
	h.reportBreachInOrder(r.doubt(), late, closed, r.post, r.qp.closed, poll)
	f := &h.findings[len(h.findings)-1]
	f.shown, f.Also = r.delivery.poll.ret, late.Also
	return true
}

// overdue says which rule r breaks by not having completed at rest, if it is known that it was cancelled, or that it was not.
func (r *request) overdue(cancelled bool) breach.Breach {
	return breach.Overdue{Wr: r.wr, Silent: r.silent, Ended: r.told, Cancelled: cancelled, Refused: r.deferred && r.endedByRefusal()}.Breach()
}
