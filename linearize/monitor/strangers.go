package monitor

func (s *requests) connect(p *qpArguments, conn string) {
	if conn != "" && p.conn == "" {
		p.conn = conn
		s.conns[conn] = append(s.conns[conn], p)
		if first := s.conns[conn][0]; first != p && first.peer == nil && first.created && p.created {
			first.peer, p.peer = p, first
		}
	}
}

// peer returns the queue pair at the other end of a connection, or nil where the trace does not hold it.
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

// hearStrangers reports whether a receive was posted that may take a message whose send the trace does not hold.
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

func (s *requests) hearsStranger(p *qpArguments) bool {
	return p.receive.posted > 0 && s.peer(p) == nil
}

// strangerFailed notes that a request failed of which the trace does not hold the post: it may have ended the connection of any queue pair that is
// older than the trace.
func (s *requests) strangerFailed(cq string) {
	for _, p := range s.qps.all {
		if !p.created && (p.initiator.cq == "" || p.initiator.cq == cq) {
			s.ended(p)
		}
	}
}
