package stream

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// A lifetime is from the creation of a CQ or a QP to its close, as far as it is known.
type lifetime struct {
	created bool      // its creation was called
	exists  bool      // its creation has succeeded
	closes  []closing // that were called, and are not known to be refused: one that is not, or those that are running
}

// A closing is a close that was called.
type closing struct {
	by       *underWay
	accepted bool // it has returned, and was not refused
	used     use  // the first after its call, while it was running
}

// A use is a call that uses an object.
type use struct {
	fn   string // "" of none
	call moment
	at   place
}

// checkUses is LIFE-01 and LIFE-06 for what a call uses.
func (s *Stream) checkUses(u *underWay, e *trace.Event) {
	switch {
	case u.Kind == calls.CreateQp:
		s.cq(e.InitiatorCq).checkUse(u)
		if e.ReceiveCq != e.InitiatorCq {
			s.cq(e.ReceiveCq).checkUse(u)
		}
	case calls.UsesCq(u.Kind):
		s.cq(e.Cq).checkUse(u)
	case calls.UsesQp(u.Kind):
		p := s.qp(e.Qp)
		s.checkUse(&p.lifetime, p.group, p.name, u)
	}
}

func (q *cq) checkUse(u *underWay) { q.s.checkUse(&q.lifetime, q.group, q.name, u) }

func (s *Stream) checkUse(o *lifetime, g *group, name string, u *underWay) {
	if o.created {
		s.checkExists(o, g, name, u)
	}
	if len(o.closes) > 0 {
		s.checkOpen(o, g, name, u)
	}
}

// checkExists is LIFE-01 for an object whose creation was called in the trace. After a breach it is taken to have succeeded.
func (s *Stream) checkExists(o *lifetime, g *group, name string, u *underWay) {
	s.seen[aUse]++
	if !o.exists {
		o.exists = true
		s.report(g, verdict.ConsumerViolation, "LIFE-01", 0, nil, "%s was called, and the creation of %s had not succeeded", u.fn, name)
	}
}

// checkOpen is LIFE-06 for an object whose close was called: it is used no more. While the close is running, it may yet be refused, and
// then it was none.
func (s *Stream) checkOpen(o *lifetime, g *group, name string, u *underWay) {
	if !calls.IsOverAtClose(u.fn) {
		return
	}
	if c := &o.closes[0]; c.accepted {
		s.report(g, verdict.ConsumerViolation, "LIFE-06", 0, []int{c.by.line}, afterClose, u.fn, c.by.fn, name)
		return
	}
	for i := range o.closes {
		if c := &o.closes[i]; c.used.fn == "" {
			c.used = use{u.fn, s.at, s.now}
		}
	}
}

const afterClose = "%s was called after %s of %s"

// closeCalled takes the call of a close.
func (o *lifetime) closeCalled(u *underWay) {
	if len(o.closes) == 0 || !o.closes[0].accepted {
		o.closes = append(o.closes, closing{by: u})
	}
}

// closeReturned takes the return of a close. One that was refused left the object as it was.
func (s *Stream) closeReturned(o *lifetime, g *group, name string, u *underWay, refused bool) {
	i := slices.IndexFunc(o.closes, func(c closing) bool { return c.by == u })
	switch {
	case i < 0:
	case refused:
		o.closes = slices.Delete(o.closes, i, i+1)
	default:
		c := o.closes[i]
		s.exercised("LIFE-06")
		c.accepted = true
		o.closes = []closing{c}
		s.usedWhileClosing(c, g, name)
	}
}

// endCloses takes that closes which have not returned were not refused.
func (s *Stream) endCloses() {
	for _, q := range s.inOrder {
		q.endClose(s, q.group, q.name)
	}
	for _, p := range s.qpsInOrder {
		p.endClose(s, p.group, p.name)
	}
}

func (o *lifetime) endClose(s *Stream, g *group, name string) {
	if len(o.closes) > 0 && !o.closes[0].accepted {
		s.usedWhileClosing(o.closes[0], g, name)
	}
}

// usedWhileClosing tells LIFE-06 for what began while a close was running that is known now not to be refused.
func (s *Stream) usedWhileClosing(c closing, g *group, name string) {
	if c.used.fn != "" {
		s.reportUse(c.used, g, "LIFE-06", []int{c.by.line}, afterClose, c.used.fn, c.by.fn, name)
	}
}

// reportUse notes a use that is known only now to break a rule. What was told of the provider since then may follow from it.
func (s *Stream) reportUse(u use, g *group, rule string, see []int, format string, args ...any) {
	s.excuse(g.root(), u.call)
	s.report(g, verdict.ConsumerViolation, rule, u.at.line, see, format, args...)
	if s.muted {
		return
	}
	last := len(s.findings) - 1
	f := s.findings[last]
	f.at, f.Seq = u.call, u.at.seq
	later := func(o finding) bool { return o.at > u.call }
	s.findings = slices.Insert(s.findings[:last], slices.IndexFunc(s.findings, later), f)
}

// excuse takes back what was told of the provider after a moment.
func (s *Stream) excuse(g *group, since moment) {
	broken := false
	s.findings = slices.DeleteFunc(s.findings, func(f finding) bool {
		if f.of == nil || f.of.root() != g {
			return false
		}
		back := f.at > since && f.Verdict == verdict.ProviderViolation
		broken = broken || !back && f.stops()
		return back
	})
	if g.broken = broken; !broken {
		g.told, g.untold = 0, 0
	}
}

// checkClose is LIFE-02.
func (s *Stream) checkClose(u *underWay, name string) {
	s.exercised("LIFE-02")
	for _, f := range s.open.all() {
		if calls.IsOfObject(f.Kind, f.fn) && f.cq == u.cq && f.qp == u.qp && !u.nestsIn(f) {
			s.report(u.group(), verdict.ConsumerViolation, "LIFE-02", 0, []int{f.line}, "%s of %s was called while %s was running", u.fn, name, f.fn)
			return
		}
	}
}
