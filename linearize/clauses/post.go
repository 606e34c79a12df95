package clauses

import (
	"slices"

	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
)

// PostCalled adds the requests of a post, as if each were accepted.
func (e *Engine) PostCalled(c *facts.Call) {
	e.now, e.quiet = c.Moment, false
	p := e.qp(c.Qp)
	w := p.queues[c.Queue]
	if w.cq == nil {
		e.ofBefore(p)
	}
	w.posting++
	loose := len(w.order.underWay) > 0
	w.loosened = w.loosened || loose
	if !w.order.begin() {
		e.Undecided["many posts overlap"]++
		e.openQp(p)
	}
	if p.open {
		for i := range c.Requests {
			e.namesToken(&c.Requests[i], nil, c.Moment)
		}
	}
	if p.open && w.cq != nil {
		w.cq.undecided += len(c.Requests)
		e.mayOverflow(w.cq)
	}
	if p.open || e.open {
		return
	}
	if len(c.Requests) == 1 {
		c.Of = e.post(w, &c.Requests[0], loose, c.Moment)
	} else {
		var all []*request
		for i := range c.Requests {
			all = append(all, e.post(w, &c.Requests[i], loose, c.Moment))
		}
		c.Of = all
	}
	e.mayOverflow(w.cq)
	e.solve(p)
}

// ofBefore leaves undecided a queue pair whose creation the trace does not record, and each CQ: its requests may complete into any.
func (e *Engine) ofBefore(p *queuePair) {
	e.Undecided["a queue pair whose creation the trace does not hold"]++
	e.openQp(p)
	for _, q := range e.cqs {
		e.openCq(q)
	}
}

func (e *Engine) newRequest() *request {
	if len(e.block) == 0 {
		e.block = make([]request, 32)
	}
	r := &e.block[0]
	e.block = e.block[1:]
	return r
}

func (e *Engine) post(w *workQueue, q *facts.Request, loose bool, m facts.Moment) *request {
	s, r, at := e.Solver, e.newRequest(), timeline.At(m.At)
	*r = request{wr: q.Wr, line: m.Line, op: q.Op, queue: w, silent: q.Silent, fence: q.Fence, called: m.At, ready: timeline.Never,
		before: w.lastSend, loose: loose, number: e.posted}
	e.posted++
	r.message = r.op.IsSend() && !w.qp.loses
	r.x = s.New(timeline.Label{Deed: executedAt, Of: q.Wr}, at+1, posted, m.Line)
	r.c = s.New(timeline.Label{Deed: completedAt, Of: q.Wr}, at+2, posted, m.Line)
	s.Edge(r.x, r.c, 1, executedFirst, m.Line)
	if q.Deferred {
		w.chain = append(w.chain, r)
	}
	switch {
	case r.message:
		e.postMessage(r, m)
	case r.holdsMessages():
		r.a = s.New(timeline.Label{Deed: arrivedAt, Of: r.wr}, at+1, posted, m.Line)
		if r.op != model.Write {
			s.Edge(r.x, r.a, 0, held, m.Line)
		}
	}
	if w.kind == model.Receive {
		w.lastReceive = r
	}
	if r.takesOther() {
		w.messages.posted++
		r.nth = w.messages.posted
	}
	w.order.follow(s, r)
	e.namesToken(q, r, m)
	for _, v := range r.variables() {
		if v != timeline.None {
			s.Within(v, w.cq.scope)
		}
	}
	if len(w.waiting) == 0 && w.firstFailure != timeline.None && !w.messages.vanished {
		s.NotBefore(w.firstFailure, at, mayCause, m.Line, timeline.None)
	}
	w.waiting = append(w.waiting, r)
	w.cq.outstanding++
	e.requests[q.Wr] = r
	if e.kept != nil {
		e.kept[q.Wr] = &recalled{of: r}
	}
	return r
}

// requestsOf returns the requests of a post.
func (e *Engine) requestsOf(c *facts.Call) []*request {
	switch of := c.Of.(type) {
	case *request:
		return append(e.single[:0], of)
	case []*request:
		return of
	}
	return nil
}

