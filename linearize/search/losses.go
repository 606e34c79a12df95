package search

import (
	"slices"
	"sort"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// findAborts finds since when the connection of each QP may have ended without a flush: a connector was closed, or a
// disconnect event says so, which comes at some time after that. Such an abort may cancel requests (A23). What names neither
// its QP nor its connection may be of any.
func (h *history) findAborts() {
	for _, s := range h.aborts {
		from, e := s.call, s.begin
		if e.Ph == trace.Enter {
			from = 0
		}
		for _, p := range h.qps {
			named := (e.Qp == "" || e.Qp == p.name) && (e.Conn == "" || e.Conn == p.conn)
			if named && p.connected != nil && p.connected.call < s.ret {
				p.aborted = min(p.aborted, max(from, p.connected.call))
			}
		}
	}
}

// findEnds says of each QP whether a flush, a close or a failure of its own ends it. What was cancelled is no cause of its own.
func (h *history) findEnds() {
	for _, p := range h.qps {
		p.ends = len(p.flushes) > 0 || p.closed != nil || p.aborted != never
		for _, r := range slices.Concat(p.initiator, p.receive) {
			p.ends = p.ends || r.outcome == model.FAILED
		}
	}
}

// A loss is something that may end a connection without a word in the trace, from a moment on: where it is the failure of a
// request of the QP itself, only once that can be executed.
type loss struct {
	from    moment
	request *request // or nil
}

// findLosses finds since when the connection of each QP may have been lost for a reason that is not its own. The reason is a peer that failed, flushed,
// disconnected or closed, a peer that the trace does not have, or a failed request without a recorded completion.
func (h *history) findLosses() {
	for _, p := range h.qps {
		if p.connected == nil {
			continue
		}
		from := p.connected.call
		switch cut := h.trace.End == nil && h.dialect.LossCancels; { // what is cut off may tell of a loss
		case !calls.MayLoseConnection(p.creation()):
			from = never
		case p.peer != nil && !cut:
			from = min(p.aborted, h.lostByPeer(p.peer), h.lostByItself(p))
		}
		p.losses = append(p.losses, loss{from: from})
		for _, queue := range []model.Queue{model.Initiator, model.Receive} {
			p.losses = append(p.losses, h.mayHaveFailed(p, queue)...)
		}
		p.brokeIdle = slices.ContainsFunc(p.losses, func(l loss) bool { return l.request != nil && l.from < h.doneAt(p.connected) })
		p.losses = slices.DeleteFunc(p.losses, func(l loss) bool {
			return l.from == never || p.peer == nil && l.request != nil && calls.MayLoseConnection(p.creation())
		})
		for _, l := range p.losses {
			p.lostFrom = min(p.lostFrom, l.from)
		}
	}
}

// lostByItself returns from when on the connection of a QP may be lost with nothing in the trace to tell why, or never: such a loss explains
// nothing but that a request is cancelled. In libibverbs the request that meets it fails (RES-11).
func (h *history) lostByItself(p *qp) moment {
	from := never
	for _, r := range slices.Concat(p.initiator, p.receive) {
		if h.dialect.LossCancels && r.told && r.outcome == model.CANCELLED {
			from = min(from, max(p.connected.call, r.post.call))
		}
	}
	return from
}

// lostByPeer returns from when on the connection of a QP may be lost as its peer, p, was. Of libibverbs only an initiator request that failed at the
// peer ends it: an RC end sees nothing else of the other (RES-10, RES-11).
func (h *history) lostByPeer(p *qp) moment {
	from, unseen := p.endedFrom(), h.dialect.ErrorState && !h.dialect.FailsAsFlushed
	if unseen {
		from = p.aborted
	}
	for _, q := range []*cq{p.initiatorCq, p.receiveCq} {
		if q != nil && h.mayFail(q) && p.connected != nil {
			from = min(from, max(p.connected.call, h.failsFrom(q)))
		}
	}
	for _, r := range slices.Concat(p.initiator, p.receive) {
		switch {
		case unseen && (r.queue == model.Receive || r.outcome == model.CANCELLED):
		case r.outcome == model.CANCELLED && r.queue == model.Initiator: // it may have passed a read, which kept it from completing
			from = min(from, r.post.call)
		case failed(r): // what cancelled it may be the loss
			from = min(from, max(r.post.call, h.pendingAt(r)))
		}
	}
	for _, queue := range []model.Queue{model.Initiator, model.Receive} {
		for _, l := range h.mayHaveFailed(p, queue) {
			if !unseen || queue == model.Initiator {
				from = min(from, l.from)
			}
		}
	}
	return from
}

// isVerbs reports whether r was posted by a function of libibverbs, where what failed may be reported as flushed.
func (r *request) isVerbs() bool { return strings.HasPrefix(r.post.fn, "ibv_") }

// mayHaveFailed returns the requests of a queue without a recorded completion that may have failed, and from when on: the
// completion may still be in the CQ at the end of the trace. Of the receives that no message was sent for, the first stands for all:
// those behind it are executed after it.
func (h *history) mayHaveFailed(p *qp, queue model.Queue) []loss {
	q, requests := p.cq(queue), p.queue(queue)
	if q == nil {
		return nil
	}
	var all []loss
	seen := h.foundEmptyBy(p, q, never)
	for _, r := range slices.Backward(requests) {
		if r.told || r.owed <= seen {
			break // and what was posted before it has also completed
		}
		l := loss{max(r.post.call, seen+1), r}
		if !r.hasMessage() && len(all) > 0 {
			all[0] = l
			continue
		}
		all = append(all, l)
	}
	return all
}

// pendingAt returns the last moment of rest at which r, which has failed or is not told, is known to have been pending, or 0.
func (h *history) pendingAt(r *request) moment {
	q := r.qp.cq(r.queue)
	switch {
	case q == nil:
		return 0
	case !r.told:
		return h.foundEmptyBy(r.qp, q, never)
	case r.point != nil:
		return max(h.foundEmptyBy(r.qp, q, r.point.call), h.pendingAtRest(r))
	}
	return h.foundEmptyBy(r.qp, q, r.delivery.poll.call)
}

// pendingAtRest returns the last moment of rest before a point placed r, if r had not been executed by then, or 0: else it would have
// completed, unless it had passed a read.
func (h *history) pendingAtRest(r *request) moment {
	i := h.marksTo(r.point.call)
	if i == 0 || r.qp.closed != nil && r.qp.closed.call < h.marks[i-1] || h.mayFail(r.qp.cq(r.queue)) {
		return 0
	}
	rested := h.marks[i-1]
	for _, o := range slices.Backward(r.qp.queue(r.queue)[:r.position]) {
		switch {
		case r.fence, o.told && o.toldBy() <= rested:
			return rested
		case o.op == model.Read:
			return 0
		}
	}
	return rested
}

// foundEmptyBy returns the last moment of rest after which polls found q empty, or 0. The polls returned before until, before q may have failed, and
// before p was closed (A21). So the requests of p that had failed by that moment of rest had been delivered. Once q may have failed, a completion that it
// delivers shows the same, if it was placed after the moment of rest.
func (h *history) foundEmptyBy(p *qp, q *cq, until moment) moment {
	if p.closed != nil {
		until = min(until, p.closed.call)
	}
	before := until
	if fails := h.failsFrom(q); fails < until {
		before = min(until, max(fails, h.markFrom(q.placedFrom(until))))
	}
	called := sort.Search(len(q.empty), func(i int) bool { return q.empty[i].call >= before })
	for _, s := range slices.Backward(q.empty[:called]) {
		if i := h.marksTo(s.call); s.ret < before && i > 0 {
			return h.marks[i-1]
		}
	}
	return 0
}

// markFrom returns the first moment of rest that does not come before a moment, or never.
func (h *history) markFrom(at moment) moment {
	if i := h.marksTo(at - 1); i < len(h.marks) {
		return h.marks[i]
	}
	return never
}
