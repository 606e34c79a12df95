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
	spans    []*span
	tokens   map[uint32]int
	ops      []*operation
	turns    []int  // of each CQ: how many completions polls delivered before the limit
	memory   int    // that one search may take, in bytes
	limit    moment // events from here on are not judged: a finding without a search stands there
	excused  moment // when the consumer broke a rule: what the provider does after it is not held against it
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
	h.joinTokens(sets)
	for _, q := range h.cqs { // of a QP whose creation the trace does not hold
		for _, r := range q.delivered {
			sets.join("qp "+r.qp.name, "cq "+q.name)
		}
	}
	byRoot := map[string]*component{}
	var all []*component
	of := func(name string) *component {
		root := sets.find(name)
		c := byRoot[root]
		if c == nil {
			c = &component{h: h, contract: &model.Contract{Dialect: d}, tokens: map[uint32]int{}, limit: never, excused: never}
			byRoot[root] = c
			all = append(all, c)
		}
		return c
	}
	for _, q := range h.cqs {
		c := of("cq " + q.name)
		q.component, q.index = c, len(c.cqs)
		c.cqs = append(c.cqs, q)
		c.contract.Depth = append(c.contract.Depth, q.depth)
	}
	for _, p := range h.qps {
		c := of("qp " + p.name)
		p.component, p.index = c, len(c.qps)
		c.qps = append(c.qps, p)
	}
	for _, s := range h.spans {
		if name := h.objectOf(s); name != "" {
			c := of(name)
			c.spans = append(c.spans, s)
		}
	}
	for _, c := range all {
		c.turns = make([]int, len(c.cqs))
		c.bind()
		c.list()
	}
	return all
}

// objectOf names the object that a span is of, as the sets of components do, or "".
func (h *history) objectOf(s *span) string {
	var q *cq
	switch s.kind {
	case armCq, pollCq, callback, closeCq:
		q = h.cqByName[s.begin.Cq]
	case closeDone:
		q = h.closing[s.begin.For]
	case readEvent:
		if s.returned() {
			q = h.cqByName[s.end.Cq]
		}
	case connectQp, post, flushQp, closeQp:
		return "qp " + s.begin.Qp
	}
	if q == nil {
		return ""
	}
	return "cq " + q.name
}

// bind tells the contract which queue completes where.
func (c *component) bind() {
	for _, q := range c.cqs {
		if q.unclear != "" {
			c.reason = q.unclear + ", which this engine does not follow"
			return
		}
	}
	for _, p := range c.qps {
		b := model.Binding{Peer: -1}
		if p.initiatorCq == nil || p.receiveCq == nil {
			c.reason = "the trace does not hold the creation of " + p.name + ", so nobody knows where its requests complete"
			return
		}
		b.InitiatorCq, b.ReceiveCq = p.initiatorCq.index, p.receiveCq.index
		if p.peer != nil && c.has(p.peer) {
			b.Peer = p.peer.index
		}
		c.contract.Qps = append(c.contract.Qps, b)
	}
	c.bindTokens()
}

func (c *component) has(p *qp) bool { return p.component == c }

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
	doLose     // hidden: from now on the connection may be lost
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
	request   *request // of doExecute, doDeliver, doComplete
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
	for _, s := range c.spans {
		c.listSpan(s)
	}
	c.listHidden()
	c.listRests()
}

// listSpan adds what a call or a callback does.
func (c *component) listSpan(s *span) {
	e, o := s.begin, operation{call: s.call, ret: s.ret, maybe: !s.returned(), span: s}
	q, p := c.h.cqByName[e.Cq], c.h.qpByName[e.Qp]
	if q != nil {
		o.cq = q.index
	}
	if p != nil {
		o.qp = p.index
	}
	switch {
	case s.kind == connectQp && p.connected == s:
		o.effect = doConnect
		if s.pending() {
			o.ret, o.maybe = never, true
		}
	case s.kind == post:
		o.effect = doPost
	case s.kind == armCq:
		o.effect = doArm
		o.arm, _ = armOf(e)
	case s.kind == pollCq && s.returned():
		o.effect = doPoll
	case s.kind == callback:
		c.listCallback(q, s)
		return
	case s.kind == readEvent && s.returned():
		o.effect, o.cq = doRead, c.h.cqByName[s.end.Cq].index
	case s.kind == flushQp:
		o.effect = doFlush
	case s.kind == closeQp && p.closed == s:
		o.effect = doCloseQp
	case s.kind == closeCq && q.closed == s:
		o.effect = doCloseCqAtOnce
		if s.pending() {
			o.effect = doCloseCq
		}
	case s.kind == closeDone:
		o.effect, o.cq, o.ret, o.maybe = doCloseDone, c.h.closing[e.For].index, s.call, false
	default:
		return
	}
	c.add(o)
}

// listCallback adds the entry and the return of a callback. A consumer takes the entry down when its own function begins:
// the provider may have turned to it at any moment since the callback before returned, where callbacks are serialised.
func (c *component) listCallback(q *cq, s *span) {
	enter := operation{effect: doEnter, call: s.call, ret: s.call, cq: q.index, span: s}
	enter.status, _ = healthOf(s.begin.Status)
	if c.h.trace.Header.Side == "consumer" {
		enter.call = 0
	}
	if enter.call == 0 && c.contract.Dialect.Serialised {
		if i, _ := slices.BinarySearch(q.exits, s.call); i > 0 {
			enter.call = q.exits[i-1]
		}
	}
	c.add(enter)
	if s.returned() && c.contract.Dialect.Serialised {
		c.add(operation{effect: doExit, call: s.ret, ret: s.ret, cq: q.index, span: s})
	}
}

