package stream

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A consumer that breaks its own rules gets what it gets: what follows is not the provider's fault.

// checkSerialised is POLL-01. libibverbs serialises by itself.
func (s *Stream) checkSerialised(q *cq, u *underWay) {
	if u.Verbs {
		return
	}
	s.seen[aCallOfCq]++
	var other *underWay
	if len(q.arms) > 0 {
		other = q.arms[0]
	}
	for _, p := range q.polls {
		if p.to < 0 {
			other = cmp.Or(other, p.call)
		}
	}
	if other != nil && !u.nestsIn(other) {
		s.report(q.group, verdict.ConsumerViolation, "POLL-01", 0, []int{other.line},
			"%s of %s was called while %s was running", u.fn, q.name, other.fn)
	}
}

// checkPoster is POST-01, POST-02 and DEF-01.
func (s *Stream) checkPoster(p *qp, u *underWay, e *trace.Event) {
	if u.Verbs {
		return
	}
	queue, rule, occasion := model.Initiator, "POST-01", anInitiatorPost
	if u.fn == "NdkReceive" {
		queue, rule, occasion = model.Receive, "POST-02", aReceivePost
		if slices.Contains(e.Flags, "DEFER") {
			s.report(p.group, verdict.ConsumerViolation, "DEF-01", 0, nil, "NdkReceive takes no DEFER")
		}
	}
	s.seen[occasion]++
	switch other := p.posts[queue]; {
	case other != nil && u.nestsIn(other):
		p.group.leaveOpen(u.name() + " was called within the post of another request, and which of them came first this engine does not follow")
	case other != nil:
		s.report(p.group, verdict.ConsumerViolation, rule, 0, []int{other.line},
			"%s on %s was called while %s was running", u.fn, p.name, other.fn)
	}
	p.posts[queue] = u
}

// checkChains is DEF-06: at rest every chain has ended, unless a flush, a disconnect or a close ended it (A11).
func (s *Stream) checkChains() {
	if s.retired.chained > 0 {
		s.counts["DEF-06"] += s.retired.chained
	}
	for _, p := range s.qpsInOrder {
		if p.chained {
			s.exercised("DEF-06")
		}
		if n := len(p.deferred); n > 0 && p.closing == 0 && !p.group.root().stopped {
			last := p.deferred[n-1]
			if last.over || p.latestFlush > last.called {
				continue
			}
			s.report(p.group, verdict.ConsumerViolation, "DEF-06", last.line, nil,
				"the chain that %s belongs to was never ended: no request without DEFER followed", last.wr)
		}
	}
}

// inner returns the entry of the callback that runs innermost on a thread, or 0.
func (s *Stream) inner(thr string) moment {
	if s.running == 0 {
		return 0
	}
	running := s.callbacks[thr]
	if len(running) == 0 {
		return 0
	}
	return running[len(running)-1]
}

// left takes the return of a callback.
func (s *Stream) left(u *underWay) {
	running := slices.DeleteFunc(s.callbacks[u.thr], func(entry moment) bool { return entry == u.call })
	if s.callbacks[u.thr] = running; len(running) == 0 && len(s.callbacks) > maxSpare {
		delete(s.callbacks, u.thr)
	}
}

// nestsIn reports whether u was called from a callback that runs, on the same thread, within the call o (A27).
func (u *underWay) nestsIn(o *underWay) bool {
	return u.thr == o.thr && u.within > o.call
}
