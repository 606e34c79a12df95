package stream

import (
	"slices"

	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// tokenTold handles a completion, at a line, of a request that names a token. It returns from when on the request can have ended so, and whether
// that is explained.
func (s *Stream) tokenTold(q *cq, line int, r *posting, outcome model.Outcome) (from moment, ok bool) {
	return s.tokenEnds(q, r, outcome, func(t *token, why *model.Refusal, instead string) {
		s.reportToken(q, t, line, r, r, why, "ended with success in "+q.name, instead)
	})
}

// tokenSilent does the same of a silent request that succeeded, as no completion of it was found at a line.
func (s *Stream) tokenSilent(q *cq, line int, r *posting) (from moment, ok bool) {
	return s.tokenEnds(q, r, model.SUCCESS, func(t *token, why *model.Refusal, _ string) { s.reportSilent(q, t, line, r, why) })
}

// tokenEnds handles the end of a request that names a token. What no course of the token explains it reports.
func (s *Stream) tokenEnds(q *cq, r *posting, outcome model.Outcome, report func(*token, *model.Refusal, string)) (from moment, ok bool) {
	t := r.names
	if r.op == model.Invalidate && outcome == model.FAILED {
		s.invalidateFailed(t, r, cases.InvalidateFailed)
	}
	if t == nil {
		return 0, true
	}
	i := slices.Index(t.pending, r)
	message := r.op == model.SendAndInvalidate
	switch {
	case message && outcome == model.SUCCESS && !s.anyValid && r.neverReceived():
		report(t, unreceived, r.wr+" waits for a receive")
		if i >= 0 {
			t.accept(i, outcome)
		}
		return r.called, !q.stopped()
	case i < 0:
		return 0, true
	case message && r.lane.other() == nil, s.anyValid:
		t.forget(i)
		return 0, true
	case message && r.index() >= r.lane.known && r.receive == nil:
		if outcome == model.SUCCESS {
			r.lane.qp.leaveOpen("which receive " + r.wr + " took, and so what became of its token, " + verdict.NotFollowed)
		}
		t.forget(i)
		return 0, true
	}
	since := never
	refusal, ok := t.tell(i, func(c tokenCourse) ([]tokenCourse, *model.Refusal) {
		switch bit := uint32(1) << i; {
		case c.executed(i):
			fits := c.failed&bit != 0 && outcome != model.SUCCESS || c.done&bit != 0 && outcome == model.SUCCESS ||
				c.aborted&bit != 0 && outcome != model.CANCELLED
			if !fits {
				return nil, nil
			}
			since = min(since, r.called)
			return []tokenCourse{c}, nil
		case outcome == model.SUCCESS:
			all, refusal := t.success(c, i, message)
			for _, next := range all {
				since = min(since, next.since)
			}
			return all, refusal
		}
		return t.otherwise(c, i, message && outcome == model.FAILED), nil
	})
	if !ok {
		report(t, refusal, r.wr+" ends with FAILED")
		t.accept(i, outcome)
		return r.called, !q.stopped()
	}
	if outcome == model.SUCCESS {
		s.tokenSucceeded(t, r)
		from = since
	}
	ended := message && s.checkAborted(t, i, r, outcome)
	// What became of the receive of a message that succeeded tells more; that of a failed one has its cause.
	if r.sent = true; !message || r.receive != nil || outcome != model.SUCCESS || r.position < r.lane.dead && r.lane.qp.aborted != 0 ||
		r.lane.qp.peer.gone {
		r.lane.unname(r)
		t.forget(i)
	}
	if ended {
		s.abortCancels(q, r)
	}
	return from, true
}

var unreceived = &model.Refusal{Rule: "POLL-05", Why: "its peer had posted no receive for it"}

// neverReceived reports whether the peer of r, a message, is known to have posted no receive that it can have taken.
func (r *posting) neverReceived() bool {
	to := r.lane.other()
	return to != nil && !r.adrift && r.index() < r.lane.known && r.index() >= to.next
}

// success returns what becomes of c when the i'th of those pending succeeds, which a message does that ends the connection, too.
func (t *token) success(c tokenCourse, i int, message bool) ([]tokenCourse, *model.Refusal) {
	var all []tokenCourse
	next, refusal := t.succeeds(c, i)
	if refusal == nil {
		all = append(all, next)
	}
	if message {
		all = append(all, t.otherwise(c, i, true)[1:]...)
	}
	return all, refusal
}

// tokenSucceeded handles the success of r, which names the token.
func (s *Stream) tokenSucceeded(t *token, r *posting) {
	t.told = true
	if registers(r.op) {
		t.validFrom, t.remote = s.at, 0
	}
	if t.isRemote(r) {
		s.meets(declared.Invalidated)
	}
}

// isRemote reports whether r is an NdkInvalidate of a token that the peer had invalidated, as was told when it was called.
func (t *token) isRemote(r *posting) bool {
	return r.op == model.Invalidate && t.remote != 0 && t.remoteFrom < r.called
}

// toldByReceive handles the receive r: the function that fetched it told that the peer had invalidated the token.
func (s *Stream) toldByReceive(t *token, r *posting, fn string) {
	t.told, t.remote, t.remoteFrom, t.fetched = true, r.line, s.at, fn
	if !s.verbs {
		s.cases.Add(fetchedBy(fn), cases.Count{AtLeast: 1})
	}
}

// messageTold handles the end of a receive that took, or would have taken, a message that names a token of the receiver.
func (s *Stream) messageTold(q *cq, p *poll, m, r *posting, outcome model.Outcome) bool {
	t := m.names
	if t == nil || s.anyValid {
		return true
	}
	i := slices.Index(t.pending, m)
	if i < 0 {
		return true
	}
	refusal, ok := t.tell(i, func(c tokenCourse) ([]tokenCourse, *model.Refusal) {
		switch done := c.done>>i&1 == 1; {
		case c.executed(i) && done != (outcome == model.SUCCESS):
			return nil, succeededAfterAbort
		case c.executed(i):
			return []tokenCourse{c}, nil
		case outcome == model.SUCCESS:
			return t.success(c, i, false)
		}
		return append(t.otherwise(c, i, true), c), nil // it may yet take a later receive
	})
	switch {
	case ok:
	case outcome == model.SUCCESS:
		s.reportToken(q, t, p.line, m, r, refusal, "ended with success in "+q.name, r.wr+" ends with FAILED or CANCELLED")
		t.accept(i, outcome)
		return !q.stopped()
	default:
		r.lane.qp.leaveOpen(r.wr + " failed, and what became of the token that " + m.wr + " names " + verdict.NotFollowed)
		return true
	}
	if outcome == model.SUCCESS {
		s.meets(declared.TokenTold)
		s.toldByReceive(t, r, p.call.fn)
	}
	m.adrift = outcome != model.SUCCESS
	if other := outcome == model.FAILED || r.lane.qp.broken != 0; other && m.adrift && m.sent && !m.over && m.mayHaveHadNone(m.rested) {
		m.lane.qp.leaveOpen(m.leavesOpen())
		return true
	}
	if m.receive = r; m.sent {
		ended := s.checkAborted(t, i, m, m.outcome)
		if t.forget(i); ended {
			s.abortCancels(q, m)
		}
	}
	return true
}

// unname takes a message off those of whose receive something is still to be told.
func (l *lane) unname(m *posting) {
	l.naming = slices.DeleteFunc(l.naming, func(o *posting) bool { return o == m })
}

// forgetTokens forgets the messages between a closed QP and its peer, but not those that are outstanding: completions of the QP may still be
// polled (A21).
func (p *qp) forgetTokens() {
	l := p.lanes[model.Initiator]
	over := slices.DeleteFunc(slices.Clone(l.naming), func(m *posting) bool { return !m.sent })
	if l.naming = nil; p.peer != nil {
		to := p.peer.lanes[model.Initiator]
		over = append(over, to.naming...)
		to.naming = slices.DeleteFunc(to.naming, func(m *posting) bool { return m.sent })
	}
	for _, r := range over {
		if r.sent {
			r.forgetToken()
		}
	}
}

// forgetToken forgets r: what r did to its token by now is not known, and nothing shows it later.
func (r *posting) forgetToken() {
	if r.names == nil {
		return
	}
	if i := slices.Index(r.names.pending, r); i >= 0 {
		r.names.courses = r.names.reached(-1)
		r.names.forget(i)
	}
}

// forgetClosed forgets the requests of QPs that are closed: nothing more is known of them later.
func (t *token) forgetClosed() {
	for _, r := range slices.Clone(t.pending) {
		if r.lane.qp.gone {
			r.forgetToken()
		}
	}
}

// tokenDoubted handles a receive that succeeds and names another token than its message, which is RES-03: what became of the tokens of the
// two is not known, nor whether the message was to end the connection.
func (s *Stream) tokenDoubted(r *posting, result *trace.Result) {
	l := r.lane.other()
	if l == nil || r.index() >= r.lane.known {
		return
	}
	m := r.lane.qp.endedBy
	i := slices.IndexFunc(l.naming, func(m *posting) bool { return m.index() == r.index() })
	if i >= 0 {
		m = l.naming[i]
	}
	if m == nil || m.index() != r.index() || !s.delivery(r, m, result).NamesAnotherToken() {
		return
	}
	if m.forgetToken(); i >= 0 {
		l.naming = slices.Delete(l.naming, i, i+1)
	}
	r.lane.qp.revive()
}

// messageOf returns the send that names a token and whose receive r is, or nil.
func (r *posting) messageOf() *posting {
	l := r.lane.other()
	if l == nil || r.index() >= r.lane.known {
		return nil
	}
	i := slices.IndexFunc(l.naming, func(m *posting) bool { return m.index() == r.index() })
	if i < 0 {
		return nil
	}
	m := l.naming[i]
	l.naming = slices.Delete(l.naming, i, i+1)
	return m
}

// checkAborted notes that a message may have ended its connection, or has, where nothing else explains how it and its receive ended
// (INV-05). It reports whether it has, within this trace.
func (s *Stream) checkAborted(t *token, i int, m *posting, outcome model.Outcome) bool {
	refused := m.adrift && m.lane.qp.remote != nil // it succeeded, and the receive that it took did not
	aborted := func(c tokenCourse) bool { return c.aborted>>i&1 == 1 }
	l, to := m.lane, m.lane.other()
	if !refused && !slices.ContainsFunc(t.courses, aborted) {
		return false
	}
	l.mayFail(m.executes())
	if !refused && slices.ContainsFunc(t.courses, func(c tokenCourse) bool { return !aborted(c) }) {
		return false
	}
	if other := l.qp.endedBy; other != nil && other != m && outcome == model.SUCCESS {
		s.unexplained(t.group, "INV-05", 0, []int{other.line, m.line},
			"%s succeeded as it ended the connection, and %s did, too", m.wr, other.wr)
		l.qp.allows("%s ends with %v or %v", m.wr, model.FAILED, model.CANCELLED)
		return false
	}
	if outcome == model.SUCCESS {
		if !refused && to.took > m.sends {
			s.unexplained(t.group, "INV-05", 0, []int{m.line},
				"%s succeeded as it ended the connection, and more receives have than the messages before it", m.wr)
			l.qp.allows("%s ends with %v, or a receive waits for a message", m.wr, model.FAILED)
			return false
		}
		l.qp.endedBy, to.qp.endedBy = m, m
	}
	l.dead, to.dead = min(l.dead, m.position+1), min(to.dead, m.index())
	for _, end := range []*qp{l.qp, to.qp} {
		if end.aborted == 0 {
			end.aborted = s.at
		}
	}
	s.meets(declared.BadToken)
	return l.qp.remote == nil && to.qp.remote == nil
}

// checkAlive reports whether r can have succeeded: not after a bad token had ended its connection (INV-05).
func (s *Stream) checkAlive(q *cq, line int, r *posting) bool {
	p := r.lane.qp
	if r.isAlive() {
		return true
	}
	s.unexplained(q.group, "INV-05", line, []int{r.line}, "%s completed into %s with success, and %s", r.wr, q.name, succeededAfterAbort.Why)
	p.allows("%s ends with %v or %v", r.wr, model.FAILED, model.CANCELLED)
	p.revive()
	return !q.stopped()
}

// isAlive reports whether no bad token is known to have ended the connection before r.
func (r *posting) isAlive() bool {
	p := r.lane.qp
	return (p.aborted == 0 || r.called < p.aborted) && r.position < r.lane.dead
}

// abortedBy reports whether a bad token is known to have ended the connection of p by a moment: nothing waits for its peer any more.
func (p *qp) abortedBy(at moment) bool { return p.aborted != 0 && p.aborted <= at }

// reportToken reports that what is told of r, how it ended, is explained by no course of a token that m names.
func (s *Stream) reportToken(q *cq, t *token, line int, m, r *posting, why *model.Refusal, ended, instead string) {
	if s.leavesTokenOpen(t, m, why) {
		return
	}
	t.told = true
	see := []int{r.line}
	if m != r {
		see = append(see, m.line)
	}
	rule, also := why.Rule, []string(nil)
	if rule == "POLL-08" && t.remote != 0 {
		also = []string{"POLL-07"}
		if see = append(see, t.remote); t.fetched == "NdkGetCqResults" {
			rule, also = "POLL-07", []string{"POLL-08"}
		}
	}
	s.unexplained(q.group, rule, line, see, "%s, which names token %d, %s, and %s", m.wr, *m.token, ended, why.Why)
	s.also(also...)
	if r.lane.qp.allows("%s", instead); why == succeededAfterAbort {
		r.lane.qp.revive()
	}
}

// reportSilent reports that r, a silent request, has no completion, as a line shows, and that no course of its token lets it succeed: it failed.
// Where it was over by a moment of rest, that is the place.
func (s *Stream) reportSilent(q *cq, t *token, line int, r *posting, why *model.Refusal) {
	if s.leavesTokenOpen(t, r, why) {
		return
	}
	t.told = true
	by := line
	if r.silentBy() != 0 {
		by = r.owedLine
	}
	s.unexplained(q.group, "FLAG-02", by, []int{r.line, line}, "%s, a silent request that names token %d, can only have failed, and has no completion",
		r.wr, *r.token)
	if r.lane.qp.allows("first a completion of %s", r.wr); why == succeededAfterAbort {
		r.lane.qp.revive()
	}
}

// leavesTokenOpen reports whether something else may explain what no course of a token does, and if so leaves the token open.
func (s *Stream) leavesTokenOpen(t *token, m *posting, why *model.Refusal) bool {
	switch {
	case s.registering > 0:
		t.group.leaveOpen("a token is being registered that is not told yet, and which it is " + verdict.NotFollowed)
	case why == nil:
		t.group.leaveOpen(m.wr + " ended otherwise than its receive, and what became of its token " + verdict.NotFollowed)
	default:
		return false
	}
	return true
}

// tokenUnknown handles a request whose token the trace does not record. A request that makes a token valid may have made any valid.
func (s *Stream) tokenUnknown(r *posting, valid bool) {
	s.tokenless = r.wr
	for _, t := range s.tokens {
		if valid && s.reopen(t.group) {
			t.group.leaveOpen(s.tokenless + unknownToken)
		}
	}
	s.anyValid = s.anyValid || valid
	for _, p := range s.qpsInOrder {
		p.checkTokenless()
	}
}

const unknownToken = " changes a token that the trace does not record (field token), so the state of the others is unknown"

// checkTokenless joins the ends of a connection of which p names tokens to the other. Where other tokens are not told, it
// leaves open what becomes of them.
func (p *qp) checkTokenless() {
	if p.isRemote() {
		p = p.peer // whose messages name tokens of this host
	}
	if p.invalidates == nil || p.peer == nil {
		return
	}
	join(p.group, p.peer.group)
	if p.s.tokenless != "" {
		p.leaveOpen(p.s.tokenless + unknownToken)
	}
}

// tokenNamed handles an accepted request that may name a token.
func (s *Stream) tokenNamed(r *posting) {
	p := r.lane.qp
	switch r.op {
	case model.FastRegister, model.Bind:
		if r.token == nil {
			s.tokenUnknown(r, true)
		}
	case model.Invalidate:
		if r.token == nil {
			s.tokenUnknown(r, false)
		}
	case model.SendAndInvalidate:
		if p.isRemote() {
			return
		}
		if p.hasNamed(r); r.token == nil && p.peer != nil {
			s.tokenUnknown(r, false)
		}
		p.checkTokenless()
	case model.Read:
		if r.localInvalidate {
			s.tokenUnknown(r, false)
		}
	}
}

// hasNamed records that p has sent a message that names a token.
func (p *qp) hasNamed(m *posting) {
	if p.invalidates == nil || m.position < p.invalidates.position {
		p.invalidates = m
	}
	if p.mayEnd == nil || m.position < p.mayEnd.position {
		p.mayEnd = m
	}
}

// hasNamedNone handles the failure of m, a message that names a token. The next such message may be the first that ends a receive though it succeeds.
func (p *qp) hasNamedNone(m *posting) {
	if p.mayEnd != m {
		return
	}
	p.mayEnd = nil
	for _, next := range m.lane.waiting {
		if next != m && next.op == model.SendAndInvalidate {
			p.mayEnd = next
			return
		}
	}
}

// tokenFailed handles r, which failed or was cancelled.
func (s *Stream) tokenFailed(q *cq, p *poll, r *posting, outcome model.Outcome) bool {
	if r.lane.queue == model.Initiator {
		r.lane.qp.hasNamedNone(r)
		_, ok := s.tokenTold(q, p.line, r, outcome)
		return ok
	}
	m := r.messageOf()
	return m == nil || s.messageTold(q, p, m, r, outcome)
}

// tokenReceived handles what a receive that succeeded shows about a token.
func (s *Stream) tokenReceived(q *cq, p *poll, r *posting, result *trace.Result) bool {
	if !s.verbs {
		s.countReceived(r, p.call.fn, result.Type)
	}
	if r.lane.other() != nil {
		m := r.messageOf()
		return m == nil || s.messageTold(q, p, m, r, model.SUCCESS)
	}
	switch {
	case result.Type == "", result.Type == "ReceiveAndInvalidate" && result.Token == nil:
		s.tokenUnknown(r, false)
	case result.Type == "ReceiveAndInvalidate" && result.Token != nil && !s.anyValid:
		t := s.token(*result.Token, false)
		join(t.group, r.lane.qp.group)
		var courses []tokenCourse
		for _, c := range t.reached(-1) {
			if t.validFrom > r.called && c.validity == model.Valid {
				courses = append(courses, c) // it was made valid again afterwards
			}
			c.validity, c.since = s.effects[model.ReceiveOp][c.validity].validity, max(c.since, r.called)
			courses = append(courses, c)
		}
		t.courses = courses
		s.toldByReceive(t, r, p.call.fn)
	}
	return true
}
