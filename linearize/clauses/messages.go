package clauses

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
)

// mostUnpaired is how many sends are kept whose peer is not known.
const mostUnpaired = 64

// postMessage adds a send, whose message arrives behind those before it.
func (e *Engine) postMessage(r *request, m facts.Moment) {
	w, s := r.queue, e.Solver
	r.a = s.New(timeline.Label{Deed: arrivedAt, Of: r.wr}, timeline.At(m.At)+1, posted, m.Line)
	w.lastSend = r
	w.messages.sent = append(w.messages.sent, r)
	s.Keep(r.a)
	if r.op == model.SendAndInvalidate {
		e.isNaming(w.qp, r)
	}
	if n := len(w.messages.sent); w.qp.peer == nil && n > mostUnpaired {
		w.messages.forget(s, n-1)
	}
}

// isNaming records that a message names a token.
func (e *Engine) isNaming(p *queuePair, r *request) {
	if p.names == 0 {
		p.names = r.called
	}
	if p.unpaired && p.conn != "" && e.unpairedNames[p.conn] == 0 {
		if e.unpairedNames == nil {
			e.unpairedNames = map[string]int{}
		}
		e.unpairedNames[p.conn] = r.called
	}
	if len(p.naming) == mostUnpaired {
		p.naming = slices.Delete(p.naming, 0, 1)
	}
	p.naming = append(p.naming, r)
}

// tellsPeer leaves with the other end of its connection what an unpaired one that is closed has named.
func (e *Engine) tellsPeer(p *queuePair) {
	for _, end := range e.conns[p.conn] {
		end.names = cmp.Or(end.names, e.unpairedNames[p.conn])
	}
	delete(e.unpairedNames, p.conn)
}

// namesNone records that the token that a message names did not end the connection: it was received, or never sent.
func (p *queuePair) namesNone(r *request) {
	p.naming = slices.DeleteFunc(p.naming, func(o *request) bool { return o == r })
}

// mayNameBadToken reports whether a message of the connection may have named a token that was not valid. Of a token of an end that the trace does not
// have, nothing shows that.
func (e *Engine) mayNameBadToken(p *queuePair) bool {
	bad := func(r *request) bool { return !e.hadValidToken(r) }
	return p.peer != nil && (slices.ContainsFunc(p.naming, bad) || slices.ContainsFunc(p.peer.naming, bad))
}

// forget drops the first sends.
func (g *messages) forget(s *timeline.Solver, n int) {
	for _, r := range g.sent[:n] {
		s.Release(r.a)
	}
	g.base += n
	g.sent = withoutFirst(g.sent, n)
}

// release drops all that is paired by number.
func (g *messages) release(s *timeline.Solver) {
	for _, r := range g.sent {
		s.Release(r.a)
	}
	for _, r := range slices.Concat(g.met, g.unmet, g.mayEnd, g.early) {
		s.Release(r.x)
	}
	g.sent, g.met, g.unmet, g.mayEnd, g.early, g.paired = nil, nil, nil, nil, nil, 0
}

// received states which message a receive took that succeeded: the k'th one that succeeds took one that was sent no earlier than
// the k'th, whatever became of the sends. By then the end that sent it had not ended.
func (e *Engine) received(r *request, m facts.Moment) {
	w, s := r.queue, e.Solver
	k := w.messages.succeeded
	w.messages.succeeded++
	if r.queue.qp.peer == nil {
		return
	}
	o := r.queue.qp.peer.queues[model.Initiator]
	if last := o.lastSend; last != nil && !last.loose && s.Alive(last.x) { // whichever it took, none is over later than the last
		s.Edge(r.x, last.x, 0, receivedFirst, m.Line)
	}
	if f := w.messages.failed; f != nil && r.follows(f) {
		w.messages.failed = nil
	}
	if len(w.messages.unmet) > 0 {
		if send := w.messages.unmet[0]; areEach(r, send) {
			e.took(r, send, m)
		}
		s.Release(w.messages.unmet[0].x)
		w.messages.unmet = withoutFirst(w.messages.unmet, 1)
	} else {
		s.Keep(r.x)
		w.messages.met = append(w.messages.met, r)
	}
	i := k - o.messages.base
	if i < 0 {
		return
	}
	if i >= len(o.messages.sent) {
		e.fails(w.qp, tookMessage, r.line, timeline.Label{Deed: executedAt, Of: r.wr})
		return
	}
	send := o.messages.sent[i]
	if r.loose {
		o.messages.forget(s, i+1)
		return
	}
	if send.loose { // of all sends, the k'th was posted no earlier than the k'th call
		s.NotBefore(r.x, timeline.At(send.called)+1, tookMessage, m.Line, timeline.None)
		o.messages.forget(s, i+1)
		return
	}
	s.Edge(send.a, r.x, 0, tookMessage, m.Line)
	e.metByRest(send, r) // which has failed, or has met r or one before it
	if send.names != nil {
		r.numbered = send
	}
	if i == len(o.messages.sent)-1 { // no other is left for it, nor for the receives before it
		if e.allTook(w, r, m); send.flush != nil {
			s.Edge(send.a, send.flush.at, 1, flushSpares, m.Line)
		}
	}
	for _, end := range []timeline.Var{o.qp.ended, o.qp.lost} {
		if end != timeline.None {
			s.Edge(send.a, end, 1, receivedLater, m.Line)
		}
	}
	o.messages.forget(s, i+1)
}

