package stream

import (
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/declared"
	"ndkoracle/trace"
)

// A qpClose is the close of a QP.
type qpClose struct {
	closing  moment // the call of a close, or 0
	closed   moment // its return, or 0
	over     moment // when it had completed
	overLine int
	stayed   bool // a poll that was called later has shown that its completions did not vanish with it
	gone     bool // it has been closed for good
	leaving  bool // the callback that says so was entered
}

// closeCqReturned takes the return of the close of a CQ.
func (s *Stream) closeCqReturned(u *underWay, e *trace.Event, refused bool) {
	q := u.cq
	if refused || q.closed != 0 {
		return
	}
	q.closeAccepted(u)
	if calls.Pending(e) {
		s.closing[e.Op] = q
		return
	}
	q.closeFinished()
}

// closeAccepted handles a close of the CQ that was not refused: its return shows that, or a completion that comes before the return.
func (q *cq) closeAccepted(u *underWay) {
	if q.closed == 0 {
		q.s.meets(declared.CqCloses)
		q.s.countClose(u)
		q.closed = q.s.at
		q.take(sight{what: closeCall, at: q.s.at})
	}
}

// closeFinished takes the completion of the close of the CQ.
func (q *cq) closeFinished() {
	q.over = q.s.at
	q.take(sight{what: closeFinished, at: q.s.at})
	q.s.endsLife()
}
