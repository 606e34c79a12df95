package clauses

import (
	"slices"

	"ndkoracle/linearize/timeline"
)

// retire forgets a queue pair and its peer once both are closed and no poll can tell more of either.
func (e *Engine) retire(p *queuePair) {
	ends := []*queuePair{p}
	if p.peer != nil {
		ends = append(ends, p.peer)
	}
	if e.kept != nil || slices.ContainsFunc(ends, func(end *queuePair) bool { return !end.isOver() }) {
		return
	}
	for _, end := range ends {
		if e.qps[end.name] == end { // both of its queues complete into a CQ that is closed
			e.forgetQp(end)
		}
	}
}

// isOver reports whether p is closed and no poll can deliver a completion of it.
func (p *queuePair) isOver() bool {
	ofP := func(r *request) bool { return r.queue.qp == p }
	return p.closed && !slices.ContainsFunc(p.queues[:], func(w *workQueue) bool {
		return w.posting > 0 || w.cq != nil && !w.cq.closed && (len(w.waiting) > 0 || slices.ContainsFunc(w.cq.placed, ofP))
	})
}

// forgetCq forgets a CQ that is closed, and whose queue pairs are forgotten.
func (e *Engine) forgetCq(q *completionQueue) {
	if e.kept == nil && q.closed && len(q.queues) == 0 && e.cqs[q.name] == q {
		e.Solver.Release(q.last)
		e.forgetRoom(q)
		delete(e.cqs, q.name)
	}
}

func (e *Engine) forgetQp(p *queuePair) {
	s := e.Solver
	for _, c := range p.causes {
		s.Drop(c.choice)
	}
	for _, f := range p.flushes {
		s.Release(f.at)
	}
	s.Settle(p.ended, p.lost, p.sendError, p.broken)
	for _, w := range p.queues {
		s.Settle(w.firstFailure)
		w.order.release(s)
		w.messages.release(s)
		if w.cq == nil {
			continue
		}
		w.cq.queues = slices.DeleteFunc(w.cq.queues, func(o *workQueue) bool { return o == w })
		e.forgetCq(w.cq)
	}
	delete(e.qps, p.name)
	if p.unpaired {
		e.tellsPeer(p)
	} else if p.conn != "" {
		delete(e.conns, p.conn)
	}
}

// release drops what the next request would follow.
func (o *order) release(s *timeline.Solver) {
	for _, f := range slices.Concat(o.executed, o.completed, o.arrived, o.reads) {
		s.Release(f.Var)
	}
	s.Release(o.told)
	*o = order{}
}
