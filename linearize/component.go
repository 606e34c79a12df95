package linearize

import (
	"slices"

	"ndkoracle/model"
)

// A component is a group of objects that share something, checked apart from all others. QPs share the CQs that they
// complete into; the two QPs of a connection share the tokens that one invalidates for the other.
type component struct {
	h        *history
	contract *model.Contract
	cqs      []*cq
	qps      []*qp
	tokens   map[uint32]int
	ops      []*operation
	turns    []int  // of each CQ: how many completions polls delivered before the limit
	limit    moment // events from here on are not judged: a finding without a search stands there
	reason   string // why this component cannot be judged, or ""
}

// components groups the objects, and lists the operations of each group.
func (h *history) components(d model.Dialect) []*component {
	sets := newUnion()
	for _, p := range h.qps {
		sets.join("qp "+p.name, "qp "+p.name)
		for _, q := range []*cq{p.initiatorCq, p.receiveCq} {
			if q != nil {
				sets.join("qp "+p.name, "cq "+q.name)
			}
		}
		if p.peer != nil && (p.usesTokens() || p.peer.usesTokens()) {
			sets.join("qp "+p.name, "qp "+p.peer.name)
		}
	}
	byRoot := map[string]*component{}
	var all []*component
	of := func(name string) *component {
		root := sets.find(name)
		c := byRoot[root]
		if c == nil {
			c = &component{h: h, contract: &model.Contract{Dialect: d}, tokens: map[uint32]int{}, limit: never}
			byRoot[root] = c
			all = append(all, c)
		}
		return c
	}
	for _, q := range h.cqs {
		c := of("cq " + q.name)
		q.component = len(c.cqs)
		c.cqs = append(c.cqs, q)
		c.contract.Depth = append(c.contract.Depth, q.depth)
	}
	for _, p := range h.qps {
		c := of("qp " + p.name)
		p.index = len(c.qps)
		c.qps = append(c.qps, p)
	}
	for _, c := range all {
		c.turns = make([]int, len(c.cqs))
		c.bind()
		c.list()
	}
	return all
}

func (p *qp) usesTokens() bool {
	for _, r := range p.initiator {
		if r.op == model.SendAndInvalidate {
			return true
		}
	}
	return false
}

// bind tells the contract which queue completes where.
func (c *component) bind() {
	for _, p := range c.qps {
		b := model.Binding{Peer: -1}
		if p.initiatorCq == nil || p.receiveCq == nil {
			c.reason = "the trace does not hold the creation of " + p.name + ", so nobody knows where its requests complete"
			return
		}
		b.InitiatorCq, b.ReceiveCq = p.initiatorCq.component, p.receiveCq.component
		if p.peer != nil && c.has(p.peer) {
			b.Peer = p.peer.index
		}
		c.contract.Qps = append(c.contract.Qps, b)
		for _, r := range p.initiator {
			if r.token == nil {
				continue
			}
			if _, known := c.tokens[*r.token]; !known {
				c.tokens[*r.token] = len(c.tokens)
			}
		}
	}
	c.contract.Tokens = len(c.tokens)
}

func (c *component) has(p *qp) bool { return p.index < len(c.qps) && c.qps[p.index] == p }

// token returns the index of the token that r makes valid or invalid, or model.NoToken.
func (c *component) token(r *request) int {
	if r.token == nil {
		return model.NoToken
	}
	return c.tokens[*r.token]
}

// effect is what an operation does to the contract's state.
type effect uint8

const (
	doConnect effect = iota
	doPost
	doArm
	doPoll
	doEnter
	doExit
	doRead // enter and, where callbacks are serialised, exit
	doFlush
	doCloseQp
	doCloseCq
	doCloseCqAtOnce // the close and its completion
	doCloseDone
	doLose     // hidden
	doFailCq   // hidden
	doExecute  // hidden
	doDeliver  // hidden
	doComplete // hidden
	doRest     // nothing is owed
)

// An operation is something that took place at one moment of a closed interval: of the interval of its call, or, when it
// is hidden, of the interval in which it can have happened.
type operation struct {
	index     int // in the component
	effect    effect
	call, ret moment
	maybe     bool // it need not have happened at all
	cq, qp    int  // indexes in the component
	span      *span
	request   *request   // of doExecute, doDeliver, doComplete
	posts     []*request // of doPost
	arm       model.Arm
	status    model.Health
	deadline  bool // ret is a moment of rest, not the poll that delivered the completion
}

func (c *component) add(o operation) {
	o.index = len(c.ops)
	c.ops = append(c.ops, &o)
}

