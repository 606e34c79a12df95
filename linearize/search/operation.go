package search

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// effect is what an operation does to the contract's state.
type effect uint8

const (
	doConnect      effect = iota
	doConnectAgain        // of a queue pair whose connection may have been lost
	doPost
	doArm
	doPoll
	doEnter
	doExit
	doRead // enter and, where callbacks are serialised, exit
	doFlush
	doCloseQp
	doAskResize
	doResize // that succeeded, until its consumer is told
	doCloseCq
	doCloseCqAtOnce // the close and its completion
	doCloseDone
	doDie      // of a token, with its region or window
	doLose     // hidden: from now on the connection may be lost
	doBreak    // hidden: a connect that failed breaks a queue pair that is not connected
	doFailCq   // hidden
	doExecute  // hidden
	doDeliver  // hidden
	doComplete // hidden
	doVanish   // hidden: the completions of a QP that is closed leave the CQs
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
	loss      int      // of doLose: its index in the component
	arm       model.Arm
	status    model.Health
	depth     int // of a resize: the new one
	token     int // of doDie
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
	case p != nil && p.connected == s:
		o.effect = doConnect
		if s.pending() {
			o.ret, o.maybe = never, true
		}
	case p != nil && c.h.isConnectedAgain(p, s):
		o.effect = doConnectAgain
		if s.pending() {
			o.ret, o.maybe = never, true
		}
	case p != nil && calls.KindOf(e) == calls.ConnectQp && c.h.mayBreak(p, s):
		o.effect, o.ret, o.maybe = doBreak, never, true
	case s.kind == calls.Post:
		o.effect = doPost
	case s.kind == calls.ArmCq:
		o.effect = doArm
		o.arm, _ = calls.ArmOf(e)
	case s.kind == calls.PollCq && s.returned():
		o.effect = doPoll
	case s.kind == calls.Callback:
		c.listCallback(q, s)
		return
	case s.kind == calls.ReadEvent && s.returned():
		o.effect, o.cq = doRead, c.h.cqByName[s.end.Cq].index
	case s.kind == calls.FlushQp:
		o.effect, o.ret = doFlush, c.h.flushedBy(s)
		o.maybe = o.ret == never
	case s.kind == calls.ResizeCq:
		c.listResize(q, s)
		return
	case s.kind == calls.CloseQp && p.closed == s:
		o.effect = doCloseQp
		if p.connected != nil && s.pending() { // it may wait for the close of its connector, and do nothing until then (A36)
			o.ret = c.h.doneAt(s)
			o.maybe = o.ret == never
		}
	case s.kind == calls.CloseCq && q.closed == s:
		o.effect = doCloseCqAtOnce
		if s.pending() {
			o.effect = doCloseCq
		}
	case s.kind == calls.CloseRegion:
		c.listClose(s)
		return
	case s.kind == calls.CloseDone:
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
	enter.status, _ = calls.HealthOf(s.begin.Status)
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
	peers := map[string]bool{} // for what these do something may be owed here
	for _, p := range c.qps {
		if p.peer != nil {
			peers[p.peer.name] = true
		}
	}
	for _, s := range c.h.spans {
		if peers[s.begin.Qp] {
			last = max(last, s.call)
			if s.returned() {
				last = max(last, s.ret)
			}
		}
	}
	for _, s := range c.h.reads { // one that never returned is of no component
		last = max(last, s.call)
	}
	for _, o := range c.ops {
		if o.request != nil && o.request.point != nil {
			last = max(last, o.request.point.call)
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
