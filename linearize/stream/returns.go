package stream

import (
	"cmp"

	"ndkoracle/linearize/calls"
	"ndkoracle/trace"
)

// A call that returned STATUS_PENDING is answered by a completion callback, which may come before it returns.

// callReturned records the return of a call.
func (c *pendingCalls) callReturned(u *underWay, e *trace.Event) {
	if u.MayPend && calls.Pending(e) && !u.answered {
		c.pending[e.Op] = u
	}
}

// completed records the completion callback for a call.
func (s *Stream) completed(e *trace.Event) {
	u := cmp.Or(s.open.Find(e.For), s.pending[e.For])
	if u == nil || u.answered {
		return
	}
	delete(s.pending, e.For)
	u.answered = true
	s.answered(u, e)
}

// answered handles the completion callback of a call, where that is a creation, a resize, a connect or a disconnect.
func (s *Stream) answered(u *underWay, e *trace.Event) {
	switch u.Kind {
	case calls.CreateCq:
		u.cq.exists = u.cq.exists || calls.ReportsSuccess(e)
	case calls.CreateQp:
		u.qp.exists = u.qp.exists || calls.ReportsSuccess(e)
	case calls.ResizeCq:
		u.cq.resizeAnswered(u, calls.ReportsSuccess(e), nil)
	case calls.ConnectQp:
		u.qp.connectOver(u, calls.ReportsSuccess(e))
	case calls.CompleteConnection:
		if u.qp != nil && !calls.ReportsSuccess(e) {
			u.qp.connectionLost(u.fn)
		}
	case calls.FlushQp:
		if u.qp == nil {
			return // it was of the connector alone
		}
		u.qp.flushAnswered(u, calls.ReportsSuccess(e))
	}
}

// group returns the group of the object that a call is of, or nil.
func (u *underWay) group() *group {
	switch {
	case u.cq != nil:
		return u.cq.group
	case u.qp != nil:
		return u.qp.group
	}
	return nil
}
