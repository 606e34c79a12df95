package search

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/monitor"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// findPeers joins the two QPs of each connection. Where one end may have receives that the trace does not tell of, each is judged
// as if the other were not in the trace.
func (h *history) findPeers() {
	byConn := map[string][]*qp{}
	for _, p := range h.qps {
		if p.conn != "" {
			byConn[p.conn] = append(byConn[p.conn], p)
		}
	}
	for _, p := range h.qps {
		if ends := byConn[p.conn]; len(ends) == 2 && !slices.ContainsFunc(ends, h.hasOtherReceives) {
			p.peer = ends[0]
			if ends[0] == p {
				p.peer = ends[1]
			}
			p.boundMessages()
		}
	}
}

// hasOtherReceives reports whether a QP may have receives that the trace does not hold as its own: of a shared queue, or from before the trace. Where the
// trace posts to a shared queue, and no creation names one, any QP may take its receives that posts none itself.
func (h *history) hasOtherReceives(p *qp) bool {
	return isFed(p) || p.created == nil || len(h.shared) > 0 && len(p.receive) == 0 && !slices.ContainsFunc(h.qps, isFed)
}

// isFed reports whether a QP takes its receives from a shared queue.
func isFed(p *qp) bool { return p.created != nil && p.created.begin.Srq != "" }

// findMessages joins each receive with the send that it takes, if it takes one: on a connection the sends arrive in their order.
func (h *history) findMessages() {
	for _, p := range h.qps {
		if p.peer == nil {
			continue
		}
		sends := p.peer.sends
		for i, r := range p.receive {
			if i >= len(sends) || failed(r) || failed(sends[i]) {
				break
			}
			if h.guesses(p, i) {
				h.takesLike(i, r)
				continue
			}
			r.message = sends[i]
			if r.delivery != nil {
				h.takenBy[r.message] = r
				h.checkMessage(r, r.message.bytes())
			}
		}
		p.findReceives()
		h.findArrived(p)
		p.findAlike()
		h.checkUnnamed(p)
	}
}

// boundMessages finds when the message of each receive that succeeded was sent, at the earliest: as many sends were called by
// then as receives have succeeded, whatever became of the sends, and their end was connected.
func (p *qp) boundMessages() {
	taken := 0
	for _, r := range p.receive {
		if !r.told || failed(r) {
			continue
		}
		if taken < len(p.peer.sends) {
			r.sent = max(p.peer.sends[taken].post.call, p.peer.connected.call)
		}
		taken++
	}
}

// findArrived finds the message of each receive that was told to have succeeded before a send was told to have failed: that of
// the send in its place, whatever became of it, as a message is received before it is acknowledged.
func (h *history) findArrived(p *qp) {
	var failure *delivery // the first that was told of a send
	for i, r := range p.receive {
		if i >= len(p.peer.sends) || failed(r) || r.point != nil {
			return
		}
		s := p.peer.sends[i]
		switch {
		case !failed(s):
		case s.delivery == nil || s.point != nil:
			return
		case failure == nil || s.delivery.before(failure):
			failure = s.delivery
		}
		if r.message == nil && r.delivery != nil && failure != nil && r.delivery.before(failure) {
			if !p.receivedAll(i) {
				h.takesLike(i, r)
				continue
			}
			r.arrived, h.takenBy[s] = s, r
			h.checkMessage(r, s.bytes())
		}
	}
}

// guesses reports whether the i'th receive of p may have taken another message than that of the send in its place: one of which nothing
// is told, and which may have failed by itself, and completed by the next moment of rest. Send and receive had met by the first that follows both.
func (h *history) guesses(p *qp, i int) bool {
	r, s := p.receive[i], p.peer.sends[i]
	told := s.told || slices.ContainsFunc(p.peer.initiator[s.position:], func(later *request) bool { return later.told })
	if !r.told || told || p.receivedAll(i) {
		return false
	}
	q := p.peer.initiatorCq
	if q == nil {
		return true
	}
	seen := h.foundEmptyBy(p.peer, q, never)
	inOrder := i == 0 || p.receive[i-1].message != nil
	met := inOrder && !s.deferred && calls.MayLoseConnection(p.peer.creation()) && h.markFrom(max(r.post.ret, s.post.ret)) <= seen
	return seen < r.toldBy() && !met
}

