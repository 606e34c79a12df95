package linearize

import (
	"slices"

	"ndkoracle/model"
)

// state is a state of the contract, and how many completions have been placed in each CQ: only the next one in the order
// of the polls can be placed, because a CQ hands out in the order of placement.
type state struct {
	model  model.State
	placed []int
}

func (c *component) init() state {
	return state{model: c.contract.Init(), placed: make([]int, len(c.cqs))}
}

func (s state) appendKey(key []byte) []byte {
	key = s.model.AppendKey(key)
	for _, n := range s.placed {
		key = append(key, byte(n), byte(n>>8), byte(n>>16))
	}
	return key
}

// A walk is a set of states on the way through the actions that one operation stands for. It remembers the last refusal,
// which is the reason when the set becomes empty.
type walk struct {
	c       *component
	states  []state
	refusal *model.Refusal
}

func (w *walk) stuck() bool { return len(w.states) == 0 }

// take takes one action from every state.
func (w *walk) take(a model.Action) *walk {
	var next []state
	for _, s := range w.states {
		successors, refusal := w.c.contract.Step(s.model, a)
		if refusal != nil {
			w.refusal = refusal
		}
		for _, m := range successors {
			next = append(next, state{m, s.placed})
		}
	}
	w.states = next
	return w
}

// each continues from every state apart, with steps that depend on it.
func (w *walk) each(step func(*walk, state)) *walk {
	var next []state
	for _, s := range w.states {
		one := &walk{c: w.c, states: []state{s}}
		step(one, s)
		next = append(next, one.states...)
		if one.stuck() {
			w.refusal = one.refusal
		}
	}
	w.states = next
	return w
}

func (w *walk) refuse(r *model.Refusal) {
	w.states, w.refusal = nil, r
}

// step returns the states that may follow s by o. When there are none, the refusal says why.
func (c *component) step(s state, o *operation) ([]state, *model.Refusal) {
	w := &walk{c: c, states: []state{s}}
	c.perform(w, o)
	if c.contract.Dialect.ExtraEvent {
		for i := range c.cqs {
			before := slices.Clone(w.states)
			w.take(model.Action{Name: model.ExtraEvent, Cq: i})
			w.states = append(before, w.states...)
		}
	}
	if o.maybe {
		w.states = append(w.states, s)
	}
	return w.states, w.refusal
}

func (c *component) perform(w *walk, o *operation) {
	switch o.effect {
	case doConnect:
		w.take(model.Action{Name: model.NdkConnect, Qp: o.qp})
	case doPost:
		c.performPost(w, o)
	case doArm:
		w.take(model.Action{Name: model.NdkArmCq, Cq: o.cq, Type: o.arm})
	case doPoll:
		c.performPoll(w, o)
	case doEnter:
		w.take(model.Action{Name: model.NdkCqNotificationCallbackEnter, Cq: o.cq, CqStatus: o.status})
	case doExit:
		w.take(model.Action{Name: model.NdkCqNotificationCallbackExit, Cq: o.cq})
	case doRead:
		w.take(model.Action{Name: model.NdkCqNotificationCallbackEnter, Cq: o.cq})
		if c.contract.Dialect.Serialised {
			w.take(model.Action{Name: model.NdkCqNotificationCallbackExit, Cq: o.cq})
		}
	case doFlush:
		c.finishBeforeFlush(w, o)
		w.take(model.Action{Name: model.NdkFlush, Qp: o.qp})
	case doCloseQp:
		c.finishBeforeFlush(w, o)
		w.take(model.Action{Name: model.NdkCloseQp, Qp: o.qp})
	case doCloseCq:
		w.take(model.Action{Name: model.NdkCloseCq, Cq: o.cq})
	case doCloseCqAtOnce:
		w.take(model.Action{Name: model.NdkCloseCq, Cq: o.cq}).take(model.Action{Name: model.NdkCloseCompletion, Cq: o.cq})
	case doCloseDone:
		w.take(model.Action{Name: model.NdkCloseCompletion, Cq: o.cq})
	case doLose:
		w.take(model.Action{Name: model.ConnectionLost, Qp: o.qp})
	case doFailCq:
		name := model.Overflow
		if o.status == model.InternalError {
			name = model.CqInternalError
		}
		w.take(model.Action{Name: name, Cq: o.cq})
	case doExecute:
		c.performExecute(w, o.request)
	case doDeliver:
		c.performDeliver(w, o.request)
	case doComplete:
		c.performComplete(w, o)
	case doRest:
		c.performRest(w, o)
	}
}

