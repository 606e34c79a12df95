package search

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/model"
)

// find returns the place of r in its queue, or -1.
func (s state) find(r *request) int {
	queue := s.model.Qps[r.qp.index].Initiator
	if r.queue == model.Receive {
		queue = s.model.Qps[r.qp.index].Receive
	}
	return slices.IndexFunc(queue, func(q model.Request) bool { return q.Id == r.id })
}

func (s state) queueOf(r *request) []model.Request {
	if r.queue == model.Initiator {
		return s.model.Qps[r.qp.index].Initiator
	}
	return s.model.Qps[r.qp.index].Receive
}

// execute gives r its outcome after indicating it where it is deferred. An unknown fact, whether a receive was solicited,
// is tried both ways.
func (c *component) execute(w *walk, r *request, outcome model.Outcome) {
	c.indicate(w, r)
	if outcome == model.CANCELLED {
		c.lose(w, r)
	}
	a := model.Action{Name: model.Execute, Qp: r.qp.index, Queue: r.queue, Outcome: outcome, Token: c.index(r.invalid)}
	solicited, known := r.solicited()
	received := r.queue == model.Receive && outcome == model.SUCCESS
	known = known || !r.qp.receiveCq.asksForSolicited // then it makes no difference
	w.each(func(w *walk, s state) {
		if a.At = s.find(r); a.At < 0 {
			w.refuse(breach.NotPlaced)
			return
		}
		if lost := c.h.lostBefore(s, r); outcome == model.SUCCESS && lost != nil {
			w.refuse(c.h.behindLoss(r, lost))
			return
		}
		a.Solicited = received && solicited
		if a.Outcome = outcome; r.failsUnconnected(s) {
			a.Outcome = model.FAILED
		}
		w.take(a)
		if received && !known {
			other := &walk{c: c, states: []state{s}}
			a.Solicited = true
			w.states = append(w.states, other.take(a).states...)
		}
	})
}

// lose loses the connection of r where that is what can have cancelled r: a loss has no other effect. What r lost it by itself, as libibverbs
// may report that as flushed, is no other.
func (c *component) lose(w *walk, r *request) {
	w.each(func(w *walk, s state) {
		if s.model.Qps[r.qp.index].State == model.Connected && (r.mayHaveFailed() || c.mayLose(s, r.qp)) {
			w.take(model.Action{Name: model.ConnectionLost, Qp: r.qp.index})
		}
	})
}

// failsUnconnected reports whether r, which is reported as flushed, can only have failed itself: its QP is not connected yet, and what may have ended
// the connection comes later.
func (r *request) failsUnconnected(s state) bool {
	return s.model.Qps[r.qp.index].State == model.Idle && r.mayHaveFailed()
}

// mayLose reports whether the connection of p may have been lost without a word in the trace. A request that failed was executed,
// and what it can't pass before it.
func (c *component) mayLose(s state, p *qp) bool {
	i := 0
	for _, q := range c.qps {
		for _, l := range q.losses {
			if q == p && s.lost[i] && (l.request == nil || c.isNext(s, l.request)) {
				return true
			}
			i++
		}
	}
	return false
}

// isNext reports whether nothing that is pending has to be executed before r.
func (c *component) isNext(s state, r *request) bool {
	i := s.find(r)
	return i >= 0 && !slices.ContainsFunc(s.queueOf(r)[:i], func(q model.Request) bool {
		return q.Phase < model.Executed && !c.request(r).MayPass(q)
	})
}

// solicited says whether the message that a receive took had the flag; known is false if the trace does not record that.
func (r *request) solicited() (solicited, known bool) {
	switch {
	case r.message != nil:
		return r.message.solicit, true
	case r.arrived != nil:
		return r.arrived.solicit, true
	case r.like != nil:
		return r.like.solicit, true
	case r.point != nil && r.point.begin.Solicited != nil:
		return *r.point.begin.Solicited, true
	case r.alike != nil:
		return r.alike.solicit, true
	}
	return false, false
}

