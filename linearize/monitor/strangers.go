package monitor

import (
	"slices"

	"ndkoracle/linearize/calls"
)

// connect records that a call makes a queue pair an end of a connection. It stays that until it is closed, or the call turns out to have failed: one that
// was refused has changed nothing, and behind one that failed later it may be connected otherwise.
func (s *requests) connect(p *qpArguments, conn string, by *Call) {
	switch {
	case conn == "" || p.conn != "" && p.conn != conn && !p.attempt.failed:
		return
	case p.conn != "" && p.conn != conn:
		s.part(p)
	}
	p.attempt = attempted{op: by.Op}
	if p.conn == conn {
		return
	}
	p.conn = conn
	s.conns[conn] = append(s.conns[conn], p)
	if first := s.conns[conn][0]; first != p && first.peer == nil && first.created && p.created {
		first.peer, p.peer = p, first
	}
}

// An attempted is the latest call that made a queue pair an end of its connection.
type attempted struct {
	op     string
	failed bool
}

// done records how an attempt ended.
func (s *requests) done(c *Call, succeeded bool) {
	p := s.qps.get(c.Qp)
	if c.Kind != calls.ConnectQp || succeeded || p == nil || p.attempt.op != c.Op {
		return
	}
	if p.attempt.failed = true; !c.pends {
		s.part(p)
	}
}

// leaves records that a queue pair is not an end of its connection any more. Its peer may still be asked for it.
func (s *requests) leaves(p *qpArguments) {
	if s.conns[p.conn] = slices.DeleteFunc(s.conns[p.conn], func(o *qpArguments) bool { return o == p }); len(s.conns[p.conn]) == 0 {
		delete(s.conns, p.conn)
	}
}

// part removes a queue pair from its connection.
func (s *requests) part(p *qpArguments) {
	s.leaves(p)
	if p.peer != nil && p.peer.peer == p {
		p.peer.peer = nil
	}
	p.conn, p.peer, p.sent = "", nil, nil
}

// peer returns the queue pair at the other end of a connection, or nil where the trace does not have it.
func (s *requests) peer(p *qpArguments) *qpArguments {
	ends := s.conns[p.conn]
	switch {
	case len(ends) != 2:
		return nil
	case ends[0] == p:
		return ends[1]
	}
	return ends[0]
}

// hearStrangers reports whether a receive was posted that may take a message whose send the trace does not have.
func (s *requests) hearStrangers() bool {
	for _, q := range s.srqs {
		if q.posted > 0 {
			return true
		}
	}
	for _, p := range s.qps.all {
		if s.hearsStranger(p) {
			return true
		}
	}
	return false
}

// hearsStranger reports whether a receive of p may take such a message. A queue pair that is older than the trace may have been connected before it.
func (s *requests) hearsStranger(p *qpArguments) bool {
	return p.receive.takes && s.peer(p) == nil && (!p.created || s.m.ends == nil || s.m.ends.tried[p.name])
}

// strangerFailed records that a request failed whose post the trace does not record: it may have ended the connection of any queue pair that is older
// than the trace.
func (s *requests) strangerFailed(cq string) {
	for _, p := range s.qps.all {
		if !p.created && (p.initiator.cq == "" || p.initiator.cq == cq) {
			s.ended(p)
		}
	}
}
