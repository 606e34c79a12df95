package clauses

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// An overRequest is a silent request that is over, as far as is known.
type overRequest struct {
	qp   string
	line int
	why  timeline.Rule // by which a completion of it is wrong
}

// over remembers the latest silent requests that are over.
type over struct {
	of   map[string]overRequest
	ring [1024]string
	next int
}

func (o *over) add(r *request, why timeline.Rule) {
	at := &o.ring[o.next]
	delete(o.of, *at)
	*at, o.next = r.wr, (o.next+1)%len(o.ring)
	o.of[r.wr] = overRequest{r.queue.qp.name, r.line, why}
}

// PollCalled handles the call of a poll. Of polls that overlap it is not known which took effect first.
func (e *Engine) PollCalled(c *facts.Call) {
	e.now = c.Moment
	q := e.cq(c.Cq)
	q.polling++
	if q.overlap = q.overlap || q.polling > 1; q.overlap && !e.dialect.ErrorState && !q.open {
		e.Beyond(c.Cq, "", "polls overlap, which is the consumer's fault (POLL-01)")
	}
}

// PollReturned handles what a poll delivered, or that it found nothing.
func (e *Engine) PollReturned(m facts.Moment, c *facts.Call, results []trace.Result) {
	e.now, e.Bounds = m, e.Bounds[:0]
	q := e.cq(c.Cq)
	q.polling--
	single := !q.overlap
	if q.overlap {
		e.Solver.Release(q.last)
		q.last = timeline.None
		defer func() { q.overlap = q.polling > 0 }()
	}
	if e.open {
		return
	}
	if len(results) == 0 {
		if c.Room > 0 && !q.open && !q.overlap {
			e.foundNothing(q, c, m)
		}
		return
	}
	e.quiet = false
	e.delivered, e.unmarked = e.delivered[:0], results
	for i := range results {
		r := e.deliver(q, &results[i], m, c)
		if r != nil {
			e.Solver.Keep(r.c)
		}
		e.delivered = append(e.delivered, r)
	}
	e.unmarked = nil
	if q.last != timeline.None {
		e.placedIn(q, q.last)
	}
	e.hasRoom(q)
	if e.dialect.A7 == model.A7MustNot && int64(len(results)) < c.Room && single && !q.open {
		e.foundNothing(q, c, m) // more
	}
	for _, r := range q.placed {
		if !r.gone && q.last != timeline.None && r.queue.qp.closeCall > m.At {
			e.Solver.Edge(q.last, r.c, 1, leftBehind, m.Line)
			e.solve(r.queue.qp)
		}
	}
	if q.seen.rests != e.rests && !q.open && m.At >= q.seen.next {
		e.look(q)
	}
	e.bound()
}

// foundNothing handles an empty poll: what is outstanding had not completed when it was called.
func (e *Engine) foundNothing(q *completionQueue, c *facts.Call, m facts.Moment) {
	e.quiet = false
	if !e.emptied(q) {
		return
	}
	q.empty = c.Moment
	for _, r := range slices.Clone(q.placed) {
		if !r.gone && r.queue.qp.closeCall > m.At {
			e.Solver.NotBefore(r.c, timeline.At(c.At), foundEmpty, m.Line, timeline.None)
			e.solve(r.queue.qp)
		}
	}
	if q.seen.emptyRests != e.rests && m.At >= q.seen.next {
		q.seen.emptyRests = e.rests
		e.look(q)
	}
}

// bound says when the completions were placed that a poll has delivered.
func (e *Engine) bound() {
	for _, r := range e.delivered {
		b := Bounds{of: r}
		if r != nil && !r.queue.qp.open {
			b.Earliest = e.Solver.Lower(r.c).Event()
			if r.queue.qp.knowsRest() {
				b.Latest = e.Solver.OverByRest(r.c, 0)
			}
		}
		e.Bounds = append(e.Bounds, b)
		e.Release(b)
	}
}

// knowsRest reports whether it is known what requests of p had to have done by a moment of rest: no CQ of it, nor of its peer, has failed unseen.
func (p *queuePair) knowsRest() bool {
	return !p.open && !p.hasCq(func(q *completionQueue) bool { return q.unsure })
}

// Keep keeps a completion that was delivered, so that PlacedBy may be asked of it until Release. It reports whether it can be.
func (e *Engine) Keep(b Bounds) bool {
	known := b.of != nil && e.Solver.Alive(b.of.c)
	if known {
		e.Solver.Keep(b.of.c)
	}
	return known
}

// Release ends what Keep began: the engine may forget the completion.
func (e *Engine) Release(b Bounds) {
	if b.of != nil {
		e.Solver.Release(b.of.c)
	}
}

// PlacedBy reports whether a completion was placed by an event, a moment of rest, as far as is known by now.
func (e *Engine) PlacedBy(b Bounds, by int) bool {
	return b.of.queue.qp.knowsRest() && e.Solver.Excludes(b.of.c, timeline.At(by))
}

// Follows reports whether a queue pair is decided, and no CQ of it, nor of its peer, has failed unseen, or may have overflowed.
func (e *Engine) Follows(qp string) bool {
	p := e.qps[qp]
	return !e.open && p != nil && p.knowsRest() && !p.hasCq(func(q *completionQueue) bool { return q.overflowed != timeline.None })
}

// Owed reports whether an accepted request of a queue pair, which no poll has delivered, had to have completed by a moment of rest, as far as is known by
// now. A silent request had to be over, and to have completed if it had failed. No state is kept of requests that are known to have succeeded.
func (e *Engine) Owed(qp, wr string, by int) bool {
	r := e.requests[wr]
	if r == nil {
		return e.Follows(qp)
	}
	over := r.c
	if r.silent {
		over = r.x
	}
	return r.queue.qp.knowsRest() && e.Solver.Excludes(over, timeline.At(by))
}

