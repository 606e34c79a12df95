package monitor

import (
	"fmt"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// handshakes checks that an end of a connection is not told of a success before the other end has done its part: CONN-03 and DISC-02. The trace has to hold
// both ends, and to show that the other end did its part later: a recorder may leave it out.
type handshakes struct {
	seldom
	m                      *Monitor
	accepted, disconnected *int
	of                     map[string]*handshake // by connection
	byQp                   map[string]*handshake // the latest of each queue pair
}

// A handshake is of one connection.
type handshake struct {
	conn            string
	ends            int      // queue pairs of it that are open
	active, passive *Call    // NdkConnect and NdkAccept, or nil
	unclear         bool     // there are more of them
	accepted        Place    // where NdkAccept was told to have succeeded
	completed       Place    // where NdkCompleteConnect was first called
	joined          [2]bool  // the active end, and the passive one
	told            [2]bool  // of a disconnect of its peer, before its own had succeeded
	leaving         [2]*Call // the first NdkDisconnect of each end
	left            [2]Place // where that was told to have succeeded, before that of the other end was called
}

// end returns which end of the connection a queue pair is, where both ends are known.
func (h *handshake) end(qp string) (end int, known bool) {
	switch {
	case h == nil || h.unclear || h.active == nil || h.passive == nil || h.active.Qp == h.passive.Qp:
		return 0, false
	case h.passive.Qp == qp:
		end = 1
	}
	return end, true
}

func newHandshakes(m *Monitor) checks {
	if m.header.Order == "partial" {
		return nothing{} // which part came first is not known
	}
	return &handshakes{m: m, accepted: m.counter("CONN-03"), disconnected: m.counter("DISC-02"), of: map[string]*handshake{}, byQp: map[string]*handshake{}}
}

func (s *handshakes) begin(c *Call, e *trace.Event) {
	if c.Entered {
		s.lost(e)
		return
	}
	p := c.queuePair()
	if p == nil {
		return
	}
	switch c.Fn {
	case "NdkConnect", "NdkConnectWithSharedEndpoint":
		if h := s.joins(p, e.Conn); h != nil {
			h.unclear = h.unclear || h.active != nil
			h.active = c
		}
	case "NdkAccept", "NdkAcceptEx":
		if h := s.joins(p, e.Conn); h != nil {
			h.unclear = h.unclear || h.passive != nil
			h.passive = c
		}
	case "NdkCompleteConnect", "NdkCompleteConnectEx":
		if h := s.byQp[p.Name]; h != nil && h.active != nil && h.active.Qp == p.Name && h.completed == (Place{}) {
			h.completed = c.Begun
			s.checkAccepted(h, c)
		}
	case "NdkDisconnect":
		s.disconnects(s.byQp[p.Name], c)
	case "NdkCloseQp":
		if h := s.byQp[p.Name]; h != nil && h.left == [2]Place{} { // what it tells its peer, no text says
			h.unclear = true
		}
		s.leaves(p)
	}
}

// joins returns the handshake of a connection of which a queue pair becomes an end, or nil.
func (s *handshakes) joins(p *object, conn string) *handshake {
	s.leaves(p)
	if conn == "" {
		return nil
	}
	h := s.of[conn]
	if h == nil {
		if len(s.of) >= maxConns {
			return nil
		}
		h = &handshake{conn: conn}
		s.of[conn] = h
	}
	h.ends++
	s.byQp[p.Name] = h
	return h
}

// leaves notes that a queue pair is no end of its connection any more. One without ends is forgotten.
func (s *handshakes) leaves(p *object) {
	h := s.byQp[p.Name]
	if delete(s.byQp, p.Name); h == nil {
		return
	}
	if h.ends--; h.ends == 0 {
		delete(s.of, h.conn)
	}
}

// checkAccepted is CONN-03 for a connection of which NdkCompleteConnect is called first.
func (s *handshakes) checkAccepted(h *handshake, c *Call) {
	if h.passive == nil || h.unclear || h.accepted == (Place{}) {
		return
	}
	*s.accepted++
	s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "CONN-03", Place: h.accepted, See: []int{h.passive.Begun.Line, c.Begun.Line},
		Objects: h.passive.named(), Follows: true, Message: fmt.Sprintf("%s of %s succeeded before %s of its peer, %s, was called",
			h.passive.Fn, h.passive.Qp, c.Fn, c.Qp)})
}

// disconnects is DISC-02 for a connection of which NdkDisconnect of an end is called: the other end had not succeeded before.
func (s *handshakes) disconnects(h *handshake, c *Call) {
	end, known := h.end(c.Qp)
	if !known || h.leaving[end] != nil {
		return
	}
	h.leaving[end] = c
	if peer := h.leaving[1-end]; h.left[1-end] != (Place{}) {
		*s.disconnected++
		s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "DISC-02", Place: h.left[1-end], See: []int{peer.Begun.Line, c.Begun.Line}, Objects: peer.named(),
			Follows: true, Message: fmt.Sprintf("NdkDisconnect of %s succeeded before that of its peer, %s, was called", peer.Qp, c.Qp)})
	}
}

// lost notes that an end was told of a disconnect. With which notification of its peer, these events do not show.
func (s *handshakes) lost(e *trace.Event) {
	if e.Fn != "NdkDisconnectEventCallback" && e.Fn != "NdkDisconnectEventCallbackEx" {
		return
	}
	for _, h := range s.of {
		for end, c := range []*Call{h.active, h.passive} {
			if c != nil && (e.Qp == "" || e.Qp == c.Qp) && (e.Connector == "" || s.m.used(c, Connector) == nil || s.m.used(c, Connector).Name == e.Connector) {
				h.told[end] = true
			}
		}
	}
}

func (s *handshakes) done(c *Call, succeeded bool) {
	h := s.byQp[c.Qp]
	switch {
	case h == nil:
	case h.active == c:
		h.joined[0] = succeeded
	case h.passive == c:
		if h.joined[1] = succeeded; !succeeded {
			return
		}
		if h.accepted = s.m.now; h.active != nil && h.completed != (Place{}) && !h.unclear {
			*s.accepted++
		}
	case c.Fn == "NdkCompleteConnect" || c.Fn == "NdkCompleteConnectEx":
		h.unclear = h.unclear || !succeeded
	case c.Fn == "NdkDisconnect" && succeeded:
		s.isDisconnected(h, c)
	}
}

// isDisconnected notes that NdkDisconnect of an end was told to have succeeded. NDSPI may say so of a connection that was lost.
func (s *handshakes) isDisconnected(h *handshake, c *Call) {
	end, known := h.end(c.Qp)
	switch {
	case !known || s.m.dialect.Name != "ndkpi" || h.leaving[end] != c || !h.joined[0] || !h.joined[1] || h.told[end]:
	case h.leaving[1-end] != nil:
		*s.disconnected++
	default:
		h.left[end] = s.m.now
	}
}
