package clauses

import (
	"slices"

	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
)

// ConnectCalled pairs the two ends of a connection. A connection takes effect between the call and its return.
func (e *Engine) ConnectCalled(m facts.Moment, name, conn string) {
	e.now, e.quiet = m, false
	p := e.qp(name)
	if p.connectCall != never || slices.ContainsFunc(p.flushes, func(f *flush) bool { return !f.done }) {
		e.Beyond("", name, "a connect of what may be connected, or is being flushed")
	}
	p.attempted, p.connectCall = min(p.attempted, m.At), min(p.connectCall, m.At)
	if p.unpaired {
		p.conn = conn
		return
	}
	if p.conn != "" && conn != p.conn {
		e.Beyond("", name, "a queue pair of two connections")
	}
	if conn == "" || p.conn != "" {
		return
	}
	p.conn = conn
	e.conns[conn] = append(e.conns[conn], p)
	switch ends := e.conns[conn]; {
	case len(ends) == 2:
		e.pair(ends[0], ends[1])
	case len(ends) > 2:
		for _, end := range ends {
			e.openQp(end)
		}
	}
}

func (e *Engine) pair(p, o *queuePair) {
	p.peer, o.peer = o, p
	for _, end := range []*queuePair{p, o} {
		if end.queues[0].cq == nil {
			e.Beyond("", end.name, "a queue pair whose creation the trace does not hold")
		}
	}
	switch {
	case p.open != o.open:
		p.open, o.open = false, false // so that both are left undecided, with what they hold
		e.openQp(p)
	case p.queues[0].messages.succeeded+p.queues[1].messages.succeeded > 0:
		e.Undecided["messages were received before the peer was known"]++
		e.openQp(p)
	}
}

// Connected handles the return of a connect: requests whose chains ended before wait for the provider alone from now on.
func (e *Engine) Connected(m facts.Moment, name string) {
	e.now, e.quiet = m, false
	p := e.qp(name)
	if p.connects == never {
		p.connects, p.received = m.At, p.queues[model.Receive].lastReceive != nil
	}
	if p.open {
		return
	}
	e.becomeReady(p)
	if p.peer != nil {
		e.becomeReady(p.peer)
	}
}

// becomeReady does that for what waited for the connection of p.
func (e *Engine) becomeReady(p *queuePair) {
	unready := p.unready
	p.unready = nil
	for _, r := range unready {
		if !r.told {
			e.becomesReady(r)
		}
	}
}

// CompletesConnect handles the call, or the end, of NdkCompleteConnect. Until that is over a post may be refused as the connection is not made yet (A37), which
// is not a moment by which it had ended. What was refused before the first call was taken for one.
func (e *Engine) CompletesConnect(m facts.Moment, name string, over bool) {
	e.now, e.quiet = m, false
	p := e.qp(name)
	if over {
		p.completed = m.At
		return
	}
	if p.completed == 0 && p.refuses {
		p.lost = timeline.None
		e.Findings = slices.DeleteFunc(e.Findings, func(f Finding) bool { return f.Qp == name && slices.Contains(rulesOf(f.Conflict), refusedAsEnded) })
	}
	p.completed = never
}

// ConnectFailed handles a connect that was refused. It may have made a connection, which is lost by now; else what needed one has none. One of libibverbs
// has done nothing.
func (e *Engine) ConnectFailed(m facts.Moment, name string, mayHaveConnected bool) {
	e.now = m
	p := e.qp(name)
	if p.connects != never {
		return
	}
	if p.connectCall = never; !e.dialect.ErrorState {
		p.failedAt = m.At
	}
	p.lost = timeline.None // what was cancelled meanwhile the attempt may have cancelled, and no connection was lost by then
	if mayHaveConnected {
		p.madeBy = m.At
		p.made = p.made || slices.ContainsFunc(p.queues[:], func(w *workQueue) bool { return w.succeeded != nil })
	} else if p.madeBy == 0 {
		p.attempted = never
	}
	if r := p.unproven; r != nil && p.attempted == never && !p.open {
		e.foundUnconnected(r)
	}
	p.unproven = nil
	if e.becomeReady(p); p.peer == nil {
		e.conns[p.conn] = slices.DeleteFunc(e.conns[p.conn], func(end *queuePair) bool { return end == p })
		p.conn = ""
	}
}

