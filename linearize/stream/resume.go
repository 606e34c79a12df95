package stream

import (
	"cmp"
	"slices"

	"ndkoracle/model"
)

// After a violation a stream goes on from the most plausible state. A later finding about the same objects may be a breach of its own, or may only
// follow from the first. Which is not known, so each is marked.

// goOn continues after a violation that has been reported. It applies to the CQ, in the order of their events, the observations in held and those of the
// polls that had not taken effect when no explanation was left. Bit i of done says that polls[i] had taken effect.
func (q *cq) goOn(polls []*poll, done uint, held []observation) {
	if q.stopped() {
		return
	}
	left := slices.DeleteFunc(slices.Clone(held), func(e observation) bool { return e.what == nothing })
	for i, p := range polls {
		if done>>i&1 == 0 {
			left = append(left, p.delivered...)
		}
	}
	slices.SortStableFunc(left, func(a, b observation) int { return cmp.Compare(a.at, b.at) })
	for i := range left {
		if !q.show(q.queue, &left[i]) {
			q.queue.Resume()
		}
	}
}

// lose handles r, whose completion is missing: r succeeded, or a flush cancelled it.
func (s *Stream) lose(out []observation, q *cq, r *request) []observation {
	outcome := model.SUCCESS
	if r.cancelled || r.wq.qp.flushedAfter(r) {
		outcome = model.CANCELLED
		r.wq.failed(r)
	} else {
		s.meet(q, s.line(), r, nil)
	}
	if r.place != 0 {
		return s.over(out, r, outcome, r.called, &observation{what: delivered, kinds: r.kinds, known: true})
	}
	return s.over(out, r, outcome, r.called, &observation{what: gone})
}

// loses records that another CQ delivered the completion of r.
func (q *cq) loses(r *request) {
	r.wq.waiting.moveUp(r)
	for _, e := range q.s.lose(nil, q, r) {
		e.at = q.s.at
		q.take(e)
	}
}