// allTook states what receives did to their tokens, up to r, where as many have succeeded as messages were sent: each took that of its number.
func (e *Engine) allTook(w *workQueue, r *request, m facts.Moment) {
	g := &w.messages
	for _, receive := range g.met[g.paired:] {
		e.tookNumbered(receive, m)
	}
	e.tookNumbered(r, m)
	g.paired = len(g.met)
}

func (e *Engine) tookNumbered(r *request, m facts.Moment) {
	if send := r.numbered; send != nil {
		e.took(r, send, m)
	}
}

// awaitTurn pairs r, half of a message that succeeded, in its turn.
func (e *Engine) awaitTurn(r *request, m facts.Moment) {
	g := &r.queue.messages
	i := slices.IndexFunc(g.early, func(o *request) bool { return o.number > r.number })
	if i < 0 {
		i = len(g.early)
	}
	e.Solver.Keep(r.x)
	g.early = slices.Insert(g.early, i, r)
	e.inTurn(r.queue, m)
}

// inTurn pairs the sends, or receives, of a queue that have succeeded, each once it is known what became of those before it: a point may show one that is
// behind a silent one, or one that a poll has yet to deliver.
func (e *Engine) inTurn(w *workQueue, m facts.Moment) {
	for g := &w.messages; len(g.early) > 0 && !w.qp.open; {
		r := g.early[0]
		for _, o := range w.waiting {
			if o.number >= r.number {
				break
			}
			if (o.message || w.kind == model.Receive) && r.follows(o) {
				return
			}
		}
		if g.early = withoutFirst(g.early, 1); w.kind == model.Receive {
			e.received(r, m)
		} else {
			e.sent(r, m)
		}
		e.Solver.Release(r.x)
	}
}

// sent states that a send that succeeded had a receive to take.
func (e *Engine) sent(r *request, m facts.Moment) {
	r.queue.messages.succeeded++
	if r.queue.qp.peer == nil {
		return
	}
	e.messageEnds(r, m)
	to := r.queue.qp.peer.queues[model.Receive]
	if len(to.messages.met) == 0 || r.queue.messages.failures > 0 || r.loose {
		e.mayEnd(r)
	}
	if len(to.messages.met) == 0 {
		e.Solver.Keep(r.x)
		to.messages.unmet = append(to.messages.unmet, r)
		if e.meets(r, to, e.placeOfLatest(to), m); !r.queue.qp.open && e.hadNoToken(r) {
			e.endsConnectionOf(r, m)
		}
		return
	}
	j := to.messages.met[0]
	to.messages.met, to.messages.paired = withoutFirst(to.messages.met, 1), max(0, to.messages.paired-1)
	if !j.loose && !r.loose {
		e.tookReceive(r, j, m)
	}
	if areEach(j, r) {
		e.took(j, r, m)
	}
	e.Solver.Release(j.x)
}

func (e *Engine) tookReceive(r, j *request, m facts.Moment) {
	e.Solver.NotBefore(r.x, timeline.At(j.called)+1, tookReceive, j.line, timeline.None)
	e.Solver.Edge(j.x, r.x, 0, tookReceive, m.Line)
}

// placeOfLatest returns the place, among the receives that wait, of the first that the latest of the sends without one can have taken.
func (e *Engine) placeOfLatest(w *workQueue) int {
	unmet := w.messages.unmet
	if len(w.qp.flushes) == 0 {
		return len(unmet) - 1
	}
	place := -1
	for _, send := range unmet {
		place = e.placeBehind(w, place, send)
	}
	return place
}

// placeBehind returns the place of the first receive that a send can have taken, behind that of another one: what a flush had ended before the send was
// called is none for it. Where that is a disconnect, the end of the connection says more.
func (e *Engine) placeBehind(w *workQueue, place int, send *request) int {
	left := w.left()
	for place++; place < len(left) && left[place].flushedBefore(send) && (e.dialect.ErrorState || w.qp.ended == timeline.None); place++ {
	}
	return place
}

