package search

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// A resize is one that succeeded, or may have. The depth changes in a hidden step, at one moment between the call and the answer: the return or,
// for a pending one, its completion callback.
type resize struct {
	span  *span
	depth int
	by    moment // when it had been answered, or never
}

// takeResize records a resize of a CQ. A refused resize changes nothing (RSZ-03). A resize may always be refused.
func (h *history) takeResize(s *span) {
	q := h.cqByName[s.begin.Cq]
	if q == nil {
		if s.refused() {
			return
		}
		q = h.cq(s.begin.Cq)
	}
	by, succeeded := h.resizedBy(s)
	if s.call < q.resizing {
		q.leaveOpen(verdict.ResizedTwice(q.name, h.dialect.Name))
	}
	if q.resizing = max(q.resizing, by); !succeeded {
		return
	}
	r := &resize{span: s, depth: unlimited, by: by}
	if depth := either(s, depthOf); depth != nil {
		r.depth = int(*depth)
	}
	q.resizes = append(q.resizes, r)
}

// resizedBy returns when a resize was answered, or never, and whether it succeeded, as one that was not answered may have.
func (h *history) resizedBy(s *span) (by moment, succeeded bool) {
	answers := h.answers[s.begin.Op]
	switch {
	case s.refused():
		return s.ret, false
	case s.succeeded():
		return s.ret, true
	case len(answers) > 0:
		return answers[0].call, calls.ReportsSuccess(answers[0].begin)
	}
	return never, true
}

// heldAll reports whether all that may complete into q by a poll was placed when a resize was called, and q had not overflowed by then: nothing was left
// that did not fit into a lesser depth.
func (h *history) heldAll(q *cq, resize, poll *span) bool {
	if resize == nil || q.unclear != "" || q.reports || q.overrun < resize.call {
		return false
	}
	return !slices.ContainsFunc(h.requests, func(r *request) bool {
		placed := r.owed < resize.call || r.delivery != nil && r.delivery.poll.ret < resize.call
		return r.accepted && r.qp.cq(r.queue) == q && r.post.call < poll.ret && !placed
	})
}

// resizedBetween returns the latest resize of q that was called between two moments, or nil.
func (q *cq) resizedBetween(from, to moment) *span {
	for _, r := range slices.Backward(q.resizes) {
		if from < r.span.call && r.span.call < to {
			return r.span
		}
	}
	return nil
}

// greatestDepth is the greatest that q had, or may have had.
func (q *cq) greatestDepth() int {
	most := q.depth
	for _, r := range q.resizes {
		most = max(most, r.depth)
	}
	return most
}

// listResize adds what a resize does that succeeded: the CQ is asked at its call, which a close may follow while the resize is
// pending.
func (c *component) listResize(q *cq, s *span) {
	for _, r := range q.resizes {
		if r.span == s {
			o := operation{effect: doAskResize, call: s.call, ret: s.call, maybe: r.by == never, cq: q.index, span: s, depth: r.depth}
			c.add(o)
			o.effect, o.ret = doResize, r.by
			c.add(o)
		}
	}
}

// performResize changes the depth, and tells the consumer at once: whether a callback tells it, and when, is no matter of what the
// CQ holds. Where a CQ that holds more can't be made so small, nothing follows (RSZ-03, A16).
func (c *component) performResize(w *walk, o *operation) {
	w.take(model.Action{Name: model.Resize, Cq: o.cq})
	w.each(func(w *walk, s state) {
		if s.model.Cqs[o.cq].Resize != model.ResizeDone {
			w.refuse(breach.HoldsMore(verdict.Counted(o.depth, "completion")))
		}
	})
	w.take(model.Action{Name: model.NdkRequestCompletionEnter, Cq: o.cq, Outcome: model.SUCCESS})
	w.take(model.Action{Name: model.NdkRequestCompletionExit, Cq: o.cq})
}

// resize counts a resize that succeeded: what the CQ held it holds afterwards, also where it is more than fits (RSZ-02, RSZ-03).
func (t *story) resize(before model.Cq, o *operation) {
	if o.maybe {
		return // it was not answered
	}
	t.count(declared.Resized)
	if o.depth < before.Depth {
		t.count(declared.ResizedLower)
	}
}

// refusedResizes counts the resizes that had been refused by a moment, after which the CQ was as before (RSZ-02, RSZ-03).
func (t *story) refusedResizes(until moment) {
	for _, s := range t.c.spans {
		if s.kind != calls.ResizeCq {
			continue
		}
		if by, succeeded := t.c.h.resizedBy(s); !succeeded && by <= until {
			t.count(declared.Resized)
			t.count(declared.ResizedLower)
		}
	}
}