// Resumed handles a call that moves a queue pair of libibverbs to RTS once more. The call leaves an RC queue pair as it is. It brings back an initiator queue
// that a failure had stopped, which is undecided; where no request can have failed, no queue was stopped.
func (e *Engine) Resumed(name string) {
	p := e.qp(name)
	w := p.queues[model.Initiator]
	if p.unreliable && (len(w.waiting) > 0 || len(w.failed) > 0 || w.silenced != nil) {
		e.Beyond("", name, "a call brings back an initiator queue that a failure may have stopped")
	}
}

// waitsNoLonger records that a request does not wait at a moment of rest behind the end of its connection. That holds for a message, and for a receive
// if the end of its queue pair ends waiting receives. No message waits for an end of the connection that is over.
func (e *Engine) waitsNoLonger(r *request, since timeline.Time) {
	ends := [...]*queuePair{r.queue.qp, r.queue.qp.peer}
	for i, p := range ends {
		if i > 0 && (p == nil || r.queue.kind != model.Initiator) {
			break
		}
		if e.dialect.ErrorState {
			e.endOf(p)
		}
		if p.ended != timeline.None {
			e.overAtRest(r, p.ended, since)
		}
		if r.queue.kind == model.Initiator && e.tellsOfLoss(p) {
			e.overAtRest(r, e.lossOf(p), since)
		}
		if r.queue.kind == model.Initiator && p.broken != timeline.None {
			e.overAtRest(r, p.broken, since)
		}
	}
}

// breaks records that no message of either end waits behind a request that was cancelled, unless a flush may have cancelled it, which does not change
// the connection.
func (e *Engine) breaks(r *request, m facts.Moment) {
	p := r.queue.qp
	if p.unreliable || slices.ContainsFunc(p.flushes, func(f *flush) bool { return !f.undone }) || p.connects >= r.called || p.isSpared(r) {
		return
	}
	first := p.broken == timeline.None
	if first {
		p.broken = e.Solver.New(timeline.Label{Deed: endedAt, Of: "the connection of " + p.name}, 0, posted, 0)
	}
	e.Solver.NotBehind(p.broken, r.x, 0, endedAtRest, m.Line)
	if !first {
		return
	}
	e.messagesAreOver(p, p.broken)
	if p.peer != nil {
		e.messagesAreOver(p.peer, p.broken)
	}
}

// messagesAreOver states that no message of p waits at a moment of rest behind an end.
func (e *Engine) messagesAreOver(p *queuePair, end timeline.Var) {
	for _, r := range p.queues[model.Initiator].waiting {
		if r.message {
			e.overAtRest(r, end, r.ready)
		}
	}
}

// mayAbort reports whether a bad token may have ended the connection of p by an event, as a message that names one was called before.
func (e *Engine) mayAbort(p *queuePair, by int) bool {
	names := func(at int) bool { return at != 0 && at <= by }
	return names(p.names) || p.peer != nil && names(p.peer.names) || names(e.unpairedNames[p.conn])
}

// overAtRest states that r does not wait at a moment of rest behind an end.
func (e *Engine) overAtRest(r *request, end timeline.Var, since timeline.Time) {
	p := r.queue.qp
	if !r.message && !e.dialect.ErrorState && e.mayAbort(p, min(e.Solver.Upper(end).Event(), e.now.At)) {
		return // receives may wait behind that
	}
	if !r.told && since != timeline.Never {
		e.Solver.Resting(r.x, end, since, endedAtRest, r.line)
	}
}

// disconnects makes the end of p known to what waits for it.
func (e *Engine) disconnects(p *queuePair) {
	end := e.endOf(p)
	for _, r := range p.queues[model.Receive].waiting {
		e.overAtRest(r, end, r.ready)
	}
	e.messagesAreOver(p, end)
	if p.peer != nil {
		e.messagesAreOver(p.peer, end)
	}
}