// list turns the history of the component into operations.
func (c *component) list() {
	if c.reason != "" {
		return
	}
	mine := map[*qp]bool{}
	for _, p := range c.qps {
		mine[p] = true
	}
	closing := map[string]int{}
	for _, s := range c.h.spans {
		e := s.begin
		q, p := c.h.cqByName[e.Cq], c.h.qpByName[e.Qp]
		ofCq, ofQp := q != nil && c.hasCq(q), p != nil && mine[p]
		o := operation{call: s.call, ret: s.ret, maybe: !s.returned(), span: s}
		if ofCq {
			o.cq = q.component
		}
		if ofQp {
			o.qp = p.index
		}
		switch k := kindOf(e); {
		case k == connectQp && ofQp && p.connected == s:
			o.effect = doConnect
		case k == post && ofQp:
			o.effect, o.posts = doPost, c.requestsOf(p, s)
		case k == armCq && ofCq:
			o.effect = doArm
			o.arm, _ = armOf(e)
		case k == pollCq && ofCq:
			if !s.returned() {
				continue
			}
			o.effect = doPoll
		case k == callback && ofCq:
			o.effect, o.ret, o.maybe = doEnter, s.call, false
			o.status, _ = healthOf(e.Status)
			if c.h.trace.Header.Side == "consumer" {
				o.call = c.exitBefore(q, s)
			}
			c.add(o)
			if s.returned() && c.contract.Dialect.Serialised {
				c.add(operation{effect: doExit, call: s.ret, ret: s.ret, cq: o.cq, span: s})
			}
			continue
		case k == readEvent:
			if !s.returned() || s.end.Cq == "" || !c.hasCq(c.h.cq(s.end.Cq)) {
				continue
			}
			o.effect, o.cq = doRead, c.h.cq(s.end.Cq).component
		case k == flushQp && ofQp:
			o.effect = doFlush
		case k == closeQp && ofQp && p.closed == s:
			o.effect = doCloseQp
		case k == closeCq && ofCq && q.closed == s:
			o.effect = doCloseCqAtOnce
			if s.pending() {
				o.effect = doCloseCq
				closing[e.Op] = o.cq
			}
		case k == closeDone:
			i, mine := closing[e.For]
			if !mine {
				continue
			}
			o.effect, o.cq, o.ret, o.maybe = doCloseDone, i, s.call, false
		default:
			continue
		}
		c.add(o)
	}
	c.listHidden()
	for _, mark := range c.h.marks {
		c.add(operation{effect: doRest, call: mark, ret: mark})
	}
}

func (c *component) hasCq(q *cq) bool { return q.component < len(c.cqs) && c.cqs[q.component] == q }

// requestsOf returns the requests that a post posted, and the one at which it was refused.
func (c *component) requestsOf(p *qp, s *span) []*request {
	var posted []*request
	for _, r := range c.h.requests {
		if r.post == s {
			posted = append(posted, r)
		}
	}
	return posted
}

// exitBefore returns the end of the callback of q before s. A consumer takes the beginning of a callback down when its own
// function begins: the provider may have turned to it at any moment since the one before returned.
func (c *component) exitBefore(q *cq, s *span) moment {
	before := 0
	for _, t := range c.h.spans {
		if t.call >= s.call {
			break
		}
		if kindOf(t.begin) == callback && t.begin.Cq == q.name && t.ret < s.call {
			before = max(before, t.ret)
		}
	}
	return before
}

// listHidden adds the steps that nobody sees, each with the interval in which it can have happened.
func (c *component) listHidden() {
	for _, p := range c.qps {
		if p.lostFrom != never {
			c.add(operation{effect: doLose, call: p.lostFrom, ret: never, maybe: true, qp: p.index})
		}
		for _, q := range []model.Queue{model.Initiator, model.Receive} {
			for _, r := range p.queue(q) {
				c.listRequest(r)
			}
		}
	}
	for _, q := range c.cqs {
		c.listErrors(q)
	}
}

// listRequest adds the execution of r where it has an effect of its own (a failure breaks the QP, a token changes), and
// its completion, unless the trace shows that there was none.
func (c *component) listRequest(r *request) {
	o := operation{request: r, qp: r.qp.index, cq: r.qp.cq(r.queue).component, call: r.post.call, ret: never, maybe: true}
	if r.message != nil {
		o.call = max(o.call, r.message.post.call)
	}
	owed := c.h.firstOwed(r)
	switch {
	case r.delivery != nil:
		o.ret, o.maybe = r.delivery.poll.ret, false
		if owed < o.ret {
			o.ret, o.deadline = owed, true
		}
	case owed != never:
		o.maybe, o.ret, o.deadline = false, owed, true
	}
	if r.point != nil {
		o.call, o.ret, o.maybe = r.point.call, r.point.call, false
	}
	c.listExecution(o)
	if r.delivery == nil && r.point == nil {
		empty := c.cqs[o.cq].lastEmpty()
		if o.ret < empty || o.maybe && !c.mayMatter(r) || r.silent && !o.maybe {
			return // it can't have been placed, or it makes no difference
		}
		o.call = max(o.call, empty)
	}
	o.effect = doComplete
	c.add(o)
}