// left returns the receives of a queue that are not paired, and may be: those that wait, and those that have succeeded and await their turn.
func (w *workQueue) left() []*request {
	if len(w.messages.early) == 0 {
		return w.waiting
	}
	left := slices.Concat(w.waiting, w.messages.early)
	slices.SortStableFunc(left, func(a, b *request) int { return a.number - b.number })
	return left
}

// flushedBefore reports whether r was over before a send was posted, as a flush had ended it.
func (r *request) flushedBefore(send *request) bool {
	return r.flush != nil && r.flush.returned != 0 && r.flush.returned < send.called
}

// meets states that a send, whose receive is not known, took no earlier one than the i'th of those that wait. One with a bad token may have taken a receive that did not succeed.
func (e *Engine) meets(r *request, to *workQueue, i int, m facts.Moment) {
	if to.messages.vanished {
		return
	}
	j, left := to.messages.failed, to.left()
	mayHaveEnded := j != nil && r.mayHaveEnded() && !e.hadValidToken(r) && (r == to.messages.unmet[0] || r.loose || j.loose)
	switch {
	case i < len(left) && (!mayHaveEnded || timeline.At(left[i].called) <= e.Solver.Upper(r.x)):
		switch j := left[i]; {
		case j.loose || r.loose:
		case !mayHaveEnded:
			e.tookReceive(r, j, m)
		case j.returned != 0 && timeline.At(j.returned) <= e.Solver.Lower(r.x): // it took j, or ended the connection, which cancelled j
			e.Solver.Edge(j.x, r.x, -1, endedByToken, m.Line)
		}
	case mayHaveEnded:
		e.endsConnectionOf(r, m)
	default:
		rule := tookReceive
		if r.silent {
			rule = tookReceiveSilently
		}
		n := len(e.Findings)
		e.fails(r.queue.qp, rule, r.line, timeline.Label{Deed: executedAt, Of: r.wr})
		if r.silent && r.flush != nil && len(e.Findings) > n { // it was over by then
			e.Findings[n].Rest = e.Solver.RestLine(max(r.ready, timeline.At(r.flush.returned)))
		}
	}
}

// mayHaveEnded reports whether r may have ended its connection though it succeeded: it names a token, and nothing behind it on its queue has succeeded
// (INV-05).
func (r *request) mayHaveEnded() bool {
	latest := r.queue.succeeded
	return r.op == model.SendAndInvalidate && (latest == nil || !latest.follows(r))
}

// endsConnectionOf states that r, which succeeded, has ended its connection, as no receive can have taken it: that has cancelled what was
// posted before, and nothing has succeeded since (INV-05).
func (e *Engine) endsConnectionOf(r *request, m facts.Moment) {
	s, own, pending := e.Solver, r.queue.qp, []*request{}
	if to := &own.peer.queues[model.Receive].messages; to.failed != nil && s.Alive(to.failed.x) {
		if pending = append(pending, to.failed); to.failures == 1 { // it took that
			e.tookReceive(r, to.failed, m)
			s.Edge(to.failed.x, r.x, -1, endedByToken, m.Line)
		}
	}
	r.queue.ender = r
	e.hadBadToken(r, m)
	for _, p := range []*queuePair{own, own.peer} {
		end := e.endOf
		if e.tellsOfLoss(p) {
			end = e.lossOf
		}
		s.NotBehind(end(p), r.x, 1, endedByToken, m.Line)
		for _, w := range p.queues {
			pending = append(pending, w.waiting...)
		}
	}
	for _, o := range pending {
		if o.returned != 0 && timeline.At(o.returned) <= s.Lower(r.x) && o.queue.qp.closeCall == never {
			s.Edge(o.x, r.x, -1, endedByToken, m.Line)
		}
	}
}

// metByRest records that r, a message or a receive, was over by the first moment of rest at which both r and last, its latest possible counterpart,
// waited for their counterparts alone.
func (e *Engine) metByRest(r, last *request) {
	if last == nil || last.loose || r.loose || max(r.ready, last.ready) == timeline.Never || !e.Solver.Alive(r.x) {
		return
	}
	for _, p := range []*queuePair{r.queue.qp, last.queue.qp} {
		if p.closeCall != never || p.hasCq(func(q *completionQueue) bool { return q.unsure || q.overflowed != timeline.None }) {
			return
		}
	}
	e.Solver.OverBy(r.x, max(r.ready, last.ready), meetAtRest)
}

// receiveFailed handles a receive that took no message, unless one with a bad token: the sends that wait for a receive took the next one.
func (e *Engine) receiveFailed(w *workQueue, r *request, m facts.Moment) {
	w.messages.failed = r
	w.messages.failures++
	place := -1
	for _, send := range w.messages.unmet {
		if w.qp.open {
			return
		}
		place = e.placeBehind(w, place, send)
		e.meets(send, w, place, m)
	}
}
