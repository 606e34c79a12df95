package stream

import (
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A message succeeds with the receive that it takes: the k'th send of a QP that succeeds takes the k'th receive of the peer
// that succeeds. Which of the two is told first does not matter. A request that has not been told of is taken to succeed
// until it is known to have failed.

// other returns the work queue of the peer that has the other halves, or nil.
func (l *workQueue) other() *workQueue {
	if l.qp.peer == nil {
		return nil
	}
	return l.qp.peer.wqs[1-l.queue]
}

// receives returns the queue, or that of the other halves, which of them has the receives.
func (l *workQueue) receives() *workQueue {
	if l.queue == model.Receive {
		return l
	}
	return l.other()
}

// arrivals returns how many receives can have taken a message.
func (l *workQueue) arrivals() int { return len(l.other().messages) }

// meet handles the success of r. It returns the possible kinds of its completion. If its counterpart is on the other host, which the clauses do not
// follow, it also returns the earliest moment at which the counterpart was posted.
func (s *Stream) meet(q *cq, line int, r *request, result *trace.Result) (kinds automaton.Kinds, from eventIndex, ok bool) {
	l := r.wq
	if r.isMessage() {
		l.took++
		if p := l.qp; p.attempt.failed > r.called && p.peer != nil {
			p.leaveInDoubt(r.wr + " may have gone over the connection of the " + p.attempt.fn + " that failed, and which message its peer took instead " + verdict.NotFollowed)
		}
	}
	switch {
	case l.queue == model.Initiator && !r.op.IsSend():
		return automaton.Plain, 0, true
	case l.other() == nil || r.index() >= l.known:
		l.messages = without(l.messages, r)
		if l.other() == nil && l.qp.alone == nil && l.qp.attempt.failed <= r.called {
			l.qp.alone = &unsent{r.wr, line, r.line}
		}
		if l.queue == model.Initiator {
			return automaton.Plain, 0, true
		}
		switch {
		case l.other() != nil && !l.qp.isRemote() && l.took > l.other().sends:
			s.tells(q.group, breach.MoreThanSent(r.wr), line, r.line)
		case l.other() != nil:
			s.checkUnnamed(q, line, r, result)
		}
		return l.messageKinds(), 0, true
	}
	m := l.pair(r)
	if m == nil {
		switch {
		case l.qp.isRemote():
			s.alone(q, line, r)
			return automaton.Plain | automaton.Solicited, 0, !q.stopped()
		case l.queue == model.Receive:
			s.tells(q.group, breach.WithoutMessage(r.wr, breach.NoneLeft), line, r.line)
			l.qp.allows("%s waits for a message", r.wr)
			return automaton.Plain | automaton.Solicited, 0, true
		}
		return automaton.Plain, 0, true
	}
	if s.learn(m); l.qp.isRemote() {
		from = m.called
	}
	if l.queue == model.Initiator {
		return automaton.Plain, from, true
	}
	s.checkMessage(q, line, r, m, result)
	if m.solicit {
		return automaton.Solicited, from, true
	}
	return automaton.Plain, from, true
}

// messageKinds returns the possible kinds of the messages that a queue of receives can have taken: those that the peer has sent.
func (l *workQueue) messageKinds() automaton.Kinds {
	switch sends := l.other(); {
	case sends == nil, l.qp.isRemote(), !sends.qp.created:
	case sends.solicits == 0:
		return automaton.Plain
	case sends.solicits == sends.sends:
		return automaton.Solicited
	}
	return automaton.Plain | automaton.Solicited
}

// An unsent is a receive, or a send, that succeeded while no other end of its connection was known.
type unsent struct {
	wr             string
	line, postLine int
}

// notAlone reports a request of p that completed before its peer was connected (POLL-05). The trace has that peer, which had sent and received
// nothing by then.
func (p *qp) notAlone() {
	if r := p.alone; r != nil {
		p.s.tells(p.group, breach.BeforePeer(r.wr, p.peer.name), r.line, r.postLine)
		p.allows("%s waits for its peer", r.wr)
	}
}

// pair handles the success of r and returns its other half, or nil where none is left. A send may have gone to a receive that is not posted
// yet.
func (l *workQueue) pair(r *request) *request {
	l.taken = without(l.taken, r)
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
		if m.place == 0 { // else a point has told
			if m.kinds = automaton.Plain; r.solicit {
				m.kinds = automaton.Solicited
			}
		}
	}
	return m
}

// failed handles the failure of r. Whether its other half failed with it is not known, so neither are the halves of all requests after it.
func (l *workQueue) failed(r *request) {
	other := l.other()
	if other == nil || !r.isMessage() || r.index() >= l.known {
		return
	}
	untold := r.wr + " did not succeed, and which message its peer took instead " + verdict.NotFollowed
	if slices.Contains(l.taken, r) && l.receives().messageKinds() == automaton.Plain|automaton.Solicited { // else it was of the same kind
		l.qp.group.leaveInDoubt(untold)
	}
	if slices.Contains(l.guessed, r) {
		other.qp.group.leaveInDoubt(untold)
	}
	for _, end := range []*workQueue{l, other} {
		if end.known, end.promised = r.index(), 0; end.queue == model.Initiator {
			end.loosen()
		}
		end.messages = slices.DeleteFunc(end.messages, func(m *request) bool { return m.index() >= end.known })
	}
	l.taken, other.taken = nil, nil
}