// endOf returns from when on nothing succeeds on p, as a flush, a disconnect or, in libibverbs, a failure shows. That may never be.
func (e *Engine) endOf(p *queuePair) timeline.Var {
	if p.ended == timeline.None {
		p.ended = e.Solver.New(timeline.Label{Deed: endedAt, Of: "the queue pair " + p.name}, 0, posted, 0)
	}
	return p.ended
}

// lossOf returns when the connection of p was lost, which the trace need not record. That may be never.
func (e *Engine) lossOf(p *queuePair) timeline.Var {
	if p.lost == timeline.None {
		p.lost = e.Solver.New(timeline.Label{Deed: lostAt, Of: "the connection of " + p.name}, 0, posted, 0)
	}
	return p.lost
}

// sendErrorOf returns from when on nothing succeeds on the initiator queue of an unreliable queue pair, as one of its requests failed.
func (e *Engine) sendErrorOf(p *queuePair) timeline.Var {
	if p.sendError == timeline.None {
		p.sendError = e.Solver.New(timeline.Label{Deed: endedAt, Of: "the initiator queue of " + p.name}, 0, posted, 0)
	}
	return p.sendError
}

// tellsOfLoss reports whether requests of p are cancelled because its connection was lost. In libibverbs they fail (RES-11).
func (e *Engine) tellsOfLoss(p *queuePair) bool { return !p.unreliable && !e.dialect.ErrorState }

// goesOn records that a connection had not ended when one of its requests succeeded. If the request needs the other end, the connection had not ended
// there when the request was posted.
func (e *Engine) goesOn(r *request, m facts.Moment) {
	p, s, rule := r.queue.qp, e.Solver, endedLater
	switch {
	case r.silent && !r.told:
		rule = silentlyEnded // at rest, and nothing behind it tells
	case r.silent:
		rule = passedOver // it has failed, or has no completion to tell so
	case e.mayNameBadToken(p):
		rule = abortedBefore
	}
	switch {
	case e.dialect.ErrorState:
		s.Edge(r.x, e.endOf(p), 1, rule, m.Line)
		if p.unreliable && r.queue.kind == model.Initiator {
			s.Edge(r.x, e.sendErrorOf(p), 1, rule, m.Line)
		}
	case p.ended != timeline.None && r.flush == nil: // else what ends later ends behind r
		s.Edge(r.x, p.ended, 1, rule, m.Line)
	}
	if e.tellsOfLoss(p) {
		s.Edge(r.x, e.lossOf(p), 1, rule, m.Line)
	}
	o := p.peer
	if o == nil || o.open || p.unreliable || r.queue.kind != model.Initiator {
		return
	}
	behind := timeline.At(r.called) + 1
	if r.message && (o.ended != timeline.None || e.dialect.ErrorState) {
		s.NotBefore(e.endOf(o), behind, rule, r.line, r.x)
	}
	touchesMemory := r.op == model.Read || r.op == model.Write
	if touchesMemory && o.ended != timeline.None && s.Upper(o.ended) < behind && !e.dialect.ErrorState { // a disconnect that is pending may leave memory within reach
		s.NotBefore(o.ended, behind, rule, r.line, r.x)
	}
	if e.tellsOfLoss(o) && (r.message || touchesMemory && o.closeCall == never && !o.disconnects()) {
		s.NotBefore(e.lossOf(o), behind, rule, r.line, r.x)
	}
}

// disconnects reports whether a disconnect of p was called.
func (p *queuePair) disconnects() bool {
	return slices.ContainsFunc(p.flushes, func(f *flush) bool { return f.disconnects })
}

// endsBy states that a connection had ended when one of its requests failed, or, in libibverbs, was flushed (FLUSH-06, A40).
func (e *Engine) endsBy(r *request, m facts.Moment) {
	p := r.queue.qp
	if !e.failureEnds() || !e.dialect.ErrorState && p.connects >= r.called || r.called < p.failedAt {
		return
	}
	var end timeline.Var
	switch {
	case p.unreliable && r.queue.kind == model.Initiator:
		end = e.sendErrorOf(p)
	case e.tellsOfLoss(p):
		end = e.lossOf(p)
	default:
		end = e.endOf(p)
	}
	e.Solver.NotBehind(end, r.x, 0, endedByFailure, m.Line)
	e.Solver.Edge(end, r.x, 0, endedByFailure, m.Line)
}
