package search

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/monitor"
	"ndkoracle/model"
)

// findPeers joins the two QPs of each connection. Where one end may have receives that the trace does not record, each is judged
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

// hasOtherReceives reports whether a QP may have receives that the trace does not have as its own: of a shared queue, or from before the trace. Where the
// trace posts to a shared queue, and no creation names one, any QP may take its receives that posts none itself.
func (h *history) hasOtherReceives(p *qp) bool {
	return isFed(p) || p.created == nil || len(h.shared) > 0 && len(p.receive) == 0 && !slices.ContainsFunc(h.qps, isFed)
}

// isFed reports whether a QP takes its receives from a shared queue.
func isFed(p *qp) bool { return p.created != nil && p.created.begin.Srq != "" }

// doubtMessages records the first message of a queue pair with a peer that may have gone over another connection: an attempt to make one failed behind its
// post, and may have made it. Which message the peer took in its place is not known.
func (h *history) doubtMessages() {
	for _, p := range h.qps {
		if p.peer == nil {
			continue
		}
		for _, r := range slices.Concat(p.sends, p.receive) {
			if r.told && !failed(r) && r.post.call < p.failedBy {
				untold := r.wr + " may have gone over the connection of the " + p.attempted + " that failed, and which message its peer took instead is not followed, whatever the trace records"
				p.doubt = earlier(p.doubt, &doubt{untold: untold, matters: r.post.call})
			}
		}
	}
}

// findMessages joins each receive with the send that it takes, if it takes one: on a connection the sends arrive in their order.
func (h *history) findMessages() {
	for _, p := range h.qps {
		if p.peer == nil {
			continue
		}
		sends := p.peer.sends
		for i, r := range p.receive {
			if i >= len(sends) || failed(r) || failed(sends[i]) || !r.told && r.owed <= sends[i].post.call {
				break // or it was over before the message
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

// findArrived finds the message of each receive that was known to have succeeded before a send was known to have failed: that of
// the send in its place, whatever became of it, as a message is received before it is acknowledged. Where it can have taken no other, that send reached it.
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
		if r.message != nil || r.delivery == nil || failure == nil {
			continue
		}
		all := p.receivedAll(i)
		if all {
			s.reached = r
		}
		switch before := r.delivery.before(failure); {
		case before && all:
			r.arrived, h.takenBy[s] = s, r
			h.checkMessage(r, s.bytes())
		case before:
			h.takesLike(i, r)
		}
	}
}

// guesses reports whether the i'th receive of p may have taken another message than the i'th: the i'th send has no recorded outcome, may have failed by
// itself, and completed by the next moment of rest. Otherwise send and receive had met by the first moment of rest that follows both.
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

// receivedAll reports whether the i'th receive can only have taken the i'th message, because it and the receives behind it took all messages sent by
// then.
func (p *qp) receivedAll(i int) bool {
	sends := p.peer.sends
	for ; i < len(p.receive) && p.receive[i].told && !failed(p.receive[i]); i++ {
		if i+1 >= len(sends) || sends[i+1].post.call > p.receive[i].toldBy() {
			return true
		}
	}
	return false
}

// takesLike records what is known of the message that r, the i'th receive, took, where it may be one of several: if all are alike, one
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

// findReceives finds the peer's receive that each send of p goes to. Behind a failed send the receives are not known: the failed send may have
// taken a receive, or none.
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

// hasMessage reports false for a receive for which the peer is known to have sent nothing.
func (r *request) hasMessage() bool {
	return r.queue == model.Initiator || r.qp.peer == nil || r.position < len(r.qp.peer.sends)
}
