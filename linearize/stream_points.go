package linearize

import (
	"ndkoracle/linearize/automaton"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// placed takes a point CqePlaced: the provider says when it placed a completion.
func (s *Stream) placed(e *trace.Event) {
	r := s.requests[e.Wr]
	if r == nil || r.place != 0 || r.lane.cq == nil {
		return
	}
	l := r.lane
	if by := max(r.owed, r.rested); by != 0 && (r.owed != 0 || r.silent) {
		l.cq.reportLate(r, s.line())
		return
	}
	r.place, r.outcome = s.at, outcomeOf(e.Status)
	kinds := automaton.Plain
	switch {
	case r.outcome == model.FAILED:
		kinds = automaton.Failed
	case r.outcome == model.CANCELLED:
		kinds = automaton.Cancelled
	case e.Solicited != nil && *e.Solicited:
		kinds = automaton.Solicited
	case e.Solicited == nil && l.queue == model.Receive:
		kinds = automaton.Plain | automaton.Solicited
	}
	r.kinds = kinds
	if r.outcome != model.SUCCESS {
		l.failed(r)
	}
	if r.outcome == model.FAILED {
		l.qp.breaks(r.called)
	}
	l.cq.take(sight{what: placedNow, at: s.at, kinds: kinds, counted: r.called})
	l.cq.pending--
	l.cq.shown++
	l.cq.points = append(l.cq.points, r)
}
