package stream

import (
	"ndkoracle/linearize/verdict"
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A latestPoint is the latest point of the trace that placed a completion of a queue.
type latestPoint struct {
	placed     *request // the request: nothing behind it had completed by then
	placedAt   eventIndex
	placedLine int
}

// placed handles a point CqePlaced: the provider says when it placed a completion.
func (s *Stream) placed(e *trace.Event) {
	q := s.cq(e.Cq)
	r := s.request(q, e.Wr)
	if !s.checkPlaced(q, r, e) {
		return
	}
	l := r.wq
	if (r.owed != 0 || r.silentBy() != 0) && !r.missed {
		if l.cq.reportLate(r, s.line()); l.cq.stopped() {
			return
		}
	}
	if r.isLast() {
		l.cq.takeOne(&observation{what: stayed, at: s.at, request: r})
	}
	counted := r.countedFrom()
	if l.checkInTurn(r); l.cq.stopped() {
		return
	}
	r.place, r.outcome = s.at, calls.OutcomeOf(e.Status)
	if r.outcome == model.SUCCESS {
		r.needsConnection(l.cq, 0)
	}
	kinds := automaton.Plain
	switch {
	case r.outcome == model.FAILED:
		kinds = automaton.Failed
	case r.outcome == model.CANCELLED:
		kinds = automaton.Cancelled
	case l.queue != model.Receive: // only its sender asks for it
	case e.Solicited == nil:
		kinds = automaton.Plain | automaton.Solicited
	case *e.Solicited:
		kinds = automaton.Solicited
	}
	r.kinds = kinds
	if r.outcome != model.SUCCESS {
		l.failed(r)
	}
	if r.outcome == model.FAILED {
		l.qp.breaks(r.called)
	}
	now := observation{what: placedNow, at: s.at, kinds: kinds, counted: counted}
	now.list, now.n, now.from = l.shows(r)
	l.cq.take(now)
	l.cq.placedSince(s.at, s.at)
	l.cq.pending--
	l.cq.shown++
	l.cq.points = append(l.cq.points, r)
}

// checkPlaced checks a point against the request that it names, and reports whether it can be of it.
func (s *Stream) checkPlaced(q *cq, r *request, e *trace.Event) bool {
	var was overRequest
	over := false
	if r == nil {
		was, over = s.past.find(e.Wr)
	} else if r.silent && calls.OutcomeOf(e.Status) == model.SUCCESS {
		r.wq.signals()
	}
	switch {
	case r == nil && s.shared.wrs[e.Wr] != nil:
		q.group.leaveOpen(verdict.PostedOnShared(e.Wr, s.dialect.Name))
	case r == nil && !q.created:
		if q.misplaced.what == "" {
			q.misplaced = s.present(e.Wr)
		}
	case r == nil && over && was.answer == "", r != nil && r.place != 0:
		s.tells(q.group, breach.PlacedAgain(q.name, e.Wr), 0, was.lines[:]...)
	case r == nil && over:
		s.tells(q.group, breach.PlacedRefused(q.name, e.Wr, was.answer), 0, was.lines[:1]...)
	case r == nil:
		s.tells(q.group, breach.PlacedUnposted(q.name, e.Wr), 0)
	case r.wq.cq != nil && r.wq.cq != q && e.Cq != "" && r.wq.qp.isExcused():
	case r.wq.cq != nil && r.wq.cq != q && e.Cq != "":
		s.tells(q.group, breach.PlacedElsewhere(q.name, e.Wr, r.wq.cq.name), 0, r.line)
	case r.silent && calls.OutcomeOf(e.Status) == model.SUCCESS:
		s.tells(q.group, breach.PlacedTold(e.Wr), 0, r.line)
		r.wq.qp.allows("no completion of %s", e.Wr)
		r.silent = false
		return r.wq.cq != nil
	case r.wq.qp.over != 0 && r.called < r.wq.qp.over:
		s.tells(q.group, breach.PlacedLate(q.name, r.wq.qp.name, e.Wr), r.wq.qp.overLine, r.line, s.line())
	default:
		return r.wq.cq != nil
	}
	return false
}

// checkInTurn is POLL-09 for r, whose completion is placed now: that of none behind it was.
func (l *workQueue) checkInTurn(r *request) {
	switch last := l.placed; {
	case last == nil || last.over || last.position < r.position:
		l.placed, l.placedLine = r, l.qp.s.line()
	case r.overlaps(last):
		l.qp.leaveOpen(l.qp.doubt)
	default:
		l.qp.s.tells(l.cq.group, breach.PlacedOutOfOrder(last.wr, r.wr, l.qp.name), l.placedLine, r.line, last.line, l.qp.s.line())
		l.qp.allows("first a completion of %s", r.wr)
	}
}

// countedFrom returns from when on r counts as a request that could complete: since its post, but not before the latest point that placed
// another one before it on its queue, which completes in order.
func (r *request) countedFrom() eventIndex {
	if l := r.wq; l.placed != nil && r.position > l.placed.position {
		return max(r.called, l.placedAt)
	}
	return r.called
}

// shows handles a point that places r now. It returns, of the requests behind r, from when on each has counted till now: of the latest ones
// one by one, and of n others.
func (l *workQueue) shows(r *request) (each []uint64, n int, from eventIndex) {
	if l.placed != r { // out of turn
		return nil, 0, 0
	}
	behind := l.waiting[l.waiting.placeOf(r)+1:]
	from = l.placedAt
	for n = len(behind); n > 0 && behind[n-1].called > from; n-- {
		each = append(each, uint64(behind[n-1].called))
	}
	l.placedAt = l.qp.s.at
	return each, n, from
}

// isFirst checks the delivery of r against the order of the points of the CQ (POLL-05, POLL-09). It returns false if the CQ becomes undecided.
func (q *cq) isFirst(r *request, p *poll) bool {
	if !r.vanished {
		q.hasVanished(never, r)
	}
	switch {
	case q.stopped():
		return false
	case r.vanished:
		b := breach.Vanished(q.name, r.wr, r.wq.qp.name)
		q.s.unexplained(q.group, b.Rule, p.line, []int{r.line}, "%s", b.Message)
		r.wq.qp.allows("no completion of %s", r.wr)
	case q.points[0] != r:
		first := q.points[0]
		b := breach.PlacedBefore(q.name, r.wr, first.wr)
		q.s.unexplained(q.group, b.Rule, p.line, []int{first.line}, "%s", b.Message)
		q.s.also(b.Also...)
		r.wq.qp.allows("first %s, with %v", first.wr, first.outcome)
	}
	return true
}

// delivers removes the completion of r from those that points of the trace recorded.
func (q *cq) delivers(r *request) {
	if q.points[0] == r {
		q.points = q.points[1:]
		return
	}
	q.points = slices.DeleteFunc(q.points, func(o *request) bool { return o == r })
}
