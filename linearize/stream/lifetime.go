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
	refused bool      // … or was refused
	early   earlier   // the first before its creation was called
	closes  []closing // that were called before one was accepted, and are not known to be refused
}

// A closing is a close that was called.
type closing struct {
	by       *underWay
	accepted bool    // it has returned, and was not refused
	used     earlier // the first after its call, while it was running
}

func (c closing) isAccepted() bool { return c.accepted }

// An earlier event may turn out to have broken a rule: a use of an object, or a point.
type earlier struct {
	what string // the function that was called, or the request whose completion was placed; or "" of none
	at   moment
	place
}

func (s *Stream) present(what string) earlier { return earlier{what, s.at, s.now} }

// uses notes the CQ or the QP that a call uses, and is LIFE-01 and LIFE-06 for it.
func (s *Stream) uses(u *underWay, e *trace.Event) {
	switch {
	case u.Kind == calls.CreateQp:
		s.cq(e.InitiatorCq).checkUse(u)
		if e.ReceiveCq != e.InitiatorCq {
			s.cq(e.ReceiveCq).checkUse(u)
		}
	case calls.UsesCq(u.Kind):
		u.cq = s.cq(e.Cq)
		u.cq.checkUse(u)
	case calls.UsesQp(u.Kind):
		u.qp = s.qp(e.Qp)
		s.checkUse(&u.qp.lifetime, u.qp.group, u.qp.name, u)
		u.qp.used(u.Kind == calls.Post)
	}
}

func (q *cq) checkUse(u *underWay) { q.s.checkUse(&q.lifetime, q.group, q.name, u) }

func (s *Stream) checkUse(o *lifetime, g *group, name string, u *underWay) {
	switch {
	case o.created:
		s.checkExists(o, g, name, u)
	case o.early.what == "":
		o.early = s.present(u.fn)
	}
	if len(o.closes) > 0 {
		s.checkOpen(o, g, name, u)
	}
}

// creationCalled takes the call of a creation: only now is it known that what used the object before came too early (LIFE-01).
func (s *Stream) creationCalled(o *lifetime, g *group, name string) {
	o.created, o.refused = true, false
	if o.early.what != "" {
		o.exists = true
		s.excuse(g.root(), o.early.at)
		s.reportSince(o.early, g, verdict.ConsumerViolation, "LIFE-01", []int{s.line()}, uncreated, o.early.what, name)
		o.early = earlier{}
	}
}

const uncreated = "%s was called, and the creation of %s had not succeeded"

// creationCalled takes the call of its creation: nothing can have been placed in it before (POLL-05).
func (q *cq) creationCalled() {
	if p := q.misplaced; p.what != "" && (q.early.what == "" || p.at < q.early.at) {
		q.s.reportSince(p, q.group, verdict.ProviderViolation, "POLL-05", []int{q.s.line()}, unposted, p.what, q.name)
	}
	q.s.creationCalled(&q.lifetime, q.group, q.name)
}

// checkExists is LIFE-01 for an object whose creation was called in the trace. After a breach it is taken to have succeeded.
func (s *Stream) checkExists(o *lifetime, g *group, name string, u *underWay) {
	s.seen[aUse]++
	if !o.exists {
		o.exists = true
		s.report(g, verdict.ConsumerViolation, "LIFE-01", 0, nil, uncreated, u.fn, name)
	}
}

// checkOpen is LIFE-06 for an object whose close was called: it is used no more. While the close is running, it may yet be refused, and
// then it was none.
func (s *Stream) checkOpen(o *lifetime, g *group, name string, u *underWay) {
	if !calls.IsOverAtClose(u.fn) {
		return
	}
	if i := slices.IndexFunc(o.closes, closing.isAccepted); i >= 0 {
		by := o.closes[i].by
		s.report(g, verdict.ConsumerViolation, "LIFE-06", 0, []int{by.line}, afterClose, u.fn, by.fn, name)
		return
	}
	for i := range o.closes {
		if c := &o.closes[i]; c.used.what == "" {
			c.used = s.present(u.fn)
		}
	}
}

const afterClose = "%s was called after %s of %s"

// closeCalled takes the call of a close.
func (o *lifetime) closeCalled(u *underWay) {
	if !slices.ContainsFunc(o.closes, closing.isAccepted) {
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
		s.exercised("LIFE-06")
		o.closes[i].accepted = true
		s.usedWhileClosing(o.closes[i], g, name)
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
	if c.used.what != "" {
		s.excuse(g.root(), c.used.at)
		s.reportSince(c.used, g, verdict.ConsumerViolation, "LIFE-06", []int{c.by.line}, afterClose, c.used.what, c.by.fn, name)
	}
}

// reportSince notes a finding at an event before the present one, which shows only now that a rule was broken there.
func (s *Stream) reportSince(e earlier, g *group, v verdict.Verdict, rule string, see []int, format string, args ...any) {
	s.report(g, v, rule, e.line, see, format, args...)
	if s.muted {
		return
	}
	last := len(s.findings) - 1
	f := s.findings[last]
	f.at, f.Seq = e.at, e.seq
	later := func(o finding) bool { return o.at > e.at }
	s.findings = slices.Insert(s.findings[:last], slices.IndexFunc(s.findings, later), f)
}

// excuse takes back what was told of the provider after a moment, as it may follow from what the consumer did then.
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