func (c *component) performPost(w *walk, o *operation) {
	for _, r := range o.span.requests {
		if !r.accepted {
			w.take(model.Action{Name: model.PostRefused, Qp: o.qp, Queue: r.queue})
			continue
		}
		w.take(model.Action{Name: model.Post, Qp: o.qp, Queue: r.queue, Deferred: r.deferred, Request: model.Request{
			Id: r.id, Op: r.op, Silent: r.silent, Solicit: r.solicit && r.queue == model.Initiator, Token: c.token(r)}})
	}
}

// performPoll takes out exactly the completions that the poll returned.
func (c *component) performPoll(w *walk, o *operation) {
	results := o.span.end.Results
	room := len(results)
	if o.span.begin.N != nil {
		room = int(*o.span.begin.N)
	}
	w.each(func(w *walk, s state) {
		entries := s.model.Cqs[o.cq].Entries
		for i := range results {
			r := c.h.byWr[results[i].Wr]
			if i >= len(entries) || r == nil || entries[i].Request != r.id {
				w.refuse(notPlaced)
				return
			}
		}
		w.take(model.Action{Name: model.NdkGetCqResults, Cq: o.cq, N: room, K: len(results)})
	})
}

var (
	notPlaced   = &model.Refusal{Rule: "POLL-05", Why: "the completion can't have been placed before it was delivered"}
	outOfTurn   = &model.Refusal{Rule: "POLL-09", Why: "a completion that was delivered before it had not been placed"}
	callbackDue = &model.Refusal{Rule: "ARM-03", Why: "a callback is owed and was not entered"}
	errorDue    = &model.Refusal{Rule: "ARM-17", Why: "the CQ's error was not reported to its arm"}
	unfinished  = &model.Refusal{Rule: "DEF-04", Why: "a request that was posted with success has not completed"}
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
	a := model.Action{Name: model.Execute, Qp: r.qp.index, Queue: r.queue, Outcome: outcome, Token: c.toldToken(r)}
	if r.queue == model.Initiator || outcome != model.SUCCESS {
		w.take(a)
		return
	}
	solicited, known := r.solicited()
	a.Solicited = solicited
	if known {
		w.take(a)
		return
	}
	w.each(func(w *walk, s state) {
		other := &walk{c: c, states: []state{s}}
		a.Solicited = true
		other.take(a)
		a.Solicited = false
		w.take(a)
		w.states = append(w.states, other.states...)
	})
}

// toldToken returns the token that a receive says its peer invalidated, where the trace does not hold the peer.
func (c *component) toldToken(r *request) int {
	if r.qp.peer != nil || r.delivery == nil || r.delivery.result.Type != "ReceiveAndInvalidate" || r.delivery.result.Token == nil {
		return model.NoToken
	}
	if t, known := c.tokens[*r.delivery.result.Token]; known {
		return t
	}
	return model.NoToken
}

// solicited says whether the message that a receive took had the flag; known is false when the trace does not tell.
func (r *request) solicited() (solicited, known bool) {
	switch {
	case r.message != nil:
		return r.message.solicit, true
	case r.point != nil && r.point.begin.Solicited != nil:
		return *r.point.begin.Solicited, true
	}
	return false, false
}

// indicate indicates deferred requests up to r: the provider may do so at any time (DEF-02).
func (c *component) indicate(w *walk, r *request) {
	w.each(func(w *walk, s state) {
		i := s.find(r)
		if i < 0 {
			w.refuse(notPlaced)
			return
		}
		for _, q := range s.queueOf(r)[:i+1] {
			if q.Phase == model.Deferred {
				w.take(model.Action{Name: model.HwIndicate, Qp: r.qp.index})
			}
		}
	})
}

// executeBefore executes what was posted before r on its queue, which must not be waiting for a step of its own.
func (c *component) executeBefore(w *walk, r *request) {
	w.each(func(w *walk, s state) {
		i := s.find(r)
		if i < 0 {
			w.refuse(notPlaced)
			return
		}
		for _, q := range s.queueOf(r)[:i] {
			if q.Phase >= model.Executed {
				continue
			}
			earlier := c.h.requests[q.Id]
			if c.executesElsewhere(earlier) {
				w.refuse(outOfTurn)
				return
			}
			c.execute(w, earlier, earlier.outcome)
		}
	})
}

// performExecute executes r, unless a peer's bad token has: then it has its outcome already. Where no completion tells the
// outcome, success and failure are both tried.
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
		w.states = append(w.states, fails.states...)
	})
}