// receivedAll reports whether the i'th receive can only have taken the message in its place, as it and those behind it took all that
// had been sent by then.
func (p *qp) receivedAll(i int) bool {
	sends := p.peer.sends
	for ; i < len(p.receive) && p.receive[i].told && !failed(p.receive[i]); i++ {
		if i+1 >= len(sends) || sends[i+1].post.call > p.receive[i].toldBy() {
			return true
		}
	}
	return false
}

// takesLike notes what is known of the message that r, the i'th receive, took, where it may be one of several: if all are alike, one
// like that in its place.
func (h *history) takesLike(i int, r *request) {
	sends, told := r.qp.peer.sends[i:], r.toldBy()
	bytes := sends[0].bytes()
	for _, other := range sends[1:] {
		if other.post.call >= told {
			continue
		}
		if other.bytes() != bytes {
			bytes = monitor.Either
		}
		if other.op != sends[0].op || other.solicit != sends[0].solicit || other.op == model.SendAndInvalidate {
			h.guessed = true
			return
		}
	}
	if r.like = sends[0]; r.delivery != nil {
		h.checkMessage(r, bytes)
	}
}

// findAlike finds of each receive that succeeded what all messages have in common that it can have taken: all that the peer had sent by then,
// whatever became of them, are solicited, or none is.
func (p *qp) findAlike() {
	if p.peer.created == nil {
		return
	}
	var first [2]*request // not solicited, solicited
	for _, s := range p.peer.sends {
		i := 0
		if s.solicit {
			i = 1
		}
		if first[i] == nil || s.post.call < first[i].post.call {
			first[i] = s
		}
	}
	for _, r := range p.receive {
		if !r.told || failed(r) {
			continue
		}
		var sent []*request
		for _, s := range first {
			if s != nil && s.post.call < r.toldBy() {
				sent = append(sent, s)
			}
		}
		if len(sent) == 1 {
			r.alike = sent[0]
		}
	}
}

// findReceives finds the peer's receive that each send of p goes to. Behind a send that failed nobody knows: that one may
// have taken a receive, or none.
func (p *qp) findReceives() {
	for i, s := range p.sends {
		s.meets = true
		if i < len(p.peer.receive) {
			s.receive = p.peer.receive[i]
		}
		if failed(s) {
			return
		}
	}
}

func failed(r *request) bool { return r.outcome != model.SUCCESS }

// hasMessage reports whether r is no receive for which the peer is known to have sent nothing.
func (r *request) hasMessage() bool {
	return r.queue == model.Initiator || r.qp.peer == nil || r.position < len(r.qp.peer.sends)
}

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

// findLosses says of each QP since when its connection may have been lost for a reason that is not its own: a peer that
// failed, flushed, disconnected or closed, or a peer that the trace does not hold; or as a request failed of which no completion
// tells.
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

// mayHaveFailed returns the requests of a queue that may have failed and of which no completion tells, and from when on: its
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
			break // and what was posted before it has completed too
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

// foundEmptyBy returns the last moment of rest after which polls found q empty that returned before a moment, and before q may have
// failed and p was closed (A21), or 0: what requests of p had failed by then had been delivered. Once q may have failed, what it delivers shows
// that, if that was placed after the moment of rest.
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

// findFlushedFailures takes the first request of a QP that libibverbs reports as flushed, where nothing had flushed it,
// for the failure that it is: some devices turn the QP to its error state first, and report every request from then on,
// the faulty one included, as IBV_WC_WR_FLUSH_ERR. NDKPI asks for more (RES-10).
func (h *history) findFlushedFailures() {
	placed := h.placedBy()
	for _, p := range h.qps {
		first := never
		var culprit *request
		for _, r := range slices.Concat(p.initiator, p.receive) {
			if !failed(r) || !r.told || !r.isVerbs() {
				continue
			}
			if culprit == nil || r.toldBefore(culprit) {
				culprit = r
			}
			if r.outcome == model.FAILED {
				first = 0 // the QP's own failure is in the trace
			}
			first = min(first, placed[r])
		}
		if culprit != nil && first > 0 && !p.mayCancel(culprit, first) {
			culprit.outcome, p.ends = model.FAILED, true
		}
	}
}