// loosen records the sends whose receives are no longer known.
func (l *workQueue) loosen() {
	i := slices.IndexFunc(l.messages, func(m *request) bool { return m.index() >= l.known })
	switch {
	case i >= 0 && l.unmatched != nil:
		l.unmatched.Lost = true // those come before others, some of which may have been taken
	case i >= 0:
		for _, m := range l.messages[i:] {
			l.loose(m)
		}
	}
}

// loose adds a send whose receive is not known.
func (l *workQueue) loose(r *request) {
	if l.unmatched == nil {
		l.unmatched = &monitor.Unmatched{}
	}
	if l.unmatched.Sent(r.half()); l.unmatched.Len() > mostUnmatched {
		l.unmatched.Lost = true
	}
}

// mostUnmatched bounds the sends of a queue that are kept whose receives are not known.
const mostUnmatched = 100

// isMessage reports whether r is half of a message.
func (r *request) isMessage() bool { return r.op.IsSend() || r.op == model.ReceiveOp }

// index returns which of the messages of its connection r is half of, unless one before it failed.
func (r *request) index() int {
	if r.op.IsSend() {
		return r.sends
	}
	return r.position
}

// checkMessage compares what the completion of a receive says with the send that it took.
func (s *Stream) checkMessage(q *cq, line int, r, m *request, result *trace.Result) {
	if result == nil {
		return
	}
	breach, broken := s.delivery(r, m, result).Check(s.exercised)
	if !broken {
		return
	}
	s.report(q.group, verdict.ProviderViolation, breach.Rule, line, []int{r.line, m.line}, "%s", breach.Message)
	if sends := m.wq; breach.Of != monitor.OfType || sends.names > 0 && sends.names < sends.sends { // else it holds of each message that the peer has sent
		s.restsOnGuesses(q.group)
	}
	if breach.Of == monitor.OfContent && !s.muted {
		f := &s.findings[len(s.findings)-1]
		f.ofContent = true
		if !m.hasSucceeded() && r.wq.took != m.wq.sends { // another message may have come in its place
			f.guesses = append(f.guesses, m)
		}
	}
	r.wq.qp.allows("%s", breach.Instead)
}

// delivery is a receive with the send that it took.
func (s *Stream) delivery(r, m *request, result *trace.Result) *monitor.Delivery {
	return &monitor.Delivery{Dialect: s.dialect, Send: m.half(), Receive: r.half(), Result: result}
}

func (r *request) half() monitor.Half {
	return monitor.Half{Wr: r.wr, Op: r.op, Token: r.token, Bytes: r.bytes}
}

// checkUnnamed checks a receive whose message is not known against the messages that the peer has sent (RES-02, RES-03).
func (s *Stream) checkUnnamed(q *cq, line int, r *request, result *trace.Result) {
	sends := r.wq.other()
	if r.wq.qp.isRemote() || !sends.qp.created || sends.unmatched == nil {
		return
	}
	if b, broken := sends.unmatched.Took(s.dialect, r.half(), result); broken {
		s.tells(q.group, b, line, r.line)
		r.wq.qp.allows("the type and the token of a message of its peer")
	}
}

// mayBreak reports whether requests of p may be cancelled by now.
func (p *qp) mayBreak() bool { return p.mayBeBroken() || p.overflown(nil) != 0 }

// waitsForMessages reports whether the requests of a queue are receives, and it is known which message each waits for.
func (l *workQueue) waitsForMessages() bool {
	return l.queue == model.Receive && l.other() != nil && !l.other().qp.mayGrow() && l.known == never
}

// mayComplete returns the outstanding requests but for the receives that can only wait for a message.
func (l *workQueue) mayComplete() []*request {
	if l.waitsForMessages() && !l.qp.mayBreak() {
		return l.waiting[:min(len(l.waiting), l.arrivals())]
	}
	return l.waiting
}

// mayHaveEnded reports whether an outstanding request may have ended unnoticed: its completion may be in the CQ.
func (l *workQueue) mayHaveEnded(r *request) bool {
	by := r.owed
	if r.silent {
		by = r.silentBy()
	}
	return by == 0 || by > l.emptyAtRest()
}

// emptyAtRest returns the latest moment of rest after which a poll showed that nothing of the queue had completed: of a QP that is
// being closed no poll does, as its completions may have vanished (A21); of a CQ that is not known none is seen.
func (l *workQueue) emptyAtRest() eventIndex {
	switch {
	case l.qp.closing != 0:
		return l.atClose
	case l.cq == nil:
		return 0
	}
	return l.cq.emptyAtRest
}