// performDeliver executes a NdkSendAndInvalidate: with the peer's receive, as a failure of its own, or as the end of the
// connection.
func (c *component) performDeliver(w *walk, r *request) {
	c.executeBefore(w, r)
	c.indicate(w, r)
	receive := c.h.takenBy[r]
	if receive != nil {
		c.executeBefore(w, receive)
		w.take(model.Action{Name: model.Deliver, Qp: r.qp.index})
		return
	}
	w.each(func(w *walk, s state) {
		var all []state
		var last *model.Refusal
		try := func(a model.Action) {
			one := (&walk{c: c, states: []state{s}}).take(a)
			all = append(all, one.states...)
			if one.stuck() {
				last = one.refusal
			}
		}
		abort := func(sent model.Outcome) {
			for _, received := range []model.Outcome{model.FAILED, model.CANCELLED} {
				try(model.Action{Name: model.Abort, Qp: r.qp.index, Outcome: sent, Received: received})
			}
		}
		if r.outcome == model.SUCCESS {
			try(model.Action{Name: model.Deliver, Qp: r.qp.index})
			abort(model.SUCCESS)
		}
		if !r.told || failed(r) {
			abort(model.FAILED)
			try(model.Action{Name: model.Execute, Qp: r.qp.index, Outcome: model.FAILED})
		}
		w.states, w.refusal = all, last
	})
}

// finishBeforeFlush executes, just before a flush, what is known to have finished before it, and the silent requests that
// never completed: an outcome other than CANCELLED shows that the flush came too late. Of what may have been placed unseen
// both are tried.
func (c *component) finishBeforeFlush(w *walk, o *operation) {
	p := o.qp
	for _, queue := range []model.Queue{model.Initiator, model.Receive} {
		w.each(func(w *walk, s state) {
			requests := s.model.Qps[p].Initiator
			if queue == model.Receive {
				requests = s.model.Qps[p].Receive
			}
			var all []state
			finished := w.states
			for _, q := range requests {
				r := c.h.requests[q.Id]
				if q.Phase >= model.Executed {
					continue
				}
				tooLate := r.message != nil && r.message.post.call > o.ret || r.metReceiveAfter(o.ret)
				if tooLate || c.executesElsewhere(r) || !r.told && !r.silent && !r.unseen {
					break
				}
				if !r.told && r.unseen {
					all = append(all, finished...)
				}
				if c.execute(w, r, r.outcome); w.stuck() {
					break
				}
				if !failed(r) {
					finished = w.states
				}
			}
			w.states = append(all, finished...)
		})
	}
}

// metReceiveAfter reports whether a send had no receive of its peer to go to until then.
func (r *request) metReceiveAfter(at moment) bool {
	if !r.op.IsSend() || r.qp.peer == nil {
		return false
	}
	receive := r.meets()
	return receive == nil || receive.post.call > at
}

// meets returns the peer's receive that a send goes to, or nil when there is none or the trace does not hold it.
func (r *request) meets() *request {
	if !r.op.IsSend() || r.qp.peer == nil {
		return nil
	}
	if i := slices.Index(r.qp.sends, r); i < len(r.qp.peer.receive) {
		return r.qp.peer.receive[i]
	}
	return nil
}