// placedBy returns, of each request that is told, by when its completion had been placed: before those that its CQ delivered after it.
func (h *history) placedBy() map[*request]moment {
	placed := map[*request]moment{}
	for _, r := range h.requests {
		if r.told {
			placed[r] = min(r.toldBy(), r.owed)
		}
	}
	for _, q := range h.cqs {
		by := never
		for _, r := range slices.Backward(q.delivered) {
			by = min(by, placed[r])
			placed[r] = by
		}
	}
	return placed
}

// toldBy returns by when the trace tells how r ended: its completion was placed by then.
func (r *request) toldBy() moment {
	if r.point != nil {
		return r.point.call
	}
	return r.delivery.poll.ret
}

// toldBefore reports whether r was told before another request.
func (r *request) toldBefore(o *request) bool {
	if r.point == nil && o.point == nil {
		return before(r.delivery, o.delivery)
	}
	return r.toldBy() < o.toldBy()
}

// before reports whether a completion was told before another: by an earlier poll, or earlier by the same.
func before(a, b *delivery) bool {
	return cmp.Or(cmp.Compare(a.poll.ret, b.poll.ret), cmp.Compare(a.order, b.order)) < 0
}

// mayCancel reports whether anything that the trace shows can have cancelled r, a request of p, by then.
func (p *qp) mayCancel(r *request, at moment) bool {
	mayHave := func(l loss) bool { return l.from < at && (l.request == nil || !l.request.waitsFor(r)) }
	return p.mayBeFlushed(0, at) || slices.ContainsFunc(p.losses, mayHave)
}

// mayBeFlushed reports whether the consumer may have flushed p, or closed it, by a moment, and no flush counts that had returned before another one.
func (p *qp) mayBeFlushed(from, at moment) bool {
	called := func(s *span) bool { return s.call < at && (s.fn != "NdkFlush" || s.ret > from) }
	return slices.ContainsFunc(p.flushes, called) || p.closed != nil && called(p.closed)
}

// mayHaveFailed reports whether r, which libibverbs told as flushed, may have failed itself: nothing had flushed it, but the loss of the
// connection, which may have come later.
func (r *request) mayHaveFailed() bool {
	return r.told && failed(r) && r.isVerbs() && !r.qp.mayBeFlushed(0, r.toldBy())
}

// waitsFor reports whether r, of the same QP, is executed after o (FLAG-04).
func (r *request) waitsFor(o *request) bool {
	if r.queue != o.queue || r.position < o.position {
		return false
	}
	waits := func(between *request) bool { return between.fence && between.op != model.Read }
	return o.op != model.Read || r.fence || slices.ContainsFunc(r.qp.queue(r.queue)[o.position+1:r.position], waits)
}

// lostBefore returns the latest request of its queue behind which r was executed, and that the end of the connection had cancelled, or, where r was
// posted behind that end, the latest of its queue pair; or nil: nothing succeeds then, though what the search executes late may have been executed before
// that end.
func (h *history) lostBefore(s state, r *request) *request {
	if !h.dialect.LossCancels || s.model.Qps[r.qp.index].State != model.Ended {
		return nil
	}
	for _, o := range slices.Backward(r.qp.queue(r.queue)[:r.position]) {
		switch {
		case !o.told || o.outcome != model.CANCELLED || !r.waitsFor(o):
		case h.failureEnds():
			return r.qp.latestEnded(o, []model.Outcome{model.FAILED}) // which has cancelled it
		default:
			return o
		}
	}
	if s.late != r {
		return nil
	}
	outcomes := []model.Outcome{model.CANCELLED}
	if h.failureEnds() {
		outcomes = append(outcomes, model.FAILED)
	}
	return r.qp.latestEnded(r, outcomes)
}

// failureEnds reports whether a request that fails ends the connection.
func (h *history) failureEnds() bool {
	return h.dialect.FailureEnds || h.dialect.A40 == model.A40Ends
}

// latestEnded returns the latest request of p that is told to have ended with the first of some outcomes, and was posted before r; where none is, with
// the next of them; or r.
func (p *qp) latestEnded(r *request, outcomes []model.Outcome) *request {
	for _, outcome := range outcomes {
		var latest *request
		for _, queue := range []model.Queue{model.Initiator, model.Receive} {
			for _, o := range p.queue(queue) {
				if o.told && o.outcome == outcome && o.post.call < r.post.call && (latest == nil || o.post.call > latest.post.call) {
					latest = o
				}
			}
		}
		if latest != nil {
			return latest
		}
	}
	return r
}
