package stream

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// delivered handles one result of a poll: it compares the result with the request that it names, and adds to out what it means for the CQ.
func (s *Stream) delivered(out []observation, q *cq, p *poll, i int) []observation {
	result := &p.results[i]
	s.seen[aResult]++
	r := s.request(q, result.Wr)
	if r == nil {
		if !q.deliversShared(&out, p, result) {
			s.unknownWr(q, result)
		}
		return out
	}
	outcome, bounds := calls.OutcomeOf(result.Status), p.boundsOf(i)
	earliest := max(r.called, bounds.Earliest)
	if r.place != 0 && r.outcome != outcome {
		s.tells(q.group, breach.Otherwise(q.name, r.wr, result.Status), p.line, r.line)
		r.wq.qp.allows("%s ends with %v", r.wr, r.outcome)
		r.outcome = outcome
	}
	if !s.checkResult(q, p, r, result, outcome) {
		return out
	}
	l := r.wq
	if l.qp.doubt != "" { // posts have overlapped
		l.takenFirst(r)
	}
	i = slices.Index(l.waiting, r)
	if q.failed.at != 0 && r.called > q.failed.at {
		s.tells(q.group, breach.PostedAfterError(q.name, r.wr), p.line, r.line, q.failed.line)
		l.qp.allows("no completion of %s", r.wr)
		for _, before := range l.waiting[:i] {
			before.missed = true // it was lost
		}
	} else if q.failed.at != 0 && !q.mayHaveLost(r, p.line) {
		return out
	}
	l.tellSettled()
	for _, before := range l.waiting[:i] {
		if before.overlaps(r) {
			l.qp.leaveOpen(l.qp.doubt)
			return out
		}
		if before.missed {
			out = s.lose(out, q, before)
			continue
		}
		if !before.silent && before.place == 0 && before.owed == 0 && l.qp.closing != 0 {
			l.qp.leaveOpen(before.wr + " may have been lost with " + l.qp.name + ", and what became of it before " + verdict.NotFollowed)
			return out
		}
		if !before.silent || before.place != 0 {
			s.tells(q.group, breach.Passes(q.name, r.wr, before.wr, l.qp.name), p.line, before.line, r.line)
			s.notes(nil, before)
			l.qp.allows("first a completion of %s", before.wr)
			l.waiting.moveUp(r)
			break
		}
		s.seen[aSilent]++
		if !s.succeedsSilently(&out, q, p, before) {
			return out
		}
	}
	if r.outlivesClose(q, p); q.stopped() {
		return out
	}
	late := cmp.Or(r.owed, r.silentBy())
	if late != 0 && !r.missed && q.emptied >= late && q.failed.at == 0 {
		if q.reportLate(r, p.line); q.stopped() {
			return out
		}
	}
	if outcome == model.SUCCESS && r.op.IsSend() && q.failed.at != 0 && q.failed.at < q.restedAt {
		l.qp.leaveOpen(q.failure()) // it had been placed before (ARM-17), and its receive had not completed
		return out
	}
	if r.place != 0 && !q.isFirst(r, p) {
		return out
	}
	kinds, from, ok := s.tell(q, p, r, outcome, result, earliest)
	if !ok {
		return out
	}
	if r.place != 0 {
		kinds = r.kinds
	}
	q.placedSince(max(from, r.place), max(earliest, r.place))
	q.countDelivered(p, r, kinds)
	if bounds.Latest != 0 && bounds.Latest <= r.rested {
		out = r.wasOwed(out)
	} else {
		q.noteUncalled(p, r, kinds, bounds)
	}
	if end := l.qp.over; end != 0 && end < p.call.call && r.called < end {
		out = r.stays(out, q, p.line)
	} else if r.isLast() {
		out = append(out, observation{what: stayed, request: r, pending: -1})
	}
	out = s.over(out, r, outcome, earliest, &observation{what: delivered, kinds: kinds, from: from, owed: r.owed, known: r.place != 0})
	return out
}

// succeedsSilently handles the silent success of r, the oldest request of its queue. It adds to out what that means for the CQ.
func (s *Stream) succeedsSilently(out *[]observation, q *cq, p *poll, r *request) bool {
	if !s.silent(q, p, r) {
		return false
	}
	*out = s.over(*out, r, model.SUCCESS, r.called, &observation{what: gone})
	s.past.silenced(passedOver)
	return true
}

// silent handles the silent success of a request: a later one of its queue has completed, or none had.
func (s *Stream) silent(q *cq, p *poll, r *request) bool {
	l := r.wq
	if r.cancelled || l.qp.onlyCancelled(r.called) {
		line, see := r.lacksCompletion(p.line)
		b := breach.OnlyFailed(r.wr)
		s.unexplained(q.group, b.Rule, line, see, "%s", b.Message)
		l.qp.allows("first a completion of %s", r.wr)
		if q.stopped() {
			return false
		}
	} else {
		s.meet(q, p.line, r, nil)
	}
	return !q.stopped()
}

