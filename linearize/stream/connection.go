package stream

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// A link is what is known of the connection of a QP. Whether there was one is decided by what it carried, and not by a status that comes
// later: a connect that fails in the end may have made a connection that was lost.
type link struct {
	conn          string
	several       bool       // connections of different names: which of its messages have to do with which of their ends is not followed
	connected     eventIndex // the call of the first connect, or 0: from then on it may have been connected
	connects      bool       // that call has not returned, or is pending
	connectedBy   eventIndex // when it was over, or 0
	second        eventIndex // the call of a connect that began while the first was under way, and may still be under way itself; or 0
	beforeConnect *request   // the first initiator request that was accepted while the connect was under way
	attempt       attempt    // the latest connect that failed
}

// An attempt is a connect that failed, and is not known to have made a connection.
type attempt struct {
	call, failed eventIndex // or 0
	fn           string
}

// statusNotConnected is what a post returns on a QP that is not connected (POST-08).
const statusNotConnected = "STATUS_CONNECTION_INVALID"

// connectCalled handles the call of a connect. From now on the QP may be connected.
func (p *qp) connectCalled(u *underWay) {
	if p.connected == 0 {
		p.connected, p.connects = p.s.at, true
	} else if p.connects {
		p.second = p.s.at
	}
	if u.conn == "" || !p.kind.delivers {
		return
	}
	if p.several = p.several || p.connectedBy != 0 && p.conn != "" && p.conn != u.conn; p.several {
		p.part()
		return
	}
	p.conn = u.conn
	p.meet()
}

// meet finds the QP at the other end of the connection.
func (p *qp) meet() {
	ends := p.s.conns[p.conn]
	if slices.Contains(ends, p) || len(ends) > 2 {
		return
	}
	ends = append(ends, p)
	p.s.conns[p.conn] = ends
	switch len(ends) {
	case 2:
		if ends[0].s != p.s {
			p.cross(ends[0])
			return
		}
		if p.takes != nil || ends[0].takes != nil {
			return // which messages the receives of a shared queue take is not followed: each end is judged as if the other were not in the trace
		}
		p.peer, ends[0].peer = ends[0], p
		there, here := ends[0].broken, p.broken // neither by the other
		if there != 0 {
			p.mayBeLostByPeer(there)
		}
		if here != 0 {
			ends[0].mayBeLostByPeer(here)
		}
		p.shareDoubts()
		p.notAlone()
		p.peer.notAlone()
		p.checkTokenless()
		p.peer.checkTokenless()
	case 3:
		for _, end := range ends[:2] {
			end.uncross()
			end.peer = nil
		}
	}
}

// connectReturned handles the return of a connect. While it is pending, the QP may or may not be connected.
func (p *qp) connectReturned(u *underWay, refused, pending bool) {
	if refused || !pending {
		p.connectOver(u, !refused)
	}
}

// connectOver handles the end of a connect: it failed, or the QP is connected.
func (p *qp) connectOver(u *underWay, success bool) {
	first, second := p.connected == u.call, p.second == u.call
	switch {
	case !p.connects || !first && !second:
	case success:
		p.connects, p.connectedBy, p.second = false, p.s.at, 0
	case second:
		p.second = 0
	default:
		p.connectFailed(u)
	}
}

// connectFailed handles a connect that failed. What the attempt has ended may have cancelled receives.
func (p *qp) connectFailed(u *underWay) {
	if !p.s.dialect.Ibverbs {
		p.alone = nil // it went over the connection of that attempt
	}
	if p.succeeds || p.peer != nil && p.peer.succeeds {
		p.connects, p.connectedBy = false, p.s.at
		p.connectionLost(u.fn)
		return
	}
	p.attempt = attempt{p.connected, p.s.at, u.fn}
	p.connected, p.connects, p.second = p.second, p.second != 0, 0
	if p.connected == 0 {
		p.part()
	}
	if !p.s.dialect.Ibverbs {
		p.mayBeLost(p.attempt.call)
	}
}

