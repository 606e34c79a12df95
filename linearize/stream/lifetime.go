package stream

import (
	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// An object is a CQ or a QP that the trace names.
type object struct {
	s      *Stream
	name   string
	number int    // in the order in which objects are named for the first time
	group  *group // of what shares something with it
	lifetime
	retired bool // it was put aside
}

// A lifetime is how far the creation of a CQ or a QP has come.
type lifetime struct {
	created bool // its creation was called
	exists  bool // its creation has succeeded
	refused bool // its creation was refused
}

// isCreated records that the creation was called.
func (o *lifetime) isCreated() { o.created, o.refused = true, false }

// An earlier event may turn out to have broken a rule: a use of an object, or a point.
type earlier struct {
	what string // the function that was called, or the request whose completion was placed; or "" of none
	at   eventIndex
	place
}

func (s *Stream) present(what string) earlier { return earlier{what, s.at, s.now} }

// uses records the CQ or the QP that a call uses.
func (s *Stream) uses(u *underWay, e *trace.Event) {
	switch {
	case u.Kind == calls.CreateQp:
		s.cq(e.InitiatorCq)
		s.cq(e.ReceiveCq)
	case calls.UsesCq(u.Kind):
		u.cq = s.cq(e.Cq)
	case calls.UsesQp(u.Kind):
		u.qp = s.qp(e.Qp)
		u.qp.used(u.Kind == calls.Post)
	}
}

// creationCalled handles the call of its creation: nothing can have been placed in it before (POLL-05).
func (q *cq) creationCalled() {
	if p := q.misplaced; p.what != "" {
		b := breach.PlacedUnposted(q.name, p.what)
		q.s.reportSince(p, q.group, verdict.ProviderViolation, b.Rule, []int{q.s.line()}, "%s", b.Message)
	}
	q.isCreated()
	if n := q.mayBeReadBy(); n > q.readers { // calls that wait on its channel already
		q.readersAre(n)
	}
}

// reportSince records a finding at an event before the present one, which shows only now that a rule was broken there. What the consumer
// broke later is not an excuse.
func (s *Stream) reportSince(e earlier, g *group, v verdict.Verdict, rule string, see []int, format string, args ...any) {
	g = g.root()
	stopped := g.stopped
	g.stopped = stopped && g.excusedFrom <= e.at
	if s.report(g, v, rule, e.line, see, format, args...); !s.muted {
		s.moveLatest(e)
	}
	g.stopped = g.stopped || stopped
}
