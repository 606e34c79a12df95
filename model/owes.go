package model

import "slices"

// Owes reports whether a request of a queue has to leave it before the provider is at rest (DEF-04, DEF-05, FLAG-02, FLUSH-02). That is a request that
// has its outcome and is next, or one that is indicated, waits for no request ahead of it, and need not wait for the peer. After a close nothing is
// owed (A21). A completion for which a failed CQ has no room is lost.
func (c *Contract) Owes(s State, p int, q Queue) bool {
	qp, cq := s.Qps[p], s.Cqs[c.Qps[p].Cq(q)]
	if qp.State.Closing() || cq.Open == Closed || cq.Health != OK {
		return false
	}
	for i, r := range qp.Queue(q) {
		_, _, _, refusal := c.Dialect.complete(qp, p, q, i)
		if refusal == nil || isReady(qp.Queue(q), i) && !c.waitsForPeer(s, p, r) {
			return true
		}
	}
	return false
}

// isReady is Ready: request i can be executed now.
func isReady(queue []Request, i int) bool {
	r := queue[i]
	return !r.Phase.executed() && r.Phase != Deferred && !slices.ContainsFunc(queue[:i], func(earlier Request) bool {
		return !earlier.Phase.executed() && !r.MayPass(earlier)
	})
}

// waitsForPeer is WaitsForPeer: a receive may wait for a message, and a message that has not arrived for a receive, as long as
// the connection may bring it. No message waits for a peer whose end of the connection is over.
func (c *Contract) waitsForPeer(s State, p int, r Request) bool {
	b, q := c.Qps[p], r.Op.Queue()
	if !c.Dialect.MayWait(s.Qps[p].State, b.Type, q) {
		return false
	}
	if q == Receive {
		return true
	}
	if !r.Op.IsSend() || r.Phase == Unacknowledged {
		return false
	}
	return b.Peer < 0 || !c.takesMessages(s.Qps[b.Peer]) && !c.endIsOver(s.Qps[b.Peer])
}

// endIsOver is EndIsOver: p was connected, and will receive no message any more.
func (c *Contract) endIsOver(p Qp) bool {
	return p.State != Idle && c.Dialect.canEnd(p.State, Receive, SUCCESS) != nil
}

// takesMessages reports whether a message that comes to p would find a receive.
func (c *Contract) takesMessages(p Qp) bool {
	return c.Dialect.canEnd(p.State, Receive, SUCCESS) == nil &&
		slices.ContainsFunc(p.Receive, func(r Request) bool { return !r.Phase.executed() })
}
