package search

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/model"
)

// When the close of a QP completes, the completions of the QP that its CQs still hold stay there, or vanish (A21). What polls deliver
// later has not vanished, and what no poll delivers may have been placed at any time before.

// mayVanish reports whether completions of p may have been in its CQs until it was closed.
func (c *component) mayVanish(p *qp) bool {
	return c.h.doneAt(p.closed) != never && c.contract.Dialect.A21 != model.A21Kept
}

// listVanish adds the moment at which the completions of p may have vanished, if it has some that no poll delivered.
func (c *component) listVanish(p *qp) {
	isLeft := func(r *request) bool { return r.delivery == nil && r.post.call < c.h.doneAt(p.closed) }
	if !c.mayVanish(p) || !slices.ContainsFunc(p.initiator, isLeft) && !slices.ContainsFunc(p.receive, isLeft) {
		return
	}
	o := operation{effect: doVanish, call: p.closed.call, ret: c.h.doneAt(p.closed), maybe: true, qp: p.index, span: p.closed}
	if o.ret != p.closed.ret {
		o.call, o.span = o.ret, c.h.answers[p.closed.begin.Op][0]
	}
	c.add(o)
}

// performVanish completes the close of a QP and drops its requests: the trace records nothing more about those that are left.
func (c *component) performVanish(w *walk, o *operation) {
	for _, queue := range []model.Queue{model.Initiator, model.Receive} {
		w.each(func(w *walk, s state) {
			for _, q := range s.model.Qps[o.qp].Queue(queue) {
				c.loseCompletion(w, c.h.requests[q.Id])
			}
		})
	}
	w.take(model.Action{Name: model.NdkCloseCompletionEnter, Qp: o.qp, Manner: model.Manner{Dropped: true}})
}

// loseCompletion ends a request of a QP that is being closed: no poll delivers it.
func (c *component) loseCompletion(w *walk, r *request) {
	if r.delivery != nil || r.point != nil {
		w.refuse(breach.NotPlaced)
		return
	}
	w.each(func(w *walk, s state) {
		head := s.queueOf(r)[0]
		if head.Phase < model.Executed {
			c.execute(w, r, model.CANCELLED)
		}
		name := model.CompletionLost
		if head.Silent && head.Phase == model.Executed+model.Phase(model.SUCCESS) {
			name = model.Complete
		}
		w.take(model.Action{Name: name, Qp: r.qp.index, Queue: r.queue})
	})
}

// mayBeLost reports whether r may end without a completion while its QP is being closed.
func (c *component) mayBeLost(w *walk, r *request) bool {
	return r.delivery == nil && r.point == nil && !r.silent && c.mayVanish(r.qp) && len(w.states) > 0 &&
		w.states[0].model.Qps[r.qp.index].State == model.QpClosing
}