// PostReturned removes the requests that were not accepted. The others have completed by a moment of rest, once they wait for the
// provider alone.
func (e *Engine) PostReturned(m facts.Moment, c *facts.Call, accepted int) {
	e.now, e.quiet = m, false
	p := e.qp(c.Qp)
	w := p.queues[c.Queue]
	w.posting--
	all := e.requestsOf(c)
	if p.open || e.open || len(all) == 0 {
		return
	}
	if len(all) == 1 {
		e.tokenReturned(&c.Requests[0], all[0])
	}
	for i, r := range all {
		if i <= accepted {
			e.answeredInvalidate(r, i < accepted, m)
		}
		if p.open {
			return
		}
		if i >= accepted {
			e.refuse(r)
			continue
		}
		if r.returned = m.At; r.told {
			continue
		}
		rule := owedAtRest
		if r.silent {
			rule = silentAtRest
		}
		e.Solver.Resting(r.c, r.end(), timeline.At(m.At), rule, m.Line)
	}
	w.order.end(e.Solver, c.At, all[:accepted])
	if e.answered(p, c, accepted, m); p.open {
		return
	}
	if c.Queue == model.Initiator && (accepted < len(all) || len(w.chain) == 0 || w.chain[len(w.chain)-1] != all[len(all)-1]) {
		e.endChain(w, c, all, accepted < len(all))
	} else if c.Queue == model.Initiator {
		return // its chain is open
	}
	for _, r := range all[:accepted] {
		e.becomesReady(r)
	}
	e.solve(p)
}

// endChain handles a post that ends a chain. Of posts that overlap it, it is not known whether they are part of that.
func (e *Engine) endChain(w *workQueue, c *facts.Call, own []*request, refused bool) {
	chain := w.chain
	w.chain = nil
	for _, r := range chain {
		switch {
		case r.loose && (r.returned == 0 || r.returned >= c.At):
			w.chain = append(w.chain, r)
		case !r.told && !slices.Contains(own, r):
			r.refused = refused
			e.becomesReady(r)
		}
	}
}

// isUnconnected reports whether no connect that had not failed by a call can have connected p. One that failed may have made a connection: then a
// request that was posted before it failed may show that.
func (p *queuePair) isUnconnected(by int) bool {
	if p.connectCall != never || p.madeBy > by || p.made {
		return false
	}
	return !slices.ContainsFunc(p.queues[:], func(w *workQueue) bool { return len(w.waiting) > 0 && w.waiting[0].called < p.madeBy })
}

// answered states what the answer to a post says of the connection (POST-08). In libibverbs a queue pair in its error state takes posts,
// connected or not.
func (e *Engine) answered(p *queuePair, c *facts.Call, accepted int, m facts.Moment) {
	switch {
	case c.Queue == model.Receive:
	case accepted > 0 && !e.dialect.ErrorState && p.isUnconnected(c.At):
		e.foundUnconnected(e.requestsOf(c)[0])
	case accepted > 0 && !e.dialect.ErrorState:
		e.needsConnection(e.requestsOf(c)[0])
	case c.Invalid && max(p.connects, p.completed) < c.At && e.tellsOfLoss(p) && !p.disconnects():
		p.refuses = true
		e.Solver.NotAfter(e.lossOf(p), timeline.Before(m.At), refusedAsEnded, m.Line)
		e.solve(p)
	}
}

// refuse removes r, which was not accepted.
func (e *Engine) refuse(r *request) {
	w := r.queue
	if r.told {
		if !r.gone {
			e.fails(w.qp, refusedPost, r.line, timeline.Label{Deed: completedAt, Of: r.wr})
		}
		return
	}
	if r.takesOther() {
		w.messages.posted--
	}
	e.registered(r, false, e.now.Line)
	is := func(o *request) bool { return o == r }
	w.waiting, w.chain = slices.DeleteFunc(w.waiting, is), slices.DeleteFunc(w.chain, is)
	for _, later := range w.waiting { // posted while r was
		if later.before == r {
			later.before = r.before
		}
	}
	if r.message {
		w.messages.sent = slices.DeleteFunc(w.messages.sent, is)
		w.qp.namesNone(r)
		e.Solver.Release(r.a)
		if w.lastSend == r {
			w.lastSend = r.before
		}
	}
	if e.drop(r); r.loose && r.message { // it was never there
		e.waitsForNone(w)
	}
}