// connectionLost records that the connection of p has ended at some moment since it was made, as a call or a callback tells.
func (p *qp) connectionLost(fn string) {
	switch {
	case p.connected == 0:
	case p.s.reopenSince(p.group, p.connected):
		p.leaveOpen(fn + " shows that the connection of " + p.name + " ended, and what that cancelled before " + verdict.NotFollowed)
	default:
		p.breaks(p.connected)
	}
}

// refusedAsUnconnected handles a post that was refused because p is not connected. If p was connected, its connection had ended by then.
func (p *qp) refusedAsUnconnected(u *underWay) {
	if p.connected < u.call {
		p.connectionLost(u.fn)
	}
}

// carried handles the success of r. If r was posted before a connect failed, that connect had made a connection all the same.
func (p *qp) carried(r *request) {
	if p.connected == 0 && p.attempt.failed > r.called {
		p.connected, p.connectedBy, p.beforeConnect = p.attempt.call, p.attempt.failed, nil
		p.connectionLost(p.attempt.fn)
	}
}

// neverConnected is POST-08 for the first initiator request that was accepted while a connect was pending that failed. If a request that was posted by then
// has no result, or its CQ is undecided, its completion may show that there was a connection.
func (p *qp) neverConnected() {
	r := p.beforeConnect
	if r == nil || p.connected != 0 {
		return
	}
	if o := p.carriedByAttempt(); o != nil || r.wq.cq == nil || p.takes != nil || p.group.root().unclear != "" {
		if o != nil {
			r = o
		}
		p.leaveOpen("no NdkGetCqResults returned " + r.wr + ", whose success would show that " + p.name + " was connected")
	} else {
		p.s.tells(p.group, breach.ConnectFailed(r.function.Name, r.wr, p.name, p.attempt.fn), r.answeredLine, r.line)
		p.allows("%s of %s is refused", r.function.Name, r.wr)
	}
	p.beforeConnect = nil
}

// carriedByAttempt returns the first of the outstanding requests that may have been carried by a connect that failed, or nil. A receive was not, if its CQ
// was found empty since.
func (p *qp) carriedByAttempt() *request {
	for _, l := range p.wqs {
		if l.queue == model.Receive && l.cq != nil && l.cq.emptied > p.attempt.failed {
			continue
		}
		untold := func(o *request) bool { return o.called < p.attempt.failed && o.returned != 0 }
		if i := slices.IndexFunc(l.waiting, untold); i >= 0 {
			return l.waiting[i]
		}
	}
	return nil
}

// mayHaveCarried reports whether what is outstanding may show that a connect which failed had made a connection.
func (p *qp) mayHaveCarried() bool {
	return p.attempt.failed != 0 && (p.takes != nil || p.carriedByAttempt() != nil)
}

// mayStayOpen reports whether the close of p may do nothing but wait: until its connector is closed, which the trace need not record (A36).
func (p *qp) mayStayOpen() bool {
	return !p.s.dialect.Ibverbs && (p.connected != 0 || p.attempt.call != 0)
}

// part removes p from the connection that it was to be an end of.
func (p *qp) part() {
	ends := slices.DeleteFunc(p.s.conns[p.conn], func(end *qp) bool { return end == p })
	if p.conn == "" || len(ends) == 2 {
		return // of one connection there are more than two ends: none is a peer
	}
	p.s.conns[p.conn] = ends
	if p.uncross(); p.peer != nil {
		p.peer.peer, p.peer = nil, nil
	}
	p.conn = ""
}

// unconnected reports whether nothing can be sent: the QP was never connected. libibverbs takes posts in a QP's error state.
func (p *qp) unconnected() bool {
	return p.connected == 0 && (!p.mayBeBroken() || !p.s.dialect.Ibverbs && p.closing == 0)
}
