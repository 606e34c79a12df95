package search

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/model"
)

// A message is received after the requests that execute before it: a read, if the message is fenced (FLAG-04), and each request that is neither a
// write nor a message. Writes before it arrive with it. So a flush that cancelled a request for which a message waited also cancelled the message.

// arriving returns the sends of p whose messages the peer can have received.
func (h *history) arriving(p *qp) []*request {
	if !h.isOnlyFlushed(p) {
		return p.sends
	}
	fails := append(h.mayHaveFailed(p, model.Initiator), h.mayHaveFailed(p, model.Receive)...)
	var arriving []*request
	var read, other *request // the latest that was cancelled, which fenced requests wait for, or all
	for _, r := range p.initiator {
		waited := p.cancelsWith(other, r) || r.fence && p.cancelsWith(read, r)
		cancelled := r.told && r.outcome == model.CANCELLED && !r.isVerbs() &&
			!slices.ContainsFunc(fails, func(l loss) bool { return !l.request.waitsFor(r) })
		switch {
		case r.op == model.Read && cancelled:
			read = r
		case r.op == model.Write || r.op.IsSend():
			if stays := waited && (cancelled || !r.told); stays {
				other = r
			} else if r.op.IsSend() {
				arriving = append(arriving, r)
			}
		case cancelled:
			other = r
		}
	}
	return arriving
}

// isOnlyFlushed reports whether only p's own flushes, its close, or a failed request of p without a recorded outcome can have cancelled requests of p.
func (h *history) isOnlyFlushed(p *qp) bool {
	if len(p.peer.flushes) > 0 || p.peer.closed != nil {
		return false
	}
	for _, end := range []*qp{p, p.peer} {
		for _, q := range []*cq{end.initiatorCq, end.receiveCq} {
			if h.mayFail(q) {
				return false
			}
		}
		fails := func(r *request) bool { return r.outcome == model.FAILED }
		if end.aborted != never || slices.ContainsFunc(end.initiator, fails) || slices.ContainsFunc(end.receive, fails) {
			return false
		}
	}
	return len(h.mayHaveFailed(p.peer, model.Initiator)) == 0 && len(h.mayHaveFailed(p.peer, model.Receive)) == 0
}

// cancelsWith reports whether each flush, or close, that can have cancelled r was called after the post of behind, a request behind r, and so
// cancelled that as well.
func (p *qp) cancelsWith(r, behind *request) bool {
	if r == nil {
		return false
	}
	ends := p.flushes
	if p.closed != nil {
		ends = append(slices.Clone(ends), p.closed)
	}
	found := false
	for _, s := range ends {
		if s.ret < r.post.call {
			continue
		}
		if found = true; s.call < behind.post.ret {
			return false
		}
	}
	return found
}

// checkConnection checks the messages of a connection that arrived at p, and those that it sent, against each other.
func (h *history) checkConnection(p *qp) {
	if p.peer != nil {
		h.checkUnsent(p)
		h.checkUnreceived(p)
	}
}

// tellsOfMessage is tellsInOrder of a request and the messages, or the receives, of its peer.
func (h *history) tellsOfMessage(r *request, b breach.Breach, at moment, see ...*span) {
	h.reportBreachInOrder(r.doubt(), b, at, see...)
	f := &h.findings[len(h.findings)-1]
	f.qps = append(f.qps, r.qp.peer)
}

// checkUnsent reports the first receive that succeeded before the peer had sent as many messages that can have been received: those
// before it took one each, but for receives that ended otherwise, which may have taken none.
func (h *history) checkUnsent(p *qp) {
	sends, taken := h.arriving(p.peer), 0
	for _, r := range p.receive {
		if !r.told || failed(r) {
			continue
		}
		see, why := []*span{r.post}, ""
		switch {
		case taken < len(sends) && sends[taken].post.call > r.toldBy():
			see, why = append(see, sends[taken].post), "the peer had not sent its message yet"
		case taken < len(sends):
		case taken < len(p.peer.sends):
			see, why = append(see, p.peer.sends[taken].post), "a flush cancelled what the messages that are left of its peer waited for"
		default:
			why = breach.NoneLeft
		}
		if why != "" {
			h.tellsOfMessage(r, breach.WithoutMessage(r.wr, why), r.toldBy(), see...)
			return
		}
		taken++
	}
}

// checkUnreceived reports the first send that succeeded and for which the peer had no receive: those before it took all that can have
// taken a message. A message that names a bad token succeeds as it ends the connection, and its receive does not.
func (h *history) checkUnreceived(p *qp) {
	next, later, aborted := 0, -1, false
	for i, r := range p.initiator {
		if r.told && failed(r) || !r.told && !r.silent || !r.op.IsSend() {
			continue
		}
		if later = max(later, i); !r.told { // it has succeeded by when a later one is told
			for later < len(p.initiator) && p.initiator[later].delivery == nil {
				later++
			}
		}
		if later == len(p.initiator) {
			return
		}
		d := p.initiator[later].delivery
		if d == nil {
			continue
		}
		receives := p.peer.receive
		for next < len(receives) && !receives[next].mayTake(r) {
			next++
		}
		posted := func(to *request) bool { return to.post.call < d.poll.ret && p.peer.connected.call < d.poll.ret }
		lost := func(to *request) bool { return posted(to) && to.told && failed(to) }
		switch {
		case next < len(receives) && posted(receives[next]):
			next++
		case r.op == model.SendAndInvalidate && !aborted && slices.ContainsFunc(receives, lost):
			aborted = true
		default:
			h.tellsOfMessage(r, breach.WithoutReceive(r.wr, !r.told), d.poll.ret, r.post)
			return
		}
	}
}

// mayTake reports whether a receive may take the message of a send: it has not ended otherwise, as was told, or before that was posted.
func (r *request) mayTake(s *request) bool {
	closed := r.qp.closed != nil && r.qp.closed.ret < s.post.call && !(r.qp.connected != nil && r.qp.closed.pending())
	return !(r.told && failed(r)) && !closed && r.qp.flushedAfter(r) > s.post.call
}
