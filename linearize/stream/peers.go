package stream

import (
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A message succeeds with the receive that it takes: the k'th send of a QP that succeeds takes the k'th receive of the peer
// that succeeds. Which of the two is told first does not matter. A request that has not been told of is taken to succeed
// until it is told to have failed.

// other returns the lane of the peer that has the other halves, or nil.
func (l *lane) other() *lane {
	if l.qp.peer == nil {
		return nil
	}
	return l.qp.peer.lanes[1-l.queue]
}

// arrivals returns how many receives can have taken a message.
func (l *lane) arrivals() int { return len(l.other().messages) }

// meet takes that r succeeded. It returns the kinds that its completion may be of, and from when on its other half was
// posted.
func (s *Stream) meet(q *cq, line int, r *posting, result *trace.Result) (kinds automaton.Kinds, from moment, ok bool) {
	l := r.lane
	if l.queue == model.Receive {
		l.took++
	}
	switch {
	case l.queue == model.Initiator && !r.op.IsSend():
		return automaton.Plain, 0, true
	case l.other() == nil || r.index() >= l.known:
		l.messages = slices.DeleteFunc(l.messages, func(m *posting) bool { return m == r })
		if l.queue == model.Initiator {
			return automaton.Plain, 0, true
		}
		switch {
		case l.other() == nil && l.qp.alone == nil:
			l.qp.alone = &unsent{r.wr, line, r.line}
		case l.other() != nil && !l.qp.isRemote() && l.took > l.other().sends:
			s.report(q.group, verdict.ProviderViolation, "POLL-05", line, []int{r.line},
				"%s completed with success, and more receives did than the peer has sent messages", r.wr)
		}
		return automaton.Plain | automaton.Solicited, 0, true
	}
	m := l.pair(r)
	if m == nil {
		switch {
		case l.qp.isRemote():
			s.alone(q, line, r)
			return automaton.Plain | automaton.Solicited, 0, !q.stopped()
		case l.queue == model.Receive:
			s.report(q.group, verdict.ProviderViolation, "POLL-05", line, []int{r.line},
				"%s completed with success, and the peer's sends are all accounted for by earlier receives", r.wr)
			l.qp.allows("%s waits for a message", r.wr)
			return automaton.Plain | automaton.Solicited, 0, true
		}
		return automaton.Plain, 0, true
	}
	s.learn(m)
	if l.queue == model.Initiator {
		return automaton.Plain, m.called, true
	}
	s.checkMessage(q, line, r, m, result)
	if m.solicit {
		return automaton.Solicited, m.called, true
	}
	return automaton.Plain, m.called, true
}

// An unsent is a receive that succeeded while no other end of its connection was known.
type unsent struct {
	wr             string
	line, postLine int
}

// notAlone takes that the trace holds the peer of p, which had sent nothing before it was connected.
func (p *qp) notAlone() {
	if r := p.alone; r != nil {
		p.s.report(p.group, verdict.ProviderViolation, "POLL-05", r.line, []int{r.postLine},
			"%s completed with success, and %s, its peer, was not connected yet", r.wr, p.peer.name)
		p.allows("%s waits for a message", r.wr)
	}
}

// pair takes that r succeeded, and returns its other half, or nil where none is left: a send may have gone to a receive that is
// yet to be posted.
func (l *lane) pair(r *posting) *posting {
	l.taken = slices.DeleteFunc(l.taken, func(t *posting) bool { return t == r })
	other := l.other()
	if other.received++; len(other.messages) == 0 {
		if l.queue == model.Initiator {
			other.promised++
		}
		return nil
	}
	m := other.messages[0]
	if other.messages = other.messages[1:]; !m.over {
		other.taken = append(other.taken, m)
	}
	return m
}

// failed takes that r failed. Whether it took its other half with it nobody knows, and so of all after it.
func (l *lane) failed(r *posting) {
	other := l.other()
	if other == nil || !r.isMessage() || r.index() >= l.known {
		return
	}
	if slices.Contains(l.taken, r) && r.position < l.dead {
		l.qp.group.leaveInDoubt(r.wr + " failed, and which message its peer took instead is not known")
	}
	for _, end := range []*lane{l, other} {
		end.known, end.promised = r.index(), 0
		end.messages = slices.DeleteFunc(end.messages, func(m *posting) bool { return m.index() >= end.known })
	}
	l.taken, other.taken = nil, nil
}

// isMessage reports whether r is half of a message.
func (r *posting) isMessage() bool { return r.op.IsSend() || r.op == model.ReceiveOp }

// index returns which of the messages of its connection r is half of, unless one before it failed.
func (r *posting) index() int {
	if r.op.IsSend() {
		return r.sends
	}
	return r.position
}

// checkMessage holds a receive against the peer's send that it took (RES-02, RES-03).
func (s *Stream) checkMessage(q *cq, line int, r, m *posting, result *trace.Result) {
	if result == nil || result.Type == "" {
		return
	}
	want := "Receive"
	if m.op == model.SendAndInvalidate {
		want = "ReceiveAndInvalidate"
	}
	see := []int{r.line, m.line}
	if result.Type != want {
		s.report(q.group, verdict.ProviderViolation, "RES-02", line, see,
			"%s took the %v %s, and its completion has type %s: it is %s", r.wr, m.op, m.wr, result.Type, want)
		r.lane.qp.allows("type %s", want)
		return
	}
	if want == "ReceiveAndInvalidate" && result.Token != nil && m.token != nil {
		s.exercised("RES-03")
		if *result.Token != *m.token {
			s.report(q.group, verdict.ProviderViolation, "RES-03", line, see,
				"%s names the invalidated token %d, and the peer's %s invalidated %d", r.wr, *result.Token, m.wr, *m.token)
			r.lane.qp.allows("token %d", *m.token)
		}
	}
}

// cause returns from when on something that is known can have cancelled requests of p, or 0.
func (p *qp) cause() moment {
	if p.peer == nil && p.connected != 0 && (p.broken == 0 || p.connected < p.broken) {
		return p.connected // the trace does not hold the peer, which may have ended the connection at any time
	}
	return p.broken
}

// mayBreak reports whether requests of p may be cancelled by now.
func (p *qp) mayBreak() bool { return p.broken != 0 || p.overflown(nil) != 0 }

// mayHaveFailed reports whether a request of which the trace does not tell yet may have failed before r was cancelled.
func (p *qp) mayHaveFailed(r *posting) bool {
	lanes := []*lane{p.lanes[1-r.lane.queue]}
	if p.peer != nil {
		lanes = append(lanes, p.peer.lanes[model.Initiator])
	}
	return slices.ContainsFunc(lanes, func(l *lane) bool {
		return l.cq == nil || slices.ContainsFunc(l.mayComplete(), l.mayHaveBroken)
	})
}

// peerMayTell reports whether a receive of the peer may yet be told to have been cancelled, which would show that the connection
// was lost.
func (p *qp) peerMayTell() bool {
	if p.peer == nil {
		return false
	}
	l := p.peer.lanes[model.Receive]
	return slices.ContainsFunc(l.waiting, l.mayHaveEnded)
}

// waitsForMessages reports whether the requests of a queue are receives of which it is known which message each waits for.
func (l *lane) waitsForMessages() bool {
	return l.queue == model.Receive && l.other() != nil && !l.other().qp.mayGrow() && l.known == never
}

// mayComplete returns the outstanding requests but for the receives that can only wait for a message.
func (l *lane) mayComplete() []*posting {
	if l.waitsForMessages() && !l.qp.mayBreak() {
		return l.waiting[:min(len(l.waiting), l.arrivals())]
	}
	return l.waiting
}

// mayHaveEnded reports whether an outstanding request may have ended with nobody knowing: its completion may be in the CQ.
func (l *lane) mayHaveEnded(r *posting) bool {
	by := r.owed
	if r.silent {
		by = r.rested
	}
	return by == 0 || by > l.cq.emptyAtRest
}

// mayHaveBroken reports whether an outstanding request may have ended the connection with nobody knowing: it may have failed,
// or have named a bad token, though it succeeded (INV-05).
func (l *lane) mayHaveBroken(r *posting) bool {
	return r.op == model.SendAndInvalidate || l.mayHaveEnded(r)
}

// finish takes that the receives which wait for a message have not completed, and reports what is cancelled and was never
// explained.
func (p *qp) finish() {
	for _, l := range p.lanes {
		for _, r := range l.waiting[len(l.mayComplete()):] {
			if l.cq != nil && r.place == 0 {
				for _, e := range r.notOwed(nil) {
					e.at = p.s.at
					l.cq.take(e)
				}
				l.cq.take(sight{what: gone, at: p.s.at, counted: r.called, posting: r})
				l.cq.pending--
			}
		}
	}
	for _, u := range p.unexplained {
		switch {
		case p.s.verbs && !p.failed && !p.mayBeLostBy(u.told, u.cq): // some devices report the faulty request itself as flushed
		case !p.mayBeLostBy(u.at, u.cq):
			p.reportUncaused(&u)
		case u.notified != 0 && !p.mayBeLostBy(u.notified, u.cq):
			p.leaveOpen("whether a callback of " + u.cq.name + " was for " + u.wr + ", and what cancelled that, this engine does not follow")
		}
	}
}

// silencedLine returns where the latest request was posted that succeeded silently, or 0. Only those of the initiator queue do.
func (l *lane) silencedLine() int {
	if l.silenced == nil || l.queue != model.Initiator {
		return 0
	}
	return l.silenced.line
}

// reportUncaused reports a request that was cancelled by nothing (RES-08), unless a silent failure was not told (FLAG-02).
func (p *qp) reportUncaused(u *uncaused) {
	rule, also := "RES-08", []string(nil)
	if u.silenced != 0 {
		rule, also = "FLAG-02", []string{"RES-08"}
	}
	p.s.unexplained(p.group, rule, u.line, []int{u.postLine, u.silenced},
		"%s completed into %s as cancelled, and nothing cancelled it: no flush, close, disconnect or failed request of %s came before",
		u.wr, u.cq.name, p.name)
	p.s.also(also...)
	p.allows("%s ends with %v or %v", u.wr, model.SUCCESS, model.FAILED)
	if !p.s.muted { // of all CQs another one's overflow may have cancelled it, and none did
		p.s.findings[len(p.s.findings)-1].rests = nil
	}
}

// mayBeLostBy reports whether anything may have cancelled requests of p before a moment, of which a CQ told.
func (p *qp) mayBeLostBy(at moment, told *cq) bool {
	if from := p.overflown(told); from != 0 && from < at {
		return true
	}
	return p.broken != 0 && p.broken < at ||
		slices.ContainsFunc(p.untold(), func(r *posting) bool { return r.mayHaveBrokenFrom() < at })
}

// mayHaveBrokenFrom returns from when on an outstanding request may have ended the connection.
func (r *posting) mayHaveBrokenFrom() moment {
	if r.lane.cq == nil || r.op == model.SendAndInvalidate {
		return r.called
	}
	return max(r.called, r.lane.cq.emptyAtRest)
}

// placedBy returns by when the completion of r, which was delivered at a moment, had been placed.
func (r *posting) placedBy(delivered moment) moment {
	by := delivered
	if r.place != 0 {
		by = r.place
	}
	if r.owed != 0 {
		by = min(by, r.owed)
	}
	if r.silent && r.rested != 0 {
		by = min(by, r.rested)
	}
	return by
}

// untold returns the requests of p and of its peer of which nothing tells how they ended, and that may have ended the
// connection. A receive fails at a message.
func (p *qp) untold() []*posting {
	var all []*posting
	lanes := []*lane{p.lanes[model.Initiator], p.lanes[model.Receive]}
	if p.peer != nil {
		lanes = append(lanes, p.peer.lanes[model.Initiator])
	}
	for _, l := range lanes {
		for _, r := range l.mayComplete() {
			switch {
			case l.qp.remote != nil:
				all = append(all, r)
			case l.cq == nil, l.queue == model.Receive && l.other() != nil && r.position >= l.other().sends:
			case l.mayHaveBroken(r):
				all = append(all, r)
			}
		}
	}
	return all
}