// deliver handles one result of a poll. It returns the request, or nil where that is undecided.
func (e *Engine) deliver(q *completionQueue, res *trace.Result, m facts.Moment, c *facts.Call) *request {
	r := e.requests[res.Wr]
	if r == nil && e.deliversShared(res.Wr) {
		return nil
	}
	if r == nil {
		e.deliversNoRequest(q, res)
		return nil
	}
	outcome := calls.OutcomeOf(res.Status)
	if r.queue.cq != q || r.placed && r.outcome != outcome || res.Qp != "" && res.Qp != r.queue.qp.name {
		e.fails(r.queue.qp, ofRequest, r.line, timeline.Label{Deed: completedAt, Of: r.wr})
		return nil
	}
	p := r.queue.qp
	r.plainly, r.named = c.Fn == "NdkGetCqResults", res.Token
	by, found := e.deadline(r, m, c.Still), len(e.Findings)
	delete(e.requests, res.Wr)
	if r.placed && !q.overlap {
		e.passesOver(r, m)
	} else if !r.placed {
		e.recordOutcome(r, outcome, by, m, false)
	}
	e.tellsOfToken(r, res, m)
	q.outstanding--
	if i := slices.Index(q.placed, r); i >= 0 {
		q.placed = slices.Delete(q.placed, i, i+1)
		e.Solver.Release(r.c)
		e.Solver.Release(r.x)
	}
	if !p.open && !q.overlap {
		if q.last != timeline.None {
			e.Solver.Edge(q.last, r.c, 1, deliveredInOrder, m.Line)
		}
		e.Solver.Release(q.last)
		q.last = e.Solver.Keep(r.c)
	}
	e.solve(p)
	if len(e.Findings) > found {
		e.Findings[found].isBehind(r, by)
	}
	if p.open || !e.Solver.Alive(r.c) {
		return nil
	}
	return r
}

// comes reports whether the poll that returns also delivers r.
func (e *Engine) comes(r *request) bool {
	for i := range e.unmarked {
		if o := e.requests[e.unmarked[i].Wr]; o != nil && !o.told {
			o.toldAt = e.now.At
		}
	}
	e.unmarked = nil
	return r.toldAt == e.now.At
}

// isBehind handles that a finding is of a request which was posted behind the moment of rest that shows it: it shows at the one by which that request was
// over, or where it is told.
func (f *Finding) isBehind(r *request, by bound) {
	if f.Conflict.Rule != abortedBefore || f.Rest >= r.line {
		return
	}
	if f.Rest = 0; by.rule == stillAtRest {
		f.Rest = by.line
	}
}

// deliversNoRequest handles a result of a request that is not outstanding: it is over, was refused, or was never posted.
func (e *Engine) deliversNoRequest(q *completionQueue, res *trace.Result) {
	was, ok := e.settled.of[res.Wr]
	label := timeline.Label{Deed: completedAt, Of: res.Wr}
	switch p := e.qps[was.qp]; {
	case ok && p != nil && !p.open:
		e.fails(p, was.why, was.line, label)
	case !ok && !e.untracked && q.created && !q.closing:
		e.note(res.Qp, e.alone(ofRequest, e.now.Line, label), nil)
	case !ok:
		e.Undecided["a result that may be of a request that is not followed"]++
	}
}

// A bound is a deadline and why it holds.
type bound struct {
	at   timeline.Time
	rule timeline.Rule
	line int
}

// deadline returns when a completion that is delivered at m had been placed: before, and, where nothing was called since a moment of
// rest but polls and arms, by that. Where the trace does not have the peer, that may have done something; and where a CQ has failed, what rests is not known. A
// CQ takes nothing once it has reported an error.
func (e *Engine) deadline(r *request, m, still facts.Moment) bound {
	p, reported := r.queue.qp, r.queue.cq.reported
	if reported.At != 0 && (still.At == 0 || reported.At < still.At) {
		return bound{timeline.Before(reported.At), takesNoMore, reported.Line}
	}
	fails := p.hasCq(func(q *completionQueue) bool { return q.failed })
	if still.At > 0 && p.peer != nil && !p.flushesLate && !p.peer.flushesLate && !fails {
		return bound{timeline.Before(still.At), stillAtRest, still.Line}
	}
	return bound{timeline.Before(m.At), delivered, m.Line}
}

// Placed handles a point of the trace: a completion is placed here.
func (e *Engine) Placed(m facts.Moment, cq, wr string, outcome model.Outcome) {
	e.now, e.quiet = m, false
	q, r := e.cq(cq), e.requests[wr]
	if e.open || q.open {
		return
	}
	if r != nil && r.queue.cq != q && !r.queue.qp.open {
		e.fails(r.queue.qp, ofRequest, r.line, timeline.Label{Deed: completedAt, Of: wr})
		return
	}
	if r == nil && !e.untracked && q.created && !q.closing {
		e.deliversNoRequest(q, &trace.Result{Wr: wr})
		return
	}
	if r == nil || r.queue.cq != q || r.placed {
		e.Undecided["a point of no request that is outstanding"]++
		e.openCq(q)
		return
	}
	if r.queue.qp.open {
		return
	}
	e.recall(r)
	e.Solver.NotBefore(r.c, timeline.At(m.At-1), placedAt, m.Line, timeline.None)
	e.recordOutcome(r, outcome, bound{timeline.Before(m.At), placedAt, m.Line}, m, true)
	if r.queue.qp.open {
		return
	}
	r.placed = true
	e.Solver.Keep(r.c)
	e.Solver.Keep(r.x)
	q.placed = append(q.placed, r)
	if e.solve(r.queue.qp); !r.queue.qp.open {
		e.placedIn(q, r.c)
	}
}