// indicate indicates deferred requests up to r: the provider may do so at any time (DEF-02).
func (c *component) indicate(w *walk, r *request) {
	w.each(func(w *walk, s state) {
		i := s.find(r)
		if i < 0 {
			w.refuse(breach.NotPlaced)
			return
		}
		for _, q := range s.queueOf(r)[:i+1] {
			if q.Phase == model.Deferred {
				w.take(model.Action{Name: model.HwIndicate, Qp: r.qp.index})
			}
		}
	})
}

// executeBefore executes what was posted before r on its queue, which must not be waiting for a step of its own. Reads that r
// may pass stay as they are: they can still have any outcome.
func (c *component) executeBefore(w *walk, r *request) {
	c.executeBeforeBut(w, r, func(*request) bool { return false })
}

// executeBeforeBut executes what was posted before r on its queue, as executeBefore does, but for those that are to stay pending.
func (c *component) executeBeforeBut(w *walk, r *request, stays func(*request) bool) {
	w.each(func(w *walk, s state) {
		i := s.find(r)
		if i < 0 {
			w.refuse(breach.NotPlaced)
			return
		}
		for _, q := range s.queueOf(r)[:i] {
			if q.Phase >= model.Executed || c.request(r).MayPass(q) {
				continue
			}
			earlier := c.h.requests[q.Id]
			if stays(earlier) {
				continue
			}
			if c.executesElsewhere(earlier) {
				w.refuse(breach.OutOfTurn)
				return
			}
			c.executeBefore(w, earlier)
			c.executeAny(w, earlier)
		}
	})
}

// executeAny executes r with its recorded outcome, or else with success. If success is impossible, or a completion may have been placed that no
// event shows, it also tries failure.
func (c *component) executeAny(w *walk, r *request) {
	w.each(func(w *walk, s state) {
		c.execute(w, r, r.outcome)
		if r.told || !w.stuck() && !r.unseen {
			return
		}
		fails := &walk{c: c, states: []state{s}}
		c.execute(fails, r, model.FAILED)
		w.states = append(w.states, fails.states...)
	})
}

// crowd executes the request that is one too many for a CQ, if trails are kept and no request waits for room in the CQ. It may be any request without a
// recorded completion. The search only demands that there is one.
func (c *component) crowd(w *walk, s state, cq int) {
	if !c.keepsTrails || c.contract.WaitsForRoom(s.model, cq) {
		return
	}
	all := gathering{c: c}
	for p, b := range c.contract.Qps {
		for _, queue := range []model.Queue{model.Initiator, model.Receive} {
			if b.Cq(queue) != cq {
				continue
			}
			for _, m := range s.model.Qps[p].Queue(queue) {
				for _, outcome := range []model.Outcome{model.SUCCESS, model.FAILED, model.CANCELLED} {
					one := &walk{c: c, states: []state{s}}
					c.executeBefore(one, c.h.requests[m.Id])
					c.execute(one, c.h.requests[m.Id], outcome)
					all.add(slices.DeleteFunc(one.states, func(s state) bool { return !c.contract.WaitsForRoom(s.model, cq) })...)
				}
			}
		}
	}
	w.states = all.states
}

// performExecute executes r, unless a peer's bad token has: then it has its outcome already. Where no completion tells the
// outcome, success and failure are both tried, and where neither can be it is cancelled.
func (c *component) performExecute(w *walk, r *request) {
	c.executeBefore(w, r)
	if r.told {
		w.each(func(w *walk, s state) {
			if i := s.find(r); i < 0 || s.queueOf(r)[i].Phase != model.Executed+model.Phase(r.outcome) {
				c.execute(w, r, r.outcome)
			}
		})
		return
	}
	w.each(func(w *walk, s state) {
		fails := &walk{c: c, states: []state{s}}
		c.execute(fails, r, model.FAILED)
		c.execute(w, r, model.SUCCESS)
		if w.states = append(w.states, fails.states...); w.stuck() {
			w.states = []state{s}
			c.execute(w, r, model.CANCELLED)
		}
	})
}

// performDeliver executes a NdkSendAndInvalidate, unless the end of the connection has cancelled it and the trace does not record that.
func (c *component) performDeliver(w *walk, r *request) {
	w.each(func(w *walk, s state) {
		if i := s.find(r); r.told || i < 0 || s.queueOf(r)[i].Phase < model.Executed {
			c.arrive(w, r)
		}
	})
}

