package linearize

import (
	"slices"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// tokenTold takes how a request ended that names a token. It returns from when on it can have, and whether that is explained.
func (s *Stream) tokenTold(q *streamCq, line int, r *posting, outcome model.Outcome) (from moment, ok bool) {
	t := r.names
	if t == nil {
		return 0, true
	}
	i := slices.Index(t.pending, r)
	message := r.op == model.SendAndInvalidate
	switch {
	case i < 0:
		return 0, true
	case message && r.lane.other() == nil, s.anyValid:
		t.forget(i)
		return 0, true
	case message && r.index() >= r.lane.known && !r.received:
		if outcome == model.SUCCESS {
			r.lane.qp.leaveOpen("which receive " + r.wr + " took, and so what became of its token, this engine does not follow")
		}
		t.forget(i)
		return 0, true
	}
	refusal, ok := t.tell(i, func(c tokenCourse) ([]tokenCourse, *model.Refusal) {
		switch bit := uint32(1) << i; {
		case c.executed(i):
			fits := c.failed&bit != 0 && outcome != model.SUCCESS || c.done&bit != 0 && outcome == model.SUCCESS ||
				c.aborted&bit != 0 && outcome != model.CANCELLED
			if !fits {
				return nil, nil
			}
			return []tokenCourse{c}, nil
		case outcome == model.SUCCESS:
			return t.success(c, i, message)
		}
		return t.otherwise(c, i, message && outcome == model.FAILED), nil
	})
	if !ok {
		s.reportToken(q, t, line, r, r, refusal)
		return 0, false
	}
	if outcome == model.SUCCESS {
		from = s.tokenSucceeded(t, r)
	}
	if r.sent = true; message {
		s.checkAborted(t, i, r)
	}
	if !message || r.received {
		t.forget(i)
	}
	return from, true
}

// success returns what becomes of c when the i'th of those pending succeeds, which a message does that ends the connection, too.
func (t *streamToken) success(c tokenCourse, i int, message bool) ([]tokenCourse, *model.Refusal) {
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

// tokenSucceeded counts what the success of r exercised, and returns from when on it can have succeeded.
func (s *Stream) tokenSucceeded(t *streamToken, r *posting) moment {
	t.told = true
	if registers(r.op) {
		t.validFrom = s.at
	}
	if r.op == model.Invalidate && t.remote != nil {
		s.exercised("POLL-07", "POLL-08")
	}
	from := never
	for _, c := range t.courses {
		from = min(from, c.since)
	}
	return min(from, s.at)
}

// messageTold takes how the receive ended that took, or would have taken, a message that names a token of the receiver.
func (s *Stream) messageTold(q *streamCq, p *poll, m, r *posting, outcome model.Outcome) bool {
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
		s.reportToken(q, t, p.line, m, r, refusal)
		return false
	default:
		r.lane.qp.leaveOpen(r.wr + " failed, and what became of the token that " + m.wr + " names this engine does not follow")
		return true
	}
	if outcome == model.SUCCESS {
		s.exercised("INV-06", "RES-09")
		t.told, t.remote, t.fetched = true, r, p.call.fn
	}
	m.adrift = outcome != model.SUCCESS
	if m.received = true; m.sent {
		s.checkAborted(t, i, m)
		t.forget(i)
	}
	return true
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

// checkAborted notes that a message has ended its connection, where nothing else explains how it and its receive ended (INV-05).
func (s *Stream) checkAborted(t *streamToken, i int, m *posting) {
	if slices.ContainsFunc(t.courses, func(c tokenCourse) bool { return c.aborted>>i&1 == 0 }) {
		return
	}
	l, to := m.lane, m.lane.other()
	l.dead, to.dead = min(l.dead, m.position+1), min(to.dead, m.index())
	for _, end := range []*streamQp{l.qp, to.qp} {
		if end.aborted == 0 {
			end.aborted = s.at
		}
	}
	l.qp.breaks(m.called)
	s.exercised("INV-05")
}

// checkAlive reports whether r can have succeeded: not after a bad token had ended its connection (INV-05).
func (s *Stream) checkAlive(q *streamCq, line int, r *posting) bool {
	p := r.lane.qp
	if (p.aborted == 0 || r.called < p.aborted) && r.position < r.lane.dead {
		return true
	}
	s.unexplainedByTokens(q.group, "INV-05", line, []int{r.line}, "%s completed into %s with success, and %s", r.wr, q.name, succeededAfterAbort.Why)
	return false
}

// mayHaveAborted says which message may have ended its connection, where objects of the group are concerned, or returns "".
func (s *Stream) mayHaveAborted(g *group) string {
	for _, t := range s.tokens {
		if t.group.root() != g {
			continue
		}
		for _, c := range t.reached(-1) {
			for i, m := range t.pending {
				if c.aborted>>i&1 == 1 {
					return "the token that " + m.wr + " names may have ended the connection, and when that was this engine does not follow"
				}
			}
		}
	}
	return ""
}

// reportToken reports that what is told of r is explained by no course of a token that m names.
func (s *Stream) reportToken(q *streamCq, t *streamToken, line int, m, r *posting, why *model.Refusal) {
	switch {
	case s.registering > 0:
		t.group.leaveOpen("a token is being registered that is not told yet, and this engine does not follow which it is")
		return
	case why == nil:
		t.group.leaveOpen(m.wr + " ended otherwise than its receive, and what became of its token this engine does not follow")
		return
	}
	see := []int{r.line}
	if m != r {
		see = append(see, m.line)
	}
	rule, also := why.Rule, []string(nil)
	if rule == "POLL-08" && t.remote != nil {
		also = []string{"POLL-07"}
		if see = append(see, t.remote.line); t.fetched == "NdkGetCqResults" {
			rule, also = "POLL-07", []string{"POLL-08"}
		}
	}
	s.unexplainedByTokens(q.group, rule, line, see, "%s, which names token %d, ended with success in %s, and %s", m.wr, *m.token, q.name, why.Why)
	s.also(also...)
}

// tokenUnknown takes that a request changes a token of which the trace does not tell. One that makes it valid may have made any.
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

const unknownToken = " changes a token of which the trace does not tell, and what became of the others this engine does not follow"

// checkTokenless leaves open what becomes of messages of p that name tokens, where other tokens are not told.
func (p *streamQp) checkTokenless() {
	if p.s.tokenless != "" && p.invalidates && p.peer != nil {
		p.leaveOpen(p.s.tokenless + unknownToken)
	}
}

// tokenNamed takes that a request was accepted that may name a token.
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
		if p.invalidates = true; r.token == nil && p.peer != nil {
			s.tokenUnknown(r, false)
		}
		p.checkTokenless()
	case model.Read:
		if r.localInvalidate {
			s.tokenUnknown(r, false)
		}
	}
}

// tokenFailed takes that r failed, or was cancelled.
func (s *Stream) tokenFailed(q *streamCq, p *poll, r *posting, outcome model.Outcome) bool {
	if r.lane.queue == model.Initiator {
		_, ok := s.tokenTold(q, p.line, r, outcome)
		return ok
	}
	m := r.messageOf()
	return m == nil || s.messageTold(q, p, m, r, outcome)
}

// tokenReceived takes what a receive that succeeded tells of a token.
func (s *Stream) tokenReceived(q *streamCq, p *poll, r *posting, result *trace.Result) bool {
	if r.lane.other() != nil {
		m := r.messageOf()
		return m == nil || s.messageTold(q, p, m, r, model.SUCCESS)
	}
	switch {
	case result.Type == "":
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
		t.told, t.remote, t.fetched = true, r, p.call.fn
	}
	return true
}