// mayMatter reports whether a completion that no poll delivered could explain anything. It comes after all that were
// delivered, and after the last poll that found the CQ empty; all that it can explain is a callback, and no callback needs
// more than one.
func (c *component) mayMatter(r *request) bool {
	q := r.qp.cq(r.queue)
	if r.queue == model.Receive && r.qp.peer != nil && r.position >= len(r.qp.peer.sends()) && !r.qp.breaks() {
		return false // the peer has sent nothing for it
	}
	undelivered := 0
	for _, earlier := range r.qp.queue(r.queue)[:r.position] {
		if earlier.delivery == nil {
			undelivered++
		}
	}
	return undelivered < q.notifiedAfter(q.lastEmpty())
}

// breaks reports whether anything may have cancelled the requests of p.
func (p *qp) breaks() bool {
	if len(p.flushes) > 0 || p.closed != nil || p.lostFrom != never {
		return true
	}
	return slices.ContainsFunc(slices.Concat(p.initiator, p.receive), failed)
}

// lastEmpty returns when the last poll that found the CQ empty began, or 0.
func (q *cq) lastEmpty() moment {
	for _, poll := range slices.Backward(q.polls) {
		if poll.foundEmpty() {
			return poll.call
		}
	}
	return 0
}

// notifiedAfter counts the callbacks and events of q after a moment.
func (q *cq) notifiedAfter(at moment) int {
	n := 0
	for _, s := range q.notified {
		if s.call > at || s.ret > at {
			n++
		}
	}
	return n
}

// listExecution adds the execution of a request as a step of its own where it has an effect before the completion: a
// failure breaks the QP, a token changes. All other requests execute when they complete.
func (c *component) listExecution(o operation) {
	r := o.request
	switch {
	case c.delivers(r):
		if failed(r) && r.delivery.outcome == model.CANCELLED {
			return
		}
		o.effect = doDeliver
		if receive := c.h.takenBy[r]; receive != nil {
			o.maybe = false
			if receive.delivery.poll.ret < o.ret {
				o.ret, o.deadline = receive.delivery.poll.ret, false
			}
		}
	case c.executesApart(r):
		o.effect = doExecute
	default:
		return
	}
	c.add(o)
}

// delivers reports whether r is a NdkSendAndInvalidate to a peer whose tokens the component knows: it and the peer's
// receive execute in one step.
func (c *component) delivers(r *request) bool {
	return r.op == model.SendAndInvalidate && r.token != nil && r.qp.peer != nil && c.has(r.qp.peer)
}

// executesApart reports whether r executes in a step of its own, or in that of the peer's send.
func (c *component) executesApart(r *request) bool {
	switch r.op {
	case model.FastRegister, model.Bind, model.Invalidate:
		if r.token != nil {
			return true
		}
	}
	return failed(r) && r.delivery.outcome == model.FAILED
}

// executesElsewhere reports whether r can't just execute when it completes.
func (c *component) executesElsewhere(r *request) bool {
	return c.executesApart(r) || c.delivers(r) || r.message != nil && c.delivers(r.message)
}

// listErrors adds the moment at which q failed: one that a callback reported, or an overflow that may have gone unnoticed
// because more requests were outstanding than q has room for.
func (c *component) listErrors(q *cq) {
	for _, s := range c.h.spans {
		if kindOf(s.begin) != callback || s.begin.Cq != q.name {
			continue
		}
		if status, ok := healthOf(s.begin.Status); ok && status != model.OK {
			c.add(operation{effect: doFailCq, call: 0, ret: s.call, cq: q.component, status: status})
			return
		}
	}
	if full := c.h.mayOverflow(q); full != never {
		c.add(operation{effect: doFailCq, call: full, ret: never, maybe: true, cq: q.component, status: model.BufferOverflow})
	}
}

// union is a disjoint-set forest over names.
type union map[string]string

func newUnion() union { return union{} }

func (u union) find(name string) string {
	for u[name] != "" && u[name] != name {
		name = u[name]
	}
	return name
}

func (u union) join(a, b string) {
	if a, b = u.find(a), u.find(b); a != b {
		u[b] = a
	}
}
