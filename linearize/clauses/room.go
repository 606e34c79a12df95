package clauses

import (
	"slices"

	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
)

// How many completions a CQ has room for. Where more are on their way it may overflow, which is not seen: the CQ then takes nothing more, and what
// completes is lost. O is when it did. What is delivered had been placed before. Behind O nothing is owed in this CQ at rest, a poll may
// find nothing in it, and its queue pairs may cancel what they hold.

// room is how many completions a CQ holds, and when it may have had too little.
type room struct {
	depth       int // the least that it may have
	depthBefore int // a resize
	resizing    bool
	outstanding int
	undecided   int            // requests of queue pairs that are undecided, delivered or not
	overflowed  timeline.Var   // O, while it may have overflowed
	since       int            // the event since which there is room again, or 0
	scope       timeline.Scope // of the requests that complete into it: moments of rest before O
	failed      bool           // a callback reported an error, or will
	reported    facts.Moment   // when the callback reported it
	unsure      bool           // since when it had failed is not known
}

// CqCreated records how many completions a CQ holds.
func (e *Engine) CqCreated(name string, depth int) {
	q := e.cq(name)
	q.depth, q.created = depth, true
}

// CqClosing handles the call of the close of a CQ. What is polled from it now is the consumer's fault.
func (e *Engine) CqClosing(name string) { e.cq(name).closing = true }

// CqClosed drops what completes into a CQ that is closed.
func (e *Engine) CqClosed(name string) {
	q := e.cq(name)
	q.closed = true
	for _, w := range slices.Clone(q.queues) {
		w.messages.vanished = w.messages.vanished || len(w.waiting) > 0
		for _, r := range w.waiting {
			e.drop(r)
		}
		w.waiting = nil
		e.retire(w.qp)
	}
	e.forgetCq(q)
}

// forgetRoom forgets the room of a CQ that is forgotten.
func (e *Engine) forgetRoom(q *completionQueue) {
	s := e.Solver
	if s.Release(q.overflowed); q.overflowed == timeline.None {
		s.FreeScope(q.scope)
	}
	s.Settle(q.overflowed)
}

// CqResizing handles the call of a resize. Until its answer the CQ has one depth or the other, so it has room for the lesser.
func (e *Engine) CqResizing(m facts.Moment, name string, depth int) {
	e.now = m
	q := e.cq(name)
	if q.resizing {
		e.Beyond(name, "", "resizes overlap")
		return
	}
	q.resizing, q.depthBefore = true, q.depth
	q.depth = min(q.depth, depth)
	e.mayOverflow(q)
}

// CqResized handles the answer.
func (e *Engine) CqResized(m facts.Moment, name string, depth int, success bool) {
	e.now = m
	q := e.cq(name)
	if q.resizing = false; success {
		q.depth = depth
	} else {
		q.depth = q.depthBefore
	}
	e.hasRoom(q)
}

// mayOverflow records that more requests may complete than a CQ has room for.
func (e *Engine) mayOverflow(q *completionQueue) {
	if q.outstanding+q.undecided <= q.depth {
		return
	}
	if q.since = 0; q.overflowed == timeline.None {
		e.cannotTake(q)
	}
}

// cannotTake records that a CQ may take nothing from now on.
func (e *Engine) cannotTake(q *completionQueue) {
	s := e.Solver
	q.overflowed = s.Keep(s.New(timeline.Label{Deed: overflowedAt, Of: "the CQ"}, timeline.At(e.now.At), mayCause, e.now.Line))
	s.EndScope(q.scope, s.Lower(q.overflowed))
}

// hasRoom records since when there is room again. Once a completion was placed since then, the CQ had not overflowed.
func (e *Engine) hasRoom(q *completionQueue) {
	s := e.Solver
	if q.overflowed == timeline.None || q.failed {
		return
	}
	if q.since == 0 && q.outstanding+q.undecided <= q.depth {
		q.since = e.now.At
	}
	if q.since != 0 && s.Lower(q.overflowed) > timeline.At(q.since) {
		s.NotBefore(q.overflowed, timeline.Never, mayCause, e.now.Line, timeline.None)
		s.Release(q.overflowed)
		s.Settle(q.overflowed)
		s.EndScope(q.scope, timeline.Never)
		q.overflowed = timeline.None
	}
}

// placedIn states that a CQ had not overflowed by when it took a completion.
func (e *Engine) placedIn(q *completionQueue, c timeline.Var) {
	if s := e.Solver; q.overflowed != timeline.None {
		s.NotBefore(q.overflowed, s.Lower(c)+1, mayCause, e.now.Line, c)
		s.EndScope(q.scope, s.Lower(q.overflowed))
	}
}

// emptied reports whether a CQ held nothing where a poll found nothing: a CQ that has failed may keep what it has (A33).
func (e *Engine) emptied(q *completionQueue) bool {
	return e.dialect.A33 == model.A33All || q.overflowed == timeline.None || e.Solver.Lower(q.overflowed) > timeline.At(e.now.At)
}

// CqFailed handles a callback that reports an error of a CQ. An overflow came when the CQ had too little room. Since when there was an internal
// error is not known, and that may explain what was found before, and what will be.
func (e *Engine) CqFailed(m facts.Moment, name string, overflow bool) {
	e.now = m
	q := e.cq(name)
	foretold := q.failed && q.reported.At == 0
	if q.failed = true; q.reported.At == 0 {
		q.reported = m
	}
	if q.overflowed != timeline.None && overflow || foretold {
		return
	}
	if q.overflowed == timeline.None {
		e.cannotTake(q)
	}
	q.unsure = true
	all := len(e.Findings)
	e.Findings = slices.DeleteFunc(e.Findings, func(f Finding) bool { return slices.Contains(f.unless, q) })
	if len(e.Findings) < all {
		e.Undecided[unexplained]++
	}
}

const unexplained = "unexplained, and a CQ had failed by a time that is not known"

// cqs lists the CQs of a queue pair and of its peer. One that has failed unseen may explain what clauses contradict.
func (p *queuePair) cqs() []*completionQueue {
	var all []*completionQueue
	p.hasCq(func(q *completionQueue) bool {
		all = append(all, q)
		return false
	})
	return all
}

// hasCq reports whether one of these CQs is as asked.
func (p *queuePair) hasCq(is func(*completionQueue) bool) bool {
	for _, end := range [...]*queuePair{p, p.peer} {
		for i := range 2 {
			if end != nil && end.queues[i].cq != nil && is(end.queues[i].cq) {
				return true
			}
		}
	}
	return false
}