// arrive executes a NdkSendAndInvalidate that is pending: with the peer's receive, as a failure of its own, or as the end of the
// connection.
func (c *component) arrive(w *walk, r *request) {
	receive := c.h.takenBy[r]
	arrives := func(earlier *request) bool { // with the message; the end of the connection cancels it later
		return receive != nil && earlier.op == model.Write && earlier.outcome == model.CANCELLED
	}
	c.executeBeforeBut(w, r, arrives)
	c.indicate(w, r)
	if receive != nil {
		c.executeBefore(w, receive)
		c.deliver(w, r)
		return
	}
	w.each(func(w *walk, s state) {
		var all []state
		var last *model.Refusal
		try := func(step func(*walk)) {
			one := &walk{c: c, states: []state{s}}
			step(one)
			all = append(all, one.states...)
			if one.stuck() {
				last = one.refusal
			}
		}
		abort := func(sent model.Outcome) {
			finished := &walk{c: c, states: []state{s}}
			c.finishBeforeFlush(finished, r.qp.index, never)
			c.finishBeforeFlush(finished, r.qp.peer.index, never)
			for _, received := range []model.Outcome{model.FAILED, model.CANCELLED} {
				one := &walk{c: c, states: finished.states}
				one.take(model.Action{Name: model.Abort, Qp: r.qp.index, Outcome: sent, Received: received})
				all = append(all, one.states...)
				if one.stuck() {
					last = one.refusal
				}
			}
		}
		if r.outcome == model.SUCCESS {
			try(func(w *walk) { c.deliver(w, r) })
			abort(model.SUCCESS)
		}
		if !r.told || failed(r) {
			abort(model.FAILED)
			try(func(w *walk) { c.execute(w, r, model.FAILED) })
		}
		w.states, w.refusal = all, last
	})
}

// deliver lets the message of r be received, and acknowledged at once, which is a hidden step. A send that fails does so afterwards. A send without
// a completion in the trace may also fail afterwards.
func (c *component) deliver(w *walk, r *request) {
	w.take(model.Action{Name: model.Deliver, Qp: r.qp.index})
	received := w.states
	if !failed(r) {
		c.execute(w, r, model.SUCCESS)
	}
	if !r.told {
		w.states = slices.Concat(w.states, received)
	}
}

// finishBeforeFlush executes, just before a flush or an abort, what is known to have finished before it, and the silent
// requests that never completed: an outcome other than CANCELLED shows that the flush came too late. Of what may have been
// placed unseen both are tried. A flush that had returned at a moment does not wait for what came after it. Reads that the
// flush cancels may have been passed by what finished.
func (c *component) finishBeforeFlush(w *walk, p int, returned moment) {
	for _, queue := range []model.Queue{model.Initiator, model.Receive} {
		w.each(func(w *walk, s state) {
			all := gathering{c: c}
			finished, passed := w.states, false
			for _, q := range s.model.Qps[p].Queue(queue) {
				r := c.h.requests[q.Id]
				if q.Phase >= model.Executed {
					continue
				}
				tooLate := r.sent > returned || r.message != nil && r.message.post.call > returned || r.metReceiveAfter(returned)
				unsent := !r.told && !r.hasMessage()
				stays := tooLate || unsent || c.executesElsewhere(r) || !r.told && !r.silent && !r.unseen
				if stays && r.op == model.Read {
					passed = true
					continue
				}
				if stays || passed && r.fence {
					break
				}
				if !r.told && r.unseen {
					all.add(finished...)
				}
				before := w.states
				if c.execute(w, r, r.outcome); w.stuck() {
					if r.op != model.Read {
						break
					}
					w.states, passed = before, true
				} else if !failed(r) {
					finished = w.states
				}
			}
			all.add(finished...)
			w.states = all.states
		})
	}
}

// metReceiveAfter reports whether a send had no receive of its peer to go to until then.
func (r *request) metReceiveAfter(at moment) bool {
	return r.meets && (r.receive == nil || r.receive.post.call > at)
}
