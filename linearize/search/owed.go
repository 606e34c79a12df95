package search

import (
	"cmp"
	"slices"
	"sort"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// findOwed finds, of each request, the first moment of rest at which it must have completed.
func (h *history) findOwed() {
	for _, p := range h.qps {
		p.findChains()
		h.findFlushed(p)
		waits := h.waitsForPeer(p)
		for i, r := range p.initiator {
			h.owe(r, min(max(r.indicated, waits[i]), p.flushedAfter(r)))
		}
	}
	for _, p := range h.qps {
		arrived := h.messagesArrived(p)
		for i, r := range p.receive {
			if m := cmp.Or(r.message, r.arrived); m != nil && r.told && m.owed != never && !h.mayFail(p.peer.initiatorCq) { // it is received before it is over
				arrived[i] = min(arrived[i], m.owed-1)
			}
			arrived[i] = min(arrived[i], h.allSentBy(r))
			h.owe(r, min(arrived[i], p.flushedAfter(r)))
		}
	}
}

// owe notes that r waits for nobody but the provider from a moment on. After a close nothing is owed (A21).
func (h *history) owe(r *request, from moment) {
	from = max(from, r.post.ret)
	i := h.marksTo(from)
	if i < len(h.marks) && (r.qp.closed == nil || r.qp.closed.call >= h.marks[i]) {
		r.owed = h.marks[i]
	}
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

// flushedBy returns by when a call had flushed its QP, or never where it need not have. NdkDisconnect that is pending may
// wait for the peer, and requests may end as usual meanwhile; it completes when the QP has nothing left to do (DISC-01,
// DISC-08). Nobody says whether one that failed flushes.
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

// waitsForPeer returns, for each request of the initiator queue, until when it, or a send before it, may be waiting for a
// receive that its peer does not have, or of which the trace does not tell. So it may on a connection that has ended (A15).
func (h *history) waitsForPeer(p *qp) []moment {
	broken := h.brokenFrom(p, p.receive)
	if p.peer != nil {
		broken = min(broken, h.brokenFrom(p.peer, p.peer.receive), h.brokenFrom(p.peer, p.peer.initiator))
	}
	receives := h.receivesAt(p.peer, broken)
	left := h.receivesLeftAt(p.peer)
	took, ended := h.tookBy(p), h.leftBy(p)
	until, sends, waits := make([]moment, len(p.initiator)), 0, 0
	over := overBy(p.initiator)
	for i, r := range p.initiator {
		if r.op.IsSend() && calls.MayLoseConnection(p.creation()) {
			met := min(took[i], p.flushedAfter(r), ended)
			for m := h.marksTo(max(r.post.ret, r.indicated, waits)); m < len(receives) && h.marks[m] <= met; m++ {
				if receives[m] > sends || left[m] > 0 {
					met = h.marks[m] - 1
				}
			}
			waits = max(waits, min(met, over[i]))
			sends++
		}
		until[i] = waits
		if from := h.failsAt(r); from < broken { // what comes before it can't wait for what that ends
			broken = from
			receives = h.receivesAt(p.peer, broken)
		}
	}
	return until
}

// leftBy returns by when a call had ended the connection of p, so that no send waits for a receive, or never: NdkDisconnect, or a flush that
// cancels what is posted behind it (A15).
func (h *history) leftBy(p *qp) moment {
	by := never
	for _, s := range p.flushes {
		if h.cancels || s.fn == "NdkDisconnect" {
			by = min(by, h.flushedBy(s))
		}
	}
	return by
}

// overBy returns, for each request of a queue, by when the trace tells that it was over, as it or one behind it had completed, or never.
func overBy(queue []*request) []moment {
	over, by := make([]moment, len(queue)), never
	for i, r := range slices.Backward(queue) {
		if r.told {
			by = min(by, r.toldBy())
		}
		over[i] = by
	}
	return over
}

// tookBy returns, for each request of the initiator queue that is a send and succeeded, by when the receive that it took had been posted.
// The last of them took the last one at the latest; one that names a bad token may have ended it.
func (h *history) tookBy(p *qp) []moment {
	took := slices.Repeat([]moment{never}, len(p.initiator))
	if p.peer == nil {
		return took
	}
	left, connected := len(p.peer.receive), h.connectedBy(p.peer)
	over := overBy(p.initiator)
	for i, r := range slices.Backward(p.initiator) {
		if !r.op.IsSend() || over[i] == never || failed(r) {
			continue
		}
		for left--; left >= 0 && r.op != model.SendAndInvalidate && p.peer.receive[left].told && failed(p.peer.receive[left]); left-- {
		}
		if left < 0 {
			break
		}
		took[i] = max(p.peer.receive[left].post.ret, connected)
	}
	return took
}

// receivesAt returns, for each moment of rest, how many receives of p had been posted and were pending then, or had taken a message, where
// its connection may have been broken from a moment on.
func (h *history) receivesAt(p *qp, broken moment) []int {
	return h.countAt(p, func(r *request) moment {
		switch {
		case !r.told:
			return h.pendingAt(r)
		case failed(r) && r.post.call < p.failedBy: // an attempt that failed may have cancelled it
			return h.pendingAt(r)
		case failed(r):
			return max(broken, h.pendingAt(r))
		}
		return never
	})
}

// receivesLeftAt returns, for each moment of rest, how many receives of p are known to have been pending then.
func (h *history) receivesLeftAt(p *qp) []int { return h.countAt(p, h.pendingAt) }

// countAt returns, for each moment of rest, how many receives of p had been posted by then, of those that count until then.
func (h *history) countAt(p *qp, until func(*request) moment) []int {
	if p == nil {
		return nil
	}
	connected := h.connectedBy(p)
	change := make([]int, len(h.marks)+1)
	for _, r := range p.receive {
		if from, to := h.marksTo(max(r.post.ret, connected)), h.marksTo(until(r)); from < to {
			change[from]++
			change[to]--
		}
	}
	at := make([]int, len(h.marks))
	n := 0
	for m := range at {
		n += change[m]
		at[m] = n
	}
	return at
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

// brokenFrom returns from when on a QP may have been broken by what the trace tells of it, and of one of its queues.
func (h *history) brokenFrom(p *qp, queue []*request) moment {
	from := p.endedFrom()
	for _, q := range []*cq{p.initiatorCq, p.receiveCq} {
		if q != nil && (q.reports || q.unclear != "") {
			from = 0
		}
	}
	for _, r := range queue {
		from = min(from, h.failsAt(r))
	}
	return from
}

// failsAt returns when a request failed, at the earliest, or never. libibverbs may report a failure as cancelled.
func (h *history) failsAt(r *request) moment {
	if r.outcome == model.FAILED || failed(r) && r.isVerbs() {
		return max(r.post.call, h.pendingAt(r))
	}
	return never
}

// connectedBy returns by when p was connected, or never.
func (h *history) connectedBy(p *qp) moment {
	switch by := h.answers[p.connected.begin.Op]; {
	case !p.connected.pending():
		return p.connected.ret
	case len(by) > 0:
		return by[0].call
	}
	return never
}

// messagesArrived returns, for each receive, by when as many of the peer's sends are known to have succeeded as it and those
// before it can have taken.
func (h *history) messagesArrived(p *qp) []moment {
	arrived := slices.Repeat([]moment{never}, len(p.receive))
	if p.peer == nil {
		return arrived
	}
	n := 0
	for i, s := range p.peer.initiator {
		if s.told && failed(s) || !s.op.IsSend() {
			continue
		}
		by := h.succeededBy(p.peer, i)
		for s.op == model.Send && n < len(arrived) && p.receive[n].told && failed(p.receive[n]) {
			n++ // it took none
		}
		if by == never || n == len(arrived) {
			break
		}
		arrived[n] = by
		n++
	}
	for i := len(arrived) - 2; i >= 0; i-- {
		arrived[i] = min(arrived[i], arrived[i+1])
	}
	return arrived
}

// allSentBy returns by when all messages had been sent that r, a receive that succeeded, can have taken, or never: whichever it took, r, from then
// on, waited for nobody but the provider.
func (h *history) allSentBy(r *request) moment {
	p := r.qp
	if !r.told || failed(r) || p.peer == nil || h.mayFail(p.peer.initiatorCq) {
		return never
	}
	by, left := max(h.connectedBy(p), h.connectedBy(p.peer)), 0
	for _, m := range p.peer.sends {
		if m.post.call < r.toldBy() {
			by, left = max(by, m.post.ret, m.indicated), left+1
		}
	}
	for _, o := range p.receive[:r.position+1] {
		if o.told && !failed(o) {
			left--
		}
	}
	if left < 0 {
		return never // it took none: that is the breach (POLL-05), and it waits as if it had not succeeded
	}
	if i := h.marksTo(by); i < len(h.marks) && p.peer.closed != nil && p.peer.closed.call < h.marks[i] {
		return never // after a close nothing is owed (A21)
	}
	return by
}

// succeededBy returns by when a request of the initiator queue is known to have succeeded, which was not told to have failed.
func (h *history) succeededBy(p *qp, i int) moment {
	r, by := p.initiator[i], never
	switch q := p.initiatorCq; {
	case r.told:
		by = r.toldBy()
	case !r.silent || h.mayFail(q):
		return never
	case r.owed != never && h.foundEmptyAfter(r):
		by = r.owed // a failure would have been delivered
	default:
		for _, later := range p.initiator[i:] { // behind it nothing ends before it
			if later.told {
				by = later.toldBy()
				break
			}
		}
	}
	if by != never && r.owed != never {
		by = min(by, r.owed-1) // by that moment
	}
	return by
}

// foundEmptyAfter reports whether a poll found the CQ of r empty after the moment at which r was owed, and before its QP was
// closed.
func (h *history) foundEmptyAfter(r *request) bool {
	poll := r.qp.cq(r.queue).emptyAfter(r.owed)
	return poll != nil && (r.qp.closed == nil || r.qp.closed.call > poll.ret)
}

// mustFail reports whether a silent send, which is owed, can only have failed by then: the peer had posted no receive that was
// left for its message, or for a bad token that it names.
func (h *history) mustFail(r *request) bool {
	peer := r.qp.peer
	if !r.silent || !r.op.IsSend() || peer == nil || r.owed == never {
		return false
	}
	left := 0
	for _, to := range peer.receive {
		if to.post.call < r.owed && (r.op == model.SendAndInvalidate || !to.told || !failed(to)) {
			left++
		}
	}
	for _, s := range r.qp.sends {
		if s == r {
			break
		}
		if (!s.told || !failed(s)) && h.succeededBy(r.qp, s.position) != never {
			left--
		}
	}
	return left <= 0
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
		if !r.accepted || q == nil || r.silent && r.delivery == nil && !h.mustFail(r) || r.owed == never {
			continue
		}
		poll := q.emptyAfter(r.owed)
		if poll == nil || r.delivery != nil && r.delivery.poll.call < poll.ret || h.vanishesBy(r.qp, poll.ret) {
			continue
		}
		if h.mayFail(q) && !h.heldAll(q, q.resizedBetween(r.owed, poll.call), poll) {
			continue
		}
		rule, why := r.brokenByDelay()
		doubt := earlier(r.doubt(), q.strangers)
		if resize := q.resizedBetween(r.owed, poll.call); resize != nil {
			h.tellsInOrder(doubt, breach.LostByResize(q.name, r.wr), r.owed, r.post, resize)
			h.shownAt(poll.ret, rule)
			continue
		}
		h.providerInOrder(doubt, rule, r.owed, []*span{r.post, poll},
			"the provider was at rest, and %s: a poll of %s found nothing afterwards", why, q.name)
		f := &h.findings[len(h.findings)-1]
		if f.shown = poll.ret; r.delivery != nil {
			f.Also = []string{"POLL-03"}
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
	h.tellsInOrder(r.doubt(), breach.Late(q.name, r.qp.name, r.wr), closed, r.post, r.qp.closed, poll)
	f := &h.findings[len(h.findings)-1]
	f.shown, f.Also = r.delivery.poll.ret, []string{"POLL-03"}
	return true
}

// brokenByDelay says which rule r breaks by not having completed at rest.
func (r *request) brokenByDelay() (rule, why string) {
	flushed := r.qp.flushedAfter(r) < r.owed
	switch {
	case r.silent && (r.told || flushed):
		return "FLAG-02", r.wr + ", a silent request that failed or was cancelled, had not completed"
	case flushed:
		return "FLUSH-02", r.wr + ", pending when its queue was flushed, had not completed"
	case r.deferred && r.endedByRefusal():
		return "DEF-05", r.wr + ", deferred before a post that was refused, had not been indicated and completed"
	}
	return "DEF-04", r.wr + ", posted with success, had not completed"
}
