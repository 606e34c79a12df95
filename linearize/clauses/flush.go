package clauses

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
)

// FlushCalled adds a flush, which may cancel from now on.
func (e *Engine) FlushCalled(c *facts.Call) {
	e.now, e.quiet = c.Moment, false
	p := e.qp(c.Qp)
	if p.connectCall != never && p.connects == never {
		e.Beyond("", p.name, "a flush and a connect overlap")
	}
	if p.open {
		return
	}
	label := timeline.Label{Deed: flushedAt, Of: c.Fn + " of " + p.name}
	f := &flush{at: e.Solver.Keep(e.Solver.New(label, timeline.At(c.At), flushReturned, c.Line)), call: c.Moment, disconnects: c.Fn == "NdkDisconnect"}
	p.flushes = append(p.flushes, f)
	c.Of = f
}

// FlushDone handles the return of a flush: what was posted before it is over.
func (e *Engine) FlushDone(m facts.Moment, c *facts.Call) {
	e.now, e.quiet = m, false
	p, s := e.qp(c.Qp), e.Solver
	if c.Kind == calls.CloseQp {
		p.closed = true
		defer e.retire(p)
	}
	f, _ := c.Of.(*flush)
	if f == nil || p.open || f.done {
		return
	}
	f.done, f.returned = true, m.At
	s.Settle(f.at)
	s.NotAfter(f.at, timeline.Before(m.At), flushReturned, m.Line)
	for _, w := range p.queues {
		for _, r := range w.waiting {
			switch {
			case r.returned != 0 && r.returned < c.At:
				if r.flush == nil {
					r.flush = f
					s.Edge(r.x, f.at, 0, flushCancels, c.Line)
				}
			case r.returned != 0 && len(e.crossed) < mostCrossed:
				e.crossed = append(e.crossed, crossing{r, f})
			}
		}
	}
	if rule, ends := e.endsConnection(p, c); ends {
		if p.ended == timeline.None {
			e.disconnects(p)
		}
		end := e.endOf(p)
		s.NotAfter(end, timeline.Before(m.At), rule, m.Line)
		s.Edge(end, f.at, 0, rule, m.Line)
	}
	if len(e.crossed) == mostCrossed {
		e.findCrossed()
	}
	e.solve(p)
	e.trimFlushes(p)
}

// mostCrossed bounds the crossings that are remembered until a moment of rest. Of more nothing is stated.
const mostCrossed = 256

// A crossing is a request and a flush that was under way when it was posted.
type crossing struct {
	of    *request
	flush *flush
}

// findCrossed states that a flush has cancelled what it crosses, where it is known to have come behind the post: it cancelled something that was pending
// in between.
func (e *Engine) findCrossed() {
	e.crossed = slices.DeleteFunc(e.crossed, func(c crossing) bool {
		r, s := c.of, e.Solver
		if r.told || r.flush != nil || r.queue.qp.open || !s.Alive(r.x) || !s.Alive(c.flush.at) {
			return true
		}
		behind := s.Lower(c.flush.at) >= timeline.At(r.returned)
		if behind {
			r.flush = c.flush
			s.Edge(r.x, c.flush.at, 0, flushCancels, c.flush.call.Line)
		}
		return behind
	})
}

// cancelsBehind reports whether what is posted to p behind a flush has to be cancelled (FLUSH-05, A15).
func (e *Engine) cancelsBehind(p *queuePair, f *flush) bool {
	return e.dialect.A15 == model.A15Cancelled && p.connects < f.call.At && !f.disconnects
}

// flushedBy returns when a flush returned behind which r was posted, so that it has to be cancelled, or 0.
func (e *Engine) flushedBy(r *request) int {
	for _, f := range r.queue.qp.flushes {
		if f.returned != 0 && f.returned < r.called && e.cancelsBehind(r.queue.qp, f) {
			return f.returned
		}
	}
	return 0
}

