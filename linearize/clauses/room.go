package clauses

import (
	"slices"

	"ndkoracle/linearize/facts"
)

// How many completions a CQ has room for. Where more are on their way it may overflow, which is not seen, and which may explain
// what nothing else does.

// CqCreated notes how many completions a CQ holds.
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
		for _, r := range w.waiting {
			e.drop(r)
		}
		w.waiting = nil
		e.retire(w.qp)
	}
	e.forgetCq(q)
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
}

// mayOverflow notes that a CQ has less room than there are requests that may complete.
func (e *Engine) mayOverflow(q *completionQueue) {
	if q.outstanding+q.undecided > q.depth {
		e.Undecided["a CQ may overflow"]++
		q.crowded, q.roomSince = true, 0
	}
}

// hasDelivered notes that a CQ holds one completion less. What was posted when it may have overflowed may still be explained by that.
func (q *completionQueue) hasDelivered(r *request, m facts.Moment) {
	if q.outstanding--; !q.crowded {
		return
	}
	if q.roomSince == 0 && q.outstanding+q.undecided <= q.depth {
		q.roomSince = m.At
	}
	q.crowded = q.roomSince == 0 || r.called < q.roomSince
}