// becomesReady handles that r waits for the provider alone, or a message for its receive, or a receive for its message: at a moment of
// rest it is over, or what it waits for is missing.
func (e *Engine) becomesReady(r *request) {
	w, p, s := r.queue, r.queue.qp, e.Solver
	now := timeline.At(e.now.At)
	if by := e.flushedBy(r); by != 0 && !(w.kind == model.Receive && e.mayAbort(p, by)) {
		r.ready = now
		s.NotBoth(r.x, r.x, now, owedAtRest, r.line)
		return
	}
	if w.kind == model.Receive {
		r.ready, w.lastReady = now, r
		if p.peer != nil {
			e.meetAtRest(p.peer.queues[model.Initiator].lastReady, r, now)
		}
		e.waitsNoLonger(r, now)
		return
	}
	if !r.message && p.connects == never && !e.dialect.ErrorState && !w.mayWaitBehind(r) { // it was accepted, so there was a connection (POST-08)
		r.ready = now
		e.waitsForProvider(r, now)
		return
	}
	if p.connects == never || r.message && (p.peer == nil || p.peer.connects == never) {
		if p.connects != never {
			r.ready = now
			e.waitsNoLonger(r, now)
		}
		p.unready = append(slices.DeleteFunc(p.unready, func(r *request) bool { return r.told }), r)
		return
	}
	switch r.ready = now; {
	case r.told || w.mayWaitBehind(r):
	case !r.message:
		e.waitsForProvider(r, now)
	default:
		if p.peer.closeCall == never { // else it has no receives any more
			s.Resting(r.x, r.a, now, meetAtRest, r.line)
			w.lastReady = r
			e.meetAtRest(r, p.peer.queues[model.Receive].lastReady, now)
		}
		e.waitsNoLonger(r, now)
	}
}

// waitsForProvider states that r, which is not a message, waits at a moment of rest only behind a message.
func (e *Engine) waitsForProvider(r *request, since timeline.Time) {
	if r.before == nil || r.before.told {
		e.Solver.NotBoth(r.x, r.x, since, r.owed(), r.line)
	} else {
		e.Solver.Resting(r.x, r.before.x, since, r.owed(), r.line)
	}
}

// mayWaitBehind reports whether a request that is not a message may wait for messages that may be ahead of it.
func (w *workQueue) mayWaitBehind(r *request) bool {
	return !r.message && w.loosened && slices.ContainsFunc(w.waiting, func(o *request) bool { return o.message && o.loose })
}

// meetAtRest states that a message and a receive that was posted do not both wait at a moment of rest.
func (e *Engine) meetAtRest(send, receive *request, since timeline.Time) {
	if send == nil || receive == nil || send.told || receive.told {
		return
	}
	waits := receive.x
	if e.endsBothIfFailed(send, receive) {
		waits = send.x
	}
	e.Solver.NotBoth(send.x, waits, since, meetAtRest, max(send.line, receive.line))
}

// endsBothIfFailed reports whether a send has a receive for sure, and is over whatever became of that: in libibverbs one that failed had broken its queue pair,
// and no message waits for such an end.
func (e *Engine) endsBothIfFailed(send, receive *request) bool {
	if d := e.dialect; !d.ErrorState || !d.FailureEnds || send.nth > receive.nth || send.queue.loosened || receive.queue.loosened {
		return false
	}
	return !slices.ContainsFunc([]*queuePair{send.queue.qp, receive.queue.qp}, func(p *queuePair) bool {
		return p.unreliable || p.closeCall != never || p.hasCq(func(q *completionQueue) bool { return q.unsure || q.overflowed != timeline.None })
	})
}
