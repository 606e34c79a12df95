package monitor

import (
	"fmt"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// handshakes checks that an end of a connection is not told of a success before the other end has done its part: CONN-03. The trace has to hold
// both ends, and to show that the other end did its part later: a recorder may leave it out.
type handshakes struct {
	seldom
	m        *Monitor
	accepted *int
	of       map[string]*handshake // by connection
	byQp     map[string]*handshake // the latest of each queue pair
}

// A handshake is of one connection.
type handshake struct {
	conn            string
	ends            int   // queue pairs of it that are open
	active, passive *Call // NdkConnect and NdkAccept, or nil
	unclear         bool  // there are more of them
	accepted        Place // the event that shows the success of NdkAccept
	completed       Place // where NdkCompleteConnect was first called
}

var _ = group(newHandshakes,
	rule{ID: "CONN-03", On: on{"NdkAccept succeeds, whose peer the trace has"}, OnlyNdk: true},
)

func newHandshakes(m *Monitor) checks {
	if m.header.Order == "partial" {
		return nothing{} // which part came first is not known
	}
	return &handshakes{m: m, accepted: m.counter("CONN-03"), of: map[string]*handshake{}, byQp: map[string]*handshake{}}
}

func (s *handshakes) begin(c *Call, e *trace.Event) {
	p := c.queuePair()
	if p == nil || c.Entered {
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
	case "NdkCloseQp":
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

// leaves records that a queue pair is not an end of its connection any more. One without ends is forgotten.
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

// done records the success of NdkAccept. If that precedes the peer's call of NdkConnect, which it accepts, the trace does not have the two ends in one
// order, and nothing is reported.
func (s *handshakes) done(c *Call, succeeded bool) {
	h := s.byQp[c.Qp]
	if h == nil || h.passive != c || h.active == nil || !succeeded {
		return
	}
	if h.accepted = s.m.now; h.completed != (Place{}) && !h.unclear {
		*s.accepted++
	}
}