// listRests adds the moments of rest up to the first after the last event: later ones say nothing new.
func (c *component) listRests() {
	last := 0
	for _, s := range c.spans {
		last = max(last, s.call)
		if s.returned() {
			last = max(last, s.ret)
		}
	}
	for _, mark := range c.h.marks {
		if len(c.spans) > 0 && mark > c.spans[0].call {
			c.add(operation{effect: doRest, call: mark, ret: mark})
		}
		if mark > last {
			return
		}
	}
}

// listHidden adds the steps that nobody sees, each with the interval in which it can have happened.
func (c *component) listHidden() {
	for _, q := range c.cqs {
		q.fails = c.failureMatters(q)
		q.keeps = q.fails && (q.reports || c.undelivered(q) > 1)
	}
	for _, p := range c.qps {
		if p.lostFrom != never {
			c.add(operation{effect: doLose, call: p.lostFrom, ret: p.lostFrom, qp: p.index})
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
	o := operation{request: r, qp: r.qp.index, cq: r.qp.cq(r.queue).index, call: r.post.call, ret: never, maybe: true}
	if r.message != nil && (r.told || !c.h.breaks(r.qp)) {
		o.call = max(o.call, r.message.post.call)
	}
	if receive, _ := r.meets(); receive != nil && r.told && !failed(r) {
		o.call = max(o.call, receive.post.call)
	}
	owed := r.owed
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
		o.ret, o.maybe, o.deadline = r.point.call, false, false
	}
	c.listExecution(o)
	if r.point != nil {
		o.call = r.point.call
	}
	if r.delivery == nil && r.point == nil {
		empty := c.cqs[o.cq].lastEmpty()
		if r.silent {
			o.maybe, o.ret, o.deadline = true, never, false // success leaves nothing that would be owed
		}
		if o.ret < empty || o.maybe && !c.mayMatter(r) {
			return // it can't have been placed, or it makes no difference
		}
		o.call = max(o.call, empty)
		r.unseen = true
	}
	o.effect = doComplete
	c.add(o)
}

// mayMatter reports whether a completion that no poll delivered could explain anything. It comes after all that were
// delivered, of its queue too, and after the last poll that found the CQ empty. All that it can explain is a callback, which
// needs no more than one, a CQ that was full, or what became of a silent request that could not succeed.
func (c *component) mayMatter(r *request) bool {
	q := r.qp.cq(r.queue)
	switch {
	case !r.hasMessage() && !c.h.breaks(r.qp):
		return false
	case r.overtaken:
		return false
	case r.silent && (c.executesElsewhere(r) || c.h.breaks(r.qp)):
		return true // it may have had to fail
	}
	needed := q.notifiedAfter(q.lastEmpty())
	if q.fails {
		needed += q.depth // it may have filled the CQ
	}
	return r.waiting < needed
}

// breaks reports whether anything may have cancelled the requests of p.
func (h *history) breaks(p *qp) bool {
	return p.ends || p.lostFrom != never || h.mayFail(p.initiatorCq) || h.mayFail(p.receiveCq)
}

// failureMatters reports whether q failed by what a callback says, or whether its overflow could explain anything: that
// a completion is missing, or that requests were cancelled.
func (c *component) failureMatters(q *cq) bool {
	if q.reports || q.overrun == never {
		return c.h.mayFail(q)
	}
	for _, p := range c.qps {
		if p.initiatorCq != q && p.receiveCq != q {
			continue
		}
		for _, r := range slices.Concat(p.initiator, p.receive) {
			missing := r.delivery == nil && p.cq(r.queue) == q && r.owed != never
			if missing || r.outcome == model.CANCELLED {
				return true
			}
		}
	}
	return false
}

// undelivered counts the requests whose completions q never handed out. After an overflow one of them was lost, and the
// others may be in the CQ still (A33).
func (c *component) undelivered(q *cq) int {
	n := 0
	for _, p := range c.qps {
		for _, queue := range []model.Queue{model.Initiator, model.Receive} {
			for _, r := range p.queue(queue) {
				if r.delivery == nil && p.cq(queue) == q {
					n++
				}
			}
		}
	}
	return n
}

// lastEmpty returns when the last poll that found the CQ empty began, or 0. A CQ that failed may keep what it has, so that
// its polls tell nothing (A33).
func (q *cq) lastEmpty() moment {
	if q.keeps {
		return 0
	}
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
// receive execute in one step. One that was cancelled never reached the peer.
func (c *component) delivers(r *request) bool {
	if r.outcome == model.CANCELLED {
		return false
	}
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
	return r.outcome == model.FAILED
}

// executesElsewhere reports whether r can't just execute when it completes.
func (c *component) executesElsewhere(r *request) bool {
	return c.executesApart(r) || c.delivers(r) || r.message != nil && c.delivers(r.message)
}

// listErrors adds the moment at which q failed: one that a callback reported, or an overflow that may have gone unnoticed
// because more requests were outstanding than q has room for.
func (c *component) listErrors(q *cq) {
	for _, s := range q.notified {
		if status, ok := healthOf(s.begin.Status); ok && status != model.OK {
			c.add(operation{effect: doFailCq, call: 0, ret: s.call, cq: q.index, status: status})
			return
		}
	}
	if q.fails {
		c.add(operation{effect: doFailCq, call: q.overrun, ret: never, maybe: true, cq: q.index, status: model.BufferOverflow})
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