// isWhole reports whether nothing but a flush can have ended the connection of r, which failed: nothing else of either end is known to have
// failed or to have been cancelled. On a connection that has ended a flush changes nothing (A15).
func (e *Engine) isWhole(r *request) bool {
	p := r.queue.qp
	if p.peer == nil && !p.unreliable && p.attempted != never || p.disconnects() {
		return false
	}
	for _, end := range []*queuePair{p, p.peer} {
		if end == nil {
			continue
		}
		if end.open || end.broken != timeline.None || end.ended != timeline.None || end.lost != timeline.None {
			return false
		}
		for _, w := range end.queues {
			if len(w.failed) > 0 {
				return false
			}
		}
	}
	return true
}

// precedesFlushes states that r was executed before each flush that its post overlaps, as it has succeeded: what is not over by a flush is cancelled,
// posted before it or behind it (FLUSH-05, A15).
func (e *Engine) precedesFlushes(r *request, m facts.Moment) {
	p := r.queue.qp
	for _, f := range p.flushes {
		if f.returned > r.called && e.cancelsBehind(p, f) {
			e.Solver.Edge(r.x, f.at, 1, postedBehindFlush, m.Line)
		}
	}
}

// endsConnection reports whether nothing succeeds behind a flush, and by which rule.
func (e *Engine) endsConnection(p *queuePair, c *facts.Call) (rule timeline.Rule, ends bool) {
	if c.Fn == "NdkDisconnect" {
		return disconnected, p.connects < c.At
	}
	return errorState, e.dialect.ErrorState && c.Kind == calls.FlushQp
}

// trimFlushes releases flushes that came before everything outstanding, but for the first and the last.
func (e *Engine) trimFlushes(p *queuePair) {
	if len(p.flushes) < 8 {
		return
	}
	oldest := e.now.At
	for _, w := range p.queues {
		if len(w.waiting) > 0 {
			oldest = min(oldest, w.waiting[0].called)
		}
	}
	first, last := p.flushes[0], p.flushes[len(p.flushes)-1]
	p.flushes = slices.DeleteFunc(p.flushes, func(f *flush) bool {
		spent := f != first && f != last && f.done && e.Solver.Upper(f.at) < timeline.At(oldest)
		if spent {
			e.Solver.Release(f.at)
		}
		return spent
	})
}

// FlushFailed handles a flush that was refused. One that pended, or a disconnect, may have flushed all the same. A disconnect that completes has closed
// the connection, with whatever status (DISC-10).
func (e *Engine) FlushFailed(m facts.Moment, c *facts.Call, mayHaveFlushed bool) {
	e.now = m
	p := e.qp(c.Qp)
	f, _ := c.Of.(*flush)
	if f == nil || p.open || f.done {
		return
	}
	f.done = true
	e.Solver.Settle(f.at)
	if p.flushesLate = p.flushesLate || mayHaveFlushed; !mayHaveFlushed {
		f.undone = true
		e.Solver.NotBefore(f.at, timeline.Never, causedBy, m.Line, timeline.None)
	}
	if rule, ends := e.endsConnection(p, c); ends && c.Completed() && e.tellsOfLoss(p) {
		e.Solver.NotAfter(e.lossOf(p), timeline.Before(m.At), rule, m.Line)
	}
	e.solve(p)
}

// CloseQpCalled handles the close of a queue pair. From now on nothing is owed at rest, and completions may vanish (A21).
func (e *Engine) CloseQpCalled(m facts.Moment, name string) {
	e.now = m
	p := e.qp(name)
	p.closeCall = min(p.closeCall, m.At)
	until := timeline.At(m.At)
	for _, w := range p.queues {
		for _, r := range w.waiting {
			for _, v := range r.variables() {
				if v != timeline.None {
					e.Solver.RestsUntil(v, until)
				}
			}
		}
	}
	if p.peer == nil {
		return
	}
	for _, r := range p.peer.queues[0].waiting { // a send of the peer waits for no receive of p any more
		if r.message {
			e.Solver.RestsUntil(r.a, until)
		}
	}
}

// CloseQpRefused handles a close that was refused. The moments of rest since its call stay without effect.
func (e *Engine) CloseQpRefused(name string) { e.qp(name).closeCall = never }
