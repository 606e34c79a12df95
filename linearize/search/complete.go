package search

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/model"
)

// performComplete places the completion of a request. Silent requests before it that have no completion succeeded.
func (c *component) performComplete(w *walk, o *operation) {
	r := o.request
	w.each(func(w *walk, s state) {
		if s.model.Cqs[o.cq].Health != model.OK {
			if r.told {
				w.refuse(breach.AfterError)
			}
			return // what comes after a CQ error is lost
		}
		turn, counts := c.turn(o)
		if s.placed[o.cq] != turn && (r.delivery != nil || !c.mayVanish(r.qp)) {
			w.refuse(breach.OutOfTurn)
			return
		}
		i := s.find(r)
		if i < 0 {
			w.refuse(breach.NotPlaced)
			return
		}
		c.completeSilent(w, s.queueOf(r)[:i])
		if w.stuck() {
			return
		}
		c.completeOne(w, r)
		if counts {
			for i := range w.states {
				w.states[i].placed = slices.Clone(w.states[i].placed)
				w.states[i].placed[o.cq]++
			}
		}
	})
}

// turn returns how many completions have to be in place before that of o: those that polls delivered earlier. What no poll
// delivered, or a poll beyond the limit, does not count, and comes after all others, unless it vanishes.
func (c *component) turn(o *operation) (turn int, counts bool) {
	d := o.request.delivery
	if d == nil || d.order >= c.turns[o.cq] {
		return c.turns[o.cq], false
	}
	return d.order, true
}

// completeSilent lets the requests at the head of a queue succeed silently, or be lost with their QP, which is being closed (A21).
func (c *component) completeSilent(w *walk, requests []model.Request) {
	for _, q := range requests {
		r := c.h.requests[q.Id]
		switch {
		case c.mayBeLost(w, r):
			if c.loseCompletion(w, r); w.stuck() {
				return
			}
			continue
		case !r.silent || r.told:
			w.refuse(breach.EarlierPending(r.wr))
			return
		case q.Phase >= model.Executed && q.Phase != model.Executed+model.Phase(model.SUCCESS):
			w.refuse(breach.SilentBefore(r.wr))
			return
		case q.Phase < model.Executed:
			if c.isToExecute(r, q) {
				w.refuse(breach.OutOfTurn)
				return
			}
			c.execute(w, r, model.SUCCESS)
		}
		w.take(model.Action{Name: model.Complete, Qp: r.qp.index, Queue: r.queue})
	}
}

// completeOne executes the head of a queue where that is still to do, and completes it.
func (c *component) completeOne(w *walk, r *request) {
	w.each(func(w *walk, s state) {
		head := s.queueOf(r)[0]
		complete := model.Action{Name: model.Complete, Qp: r.qp.index, Queue: r.queue}
		if head.Phase >= model.Executed {
			if r.told && head.Phase != model.Executed+model.Phase(r.outcome) {
				w.refuse(c.h.otherOutcome(r, s.model.Qps[r.qp.index].State))
				return
			}
			if !r.told && r.silent && head.Phase == model.Executed {
				w.refuse(breach.NotPlaced)
				return
			}
			w.take(complete)
			return
		}
		if c.isToExecute(r, head) {
			w.refuse(breach.OutOfTurn)
			return
		}
		if r.told {
			c.execute(w, r, r.outcome)
			w.take(complete)
			return
		}
		// No event shows the outcome. A broken QP may cancel what is pending, and what has begun may still succeed.
		var outcomes []model.Outcome
		connection := s.model.Qps[r.qp.index].State
		broken := connection != model.Connected && connection != model.Idle
		if broken || c.mayLose(s, r.qp) {
			outcomes = append(outcomes, model.CANCELLED)
		}
		if !broken {
			outcomes = append(outcomes, model.FAILED)
		}
		if !r.silent && r.hasMessage() {
			outcomes = append(outcomes, model.SUCCESS)
		}
		w.refusal = breach.NotPlaced
		var all []state
		for _, outcome := range outcomes {
			one := &walk{c: c, states: []state{s}}
			c.execute(one, r, outcome)
			all = append(all, one.take(complete).states...)
			w.refusal = one.refusal
		}
		w.states = all
	})
}

// isToExecute reports whether a step of its own executes r, and has not: a message that was received has had it.
func (c *component) isToExecute(r *request, q model.Request) bool {
	return c.executesElsewhere(r) && q.Phase != model.Unacknowledged
}

func (h *history) otherOutcome(r *request, state model.Connection) *model.Refusal {
	switch {
	case state == model.Aborted && !failed(r):
		return breach.AfterBadToken()
	case h.dialect.ErrorState && r.told && !failed(r):
		return breach.InErrorState()
	case r.silent && !r.told:
		return breach.SilentCancelled(r.wr)
	}
	return breach.CancelledFirst(r.wr)
}

// namesToken reports whether a message of the connection of p names a token, so that it may have ended the connection.
func (p *qp) namesToken() bool {
	names := func(s *request) bool { return s.op == model.SendAndInvalidate }
	return slices.ContainsFunc(p.sends, names) || p.peer != nil && slices.ContainsFunc(p.peer.sends, names)
}

// behindLoss says why r can't succeed behind lost, a request of its queue that was cancelled: without a flush the connection goes on, so nothing had
// cancelled lost.
func (h *history) behindLoss(r, lost *request) *model.Refusal {
	unflushed := r.told && lost != r && !r.qp.mayBeFlushed(lost.post.call, r.toldBy())
	switch {
	case lost.outcome == model.FAILED:
		return breach.BehindFailure(lost.wr)
	case unflushed && r.qp.namesToken():
		return breach.BehindCancelled(lost.wr)
	case unflushed:
		return breach.BehindUncaused(lost.wr)
	}
	return h.otherOutcome(r, model.Ended)
}
