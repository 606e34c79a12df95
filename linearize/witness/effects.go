package witness

import (
	"slices"

	"ndkoracle/model"
	"ndkoracle/ndk"
)

// reportsSuccess reports whether a completion callback says that its call succeeded.
func reportsSuccess(answer *call) bool {
	status, err := ndk.ParseStatus(answer.begin.Status)
	return err == nil && status.Success()
}

// findEffects finds the steps that a call or a callback stands for, and where each may stand. first reports whether something is
// done to an object for the first time: an object is connected and closed once.
func (f *facts) findEffects(c *call, side string, first func(what, name string) bool) {
	e, last := c.begin, len(f.events)-1
	inside := func(s Step) *effect { return &effect{step: s, from: c.from, to: min(c.to-1, last), must: c.end != nil} }
	at := func(s Step, index int) *effect {
		return &effect{step: s, from: index, to: index, must: true, atOnce: true}
	}
	add := func(all ...*effect) {
		for _, one := range all {
			one.step.Op = e.Op
			f.effects[e.Op] = append(f.effects[e.Op], one)
			f.due[one.to] = append(f.due[one.to], one)
		}
	}
	cq, qp := Step{Cq: e.Cq}, Step{Qp: e.Qp}
	switch {
	case f.requestsOf(c) != nil:
		for _, r := range f.requestsOf(c) {
			add(inside(f.stepOfPost(r)))
		}
	case e.Fn == "NdkDisconnect" && f.closed[e.Qp] != nil: // of the connector, which outlives the QP
	case c.flushes():
		if i, known := f.qps.index[e.Qp]; known {
			f.flushes[i] = append(f.flushes[i], c)
		}
		one := inside(qp.of(f.ending(c)))
		if c.pending() || c.refused() {
			one.to, one.must = last, false
			if answer := f.answers[e.Op]; c.pending() && answer != nil && reportsSuccess(answer) {
				one.to, one.must = answer.from-1, true
			}
		}
		add(one)
	case f.joins(c) && (f.failed(c) || first("connect", e.Qp)):
		one := inside(qp.of(model.NdkConnect))
		if c.pending() {
			one.to = last
		}
		one.must = !c.pending() && !slices.ContainsFunc(f.connectsOf(e.Qp), func(o *call) bool { return f.joins(o) && f.failed(o) })
		add(one)
	case c.refused():
	case arms[e.Fn]:
		cq.Type = armType(e)
		add(inside(cq.of(model.NdkArmCq)))
	case resizes[e.Fn]:
		f.findResize(c, inside, add)
	case polls[e.Fn] && c.end != nil:
		n, k := len(c.end.Results), len(c.end.Results)
		if e.N != nil {
			n = int(*e.N)
		}
		cq.N, cq.K = &n, &k
		add(inside(cq.of(model.NdkGetCqResults)))
	case notifies[e.Fn]:
		enter := cq.of(model.NdkCqNotificationCallbackEnter)
		enter.CqStatus = e.Status
		if enter.CqStatus == "" {
			enter.CqStatus = model.OK.String()
		}
		one := at(enter, c.from)
		if side == "consumer" {
			one.from, one.atOnce = -1, false // the provider may have turned to it before: the model knows since when
		}
		add(one)
		if c.end != nil && f.contract.Dialect.Serialised {
			add(at(cq.of(model.NdkCqNotificationCallbackExit), c.to))
		}
	case e.Fn == "ibv_get_cq_event" && c.end != nil && c.end.Cq != "":
		cq = Step{Cq: c.end.Cq, CqStatus: model.OK.String()}
		add(inside(cq.of(model.NdkCqNotificationCallbackEnter)))
		if f.contract.Dialect.Serialised {
			add(inside(Step{Cq: c.end.Cq}.of(model.NdkCqNotificationCallbackExit)))
		}
	case closesQp[e.Fn] && first("close", e.Qp):
		f.closed[e.Qp] = c
		one := inside(qp.of(model.NdkCloseQp))
		answer := f.answers[e.Op]
		if f.mayStayOpen(c) {
			one.to, one.must = last, answer != nil
		}
		if answer != nil {
			one.to = min(one.to, answer.from-1)
		}
		add(one)
		if c.succeeded() {
			gone := inside(qp.of(model.NdkCloseCompletionEnter))
			gone.must = false
			add(gone)
		}
	case closesCq[e.Fn] && first("close", e.Cq):
		add(inside(cq.of(model.NdkCloseCq)))
		if !c.pending() {
			add(inside(cq.of(model.NdkCloseCompletion)))
		}
	case closesRegion[e.Fn]:
		for _, token := range f.tokensOf(c.region()) {
			one := inside(Step{Action: model.TokenDies, Token: &token})
			if answer := f.answers[e.Op]; c.pending() {
				one.to, one.must = last, answer != nil && (answer.begin.Fn == "NdkCloseCompletion" || reportsSuccess(answer))
				if one.must {
					one.to = answer.from - 1
				}
				f.dying = append(f.dying, one)
			}
			add(one)
		}
	case e.Fn == "NdkCloseCompletion":
		closed := f.byOp[e.For]
		switch {
		case closed == nil || f.answers[e.For] != c:
		case closesCq[closed.begin.Fn]:
			add(at(Step{Cq: closed.begin.Cq}.of(model.NdkCloseCompletion), c.from))
		case closesQp[closed.begin.Fn]:
			gone := Step{Qp: closed.begin.Qp}.of(model.NdkCloseCompletionEnter)
			add(&effect{step: gone, from: c.from, to: c.from})
		}
	}
}

