package stream

import (
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/declared"
	"ndkoracle/trace"
)

// A qpClose is the close of a QP.
type qpClose struct {
	closing  eventIndex // the call of a close, or 0
	closed   eventIndex // its return, or 0
	over     eventIndex // when it had completed
	overLine int
	stayed   bool // a poll that was called later has shown that its completions did not vanish with it
	gone     bool // it has been closed for good
	leaving  bool // the callback that says so was entered
}

// closeCqReturned handles the return of the close of a CQ.
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
		q.take(observation{what: closeCall, at: q.s.at})
	}
}

// closeFinished handles the completion of the close of the CQ.
func (q *cq) closeFinished() {
	q.over = q.s.at
	q.take(observation{what: closeFinished, at: q.s.at})
	q.s.endsLife()
}

func (s *Stream) closeQpCalled(u *underWay) {
	p := u.qp
	if p.closing == 0 {
		for _, q := range p.cqs() {
			q.checkRemains()
		}
		p.closing = s.at
		for _, l := range p.wqs {
			if l.cq != nil {
				l.atClose = l.cq.emptyAtRest
			}
		}
		p.breaksAcross(p.s.at)
		p.closeBegins()
	}
}

func (p *qp) closeReturned(u *underWay, refused, pending bool) {
	p.closeReturns(!refused && !pending)
	if !refused {
		p.breaks(u.call)
	}
	switch {
	case refused:
		p.closing = 0
	case p.closed == 0 && pending && p.mayStayOpen():
		p.closed = p.s.at
	case p.closed == 0:
		p.closed = p.s.at
		p.flushed = append(p.flushed, returned{u.call, p.s.at, u.line})
	}
}