// over removes the oldest request of its queue, which has succeeded or failed, and was not placed before an event.
func (s *Stream) over(out []observation, r *request, outcome model.Outcome, earliest eventIndex, e *observation) []observation {
	l := r.wq
	s.requestCases.ends(r, 1)
	l.waiting = l.waiting[1:]
	out = r.byClose(r.notOwed(out), e)
	e.counted, e.request = r.countedFrom(), r
	r.over, r.outcome = true, outcome
	if r.owed != 0 {
		l.cq.owed--
	}
	switch {
	case r.vanished:
	case r.place == 0:
		l.cq.pending--
	default:
		l.cq.shown--
		l.cq.delivers(r)
	}
	if l.cq.hasRoom(); !r.vanished || r.place != 0 {
		out = append(out, *e)
	}
	if r.op.IsSend() {
		l.sendsDone++
	}
	if r.op == model.ReceiveOp && outcome != model.SUCCESS {
		l.lost++
	}
	if outcome == model.FAILED {
		l.qp.breaks(earliest)
	}
	if outcome == model.CANCELLED && l.qp.peer != nil {
		l.qp.peer.mayBeLostByPeer(r.called) // what cancelled r may have been the loss of the connection
	}
	if l.qp.shadow != nil && r.shadow != nil {
		r.told(outcome)
	}
	l.qp.lossTold = l.qp.lossTold || outcome != model.SUCCESS
	s.forget(r, "")
	return out
}

// tell says of what kinds a completion may be that was placed no earlier than an event, and from when on that can have been.
func (s *Stream) tell(q *cq, p *poll, r *request, outcome model.Outcome, result *trace.Result, earliest eventIndex) (kinds automaton.Kinds, from eventIndex, ok bool) {
	l, qp := r.wq, r.wq.qp
	switch {
	case outcome == model.CANCELLED:
		if !s.dialect.Ibverbs && qp.kind.isLosable && qp.connected != 0 {
			qp.breaks(max(r.called, qp.connected))
		}
		if s.dialect.Ibverbs && qp.shadow != nil && qp.uncaused == nil && result != nil {
			qp.uncaused = &uncaused{wr: r.wr, status: result.Status, queue: l.queue, at: s.at, line: p.line, postLine: r.line}
		}
		l.failed(r)
		return automaton.Cancelled, earliest, true
	case outcome == model.FAILED:
		s.invalidateFailed(r, cases.InvalidateFailed)
		l.failed(r)
		return automaton.Failed, earliest, true
	}
	r.needsConnection(q, p.line)
	if l.queue == model.Receive {
		r.guess()
	}
	switch {
	case l.queue == model.Receive:
		s.mayInvalidate(r, p.call.fn, result)
	case r.op == model.Invalidate && s.isDead(r):
		s.meets(declared.Invalidated)
	}
	kinds, sent, ok := s.meet(q, p.line, r, result)
	if !ok {
		return kinds, 0, false
	}
	return kinds, max(earliest, sent), !q.stopped()
}

// needsConnection is POST-08: r succeeded, as a poll or a point tells, so there was a connection by then.
func (r *request) needsConnection(q *cq, line int) {
	p := r.wq.qp
	p.carried(r)
	if p.succeeds = true; p.connected != 0 {
		return
	}
	p.s.tells(q.group, breach.SucceededUnconnected(q.name, r.wr, p.name), line, r.line)
	p.allows("%s completes with success when %s is connected", r.wr, p.name)
	p.connected = r.called
}

// unknownWr says what is wrong with a result that names no request that is outstanding.
func (s *Stream) unknownWr(q *cq, result *trace.Result) {
	wr := result.Wr
	if s.shared.wrs[wr] != nil {
		delete(s.shared.wrs, wr)
		g := q.group.root()
		g.unclear = verdict.PostedOnShared(wr, s.dialect.Name)
		return
	}
	was, known := s.past.find(wr)
	switch {
	case !known:
		s.tells(q.group, breach.Unposted(q.name, wr), 0)
		q.allows()
	case was.answer != "":
		s.tells(q.group, breach.Refused(q.name, wr, was.answer), 0, was.lines[:1]...)
		q.allows()
	case was.silence != notSilent && calls.OutcomeOf(result.Status) == model.SUCCESS:
		s.tells(q.group, breach.Told(wr), 0, was.lines[:]...)
		q.allows()
	case was.silence == passedOver:
		s.tells(q.group, breach.Passed(q.name, wr), 0, was.lines[:]...)
		q.allows()
	case was.silence == foundSettled:
		s.tells(q.group, breach.FoundEmpty(q.name, wr), 0, was.lines[:]...)
		q.allows()
	default:
		s.tells(q.group, breach.Again(q.name, wr), 0, was.lines[:]...)
		q.alsoByResize(was.lines[0])
		q.allows()
	}
}

// checkResult checks a result against the request that it names, and reports whether it can be of it.
func (s *Stream) checkResult(q *cq, p *poll, r *request, result *trace.Result, outcome model.Outcome) bool {
	if home := r.wq.cq; home != nil && home != q {
		if !r.wq.qp.isExcused() {
			s.tells(q.group, breach.Elsewhere(q.name, r.wr, home.name), p.line, r.line)
		}
		r.wq.qp.allows("%s delivers it", home.name)
		home.loses(r)
		join(q.group, home.group)
		return false
	}
	if result.Qp != "" && result.Qp != r.wq.qp.name {
		s.tells(q.group, breach.OfAnotherQp(r.wr, result.Qp, r.wq.qp.name), p.line, r.line)
		r.wq.qp.allows("it names %s", r.wq.qp.name)
	}
	if r.wq.cq == nil { // its QP was created before the trace began
		join(q.group, r.wq.qp.group)
		s.reopen(q.group)
		return false
	}
	s.seen[aResultOfRequest]++
	s.countEnded(r, outcome)
	if outcome == model.CANCELLED {
		s.seen[aCancelled]++
	}
	if r.deferred {
		s.seen[aDeferred]++
	}
	if r.refusal {
		s.seen[aRefusedChain]++
	}
	if r.silent {
		s.seen[aSilent]++
		if outcome == model.SUCCESS && !r.wq.signals() {
			s.tells(q.group, breach.Told(r.wr), p.line, r.line)
			r.wq.qp.allows("no completion of %s", r.wr)
			r.silent = false
		}
	}
	return true
}
