package search

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/model"
)

// state is a state of the contract, and what the search knows beside it.
type state struct {
	model  model.State
	placed []int    // into each CQ: only the next in the order of the polls can be placed, which is that of placement
	lost   []bool   // of each loss of each QP: whether it may have come by now; the connection is lost where that is needed for something
	late   *request // one that is told to succeed, and was posted once its connection had ended: it can't; or nil
	trail  *trail   // how it came about, where that is to be told
	bytes  int      // that it takes, about, beside what it shares with the state before it
}

func (c *component) init() state {
	losses := 0
	for _, p := range c.qps {
		losses += len(p.losses)
	}
	s := state{model: c.contract.Init(), placed: make([]int, len(c.cqs)), lost: make([]bool, losses)}
	for _, token := range c.old {
		s.model.Tokens[token] = model.Undefined
	}
	return s
}

func (s state) appendKey(key []byte) []byte {
	key = s.model.AppendKey(key)
	for _, n := range s.placed {
		key = append(key, byte(n), byte(n>>8), byte(n>>16))
	}
	if s.late != nil {
		key = append(key, byte(s.late.id), byte(s.late.id>>8), byte(s.late.id>>16))
	}
	for _, lost := range s.lost {
		key = append(key, '0')
		if lost {
			key[len(key)-1] = '1'
		}
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

// take performs one action in every state.
func (w *walk) take(a model.Action) *walk {
	next := gathering{c: w.c}
	for _, s := range w.states {
		if w.c.ledger.over.Load() {
			break
		}
		successors, refusal := w.c.contract.Step(s.model, a)
		if refusal != nil {
			w.refusal = refusal
		}
		for _, m := range successors {
			to := state{model: m, placed: s.placed, lost: s.lost, late: s.late, trail: w.c.extendTrail(s, a, m, len(successors) > 1)}
			to.bytes = w.c.made(&to, a)
			next.add(to)
		}
	}
	w.states = next.states
	return w
}

// each continues from every state apart, with steps that depend on it.
func (w *walk) each(step func(*walk, state)) *walk {
	next := gathering{c: w.c}
	for _, s := range w.states {
		one := &walk{c: w.c, states: []state{s}}
		step(one, s)
		next.add(one.states...)
		if one.stuck() {
			w.refusal = one.refusal
		}
	}
	w.states = next.states
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
	if c.ledger.over.Load() {
		return nil, breach.NotPlaced
	}
	return w.states, w.refusal
}

func (c *component) perform(w *walk, o *operation) {
	switch o.effect {
	case doConnect:
		w.take(model.Action{Name: model.NdkConnect, Qp: o.qp})
	case doConnectAgain:
		c.performConnectAgain(w, o)
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
		c.finishBeforeFlush(w, o.qp, o.ret)
		c.performFlush(w, o)
	case doCloseQp:
		c.finishBeforeFlush(w, o.qp, o.ret)
		w.take(model.Action{Name: model.NdkCloseQp, Qp: o.qp})
	case doAskResize:
		w.take(model.Action{Name: model.NdkResizeCq, Cq: o.cq, Depth: o.depth})
	case doResize:
		c.performResize(w, o)
	case doCloseCq:
		w.take(model.Action{Name: model.NdkCloseCq, Cq: o.cq})
	case doCloseCqAtOnce:
		w.take(model.Action{Name: model.NdkCloseCq, Cq: o.cq}).take(model.Action{Name: model.NdkCloseCompletion, Cq: o.cq})
	case doCloseDone:
		w.take(model.Action{Name: model.NdkCloseCompletion, Cq: o.cq})
	case doDie:
		c.performDie(w, o)
	case doLose:
		for i := range w.states {
			w.states[i].lost = slices.Clone(w.states[i].lost)
			w.states[i].lost[o.loss] = true
		}
	case doBreak:
		for i := range w.states {
			w.states[i].model = w.states[i].model.Break(o.qp)
		}
	case doFailCq:
		c.performFailCq(w, o)
	case doExecute:
		c.performExecute(w, o.request)
	case doDeliver:
		c.performDeliver(w, o.request)
	case doComplete:
		c.performComplete(w, o)
	case doVanish:
		c.performVanish(w, o)
	case doRest:
		c.performRest(w, o)
	}
}

// performConnectAgain connects a queue pair whose connection has ended, or may have been lost by then. A witness has no step for that.
func (c *component) performConnectAgain(w *walk, o *operation) {
	lost := &walk{c: c}
	for _, s := range w.states {
		if s.model.Qps[o.qp].State == model.Connected && c.mayLose(s, c.qps[o.qp]) {
			lost.states = append(lost.states, s)
		}
	}
	lost.take(model.Action{Name: model.ConnectionLost, Qp: o.qp})
	for _, s := range slices.Concat(w.states, lost.states) {
		if again, connected := s.model.ConnectAgain(c.contract.Dialect, o.qp); connected {
			s.model, s.trail = again, s.trail.withoutStep()
			w.states = append(w.states, s)
		}
	}
}

// performFlush flushes a queue pair. If a flush cancels later posts (A15), and the trace does not have the other end, a request that fails later shows that
// the connection may have been lost before.
func (c *component) performFlush(w *walk, o *operation) {
	p := c.qps[o.qp]
	fails := func(r *request) bool { return r.outcome == model.FAILED && r.told && r.post.ret > o.span.call }
	lost := &walk{c: c}
	if c.h.cancels && p.peer == nil && (slices.ContainsFunc(p.initiator, fails) || slices.ContainsFunc(p.receive, fails)) {
		for _, s := range w.states {
			if s.model.Qps[o.qp].State == model.Connected && c.mayLose(s, p) {
				lost.states = append(lost.states, s)
			}
		}
		lost.take(model.Action{Name: model.ConnectionLost, Qp: o.qp}).take(model.Action{Name: c.ending(o.span), Qp: o.qp})
	}
	w.take(model.Action{Name: c.ending(o.span), Qp: o.qp})
	w.states = append(w.states, lost.states...)
}

// performFailCq lets a CQ fail. It overflows only for a completion of a request that is pending, and never has one.
func (c *component) performFailCq(w *walk, o *operation) {
	if o.status == model.InternalError {
		w.take(model.Action{Name: model.CqInternalError, Cq: o.cq})
		return
	}
	w.each(func(w *walk, s state) {
		for i, b := range c.contract.Qps {
			for _, queue := range []model.Queue{model.Initiator, model.Receive} {
				if b.Cq(queue) == o.cq && len(s.model.Qps[i].Queue(queue)) > 0 {
					c.crowd(w, s, o.cq)
					w.take(model.Action{Name: model.Overflow, Cq: o.cq})
					return
				}
			}
		}
		w.refuse(breach.NoneTooMany)
	})
}

func (c *component) performPost(w *walk, o *operation) {
	for _, r := range o.span.requests {
		if r.leftOut {
			continue
		}
		a := model.Action{Name: model.PostRefused, Qp: o.qp, Queue: r.queue, Request: c.request(r)}
		if r.accepted {
			a.Name, a.Deferred = model.Post, r.deferred
		}
		w.take(a)
		c.comesLate(w, r)
	}
}

// comesLate records that r succeeds and was posted where its connection had ended. What was posted before that may be executed late here, and had been
// executed before the end. Which step ended it does not matter: none comes later here than it did.
func (c *component) comesLate(w *walk, r *request) {
	if !c.h.dialect.LossCancels || !r.told || r.outcome != model.SUCCESS {
		return
	}
	for i := range w.states {
		if s := &w.states[i]; s.late == nil && s.model.Qps[r.qp.index].State == model.Ended && c.h.endsOnce(r.qp) {
			s.late = r
		}
	}
}

// request returns r as the contract has it.
func (c *component) request(r *request) model.Request {
	q := model.Request{Id: r.id, Op: r.op, Silent: r.silent, Token: c.token(r)}
	if r.queue == model.Initiator {
		q.Solicit, q.Fence = r.solicit, r.fence
	}
	return q
}

// ending returns the step of a call that flushes a queue pair. Where A15 leaves free what is posted behind a flush, NdkDisconnect is one: what
// succeeded before it may be executed behind it, as this engine executes a request when its completion is told.
func (c *component) ending(s *span) model.Name {
	if c.h.cancels && s.fn == "NdkDisconnect" {
		return model.NdkDisconnect
	}
	return model.NdkFlush
}

// performPoll removes exactly the completions that the poll returned.
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
				w.refuse(breach.NotPlaced)
				return
			}
		}
		w.take(model.Action{Name: model.NdkGetCqResults, Cq: o.cq, N: room, K: len(results)})
	})
}