// findResize finds the effects of a resize: the request to the CQ, and the report of success to the consumer. Both are between the call and the return
// or, for a pending resize, its completion callback. A refused resize has no effects.
func (f *facts) findResize(c *call, inside func(Step) *effect, add func(...*effect)) {
	depth, cq := c.depth(), Step{Cq: c.begin.Cq}
	asks, enters := cq.of(model.NdkResizeCq), cq.of(model.NdkRequestCompletionEnter)
	asks.Depth, enters.Outcome = &depth, model.SUCCESS.String()
	to, must, answer := len(f.events)-1, false, f.answers[c.begin.Op]
	switch {
	case c.succeeded():
		to, must = c.to-1, true
	case answer != nil && !reportsSuccess(answer):
		return
	case answer != nil:
		to, must = answer.from-1, true
	}
	for _, s := range []Step{asks, enters, cq.of(model.NdkRequestCompletionExit)} {
		one := inside(s)
		one.to, one.must = to, must
		add(one)
	}
}

func (s Step) of(action model.Name) Step {
	s.Action = action
	return s
}

// requestsOf returns what a post posted, or was refused, in its order.
func (f *facts) requestsOf(c *call) []*request {
	if r := f.byWr[c.begin.Wr]; r != nil && r.post == c {
		return []*request{r}
	}
	var all []*request
	for _, w := range c.begin.Wrs {
		if r := f.byWr[w.Wr]; r != nil && r.post == c {
			all = append(all, r)
		}
	}
	return all
}

func (f *facts) stepOfPost(r *request) Step {
	s := Step{Action: model.PostRefused, Qp: f.qps.list[r.qp], Queue: r.queue.String(), Wr: r.wr,
		Posted: Posted{Request: r.Op.String(), Silent: r.Silent, Solicit: r.Solicit, Fence: r.Fence}}
	if r.accepted {
		s.Action, s.Deferred = model.Post, r.deferred
	}
	if r.Token != model.NoToken {
		s.Token = r.token
	}
	return s
}

// ending returns the step of a call that flushes its QP. NdkDisconnect is a flush unless A15 says that a flush cancels what is posted behind it.
func (f *facts) ending(c *call) model.Name {
	if f.contract.Dialect.A15 == model.A15Cancelled && c.begin.Fn == "NdkDisconnect" {
		return model.NdkDisconnect
	}
	return model.NdkFlush
}

// waits reports whether a notification that is owed at a moment of rest has somewhere to go: an event waits in its channel until
// it is read.
func (f *facts) waits(cq string, rest int) bool {
	return !f.contract.Dialect.EventsAreRead || f.awaited[rest][cq]
}
