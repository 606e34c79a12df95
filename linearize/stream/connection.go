package stream

import (
	"slices"

	"ndkoracle/linearize/verdict"
)

// connectCalled takes the call of a connect. From now on the QP may be connected.
func (p *qp) connectCalled(u *underWay) {
	if p.connected == 0 {
		p.connected, p.connects = p.s.at, true
	}
	if u.conn != "" {
		p.conn = u.conn
		p.meet()
	}
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

// connectReturned takes the return of a connect. While it is pending, the QP may or may not be connected.
func (p *qp) connectReturned(u *underWay, refused, pending bool) {
	switch {
	case p.connected != u.call:
	case refused:
		p.notConnected()
	case !pending:
		p.connects, p.connectedBy = false, p.s.at
	}
}

// connectAnswered takes the completion callback of a connect that was pending.
func (p *qp) connectAnswered(u *underWay, success bool) {
	switch {
	case p.connected != u.call || !p.connects:
	case success:
		p.connects, p.connectedBy = false, p.s.at
	case p.succeeds || p.peer != nil && p.peer.succeeds:
		p.leaveOpen(u.fn + " of " + p.name + " failed after requests had succeeded, and what that means for its peer this engine does not follow")
	default:
		p.notConnected()
	}
}

// notConnected takes that the connect failed: no connection came of it, and none of a post that needs one (POST-08).
func (p *qp) notConnected() {
	p.connected, p.connects = 0, false
	p.part()
	if r := p.early; r != nil {
		p.s.report(p.group, verdict.ProviderViolation, "POST-08", r.answeredLine, []int{r.line},
			"%s of %s returned success, and %s is not connected", r.function.Name, r.wr, p.name)
		p.allows("%s of %s is refused", r.function.Name, r.wr)
	}
}

// part takes p from the connection that it was to be an end of.
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
	return p.connected == 0 && (p.broken == 0 || !p.s.verbs && p.closing == 0)
}