// performComplete places the completion of a request. Silent requests before it that have no completion succeeded.
func (c *component) performComplete(w *walk, o *operation) {
	r := o.request
	w.each(func(w *walk, s state) {
		if !r.told && s.model.Cqs[o.cq].Health != model.OK {
			return // what comes after a CQ error is lost
		}
		turn, counts := c.turn(o)
		if s.placed[o.cq] != turn {
			w.refuse(outOfTurn)
			return
		}
		i := s.find(r)
		if i < 0 {
			w.refuse(notPlaced)
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
// delivered, or a poll beyond the limit, comes after all others and does not count.
func (c *component) turn(o *operation) (turn int, counts bool) {
	d := o.request.delivery
	if d == nil || d.order >= c.turns[o.cq] {
		return c.turns[o.cq], false
	}
	return d.order, true
}

// completeSilent lets the requests at the head of a queue succeed silently.
func (c *component) completeSilent(w *walk, requests []model.Request) {
	for _, q := range requests {
		r := c.h.requests[q.Id]
		switch {
		case !r.silent || r.told:
			w.refuse(earlierPending(r))
			return
		case q.Phase >= model.Executed && q.Phase != model.Executed+model.Phase(model.SUCCESS):
			w.refuse(silentFailure(r))
			return
		case q.Phase < model.Executed:
			if c.executesElsewhere(r) {
				w.refuse(outOfTurn)
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
				w.refuse(otherOutcome(r))
				return
			}
			if !r.told && r.silent && head.Phase == model.Executed {
				w.refuse(notPlaced)
				return
			}
			w.take(complete)
			return
		}
		if c.executesElsewhere(r) {
			w.refuse(outOfTurn)
			return
		}
		if r.told {
			c.execute(w, r, r.outcome)
			w.take(complete)
			return
		}
		// Nothing tells the outcome. A broken QP may cancel what is pending, and what has begun may still succeed.
		var outcomes []model.Outcome
		switch state := s.model.Qps[r.qp.index].State; {
		case state != model.Connected && state != model.Idle:
			outcomes = append(outcomes, model.CANCELLED)
		case r.hasMessage():
			outcomes = append(outcomes, model.FAILED)
		}
		if !r.silent && r.hasMessage() {
			outcomes = append(outcomes, model.SUCCESS)
		}
		w.refusal = notPlaced
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

func earlierPending(r *request) *model.Refusal {
	return &model.Refusal{Rule: "POLL-09", Why: r.wr + ", posted before it on the same queue, has not completed"}
}

func silentFailure(r *request) *model.Refusal {
	return &model.Refusal{Rule: "FLAG-02", Why: r.wr + ", a silent request posted before it, was cancelled and has no completion"}
}

func otherOutcome(r *request) *model.Refusal {
	return &model.Refusal{Rule: "FLUSH-01", Why: "a flush or the end of the connection cancelled " + r.wr + " before it could have another outcome"}
}

// performRest holds the state against what must have happened when the provider is at rest.
func (c *component) performRest(w *walk, o *operation) {
	w.each(func(w *walk, s state) {
		for i, q := range s.model.Cqs {
			if q.Open == model.Closed || q.Running || !c.notified(i, o.call) {
				continue
			}
			if q.Due > 0 {
				w.refuse(callbackDue)
				return
			}
			if q.ErrorDue {
				w.refuse(errorDue)
				return
			}
		}
		for i := range c.qps {
			for _, queue := range []model.Queue{model.Initiator, model.Receive} {
				c.restQueue(w, i, queue, o.call)
				if w.stuck() {
					return
				}
			}
		}
	})
}

// notified reports whether a notification that is owed has somewhere to go: an event of the verbs dialect waits in its
// channel until it is read.
func (c *component) notified(cq int, mark moment) bool {
	if c.contract.Dialect.Name != "verbs" && c.contract.Dialect.Name != model.VerbsDevice().Name {
		return true
	}
	for _, s := range c.h.reads {
		waits := s.call < mark && s.ret > mark
		if waits && (s.begin.Cq == "" || s.begin.Cq == c.cqs[cq].name) {
			return true
		}
	}
	return false
}

// restQueue refuses when a queue holds a request that must have completed; silent ones are taken to have succeeded.
func (c *component) restQueue(w *walk, p int, queue model.Queue, mark moment) {
	w.each(func(w *walk, s state) {
		requests := s.model.Qps[p].Initiator
		if queue == model.Receive {
			requests = s.model.Qps[p].Receive
		}
		if len(requests) == 0 || s.model.Cqs[c.qps[p].cq(queue).index].Health != model.OK {
			return
		}
		for i, q := range requests {
			r := c.h.requests[q.Id]
			if !r.owedAt(mark) {
				return
			}
			if r.silent && !r.told && q.Phase <= model.Executed {
				c.completeSilent(w, requests[i:i+1])
				if w.stuck() {
					return
				}
				continue
			}
			w.refuse(owed(r, q))
			return
		}
	})
}

// owed says which rule r breaks by not having completed.
func owed(r *request, q model.Request) *model.Refusal {
	cancelled := q.Phase == model.Executed+model.Phase(model.CANCELLED)
	switch {
	case cancelled && r.silent:
		return &model.Refusal{Rule: "FLAG-02", Why: r.wr + ", a silent request, was cancelled and has no completion"}
	case cancelled:
		return &model.Refusal{Rule: "FLUSH-02", Why: r.wr + " was pending when its queue was flushed, and has no completion"}
	case r.deferred && r.endedByRefusal():
		return &model.Refusal{Rule: "DEF-05", Why: r.wr + " was deferred when a later post was refused, and was never indicated: it has no completion"}
	}
	return &model.Refusal{Rule: unfinished.Rule, Why: r.wr + " was posted with success, and has no completion"}
}

// endedByRefusal reports whether the chain of a deferred request ended with a post that was refused.
func (r *request) endedByRefusal() bool {
	for _, s := range r.qp.posts {
		if s.call < r.post.call || s.fn == "NdkReceive" || s == r.post {
			continue
		}
		if !s.succeeded() {
			return true
		}
		if !slices.Contains(s.begin.Flags, "DEFER") {
			return false
		}
	}
	return false
}
